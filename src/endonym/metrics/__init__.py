"""The shelf of metrics: scores in, estimates out. Add one: a file here and a line below.

    scores = frame("workspace/tables/scores.jsonl")
    accuracy(over="answered").estimate(scores, by=("model", "lang"))
"""

from . import base
from .accuracy import accuracy, scored
from .base import Metric, Share, fact
from .frame import ALIASES, MARK, dimension, frame, groups
from .interval import Plan
from .position import position_bias, positions
from .share import abstention, chance, share, statuses

METRICS: dict[str, Metric] = {metric.name: metric for metric in (accuracy, position_bias, abstention, chance, share, scored)}


def parse(text: str) -> Metric:
    """Read a metric of the shelf as it prints: ``parse(repr(m)) == m``. Raises InputError, UnknownName."""
    return base.parse(text, METRICS)


__all__ = [
    "ALIASES", "MARK", "METRICS", "Metric", "Plan", "Share", "abstention", "accuracy", "chance", "dimension", "fact", "frame", "groups",
    "parse", "position_bias", "positions", "scored", "share", "statuses",
]  # fmt: skip
