"""The shelf of metrics: scores in, estimates out. Add one: a file here and a line below.

    scores = frame("workspace/tables/scores.jsonl")
    accuracy(over="answered").estimate(scores, by=("model", "lang"))

Beside the metrics stand what compares them and looks into items: ``tests``, ``contrasts``, ``regions``, ``power``, ``ranking``,
``items``, ``irt``, ``separation``; these are imported by name.
"""

from . import base
from .accuracy import accuracy, scored
from .base import Metric, Share, fact
from .consistency import consistency
from .coverage import covered, pairwise, smooth_coverage, total_coverage
from .difference import difference, oracle_delta, specialisation_gap
from .frame import ALIASES, MARK, dimension, frame, groups
from .interval import Plan
from .languages import NAMED, PRETRAINED, pretrained
from .macro import headroom, macro
from .position import position_bias, positions
from .share import abstention, chance, share, statuses, unparsed
from .tiers import difficulty

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        accuracy, position_bias, abstention, chance, share, scored, macro, total_coverage, smooth_coverage, consistency, difficulty,
        difference, oracle_delta, specialisation_gap, headroom, unparsed,
    )
}  # fmt: skip


def parse(text: str) -> Metric:
    """Read a metric of the shelf as it prints: ``parse(repr(m)) == m``. Raises InputError, UnknownName."""
    return base.parse(text, METRICS)


__all__ = [
    "ALIASES", "MARK", "METRICS", "NAMED", "PRETRAINED", "Metric", "Plan", "Share", "abstention", "accuracy", "chance", "consistency",
    "covered", "difference", "difficulty", "dimension", "fact", "frame", "groups", "headroom", "macro", "oracle_delta", "pairwise",
    "parse", "position_bias", "positions", "pretrained", "scored", "share", "smooth_coverage", "specialisation_gap", "statuses",
    "total_coverage", "unparsed",
]  # fmt: skip
