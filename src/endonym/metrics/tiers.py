"""Difficulty: the share of models that get an item right, and the tiers made of it (CARTE, section 3.4 and table 2).

In: scores of several models. Out: shares of items, a table of items, or the scores with a column ``tier``, by which any other
metric can be grouped: ``accuracy.estimate(difficulty.tiers(scores), by=("model", "tier"))``. The one thing to know: a tier is a
property of these models; say which they were, and take care not to read much into a model's accuracy in tiers that it helped
to make. The thresholds of the paper's table 2 are not in its text; those here are thirds, and settable.
"""

from typing import ClassVar, Literal

import numpy as np
import polars as pl

from ..errors import InputError
from .base import Share
from .units import REPLIED, ROW, SERIES, placed, units

Tier = Literal["Easy", "Medium", "Hard"]
_EPS = 1e-9


class Difficulty(Share, frozen=True, kw_only=True):
    """The share of items in a tier; without ``tier`` the mean share of models right.

    Easy: at least ``easy`` of the models are right. Hard: at most ``hard``. Medium: between.
    """

    name: ClassVar[str] = "difficulty"
    tier: Literal["", "Easy", "Medium", "Hard"] = ""
    easy: float = 2 / 3
    hard: float = 1 / 3

    def __post_init__(self) -> None:
        if not 0 <= self.hard < self.easy <= 1:
            raise ValueError(f"hard: {self.hard} is not below easy, {self.easy}, both from 0 to 1")

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        table = self._items(scores, [name for name in SERIES if name != "model"])
        adds = pl.col("share") if not self.tier else (pl.col("tier") == self.tier).fill_null(False).cast(pl.Float64)
        both = table.select(pl.col("share").is_not_null().cast(pl.Float64), adds.fill_null(0.0).alias("adds")).to_numpy()
        return placed(len(scores), table[ROW], both)

    def items(self, scores: pl.DataFrame) -> pl.DataFrame:
        """One row an item: ``item``, ``models`` that replied, ``share`` of them right (orders, draws averaged), ``tier``.

        Asked in more than one way (styles, shots), an item's share is over all of them: filter first. Null without a reply.
        """
        return self._items(scores, []).drop(ROW)

    def tiers(self, scores: pl.DataFrame, of: pl.DataFrame | None = None) -> pl.DataFrame:
        """The scores with a column ``tier``, made from ``of`` (these scores if not given): CARTE's from 0-shot scores alone.

        ``""`` where no model replied. Raises InputError where the scores have a ``tier`` of their own.
        """
        if "tier" in scores.columns:
            raise InputError("tier: the items state one already; group by it, or rename it")
        made = self.items(scores if of is None else of).select("item", "tier")
        return scores.join(made, on="item", how="left", maintain_order="left").with_columns(pl.col("tier").fill_null(""))

    def _items(self, scores: pl.DataFrame, way: list[str]) -> pl.DataFrame:
        one = units(scores, [*way, "item", "model"], [pl.col("right").filter(REPLIED).mean().alias("share")])
        table = one.group_by([*way, "item"], maintain_order=True).agg(
            pl.col(ROW).first(), pl.col("share").is_not_null().sum().alias("models"), pl.col("share").mean()
        )
        share = pl.col("share")
        tier = pl.when(share >= self.easy - _EPS).then(pl.lit("Easy")).when(share <= self.hard + _EPS).then(pl.lit("Hard"))
        return table.with_columns(tier.when(share.is_not_null()).then(pl.lit("Medium")).alias("tier"))


difficulty = Difficulty()
