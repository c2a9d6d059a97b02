"""Averages that count every language, country or model alike, and what is left above the best.

In: scores. Out: the mean of accuracies, one for each value of a dimension, or their standard deviation. XNationQA, tables 2, 8
and 9: AVG is ``macro``, AVG_W ``macro(only="W")``, AVG_NW ``macro(only="NW")``; the SD of table 8, over languages, is the
population's (divided by their number), ``macro(statistic="sd")``. The one thing to know: a named value without a reply is no
zero and is not left out; there is then no number.
"""

from typing import ClassVar, Literal

import numpy as np
import polars as pl

from .base import Metric
from .frame import dimension
from .languages import chosen
from .units import REPLIED


class Cells(Metric, frozen=True, kw_only=True):
    """A function of the accuracies in the values of a dimension.

    Numbers, (rows, 1 + 2 V) for V values: whether the row counts, then for each value whether it counts there, then whether it
    is right there.
    """

    over: str = "lang"
    denominator: Literal["all", "answered"] = "all"
    """As ``over`` of ``accuracy``: every prompt that got a reply, or those whose reply chose an answer."""

    def counts(self) -> pl.Expr:
        return REPLIED if self.denominator == "all" else pl.col("status") == "answered"

    def values(self, scores: pl.DataFrame) -> tuple[str, ...]:
        """The values of the dimension that are taken, in their order."""
        return tuple(sorted(set(self._there(scores))))

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        values, column, counts = self.values(scores), pl.col(dimension(scores, self.over)).cast(pl.String), self.counts()
        if not values or set(values) - set(self._there(scores)):
            return np.zeros((len(scores), 1 + 2 * len(values)))
        here = [(counts & (column == value)).fill_null(False) for value in values]
        cells = [(one & (pl.col("right") if right else True)).alias(f"{right}{i}") for right in (0, 1) for i, one in enumerate(here)]
        return scores.select(pl.any_horizontal(here).alias("n"), *cells).cast(pl.Float64).to_numpy()

    def shares(self, sums: np.ndarray) -> np.ndarray:
        """(…, 1 + 2 V) → (…, V), NaN where a bootstrap draw left a value without a row."""
        half = (sums.shape[-1] - 1) // 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return sums[..., 1 + half :] / sums[..., 1 : 1 + half]

    def told(self, scores: pl.DataFrame) -> dict[str, str]:
        return {"values": ",".join(self.values(scores))}

    def missing(self, scores: pl.DataFrame, numbers: np.ndarray) -> str:
        lacks = sorted(set(self.values(scores)) - set(self._there(scores)))
        return f"no reply counts in {self.over} {', '.join(lacks)}" if lacks else ""

    def _there(self, scores: pl.DataFrame) -> list[str]:
        """The values with at least one row that counts."""
        return scores.filter(self.counts())[dimension(scores, self.over)].cast(pl.String).fill_null("").unique().to_list()


class Macro(Cells, frozen=True, kw_only=True):
    """The mean, or the population standard deviation, of the accuracies in the values of ``over``.

    ``only`` takes some of the values: a tuple of them or a named group of languages (W, NW, Eng-NW). Each accuracy is over
    prompts, as in XNationQA, where a country with many entities weighs more within a language.
    """

    name: ClassVar[str] = "macro"
    only: str | tuple[str, ...] = "all"
    statistic: Literal["mean", "sd"] = "mean"

    @property
    def curved(self) -> bool:
        return self.statistic == "sd"

    def values(self, scores: pl.DataFrame) -> tuple[str, ...]:
        return chosen(self.only, self._there(scores) if self.only == "all" else ())

    def finish(self, sums: np.ndarray) -> np.ndarray:
        shares = self.shares(sums)
        if not shares.shape[-1]:
            return np.full(sums.shape[:-1], np.nan)
        return np.nanmean(shares, axis=-1) if self.statistic == "mean" else np.nanstd(shares, axis=-1)


class Headroom(Cells, frozen=True, kw_only=True):
    """1 − the best accuracy of any model: what a benchmark leaves to be gained (Tuguesice, section 5, "less exhausted")."""

    name: ClassVar[str] = "headroom"
    over: str = "model"

    @property
    def curved(self) -> bool:
        return True

    def finish(self, sums: np.ndarray) -> np.ndarray:
        return 1 - np.nanmax(self.shares(sums), axis=-1)


macro = Macro()
headroom = Headroom()
