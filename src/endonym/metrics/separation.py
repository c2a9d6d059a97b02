"""Discriminative power: how many pairs of models a benchmark tells apart, how cheaply, and with which fewest items.

In: scores of several models. Out: the number of pairs separated at α by a paired test (a benchmark "more discriminative" in
Tuguesice's sense, section 5, put in numbers), that number per item, and the mean number that 100 items drawn at random
separate, by which benchmarks of different size can be compared. The one thing to know: a subset is picked on the very
answers that it is to explain, so its p-values say which items to keep, and nothing about new models.
"""

from itertools import combinations
from typing import Literal

import msgspec
import numpy as np
import polars as pl

from .matrix import Matrix, matrix, summed
from .tests import Correction, adjusted, mcnemar, sign_flip

Test = Literal["mcnemar", "permutation"]


class Separation(msgspec.Struct, kw_only=True, frozen=True):
    """How many of the pairs of models are told apart; None where there are not enough items to say."""

    models: int
    items: int
    pairs: int
    separated: int
    per_item: float | None
    per_100: float | None
    """The mean over random sets of 100 items; None of fewer items."""
    alpha: float
    correction: str
    test: str
    dropped: int = 0
    """Questions left out because not every model replied."""


class Subset(msgspec.Struct, kw_only=True, frozen=True):
    """The items of a subset, in the order in which they were picked, and how many of the separated pairs it keeps."""

    items: tuple[str, ...]
    kept: int
    separated: int


def separation(scores: pl.DataFrame, *, alpha: float = 0.05, correction: Correction = "holm", test: Test = "mcnemar",
               cluster: str = "entity", draws: int = 100, seed: int = 0) -> Separation:  # fmt: skip
    """Count the pairs of models that a paired test separates at α, on the items that all replied to (orders, draws averaged)."""
    laid = matrix(scores, unit="item", cluster=cluster)
    shared = laid.shared
    found = separated(shared, alpha=alpha, correction=correction, test=test, seed=seed)
    n, count = len(shared.items), int((found != 0).sum())
    rng = np.random.default_rng(seed)
    samples = [rng.choice(n, 100, replace=False) for _ in range(draws)] if n >= 100 else []
    counts = [(separated(shared.only(at), alpha=alpha, correction=correction, test=test, seed=seed) != 0).sum() for at in samples]
    return Separation(
        models=len(shared.sides), items=n, pairs=len(found), separated=count, per_item=count / n if n else None,
        per_100=float(np.mean(counts)) if counts else None, alpha=alpha, correction=correction, test=test,
        dropped=len(laid.items) - n,
    )  # fmt: skip


def separated(laid: Matrix, *, alpha: float, correction: Correction, test: str = "mcnemar", seed: int = 0) -> np.ndarray:
    """For each pair of sides 1 (the first is better), −1, or 0 (not told apart): (pairs,). The matrix is without gaps."""
    right, pairs = laid.binary, _pairs(len(laid.sides))
    if not pairs.size or not right.shape[1]:
        return np.zeros(len(pairs), dtype=int)
    wins = right @ (1 - right).T
    a, b = wins[pairs[:, 0], pairs[:, 1]], wins[pairs[:, 1], pairs[:, 0]]
    if test == "permutation":
        _, codes = np.unique(laid.clusters, return_inverse=True)
        sums = summed(right, codes)
        p = sign_flip(sums[pairs[:, 0]] - sums[pairs[:, 1]], draws=2000, seed=seed)
    else:
        p = mcnemar(a, b)
    steps = np.array(adjusted(p.tolist(), correction), dtype=float)
    return np.where(steps < alpha, np.sign(a - b), 0).astype(int)


def subset(scores: pl.DataFrame, *, alpha: float = 0.05, correction: Correction = "holm", cluster: str = "entity") -> Subset:
    """Pick items one by one until every pair that all items separate (McNemar, ``correction``) is separated, then drop what can go.

    Each step takes the item that brings the pairs still missing furthest, counted in standard errors. Ties go to the
    first item in sorted order.
    """
    shared = matrix(scores, unit="item", cluster=cluster).shared
    whole = separated(shared, alpha=alpha, correction=correction)
    wanted = np.flatnonzero(whole)
    pairs = _pairs(len(shared.sides))
    right = shared.binary
    gain = (right[pairs[wanted, 0]] - right[pairs[wanted, 1]]) * whole[wanted][:, None]  # (wanted, items): 1, 0, −1
    picked = _grown(shared, gain, wanted, (alpha, correction)) if len(wanted) else []
    picked = _pruned(shared, picked, wanted, (alpha, correction))
    kept = int((separated(shared.only(np.array(picked, dtype=int)), alpha=alpha, correction=correction)[wanted] == whole[wanted]).sum())
    return Subset(items=tuple(str(shared.items[i]) for i in picked), kept=kept, separated=len(wanted))


def _pairs(sides: int) -> np.ndarray:
    return np.array(list(combinations(range(sides), 2)), dtype=int).reshape(-1, 2)


def _grown(laid: Matrix, gain: np.ndarray, wanted: np.ndarray, how: tuple[float, Correction]) -> list[int]:
    from scipy.stats import norm

    alpha, correction = how
    # A little beyond what Holm asks of the last pair: the exact test is more careful than the normal one.
    enough = float(norm.isf(alpha / 2 / (len(_pairs(len(laid.sides))) if correction == "holm" else 1))) + 0.5
    # Items with one pattern of answers are worth the same, so each pattern is looked at once.
    _, first, which = np.unique(gain, axis=1, return_index=True, return_inverse=True)
    patterns, waiting = gain[:, first].astype(np.float32), [list(np.flatnonzero(which.ravel() == k)[::-1]) for k in range(len(first))]
    left = np.array([len(w) for w in waiting])
    net, count, picked = np.zeros(len(wanted), np.float32), np.zeros(len(wanted), np.float32), list[int]()
    size = np.abs(patterns)
    while left.any():
        # A pair far beyond what is needed cannot fall back in one step; its worth is the same whatever is picked.
        near = net < (enough + 1) * np.sqrt(np.maximum(1, count))
        z = (net[near, None] + patterns[near]) / np.sqrt(np.maximum(1, count[near, None] + size[near]))
        worth = np.where(left > 0, np.minimum(z, enough).sum(axis=0), -np.inf)
        best = int(np.lexsort((first, -np.round(worth, 5)))[0])
        picked.append(int(waiting[best].pop()))
        left[best] -= 1
        net, count = net + patterns[:, best], count + size[:, best]
        # The exact test is asked only where the normal one, a little bolder, would agree.
        if (net > (enough - 1) * np.sqrt(np.maximum(1, count)) * (0.6 if correction != "none" else 1)).all() and (
            (separated(laid.only(np.array(picked)), alpha=alpha, correction=correction)[wanted] != 0).all()
        ):
            break
    return picked


def _pruned(laid: Matrix, picked: list[int], wanted: np.ndarray, how: tuple[float, Correction]) -> list[int]:
    """Drop items, last picked first, without which every pair is separated all the same."""
    if len(picked) > 1500:
        return picked
    for item in reversed(picked.copy()):
        rest = [i for i in picked if i != item]
        if rest and (separated(laid.only(np.array(rest)), alpha=how[0], correction=how[1])[wanted] != 0).all():
            picked = rest
    return picked
