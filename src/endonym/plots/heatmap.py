"""A heat map: one estimate a cell, and a panel for each value of a third dimension if there is one."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from ..records import Estimate
from .base import RAMP, rows


def heatmap(
    estimates: Sequence[Estimate], *, down: str, across: str, panel: str = "", title: str = "Accuracy", columns: int = 4
) -> Any:
    """Draw estimates by two of their dimensions, as shares from 0 to 1, with the number in each cell.

    The scale is the same in every figure, 0 to 100 %, so that two heat maps may be compared. A cell without a value is
    left empty with a dash. ``panel`` names a dimension with a heat map for each of its values, ``columns`` in a row.
    """
    cells = [
        {
            "down": e.group.get(down, "") or "(not stated)", "across": e.group.get(across, "") or "(not stated)", "value": e.value,
            "panel": e.group.get(panel, ""), "text": "–" if e.value is None else f"{100 * e.value:.0f}", "ink": _ink(e.value),
        }
        for e in estimates
    ]  # fmt: skip
    slant = 0 if max((len(cell["across"]) for cell in cells), default=0) <= 3 else -40
    x = alt.X("across:N", title=None, sort=None, axis=alt.Axis(orient="top", labelAngle=slant, domain=False, ticks=False))
    y = alt.Y("down:N", title=None, sort=None, axis=alt.Axis(domain=False, ticks=False))
    color = alt.Color(
        "value:Q", scale=alt.Scale(domain=[0, 0.25, 0.5, 0.75, 1], range=list(RAMP)),
        legend=alt.Legend(title=title, format="%", orient="right", gradientLength=120),
    )  # fmt: skip
    base = alt.Chart()
    grid = base.transform_filter("datum.value !== null").mark_rect(stroke="#80808055").encode(x=x, y=y, color=color)
    text = base.mark_text(fontSize=11).encode(x=x, y=y, text="text:N", color=alt.Color("ink:N", scale=None))
    layers = alt.layer(grid, text, data=rows(cells)).resolve_scale(color="independent")
    if not panel:
        return layers.properties(width=alt.Step(38), height=alt.Step(26))
    head = alt.Facet("panel:N", title=None, sort=None, header=alt.Header(labelAnchor="start", labelFontWeight="bold"))
    return layers.properties(width=alt.Step(30), height=alt.Step(24)).facet(facet=head, columns=columns)


def _ink(value: float | None) -> str:
    """Black or white, whichever is read more easily on a cell's colour; the page's own ink where there is no cell."""
    return "currentColor" if value is None else "#ffffff" if value < 0.42 else "#111111"
