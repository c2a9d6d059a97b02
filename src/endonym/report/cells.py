"""Numbers as the page shows them: cells of tables, strips, bars of statuses.

In: estimates and counts. Out: plain values for the template. The one thing to know: a strip is a line from 0 to 100 in every
table of the page, so that lengths may be compared across tables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..metrics import parse
from ..records import STATUSES, Estimate
from . import words
from .tables import Grid

LONG = 40
"""Tables with more rows than this are folded."""
HEADS = {"accuracy(over='answered')": "When answering", "chance": "Chance", "position_bias": "Positional bias", "abstention": "Abstained"}


def cell(estimate: Estimate, marks: words.Marks, *, share: bool = True, chance: float | None = None) -> dict[str, Any]:
    """What the page shows of one number: as a percentage, or as it is where it is no share."""
    plain = "–" if estimate.value is None else words.decimal(estimate.value, 2)
    between = "" if estimate.low is None or estimate.high is None else f"{words.decimal(estimate.low, 2)}–{words.decimal(estimate.high, 2)}"
    exact = estimate.low is not None and estimate.low == estimate.high  # such as chance: nothing more to be said
    return {
        "value": words.percent(estimate.value) if share else plain,
        "interval": "" if exact else words.interval(estimate) if share else between,
        "n": words.whole(estimate.n), "note": "" if exact else words.say(estimate.note),
        "mark": marks.of(estimate), "signature": estimate.signature, "strip": _strip(estimate, chance),
    }  # fmt: skip


def _strip(e: Estimate, chance: float | None) -> dict[str, Any] | None:
    """Where things stand on a line from 0 to 100; the dot is 1.4 wide and stays on the line."""
    if e.value is None:
        return None
    place = {"value": round(min(98.6, max(0.0, 100 * e.value - 0.7)), 2), "low": None, "width": None}
    if e.low is not None and e.high is not None:
        place |= {"low": round(100 * e.low, 2), "width": round(100 * (e.high - e.low), 2)}
    return {**place, "chance": None if chance is None else round(100 * chance - 0.5, 2)}


def model(estimates: Mapping[str, Estimate], counts: Mapping[str, int], marks: words.Marks) -> dict[str, Any]:
    """One model's numbers: its estimates by metric."""
    accuracy = cell(estimates["accuracy"], marks, chance=estimates["chance"].value)
    # What does not exist for any prompt, such as chance for open answers, is left out.
    there = {name: e for name, e in estimates.items() if name != "accuracy" and e.value is not None}
    facts = [{"name": _head(name), "cell": cell(e, marks, share=name != "position_bias")} for name, e in there.items()]
    return {"accuracy": accuracy, "facts": facts, "statuses": statuses(counts)}


def _head(metric: str) -> str:
    """What a metric is called beside a model: a scorer of open answers by its own name."""
    return words.say(HEADS[metric]) if metric in HEADS else words.say("Scorer {name}", name=parse(metric).params["scorer"])


def section(grid: Grid, marks: words.Marks, chances: Mapping[tuple[str, ...], float | None], files: Sequence[str]) -> dict[str, Any]:
    """The table of one dimension, as the page shows it."""
    found, columns = grid.cells, grid.columns
    rows = [
        {
            "name": words.value(grid.dimension, row), "stated": bool(row),
            "cells": [cell(e, marks, chance=chances.get(c)) if (e := found.get((row, c))) else None for c in columns],
        }
        for row in grid.rows
    ]  # fmt: skip
    used = [c["mark"] for row in rows for c in row["cells"] if c]
    return {
        "id": grid.dimension, "word": words.dimension(grid.dimension), "columns": [grid.label(c) for c in columns], "rows": rows,
        "usual": max(set(used), key=lambda mark: (used.count(mark), mark), default=""), "long": len(rows) > LONG, "files": files,
    }  # fmt: skip


def statuses(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """The parts of a bar of statuses, 100 wide."""
    total, x, parts = sum(counts[s] for s in STATUSES) or 1, 0.0, []
    for status in STATUSES:
        width = 100 * counts[status] / total
        told = {"name": status, "word": words.say(status), "count": counts[status], "text": words.whole(counts[status])}
        parts.append({**told, "x": round(x, 3), "width": round(width, 3)})
        x += width
    return parts
