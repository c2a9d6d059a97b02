"""Intervals for a function of sums over clusters: the cluster bootstrap, and Wilson's interval for few or unanimous clusters.

In: the sufficient numbers of a metric summed by cluster, an array (clusters, k). Out: low, high, and the words that name
the method in a signature. The one thing to know: questions about one entity stand or fall together, so whole clusters
are drawn (Field and Welsh 2007), never rows; and a bootstrap of fewer than 20 clusters, or of clusters that all agree,
is too sure of itself. A share then gets Wilson's interval on the effective number of rows (Korn and Graubard 1998, who
correct for the few clusters; never fewer than Kish's effective number of clusters). On simulated beta-binomial clusters
the nominal 95 % interval of a share holds the truth: 10 clusters, bootstrap 89-93 %, Wilson 95-98 %; 3 clusters,
bootstrap 66-73 %, Wilson 95-99 %; from 20 clusters on the two agree within two points.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from statistics import NormalDist

import msgspec
import numpy as np

from ..errors import InputError

FEW = 20
"""Below this number of clusters a share gets the analytic interval."""
_SMALL = 4000
_BLOCK = 4_000_000
"""Cells of one block of bootstrap weights (32 MB), so that memory does not grow with draws × clusters."""


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How intervals are made: the dimension that clusters rows, bootstrap draws, their seed, and the level."""

    cluster: str = "entity"
    draws: int = 1000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise InputError(f"draws: {self.draws} is less than 1")
        if not 0 < self.level < 1:
            raise InputError(f"level: {self.level} is not between 0 and 1")


def draw(sums: np.ndarray, plan: Plan) -> np.ndarray:
    """Draw clusters with replacement: (clusters, k) → (draws, k), the sums of each draw."""
    # Columns that no cluster fills stay zero: a smaller product, the same sums.
    filled = sums.any(axis=0)
    out = np.zeros((plan.draws, sums.shape[1]))
    some = np.ascontiguousarray(sums[:, filled].T)
    # Threads of a linear algebra library cost more than a small product.
    product = partial(np.einsum, "dc,kc->dk") if some.size <= _SMALL else lambda weights, columns: weights @ columns.T
    out[:, filled] = np.concatenate([product(weights, some) for weights in _weights(len(sums), plan)])
    return out


def _weights(clusters: int, plan: Plan) -> Iterable[np.ndarray]:
    """Count how often each draw took each cluster, in blocks (draws of the block, clusters)."""
    if clusters * plan.draws <= _BLOCK:  # every metric of a group takes the same draws: they are made once
        return _kept(clusters, plan)
    return _blocks(clusters, plan)


@lru_cache(maxsize=4)
def _kept(clusters: int, plan: Plan) -> tuple[np.ndarray, ...]:
    return tuple(_blocks(clusters, plan))


def _blocks(clusters: int, plan: Plan) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(plan.seed)
    step = max(1, _BLOCK // clusters)
    for start in range(0, plan.draws, step):
        size = min(step, plan.draws - start)
        picks = rng.integers(clusters, size=(size, clusters))
        picks += np.arange(size)[:, None] * clusters
        yield np.bincount(picks.ravel(), minlength=size * clusters).reshape(size, clusters).astype(float)


def percentile(values: np.ndarray, level: float) -> tuple[float, float]:
    """Take the middle ``level`` of bootstrap values; those that do not exist (a draw without a countable row) stand aside."""
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def centred(values: np.ndarray, level: float, value: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Take percentiles after moving the bootstrap values to where the estimate is, and keep them in bounds.

    For a curved function of sums, such as an entropy, bootstrap values lie to one side of the estimate: of a model without
    any lean the plain percentile interval held the true bias in 0 of 400 simulations, this one in 94-99 %.
    """
    low, high = percentile(values - np.nanmean(values) + value, level)
    return max(bounds[0], min(low, value)), min(bounds[1], max(high, value))


def wilson(share: float, n: float, level: float) -> tuple[float, float]:
    """Wilson's (1927) score interval of a share over ``n`` (effective, so not always whole) rows."""
    z = _normal(level)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At 0 and 1 the bound is the share itself; rounding must not put it a hair inside.
    return (0.0 if share == 0 else float(middle - half)), (1.0 if share == 1 else float(middle + half))


def effective(rows: np.ndarray, right: np.ndarray, level: float) -> float:
    """The rows that clusters are worth, for Wilson's interval: ``rows`` and ``right`` of each cluster, both (clusters,).

    Korn and Graubard: share (1 − share) / variance between clusters, times (normal / Student quantile)²; between Kish's
    (Σ rows)² / Σ rows² clusters, which is what remains if rows of a cluster always agree, and the number of rows.
    """
    from scipy.special import stdtrit

    rows, right = rows[rows > 0], right[rows > 0]
    clusters, n = len(rows), rows.sum()
    least = float(n * n / (rows**2).sum())
    share = right.sum() / n
    if clusters < 2:
        return least
    variance = clusters / (clusters - 1) * ((right - share * rows) ** 2).sum() / (n * n)
    if variance <= 1e-15:
        return least
    worth = share * (1 - share) / variance * (_normal(level) / stdtrit(clusters - 1, (1 + level) / 2)) ** 2
    return float(min(n, max(least, worth)))


def _normal(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)
