"""Tables of text: as Markdown for the terminal, CSV for machines, LaTeX (booktabs) for a paper.

In: a head, rows, and the signatures that stand below. Out: text.
"""

import csv as comma_separated
import io
import re

import msgspec

_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "Δ": r"$\Delta$", "−": r"$-$", "–": "--",
}  # fmt: skip


class Table(msgspec.Struct, kw_only=True, frozen=True):
    """A table of text; ``stem`` is the name of its files without their ends."""

    stem: str
    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "stem", re.sub(r"[^\w.-]+", "-", self.stem))


def markdown(table: Table) -> str:
    """A heading, a table whose bars are escaped, and the signatures."""
    rows = [[cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in (table.head, *table.rows)]
    widths = [max(3, *(len(row[i]) for row in rows)) for i in range(len(table.head))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in rows]
    rule = "|" + "|".join("-" * (w + 2) for w in widths) + "|"
    notes = ["", *(f"`{note}`" for note in table.notes)] if table.notes else []
    return "\n".join([f"## {table.title}", "", lines[0], rule, *lines[1:], *notes]) + "\n"


def csv(table: Table) -> str:
    """The head and the rows."""
    out = io.StringIO()
    writer = comma_separated.writer(out, lineterminator="\n")
    writer.writerows([table.head, *table.rows])
    return out.getvalue()


def latex(table: Table) -> str:
    """A tabular with booktabs; the title and the signatures are comments."""
    body = [" & ".join(map(_tex, row)) + r" \\" for row in (table.head, *table.rows)]
    comments = [f"% {line}".replace("\n", " ") for line in (table.title, *table.notes)]
    begin = rf"\begin{{tabular}}{{{'l' * len(table.head)}}}"
    return "\n".join([*comments, begin, r"\toprule", body[0], r"\midrule", *body[1:], r"\bottomrule", r"\end{tabular}"]) + "\n"


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in text)


def percent(value: float | None) -> str:
    """A share in per cent with two decimals, as the papers print it; a dash where there is none."""
    return "–" if value is None else f"{100 * value:.2f}"


def signed(value: float | None) -> str:
    """A difference in percentage points, with its sign."""
    return "–" if value is None else f"{100 * value:+.2f}".replace("-", "−")


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}".removesuffix(".0")


def p_value(value: float | None) -> str:
    """Three digits, and what is less than a thousandth as such."""
    return "–" if value is None else "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0").replace("1.000", "1")
