"""A table of a paper: sections of rows, columns under spans, and every number with its interval and signature beside it.

In: cells. Out: LaTeX (booktabs), Markdown and CSV. The one thing to know: LaTeX and Markdown show what the paper's table shows, and
CSV has one row a cell with what stands behind it: value, interval, n, note and signature.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from ...records import Estimate
from ..tables import md, tex

NOTHING = "–"


class Cell(msgspec.Struct, kw_only=True, frozen=True):
    """What is shown, and the estimates that it is made of; ``value`` ranks it in its column."""

    text: str = NOTHING
    estimates: tuple[Estimate, ...] = ()
    value: float | None = None


class Row(msgspec.Struct, kw_only=True, frozen=True):
    """One row of a section."""

    name: str
    cells: tuple[Cell, ...]
    section: str = ""


class Sheet(msgspec.Struct, kw_only=True, frozen=True):
    """One table of a paper."""

    name: str
    caption: str
    first: str
    """What the rows are."""
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    spans: tuple[tuple[str, int], ...] = ()
    """Heads over several columns."""
    best: Literal["", "first", "second"] = "first"
    """Whether the best of each column and section is bold, and the second best underlined."""
    notes: tuple[str, ...] = ()

    @property
    def sections(self) -> list[tuple[str, list[Row]]]:
        return [(name, [row for row in self.rows if row.section == name]) for name in dict.fromkeys(row.section for row in self.rows)]

    @property
    def estimates(self) -> list[Estimate]:
        return [e for row in self.rows for cell in row.cells for e in cell.estimates]

    def ranked(self, rows: Sequence[Row]) -> list[list[int]]:
        """For each cell of a section 1 for the best of its column, 2 for the second best, else 0."""
        ranks = [[0] * len(self.columns) for _ in rows]
        for n in range(len(self.columns)):
            values = sorted({v for row in rows if (v := row.cells[n].value) is not None}, reverse=True)
            for rank, row in zip(ranks, rows, strict=True):
                if self.best and len(values) > 1 and (v := row.cells[n].value) is not None:
                    rank[n] = 1 if v == values[0] else 2 if self.best == "second" and v == values[1] else 0
        return ranks


def share(estimate: Estimate | None, *, digits: int = 2) -> Cell:
    """A share in per cent; a dash where there is no number."""
    if estimate is None:
        return Cell()
    if estimate.value is None:
        return Cell(estimates=(estimate,))
    return Cell(text=f"{100 * estimate.value:.{digits}f}", estimates=(estimate,), value=round(100 * estimate.value, digits))


def spread(mean: Estimate | None, deviation: Estimate | None) -> Cell:
    """A mean and a standard deviation, in per cent."""
    if mean is None or deviation is None or mean.value is None or deviation.value is None:
        return Cell(estimates=tuple(e for e in (mean, deviation) if e))
    return Cell(text=f"{100 * mean.value:.2f} ± {100 * deviation.value:.2f}", estimates=(mean, deviation), value=round(100 * mean.value, 2))


def count(number: int) -> Cell:
    return Cell(text=f"{number:,}")


def as_latex(sheet: Sheet) -> str:
    r"""A table environment for ``\usepackage{booktabs}``, in UTF-8."""
    lines = [f"% {sheet.caption} Needs booktabs.".replace("\n", " "), r"\begin{table*}[t]", r"\centering\small"]
    lines += [rf"\begin{{tabular}}{{l{'r' * len(sheet.columns)}}}", r"\toprule"]
    if sheet.spans:
        lines += [" & ".join(["", *(rf"\multicolumn{{{n}}}{{c}}{{{tex(head)}}}" for head, n in sheet.spans)]) + r" \\", _rules(sheet)]
    lines += [" & ".join([tex(sheet.first), *map(tex, sheet.columns)]) + r" \\"]
    for name, rows in sheet.sections:
        lines.append(r"\midrule")
        if name:
            lines += [rf"\multicolumn{{{len(sheet.columns) + 1}}}{{l}}{{\textit{{{tex(name)}}}}} \\"]
        for row, ranks in zip(rows, sheet.ranked(rows), strict=True):
            lines.append(" & ".join([tex(row.name), *(_tex(*pair) for pair in zip(row.cells, ranks, strict=True))]) + r" \\")
    caption = " ".join([sheet.caption, *sheet.notes])
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{tex(caption)}}}", rf"\label{{tab:{sheet.name}}}", r"\end{table*}"]
    return "\n".join(lines) + "\n"


def _rules(sheet: Sheet) -> str:
    at, parts = 2, []
    for _, n in sheet.spans:
        parts.append(rf"\cmidrule(lr){{{at}-{at + n - 1}}}")
        at += n
    return "".join(parts)


def _tex(cell: Cell, rank: int) -> str:
    text = tex(cell.text).replace("±", r"$\pm$")
    return rf"\textbf{{{text}}}" if rank == 1 else rf"\underline{{{text}}}" if rank == 2 else text


def as_markdown(sheet: Sheet) -> str:
    """The table with its caption; a section is a row with a name only, a span stands before its columns' names."""
    over = [head for head, n in sheet.spans for _ in range(n)] or [""] * len(sheet.columns)
    heads = [f"{span} {column}".strip() for span, column in zip(over, sheet.columns, strict=True)]
    lines = [f"**{md(sheet.caption)}**", "", _line([md(sheet.first), *map(md, heads)]), _line(["---", *["---:"] * len(heads)])]
    for name, rows in sheet.sections:
        if name:
            lines.append(_line([f"*{md(name)}*", *[""] * len(heads)]))
        for row, ranks in zip(rows, sheet.ranked(rows), strict=True):
            marks = [("**", "**") if rank == 1 else ("<u>", "</u>") if rank == 2 else ("", "") for rank in ranks]
            lines.append(_line([md(row.name), *(a + md(c.text) + b for c, (a, b) in zip(row.cells, marks, strict=True))]))
    return "\n".join([*lines, "", *(f"{note}\n" for note in map(md, sheet.notes))])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def as_csv(sheet: Sheet) -> str:
    """One row for each number: where it stands, what is shown, and what stands behind it."""
    spans = [head for head, n in sheet.spans for _ in range(n)] or [""] * len(sheet.columns)
    return _csv([
        [row.section, row.name, span, column, cell.text, *behind]
        for row in sheet.rows
        for span, column, cell in zip(spans, sheet.columns, row.cells, strict=True)
        for behind in _behind(cell)
    ], ("section", "row", "span", "column", "shown"))  # fmt: skip


def _behind(cell: Cell) -> Iterator[list[Any]]:
    for e in cell.estimates:
        yield [e.metric, e.value, e.low, e.high, e.n, e.note, e.signature]
    if not cell.estimates:
        yield [""] * 7


def figure_csv(estimates: Sequence[Estimate]) -> str:
    """What a figure draws, one row a number."""
    names = list(dict.fromkeys(name for e in estimates for name in e.group))
    rows = [[*(e.group.get(n, "") for n in names), e.metric, e.value, e.low, e.high, e.n, e.note, e.signature] for e in estimates]
    return _csv(rows, names)


def _csv(rows: Sequence[Sequence[Any]], heads: Sequence[str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*heads, "metric", "value", "low", "high", "n", "note", "signature"])
    writer.writerows(rows)
    return out.getvalue()
