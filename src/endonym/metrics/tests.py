"""Paired tests: is one model better than another, or one style than another, on the same questions?

In: scores, or a matrix of them. Out: for every pair the difference, two p-values, and these adjusted for their number.
McNemar's exact test (1947; the binomial one) takes prompts as independent; the sign-flip permutation turns whole clusters, so it
keeps its level where questions on one entity fall together. The one thing to know: paired items need a paired test. Of 220
questions, 5 against 18 discordant, McNemar says p = .011 where an unpaired test of the same answers says .08, or more.
Holm (1979) holds the chance of any false finding, Benjamini and Hochberg (1995) the share of false ones among the findings.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import msgspec
import numpy as np
import polars as pl

from ..errors import UnknownName
from .matrix import Matrix, matrix

Correction = Literal["holm", "bh", "none"]
_EXACT = 14
"""Up to this number of clusters that differ, every one of the 2^clusters turns is looked at."""
_BLOCK = 4_000_000


class Comparison(msgspec.Struct, kw_only=True, frozen=True):
    """Side ``a`` against side ``b`` on ``n`` shared columns; a number that does not exist is None and ``note`` says why."""

    a: str
    b: str
    n: int
    clusters: int
    score_a: float | None = None
    score_b: float | None = None
    difference: float | None = None
    a_only: int = 0
    """Columns that only ``a`` got right."""
    b_only: int = 0
    mcnemar: float | None = None
    permutation: float | None = None
    mcnemar_adjusted: float | None = None
    permutation_adjusted: float | None = None
    note: str = ""


def mcnemar(a_only: int | np.ndarray, b_only: int | np.ndarray) -> np.ndarray:
    """Two-sided exact p of McNemar's test from the discordant counts: twice the lesser binomial tail, at most 1."""
    from scipy.stats import binom

    less, all_ = np.minimum(a_only, b_only), np.add(a_only, b_only)
    return np.minimum(1.0, 2 * binom.cdf(less, all_, 0.5))


def sign_flip(sums: np.ndarray, *, draws: int = 10_000, seed: int = 0) -> np.ndarray:
    """Two-sided p that differences are symmetric about 0: ``sums`` (pairs, clusters) of differences → (pairs,).

    All turns of signs where few clusters differ in any pair, else ``draws`` random ones (Phipson and Smyth 2010: never 0).
    """
    sums = sums[:, np.abs(sums).max(axis=0, initial=0) > 0]
    pairs, clusters = sums.shape
    if clusters <= _EXACT:
        turns = (np.arange(2**clusters)[:, None] >> np.arange(clusters)) & 1
        return _beyond(turns, sums, 1e-9) / 2**clusters
    # In single precision: a sum within a thousandth of a question counts as equal, and so against a finding.
    rng, step, beyond = np.random.default_rng(seed), max(1, _BLOCK // clusters), np.zeros(pairs)
    for start in range(0, draws, step):
        turns = rng.integers(0, 2, size=(min(step, draws - start), clusters), dtype=np.int8)
        beyond += _beyond(turns, sums.astype(np.float32), 1e-3)
    return (beyond + 1) / (draws + 1)


def _beyond(turns: np.ndarray, sums: np.ndarray, near: float) -> np.ndarray:
    """How many turns (turns, clusters) of 0 and 1 give a sum at least as far from 0 as the one that was seen: (pairs,)."""
    turned = (2 * turns.astype(sums.dtype) - 1) @ sums.T
    return (np.abs(turned) >= np.abs(sums.sum(axis=1)) - near).sum(axis=0)


def adjusted(p: Sequence[float | None], correction: Correction = "holm") -> list[float | None]:
    """Adjust p-values for their number; those that do not exist stand aside and are not counted."""
    at = [i for i, value in enumerate(p) if value is not None]
    values = np.array([p[i] for i in at], dtype=float)
    out: list[float | None] = [None] * len(p)
    for i, value in zip(at, values if correction == "none" else _STEPS[correction](values), strict=True):
        out[i] = float(value)
    return out


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down p-values, in the given order."""
    order, m = np.argsort(p, kind="stable"), len(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(m, 0, -1)) if m else p
    out = np.empty(m)
    out[order] = np.minimum(1.0, stepped)
    return out


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's step-up p-values, in the given order."""
    order, m = np.argsort(p, kind="stable"), len(p)
    stepped = np.minimum.accumulate((p[order] * m / np.arange(1, m + 1))[::-1])[::-1] if m else p
    out = np.empty(m)
    out[order] = np.minimum(1.0, stepped)
    return out


_STEPS = {"holm": holm, "bh": benjamini_hochberg}


def compare(scores: pl.DataFrame, *, over: str = "model", a: str = "", b: str = "", cluster: str = "entity",
            correction: Correction = "holm", draws: int = 10_000, seed: int = 0) -> list[Comparison]:  # fmt: skip
    """Compare every pair of values of ``over`` (models, styles), or ``a`` with ``b`` alone, on the prompts that both replied to.

    Raises UnknownName for a dimension, or a side, that is not there.
    """
    laid = matrix(scores, over=over, cluster=cluster)
    return compare_matrix(laid, pairs=[(a, b)] if a and b else None, correction=correction, draws=draws, seed=seed)


def compare_matrix(laid: Matrix, *, pairs: Sequence[tuple[str, str]] | None = None, correction: Correction = "holm",
                   draws: int = 10_000, seed: int = 0) -> list[Comparison]:  # fmt: skip
    """The same of a matrix; see ``compare``."""
    chosen = list(combinations(laid.sides, 2)) if pairs is None else list(pairs)
    if unknown := sorted({side for pair in chosen for side in pair} - set(laid.sides)):
        raise UnknownName("side to compare", unknown[0], laid.sides)
    found = [_pair(laid, a, b) for a, b in chosen]
    there = [i for i, (one, _) in enumerate(found) if one.n]
    if there:
        flips = sign_flip(np.array([found[i][1] for i in there]), draws=draws, seed=seed)
        exact = mcnemar(np.array([found[i][0].a_only for i in there]), np.array([found[i][0].b_only for i in there]))
        steps = [adjusted(values.tolist(), correction) for values in (exact, flips)]
        for k, i in enumerate(there):
            p = {"mcnemar": float(exact[k]), "permutation": float(flips[k])}
            told = msgspec.structs.replace(found[i][0], **p, mcnemar_adjusted=steps[0][k], permutation_adjusted=steps[1][k])
            found[i] = told, found[i][1]
    return [one for one, _ in found]


def _pair(laid: Matrix, a: str, b: str) -> tuple[Comparison, np.ndarray]:
    """What there is to say of two sides without a test, and the differences summed by cluster, (clusters,)."""
    x, y, groups = laid.at(a), laid.at(b), int(laid.clusters.max(initial=-1)) + 1
    both = ~(np.isnan(x) | np.isnan(y))
    n = int(both.sum())
    if not n:
        return Comparison(a=a, b=b, n=0, clusters=0, note="no question that both replied to"), np.zeros(groups)
    x, y, codes = x[both], y[both], laid.clusters[both]
    score_a, score_b = float(x.mean()), float(y.mean())
    one = Comparison(
        a=a, b=b, n=n, clusters=len(np.unique(codes)), score_a=score_a, score_b=score_b, difference=score_a - score_b,
        a_only=int(((x > 0.5) & (y <= 0.5)).sum()), b_only=int(((y > 0.5) & (x <= 0.5)).sum()),
    )  # fmt: skip
    return one, np.bincount(codes, x - y, minlength=groups)
