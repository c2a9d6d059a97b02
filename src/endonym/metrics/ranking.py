"""Ranks with their uncertainty: which places a model could as well hold.

In: scores of several models. Out: for each its accuracy on the shared questions, rank, and the interval of ranks over bootstrap draws
of whole clusters, the same draws for all. The one thing to know: only questions that every model replied to count, so a model with
failed calls narrows the field for all; ``n`` says how many are left.
"""

import msgspec
import numpy as np
import polars as pl

from . import interval
from .interval import Plan
from .matrix import Matrix, matrix, summed


class Rank(msgspec.Struct, kw_only=True, frozen=True):
    """One model's place; 1 is the best, equals share the mean of their places."""

    name: str
    value: float
    rank: float
    low: float
    high: float
    best: float
    """The share of draws in which it is the best, ties shared out."""
    n: int


def ranking(scores: pl.DataFrame, *, over: str = "model", cluster: str = "entity", draws: int = 1000, seed: int = 0,
            level: float = 0.95) -> list[Rank]:  # fmt: skip
    """Rank the values of ``over`` by accuracy, best first. Empty where no question is shared. Raises UnknownName, InputError."""
    return rank_matrix(matrix(scores, over=over, cluster=cluster), Plan(cluster=cluster, draws=draws, seed=seed, level=level))


def rank_matrix(laid: Matrix, plan: Plan) -> list[Rank]:
    """The same of a matrix."""
    from scipy.stats import rankdata

    shared = laid.shared
    n = len(shared.items)
    if not n:
        return []
    _, codes = np.unique(shared.clusters, return_inverse=True)
    sums = summed(np.vstack([np.ones(n), shared.right]), codes).T
    drawn = interval.draw(sums, plan)
    values = np.round(drawn[:, 1:] / drawn[:, :1], 12)
    ranks = rankdata(-values, axis=1)
    low, high = np.quantile(ranks, [(1 - plan.level) / 2, (1 + plan.level) / 2], axis=0, method="closest_observation")
    top = values == values.max(axis=1, keepdims=True)
    best = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    means = shared.right.mean(axis=1)
    places = rankdata(-np.round(means, 12))
    found = [
        Rank(name=side, value=float(means[i]), rank=float(places[i]), low=float(low[i]), high=float(high[i]), best=float(best[i]), n=n)
        for i, side in enumerate(shared.sides)
    ]
    return sorted(found, key=lambda r: (r.rank, r.name))
