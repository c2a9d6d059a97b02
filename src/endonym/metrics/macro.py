"""Averages that count every language, country or model alike, and what is left above the best.

In: scores. Out: the mean of accuracies, one for each value of a dimension, or their standard deviation. XNationQA, tables 2, 8
and 9: AVG is ``macro``, AVG_W ``macro(only="W")``, AVG_NW ``macro(only="NW")``; the SD of table 8, over languages, is the
population's (divided by their number), ``macro(statistic="sd")``. The one thing to know: a named value without a reply is no
zero and is not left out; there is then no number.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from .base import Counted, Noted
from .frame import dimension
from .languages import chosen


class Cells(Noted, frozen=True, kw_only=True):
    """A function of the accuracies in the values of a dimension.

    Numbers, (rows, 1 + 2 V) for V values: whether the row counts, then for each value whether it counts there, then whether it
    is right there.
    """

    over: str = "lang"
    denominator: Literal["all", "answered"] = "all"
    """As ``over`` of ``accuracy``: every prompt that got a reply, or those whose reply chose an answer."""

    def values(self, there: Sequence[str]) -> tuple[str, ...]:
        """The values of the dimension that are taken, in their order, of those that have a row that counts."""
        return tuple(there)

    def counted(self, scores: pl.DataFrame) -> Counted:
        said, counts = scores[dimension(scores, self.over)].cast(pl.String).fill_null("").to_numpy(), self._counts(scores)
        there = sorted(set(said[counts]))
        values = self.values(there)
        told, lacks = {"values": ",".join(values)}, sorted(set(values) - set(there))
        numbers = np.zeros((len(scores), 1 + 2 * len(values)))
        if lacks or not values:
            return Counted(numbers, told, f"no reply counts in {self.over} {', '.join(lacks)}" if lacks else "")
        right = scores["right"].to_numpy()
        for i, value in enumerate(values):
            here = counts & (said == value)
            numbers[here, 0] = numbers[here, 1 + i] = 1
            numbers[here & right, 1 + len(values) + i] = 1
        return Counted(numbers, told)

    def shares(self, sums: np.ndarray) -> np.ndarray:
        """(…, 1 + 2 V) → (…, V), NaN where a bootstrap draw left a value without a row."""
        half = (sums.shape[-1] - 1) // 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return sums[..., 1 + half :] / sums[..., 1 : 1 + half]

    def _counts(self, scores: pl.DataFrame) -> np.ndarray:
        status = scores["status"]
        return (status != "failed" if self.denominator == "all" else status == "answered").to_numpy()


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

    def values(self, there: Sequence[str]) -> tuple[str, ...]:
        return chosen(self.only, there)

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
