"""Radars: a panel a model, an axis a country, a line a language (XNationQA, figure 2)."""

from collections.abc import Iterator, Sequence
from math import cos, pi, sin
from typing import Any

import altair as alt

from ..records import Estimate
from .base import colours, dashes, rows

SIDE = 190
"""Width and height of a panel; the outer ring is 100 %."""
RINGS = (0.25, 0.5, 0.75, 1.0)


def radar(estimates: Sequence[Estimate], *, panel: str, axes: str, lines: str, columns: int = 3) -> Any:
    """Draw estimates by three of their dimensions, as shares from 0 in the middle to 1 at the rim.

    Axes begin at the top and go round clockwise in the order in which they come. Where a value is missing the line has no
    point there, so that its neighbours are joined past it.
    """
    spokes = list(dict.fromkeys(e.group.get(axes, "") for e in estimates))
    names = list(dict.fromkeys(e.group.get(lines, "") for e in estimates))
    values = [row for name in dict.fromkeys(e.group.get(panel, "") for e in estimates) for row in _frame(name, spokes)]
    values += _lines(estimates, panel, axes, lines, spokes)
    reach = alt.Scale(domain=[-1.3, 1.3])
    x, y = alt.X("x:Q", axis=None, scale=reach), alt.Y("y:Q", axis=None, scale=reach)
    base = alt.Chart()
    web = base.transform_filter("datum.kind === 'web'").mark_line(strokeWidth=0.8, opacity=0.25, color="#888888")
    label = base.transform_filter("datum.kind === 'label'").mark_text(fontSize=11).encode(x=x, y=y, text="text:N")
    ring = base.transform_filter("datum.kind === 'ring'").mark_text(fontSize=8, opacity=0.7).encode(x=x, y=y, text="text:N")
    legend = alt.Legend(title=None, orient="top", columns=10, symbolStrokeWidth=2)
    line = base.transform_filter("datum.kind === 'line'").mark_line(strokeWidth=1.8, opacity=0.9).encode(
        x=x, y=y, order="n:Q", color=alt.Color("group:N", scale=colours(names), sort=names, legend=legend),
        strokeDash=alt.StrokeDash("group:N", scale=dashes(names), sort=names, legend=legend),
    )  # fmt: skip
    layers = alt.layer(web.encode(x=x, y=y, order="n:Q", detail="group:N"), line, label, ring, data=rows(values))
    order = list(dict.fromkeys(v["panel"] for v in values))
    head = alt.Facet("panel:N", title=None, sort=order, header=alt.Header(labelAnchor="middle", labelFontWeight="bold"))
    return layers.properties(width=SIDE, height=SIDE).facet(facet=head, columns=columns)


def _at(n: int, of: int, radius: float) -> dict[str, float]:
    angle = 2 * pi * n / of
    return {"x": round(radius * sin(angle), 4), "y": round(radius * cos(angle), 4)}


def _frame(panel: str, spokes: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Rings, spokes and the names at their ends."""
    of = len(spokes)
    for radius in RINGS:
        for n in range(of + 1):
            yield {"panel": panel, "kind": "web", "group": f"ring {radius}", "n": n, **_at(n, of, radius)}
        # Between the last axis and the first, where no axis runs.
        yield {"panel": panel, "kind": "ring", "text": f"{100 * radius:.0f}", "n": 0, **_at(2 * of - 1, 2 * of, radius)}
    for n, name in enumerate(spokes):
        for step, radius in enumerate((0.0, 1.0)):
            yield {"panel": panel, "kind": "web", "group": f"spoke {n}", "n": step, **_at(n, of, radius)}
        yield {"panel": panel, "kind": "label", "text": name or "(not stated)", "n": n, **_at(n, of, 1.16)}


def _lines(estimates: Sequence[Estimate], panel: str, axes: str, lines: str, spokes: Sequence[str]) -> Iterator[dict[str, Any]]:
    by = dict[tuple[str, str], list[tuple[int, float]]]()
    for e in estimates:
        if e.value is not None:
            by.setdefault((e.group.get(panel, ""), e.group.get(lines, "")), []).append((spokes.index(e.group.get(axes, "")), e.value))
    for (name, group), points in by.items():
        points = sorted(points)
        for n, (spoke, value) in enumerate([*points, points[0]]):  # back to where it began
            yield {"panel": name, "kind": "line", "group": group, "n": n, "value": value, **_at(spoke, len(spokes), value)}
