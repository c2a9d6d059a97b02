"""The coefficients of agreement by the libraries that keep them, and their bootstrap over items.

In: arrays. Out: numbers, or None where a coefficient is 0/0. The one thing to know: α is the package ``krippendorff``'s and κ is
``statsmodels``'; nothing of either is written anew here.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from ..errors import Unavailable

_FEW = 0.5
"""The share of draws that must have a value for an interval to be given."""


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """A percentile bootstrap over items."""

    draws: int = 1000
    seed: int = 0
    level: float = 0.95

    def interval(self, rows: np.ndarray, of: Callable[[np.ndarray], float | None]) -> tuple[float | None, float | None, str]:
        """(low, high, note): draws in which the coefficient is 0/0 are left out, and counted in the note."""
        if len(rows) < 2:
            return None, None, "one item: no interval"
        rng = np.random.default_rng(self.seed)
        drawn = [of(rows[rng.integers(0, len(rows), len(rows))]) for _ in range(self.draws)]
        values = [v for v in drawn if v is not None]
        if len(values) < _FEW * self.draws:
            return None, None, f"{self.draws - len(values)} of {self.draws} draws are 0/0: no interval"
        low, high = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2])
        lost = self.draws - len(values)
        return float(low), float(high), f"{lost} of {self.draws} draws are 0/0 and left out of the interval" if lost else ""


def alpha(counts: np.ndarray, scale: np.ndarray, level: str) -> float | None:
    """Krippendorff's α of (items, values) counts; ``scale`` are the values as numbers, in order. None where all ratings are one value."""
    import krippendorff

    used = counts[counts.sum(axis=1) > 1]
    there = used.sum(axis=0) > 0
    if there.sum() < 2:
        return None
    found = krippendorff.alpha(value_counts=used[:, there], value_domain=scale[there], level_of_measurement=level)  # type: ignore[arg-type]
    return float(found)


def percent(counts: np.ndarray) -> float:
    """The share of pairs of ratings of one item that are equal, over all items: (items, values) counts."""
    n = counts.sum(axis=1)
    return float((counts * (counts - 1)).sum() / (n * (n - 1)).sum())


def kappa(cells: np.ndarray, size: int, weights: str, scale: np.ndarray | None) -> float | None:
    """Cohen's κ of the places (items, 2) that two judges' values have among ``size`` values; None where both gave one value only.

    Weights are by the values themselves (``scale``), so that a value that nobody gave leaves the distances of the others as they are.
    Raises Unavailable where statsmodels is not installed.
    """
    try:
        from statsmodels.stats.inter_rater import cohens_kappa
    except ImportError as problem:
        raise Unavailable("statsmodels is not installed, and kappa is computed by it: pip install 'endonym[stats]'") from problem
    if len(np.unique(cells)) < 2:
        return None
    table = np.bincount(cells[:, 0] * size + cells[:, 1], minlength=size * size).reshape(size, size)
    apart = None if not weights or scale is None else np.abs(scale[:, None] - scale[None, :]) ** (1 if weights == "linear" else 2)
    found: Any = cohens_kappa(table, weights=apart, return_results=False)
    return float(found)
