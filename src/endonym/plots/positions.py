"""Where choices fell: the share of each position, a panel a model, against choices spread evenly and against the gold."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from .base import BLUE, ORANGE, rows

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def positions(table: Sequence[Mapping[str, Any]], *, columns: int = 3, title: str = "Share of choices") -> Any:
    """Draw rows of :func:`endonym.metrics.positions`: ``model, options, position, share, gold``.

    Bars are what the model chose, ticks where the right answers stood, the dashed line is 1 / options. Where prompts differ
    in their number of options, a panel is a model with one of these numbers.
    """
    several = len({row["options"] for row in table}) > 1
    values = [
        {
            "panel": f"{row['model']}, {row['options']} options" if several else row["model"], "letter": LETTERS[row["position"]],
            "share": row["share"], "gold": row["gold"], "even": 1 / row["options"],
        }
        for row in table
    ]  # fmt: skip
    x = alt.X("letter:N", title="Position", axis=alt.Axis(labelAngle=0, domain=False, ticks=False))
    scale = alt.Scale(domain=[0, max([0.5, *(row["share"] for row in table), *(row["gold"] for row in table)])])
    base = alt.Chart().properties(width=150, height=120)  # without data: each panel gives its own
    share = alt.Y("share:Q", title=title, scale=scale, axis=alt.Axis(format="%", tickCount=4))
    bar = base.mark_bar(color=BLUE, opacity=0.85).encode(x=x, y=share)
    gold = base.mark_tick(thickness=2.5, width=22).encode(x=x, y=alt.Y("gold:Q", scale=scale))
    even = base.mark_rule(strokeDash=[5, 4], color=ORANGE, strokeWidth=1.8).encode(y=alt.Y("mean(even):Q", scale=scale))
    panel = alt.Facet("panel:N", title=None, header=alt.Header(labelAnchor="start"))
    return alt.layer(bar, gold, even, data=rows(values)).facet(facet=panel, columns=columns)
