"""Bars in panels: a panel for each value of one dimension (the model), bars along a second, and one bar a colour for a third."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from ..records import Estimate
from .base import BLUE, colours, rows


def panels(
    estimates: Sequence[Estimate], *, panel: str, along: str, colour: str = "", title: str = "Accuracy", columns: int = 2
) -> Any:
    """Draw estimates as shares from 0 to 1, all panels on one scale; intervals where there is one bar for each place.

    Names stand in the order in which they come. A missing value is an empty place.
    """
    values = [
        {
            "panel": e.group.get(panel, ""), "along": e.group.get(along, "") or "(not stated)", "colour": e.group.get(colour, ""),
            "value": e.value, "low": e.low, "high": e.high,
        }
        for e in estimates
    ]  # fmt: skip
    names, places = list(dict.fromkeys(v["colour"] for v in values)), len({v["along"] for v in values})
    longest = max((len(str(v["along"])) for v in values), default=0)
    x = alt.X("along:N", title=None, sort=None, axis=alt.Axis(labelAngle=0 if longest <= 4 else -40, domain=False, ticks=False))
    scale = alt.Scale(domain=[0, 1])
    y = alt.Y("value:Q", title=title, scale=scale, axis=alt.Axis(format="%", tickCount=5))
    base = alt.Chart()
    if colour:
        legend = alt.Legend(title=None, orient="top", columns=10)
        bar = base.mark_bar().encode(
            x=x, y=y, xOffset=alt.XOffset("colour:N", sort=names), color=alt.Color("colour:N", scale=colours(names), legend=legend)
        )
        layers, width = [bar], max(180, places * (6 * len(names) + 8))
    else:
        bar = base.mark_bar(color=BLUE, opacity=0.85, width={"band": 0.62}).encode(x=x, y=y)
        whisker = base.transform_filter("datum.low !== null").mark_rule(strokeWidth=1.4)
        layers, width = [bar, whisker.encode(x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q")], max(150, places * 30)
    order = list(dict.fromkeys(v["panel"] for v in values))
    head = alt.Facet("panel:N", title=None, sort=order, header=alt.Header(labelAnchor="start", labelFontWeight="bold"))
    return alt.layer(*layers, data=rows(values)).properties(width=width, height=130).facet(facet=head, columns=columns)
