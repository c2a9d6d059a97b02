"""The figures of a report.

In: numbers. Out: SVG with a caption, by the name of its file. The one thing to know: a figure is left out where it would say
no more than the table beside it does (one value, or no choices of positions).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from .. import plots
from ..records import Estimate
from . import words
from .numbers import Numbers
from .tables import Grid

MANY = 60
"""A figure with more rows or columns than this cannot be read."""


class Figure(msgspec.Struct, kw_only=True, frozen=True):
    """A drawing and what it shows."""

    svg: str
    caption: str


def figures(numbers: Numbers, series: tuple[str, ...]) -> dict[str, Figure]:
    """Draw what there is to be drawn: name of the file → figure."""
    charts = _charts(numbers, series)
    return {name: Figure(svg=plots.svg(chart, label=caption, name=name), caption=caption) for name, chart, caption in charts}


def _charts(numbers: Numbers, series: tuple[str, ...]) -> Iterator[tuple[str, Any, str]]:
    overall = numbers.overall(series)
    guess = _chance(numbers)
    line = words.say(", with the accuracy of guessing as a dashed line") if guess is not None else ""
    title = words.say("Accuracy")
    if 1 < len(overall.columns) <= MANY:
        caption = words.say("Accuracy by {name} with 95 % intervals{line}.", name=words.dimension("model"), line=line)
        yield "models", plots.bars(_named(overall), by="series", chance=guess, title=title), caption
    for grid in numbers.grids(series):
        if not 1 < len(grid.rows) <= MANY or len(grid.columns) > MANY:
            continue
        word = words.dimension(grid.dimension)
        if len(grid.columns) == 1:
            caption = words.say("Accuracy by {name} with 95 % intervals{line}.", name=word, line=line)
            yield grid.stem, plots.bars(_named(grid), by="value", chance=guess, title=title), caption
        else:
            caption = words.say("Accuracy by model and {name}, per cent.", name=word)
            yield grid.stem, plots.heatmap(_named(grid), down="series", across="value", title=title), caption
    if numbers.positions:
        table = [{**row, "model": words.series(row, series)} for row in numbers.positions]
        caption = words.say("Share of choices by position, with the right answers as ticks and an even spread as a dashed line.")
        yield "positions", plots.positions(table, title=words.say("Share of choices")), caption


def _named(grid: Grid) -> Sequence[Estimate]:
    """The estimates with two groups in words: their series and their value, in the order of the table."""
    found = grid.cells
    return [
        msgspec.structs.replace(e, group={"series": grid.label(column), "value": words.value(grid.dimension, row)})
        for column in grid.columns
        for row in grid.rows
        if (e := found.get((row, column)))
    ]


def _chance(numbers: Numbers) -> float | None:
    """What guessing gives, where that is one number for all."""
    values = {round(e.value, 6) for e in numbers.headline if e.metric == "chance" and e.value is not None}
    return values.pop() if len(values) == 1 else None
