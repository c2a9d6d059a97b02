"""Tables of estimates as files: CSV for machines, Markdown for pages, LaTeX (booktabs) for papers.

In: estimates, all of one metric and one way of grouping. Out: text. The one thing to know: CSV is long, one row a number with
its signature; Markdown and LaTeX are wide, one column a model, with marks that lead to the signatures below the table.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..records import Estimate
from . import words

_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip


class Grid(msgspec.Struct, kw_only=True, frozen=True):
    """Estimates laid out: rows are the values of one dimension (none: one row), columns are models."""

    title: str
    dimension: str
    series: tuple[str, ...]
    """The dimensions of the columns: the model, and what else sets scores apart."""
    estimates: Sequence[Estimate]

    @property
    def stem(self) -> str:
        """The name of the table's files; a dimension may be any key of an item's ``meta``, so not every sign is kept."""
        kept = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in self.dimension)
        return f"accuracy-by-{kept}" if self.dimension else "models"

    @property
    def columns(self) -> list[tuple[str, ...]]:
        return list(dict.fromkeys(self._column(e) for e in self.estimates))

    @property
    def rows(self) -> list[str]:
        """The groups, in their sorted order; a group that one model lacks keeps its place."""
        return sorted(dict.fromkeys(self._row(e) for e in self.estimates), key=_natural)

    @property
    def cells(self) -> dict[tuple[str, tuple[str, ...]], Estimate]:
        return {(self._row(e), self._column(e)): e for e in self.estimates}

    def label(self, column: tuple[str, ...]) -> str:
        return words.series(dict(zip(self.series, column, strict=True)), self.series)

    def _row(self, e: Estimate) -> str:
        return e.group.get(self.dimension, "")

    def _column(self, e: Estimate) -> tuple[str, ...]:
        return tuple(e.group.get(name, "") for name in self.series)


def _natural(text: str) -> tuple[int, float, str]:
    """Numbers by size, before text by spelling."""
    return (0, float(text), "") if text.isascii() and text.isdigit() else (1, 0.0, text)


def as_csv(estimates: Sequence[Estimate]) -> str:
    """One row a number: its group, metric, value, low, high, n, note and whole signature; shares from 0 to 1."""
    dimensions = list(dict.fromkeys(name for e in estimates for name in e.group))
    columns = ("metric", "value", "low", "high", "n", "note", "signature")
    # A dimension that bears the name of a column keeps its own column, under another name.
    heads = [f"group.{name}" if name in columns else name for name in dimensions]
    rows = [[*(e.group.get(name, "") for name in dimensions), *(getattr(e, name) for name in columns)] for e in estimates]
    return _csv([*heads, *columns], rows)


def counts_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Counts as they are."""
    return _csv(list(rows[0]) if rows else [], [list(row.values()) for row in rows])


def _csv(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def _texts(grid: Grid, marks: words.Marks) -> list[list[tuple[str, str, str]]]:
    """The cells row by row: value, interval, mark of the signature; a model without the group has none."""
    found = grid.cells

    def text(e: Estimate | None) -> tuple[str, str, str]:
        return ("", "", "") if e is None else (words.percent(e.value), words.interval(e), marks.of(e))

    return [[text(found.get((row, column))) for column in grid.columns] for row in grid.rows]


def as_markdown(grid: Grid, marks: words.Marks, facts: Sequence[str]) -> str:
    """A wide table with a mark at each number, and what the marks and the run say below it."""
    first = [words.dimension(grid.dimension)] if grid.dimension else []
    head = [*first, *map(grid.label, grid.columns)]
    lines = [f"**{md(grid.title)}**{words.say(', per cent, with interval')}", "", _row(map(md, head))]
    lines += [_row(["---", *["---:"] * (len(head) - 1)])]
    for row, cells in zip(grid.rows, _texts(grid, marks), strict=True):
        shown = [f"{value}{f' [{between}]' if between else ''} <sup>{mark}</sup>" if mark else "" for value, between, mark in cells]
        lines.append(_row([*([md(words.value(grid.dimension, row))] if first else []), *shown]))
    lines += ["", *(f"<sup>{letter}</sup> `{own}`" for own, letter in marks.said.items()), "", *(f"`{fact}`" for fact in facts)]
    return "\n".join(lines) + "\n"


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def md(text: str) -> str:
    for sign in "\\|*_<>`[]":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")


def as_latex(grid: Grid, marks: words.Marks, facts: Sequence[str]) -> str:
    r"""A tabular for ``\usepackage{booktabs}``: a mark at each number, and the signatures below it."""
    first = [words.dimension(grid.dimension).capitalize()] if grid.dimension else []
    head = [*first, *map(grid.label, grid.columns)]
    lines = [f"% {grid.title}{words.say(', per cent. Needs booktabs.')}".replace("\n", " ")]
    lines += [rf"\begin{{tabular}}{{{'l' * len(first)}{'r' * len(grid.columns)}}}", r"\toprule"]
    lines += [" & ".join(map(tex, head)) + r" \\", r"\midrule"]
    for row, cells in zip(grid.rows, _texts(grid, marks), strict=True):
        name = [tex(words.value(grid.dimension, row))] if first else []
        lines.append(" & ".join([*name, *(_cell(*cell) for cell in cells)]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", "", r"{\footnotesize\raggedright"]
    lines += [rf"\textsuperscript{{{letter}}} \texttt{{{_broken(own)}}}\\" for own, letter in marks.said.items()]
    lines += [rf"\texttt{{{_broken(fact)}}}\\" for fact in facts]
    return "\n".join([*lines, "}"]) + "\n"


def _cell(value: str, between: str, mark: str) -> str:
    return rf"{value}\textsuperscript{{{mark}}}" + (rf" {{\scriptsize {between}}}" if between else "") if mark else ""


def _broken(signature: str) -> str:
    """A signature that may be broken after each of its parts."""
    return tex(signature).replace(_TEX["|"], _TEX["|"] + r"\allowbreak{}")


def tex(text: str) -> str:
    """Keep LaTeX from reading a name as commands; an en dash and letters beyond ASCII stay as they are (UTF-8)."""
    return "".join(_TEX.get(sign, " " if sign in "\r\n" else sign) for sign in text)
