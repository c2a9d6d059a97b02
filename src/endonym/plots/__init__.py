"""The shelf of plots: estimates in, a figure's specification out; ``svg`` draws it. Add one: a file here and a line below."""

from collections.abc import Callable
from typing import Any

from .bars import bars
from .base import specification, svg
from .heatmap import heatmap
from .positions import positions

PLOTS: dict[str, Callable[..., Any]] = {"bars": bars, "heatmap": heatmap, "positions": positions}

__all__ = ["PLOTS", "bars", "heatmap", "positions", "specification", "svg"]
