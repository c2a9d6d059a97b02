"""Bars: one estimate a bar, with its interval, best first."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from ..records import Estimate
from .base import BLUE, ORANGE, beside, rows


def bars(
    estimates: Sequence[Estimate], *, by: str, title: str = "Accuracy", chance: float | None = None, best_first: bool = True,
    percent: bool = True,
) -> Any:  # fmt: skip
    """Draw estimates by one of their dimensions, on a line from 0 to 1; those without a value are named and left empty.

    ``chance`` draws a dashed line at what guessing gives; ``percent=False`` is for a number that is no share.
    """
    written = "{:.1%}" if percent else "{:.2f}"
    ordered = sorted(estimates, key=lambda e: -1.0 if e.value is None else e.value, reverse=True) if best_first else list(estimates)
    names = [e.group.get(by, "") or "(not stated)" for e in ordered]
    values = [
        {
            "name": name, "value": e.value, "low": e.low, "high": e.high,
            "text": "nothing to count" if e.value is None else written.format(e.value),
        }
        for name, e in zip(names, ordered, strict=True)
    ]  # fmt: skip
    y = alt.Y("name:N", sort=names, title=None, axis=beside(names, labelPadding=8))
    scale = alt.Scale(domain=[0, 1])
    base = alt.Chart(rows(values))
    bar = base.mark_bar(color=BLUE, height={"band": 0.62}, opacity=0.85).encode(
        y=y, x=alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(format="%" if percent else ".1f", tickCount=5))
    )
    whisker = base.transform_filter("datum.low !== null").mark_rule(strokeWidth=1.6).encode(y=y, x=alt.X("low:Q", scale=scale), x2="high:Q")
    text = base.transform_calculate(at="max(datum.value || 0, datum.high || 0)").mark_text(align="left", dx=6).encode(
        y=y, x=alt.X("at:Q", scale=scale), text="text:N"
    )
    layers = [bar, whisker, text]
    if chance is not None:
        layers.append(_chance(chance, scale))
    return alt.layer(*layers).properties(width=440, height=alt.Step(26))


def _chance(chance: float, scale: alt.Scale) -> Any:
    line = alt.Chart(rows([{"chance": chance}]))
    return line.mark_rule(strokeDash=[5, 4], color=ORANGE, strokeWidth=1.8).encode(x=alt.X("chance:Q", scale=scale))
