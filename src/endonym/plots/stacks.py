"""Stacked bars of counts: how many of each kind there are at each place (XNationQA, figure 3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from .base import colours, rows


def stacks(table: Sequence[Mapping[str, Any]], *, along: str, colour: str, title: str = "Entities") -> Any:
    """Draw rows ``{along, colour, count}``; names stand in the order in which they come, and the whole is written above a bar."""
    values = [{"along": row[along] or "(not stated)", "colour": row[colour] or "(not stated)", "count": row["count"]} for row in table]
    names = list(dict.fromkeys(value["colour"] for value in values))
    longest = max((len(value["along"]) for value in values), default=0)
    x = alt.X("along:N", title=None, sort=None, axis=alt.Axis(labelAngle=0 if longest <= 4 else -40, domain=False, ticks=False))
    legend = alt.Legend(title=None, orient="top")
    base = alt.Chart(rows(values))
    bar = base.mark_bar(width={"band": 0.7}).encode(
        x=x, y=alt.Y("count:Q", title=title, axis=alt.Axis(tickCount=5)), order="rank:Q",
        color=alt.Color("colour:N", scale=colours(names), sort=names, legend=legend),
    ).transform_calculate(rank=f"indexof({names!r}, datum.colour)")  # fmt: skip
    whole = base.mark_text(dy=-7).encode(x=x, y="sum(count):Q", text="sum(count):Q")
    return alt.layer(bar, whole).properties(width=max(200, 42 * len({v["along"] for v in values})), height=200)
