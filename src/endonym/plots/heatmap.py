"""A heat map: one estimate a cell, and a panel for each value of a third dimension if there is one."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from ..records import Estimate
from .base import RAMP, beside, ink, inked, rows


def heatmap(
    estimates: Sequence[Estimate], *, down: str, across: str, panel: str = "", title: str = "Accuracy", columns: int = 4
) -> Any:
    """Draw estimates by two of their dimensions, as shares from 0 to 1, with the number in each cell.

    The scale is the same in every figure, 0 to 100 %, so that two heat maps may be compared. A cell without a value is
    left empty with a dash. Both axes keep the order in which the estimates name their values, and two axes of the same
    values share it. ``panel`` names a dimension with a heat map for each of its values, ``columns`` in a row.
    """
    cells = [
        {
            "down": e.group.get(down, "") or "(not stated)", "across": e.group.get(across, "") or "(not stated)", "value": e.value,
            "panel": e.group.get(panel, ""), "text": "–" if e.value is None else f"{100 * e.value:.0f}", "ink": ink(e.value, 0.42),
        }
        for e in estimates
    ]  # fmt: skip
    slant = 0 if max((len(cell["across"]) for cell in cells), default=0) <= 3 else -40
    place = alt.Axis(orient="bottom" if panel else "top", labelAngle=slant, domain=False, ticks=False)
    downs, acrosses = (list(dict.fromkeys(cell[way] for cell in cells)) for way in ("down", "across"))
    if set(acrosses) == set(downs):
        acrosses = downs
    x = alt.X("across:N", title=None, sort=acrosses, axis=place)
    y = alt.Y("down:N", title=None, sort=downs, axis=beside(downs))
    color = alt.Color(
        "value:Q", scale=alt.Scale(domain=[0, 0.25, 0.5, 0.75, 1], range=list(RAMP)),
        legend=alt.Legend(title=title, format="%", orient="right", gradientLength=120),
    )  # fmt: skip
    base = alt.Chart()
    grid = base.transform_filter("datum.value !== null").mark_rect(stroke="#80808055").encode(x=x, y=y, color=color)
    layers = alt.layer(grid, *inked(base, {"x": x, "y": y, "text": "text:N"}, fontSize=11), data=rows(cells))
    if not panel:
        return layers.properties(width=alt.Step(38), height=alt.Step(26))
    order = list(dict.fromkeys(c["panel"] for c in cells))
    head = alt.Facet("panel:N", title=None, sort=order, header=alt.Header(labelAnchor="start", labelFontWeight="bold"))
    return layers.properties(width=alt.Step(30), height=alt.Step(24)).facet(facet=head, columns=columns)
