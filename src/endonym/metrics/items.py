"""Classical item analysis: how hard each item is, how well it tells good models from poor ones, and how reliable the whole is.

In: scores of several models. Out: a table of items, and KR-20. The one thing to know: the models are the sample; with 8 or 27 of them
an item's discrimination is a rough number (its error is about 1 / √models), and one of an item that all or none got right does not
exist. Discrimination is the point-biserial correlation with the score on the other items (corrected), so an item does not
correlate with itself. Kuder and Richardson (1937), formula 20; where items hold shares instead of 0 and 1 it is Cronbach's alpha.
"""

import msgspec
import numpy as np
import polars as pl

from .matrix import matrix


class ItemAnalysis(msgspec.Struct, kw_only=True, frozen=True):
    """``table`` has a row an item: ``item``, ``models``, ``difficulty`` (share right), ``discrimination`` (null if it does not exist)."""

    table: pl.DataFrame
    models: int
    items: int
    kr20: float | None
    dropped: int
    """Items left out because not every model replied."""
    note: str = ""


def analyse(scores: pl.DataFrame, *, over: str = "model") -> ItemAnalysis:
    """Analyse the items that every value of ``over`` replied to; orders, draws, styles, shots of an item are averaged: filter first."""
    laid = matrix(scores, over=over, unit="item")
    shared = laid.shared
    right = shared.right
    found = discrimination(right)
    table = pl.DataFrame(
        {
            "item": shared.items.astype(str), "models": np.full(right.shape[1], len(right)), "difficulty": right.mean(axis=0),
            "discrimination": pl.Series(found, dtype=pl.Float64).fill_nan(None),
        }
    ).sort("difficulty", "item")  # fmt: skip
    value = kr20(right)
    note = "" if value is not None else "no reliability: the models' scores do not differ, or there are fewer than two items"
    dropped = len(laid.items) - len(shared.items)
    return ItemAnalysis(table=table, models=len(right), items=len(shared.items), kr20=value, dropped=dropped, note=note)


def discrimination(right: np.ndarray) -> np.ndarray:
    """Correlation of each item with the sum of the others: (models, items) → (items,), NaN where either does not vary."""
    if len(right) < 2:
        return np.full(right.shape[1], np.nan)
    rest = right.sum(axis=1, keepdims=True) - right
    a, b = right - right.mean(axis=0), rest - rest.mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (a * b).sum(axis=0) / np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0))
    return np.where((np.ptp(right, axis=0) > 0) & (np.ptp(rest, axis=0) > 1e-12), np.clip(found, -1, 1), np.nan)


def kr20(right: np.ndarray) -> float | None:
    """k / (k − 1) · (1 − Σ p (1 − p) / variance of the sums), variances over n; None where it does not exist."""
    models, k = right.shape
    spread = float(right.sum(axis=1).var()) if models > 1 else 0.0
    if k < 2 or spread <= 1e-12:
        return None
    return float(k / (k - 1) * (1 - right.var(axis=0).sum() / spread))
