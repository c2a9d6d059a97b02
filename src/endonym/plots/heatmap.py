"""A heat map: one estimate a cell."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from ..records import Estimate
from .base import RAMP, rows


def heatmap(estimates: Sequence[Estimate], *, down: str, across: str, title: str = "Accuracy", labels: bool = True) -> Any:
    """Draw estimates by two of their dimensions, as shares from 0 to 1, with the number in each cell.

    The scale is the same in every figure, 0 to 100 %, so that two heat maps may be compared. A cell without a value is
    left empty with a dash.
    """
    cells = [
        {
            "down": e.group.get(down, "") or "(not stated)", "across": e.group.get(across, "") or "(not stated)", "value": e.value,
            "text": "–" if e.value is None else f"{100 * e.value:.0f}", "ink": _ink(e.value),
        }
        for e in estimates
    ]  # fmt: skip
    x = alt.X("across:N", title=None, sort=None, axis=alt.Axis(orient="top", labelAngle=-40, domain=False, ticks=False))
    y = alt.Y("down:N", title=None, sort=None, axis=alt.Axis(domain=False, ticks=False))
    color = alt.Color(
        "value:Q", scale=alt.Scale(domain=[0, 0.25, 0.5, 0.75, 1], range=list(RAMP)),
        legend=alt.Legend(title=title, format="%", orient="right", gradientLength=120),
    )  # fmt: skip
    base = alt.Chart(rows(cells))
    grid = base.transform_filter("datum.value !== null").mark_rect(stroke="#80808055").encode(x=x, y=y, color=color)
    layers = [grid]
    if labels:
        layers.append(base.mark_text(fontSize=11).encode(x=x, y=y, text="text:N", color=alt.Color("ink:N", scale=None)))
    return alt.layer(*layers).resolve_scale(color="independent").properties(width=alt.Step(38), height=alt.Step(26))


def _ink(value: float | None) -> str:
    """Black or white, whichever is read more easily on a cell's colour; the page's own ink where there is no cell."""
    return "currentColor" if value is None else "#ffffff" if value < 0.42 else "#111111"
