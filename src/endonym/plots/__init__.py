"""The shelf of plots: estimates in, a figure's specification out; ``svg`` draws it. Add one: a file here and a line below."""

from collections.abc import Callable
from typing import Any

from .bars import bars
from .base import on_paper, pdf, png, specification, svg
from .choropleth import borders, choropleth
from .heatmap import heatmap
from .panels import panels
from .positions import positions
from .radar import radar
from .stacks import stacks

PLOTS: dict[str, Callable[..., Any]] = {
    "bars": bars, "choropleth": choropleth, "heatmap": heatmap, "panels": panels, "positions": positions, "radar": radar, "stacks": stacks,
}  # fmt: skip

__all__ = [
    "PLOTS", "bars", "borders", "choropleth", "heatmap", "on_paper", "panels", "pdf", "png", "positions", "radar", "specification",
    "stacks", "svg",
]  # fmt: skip
