"""Shares of statuses, abstention, chance: what stands around an accuracy so that it can be read.

In: scores. Out: shares of prompts. The one thing to know: ``share`` is over every prompt asked, failed ones too;
``abstention`` is over prompts that got a reply, like accuracy, so that the two may be added.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl

from ..records import STATUSES, Status
from .base import Share
from .frame import dimension


class StatusShare(Share, frozen=True, kw_only=True):
    """The share of all prompts asked whose score has this status."""

    name: ClassVar[str] = "share"
    status: Status = "answered"

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        has = (scores["status"] == self.status).to_numpy().astype(float)
        return np.column_stack([np.ones_like(has), has])


class Abstention(Share, frozen=True, kw_only=True):
    """The share of replies that say "don't know" (CARTE's option E, "Je ne sais pas"), over all but failed prompts."""

    name: ClassVar[str] = "abstention"

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        status = pl.col("status")
        return scores.select((status != "failed").cast(pl.Float64).alias("n"), (status == "abstained").cast(pl.Float64)).to_numpy()


class Unparsed(Share, frozen=True, kw_only=True):
    """The share of replies in which no answer could be read, over all but failed prompts; ``cut`` counts truncated ones too."""

    name: ClassVar[str] = "unparsed"
    cut: bool = False

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        found = pl.col("status").is_in(["unparsed", "truncated"] if self.cut else ["unparsed"])
        return scores.select((pl.col("status") != "failed").cast(pl.Float64).alias("n"), found.cast(pl.Float64).alias("u")).to_numpy()


class Chance(Share, frozen=True, kw_only=True):
    """What guessing would give: the mean of 1 / options over the multiple-choice prompts that got a reply."""

    name: ClassVar[str] = "chance"

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        counts = (pl.col("status") != "failed") & (pl.col("options") > 0)
        guess = pl.when(counts).then(1 / pl.col("options")).otherwise(0.0)
        return scores.select(counts.cast(pl.Float64).alias("n"), guess.alias("guess")).to_numpy()

    def analytic(self, sums: np.ndarray, level: float) -> None:
        """No Wilson: 1 / options is a known number, not a trial that may fail."""


share = StatusShare()
abstention = Abstention()
unparsed = Unparsed()
chance = Chance()


def statuses(scores: pl.DataFrame, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """Count prompts by status: one row a group, in sorted order, with a column for each status (0 where there is none) and ``prompts``."""
    counts = [(pl.col("status") == status).sum().alias(f"n_{status}") for status in STATUSES]
    keys = [pl.col(dimension(scores, name)).cast(pl.String).alias(name) for name in by]
    counts.append(pl.len().alias("prompts"))
    table = scores.group_by(keys).agg(*counts).sort(by) if by else scores.select(*counts)
    return table.rename({f"n_{status}": status for status in STATUSES})
