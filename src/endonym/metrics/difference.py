"""Differences between two sides of one dimension, paired by item: two styles, two models, two ways of asking.

In: scores of both sides. Out: accuracy of ``a`` less accuracy of ``b`` over the items that both sides answered for.
``oracle_delta`` is Tuguesice's Δ (table 1), ``specialisation_gap`` its gap between a model tuned for a culture and the one
that it was tuned from. The one thing to know: a question that only one side got a reply to is in neither accuracy, and the
note counts it; that is what makes the interval one of a paired difference.
"""

from typing import ClassVar

import numpy as np
import polars as pl

from .base import Counted, Noted, Share
from .frame import dimension
from .units import ROW, SERIES, placed, spread


class Paired(Noted, Share, frozen=True, kw_only=True):
    """Numbers, (rows, 2), on the first row of each pair: 1, and the share right of ``a`` less that of ``b`` (orders, draws averaged)."""

    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def sides(self) -> tuple[str, str, str]:
        """The dimension, a, b."""
        raise NotImplementedError

    def pairs(self, scores: pl.DataFrame) -> tuple[pl.DataFrame, np.ndarray]:
        """Each item asked in one way, and the share right on both sides: (units, (units, 2)), NaN without a reply."""
        over, a, b = self.sides()
        column = dimension(scores, over)
        return spread(scores, [*(name for name in SERIES if name != column), "item"], column, (a, b))

    def counted(self, scores: pl.DataFrame) -> Counted:
        over, a, b = self.sides()
        if not (a and b):
            return Counted(np.zeros((len(scores), 2)), missing=f"name two of {over} to compare")
        table, shares = self.pairs(scores)
        there = ~np.isnan(shares)
        if lacks := [side for i, side in enumerate((a, b)) if not there[:, i].any()]:
            return Counted(np.zeros((len(scores), 2)), missing=f"no reply of {over} {', '.join(map(repr, lacks))}")
        difference, counts, one = shares[:, 0] - shares[:, 1], there.all(axis=1), int((there.sum(axis=1) == 1).sum())
        numbers = placed(len(scores), table[ROW], np.column_stack([counts, np.where(counts, difference, 0.0)]))
        return Counted(numbers, missing=f"{one} items left out: a reply on one side only" if one else "")

    def analytic(self, sums: np.ndarray, level: float) -> None:
        """No Wilson: a difference is no share."""


class Difference(Paired, frozen=True, kw_only=True):
    """``difference(over="method", a="texts", b="letters")``: any two values of any dimension."""

    name: ClassVar[str] = "difference"
    over: str = "style"
    a: str = "oracle"
    b: str = "plain"

    def sides(self) -> tuple[str, str, str]:
        return self.over, self.a, self.b


class OracleDelta(Paired, frozen=True, kw_only=True):
    """What a system prompt that names the culture adds: the accuracy with it less that without (Tuguesice, table 1)."""

    name: ClassVar[str] = "oracle_delta"
    oracle: str = "oracle"
    plain: str = "plain"

    def sides(self) -> tuple[str, str, str]:
        return "style", self.oracle, self.plain


class SpecialisationGap(Paired, frozen=True, kw_only=True):
    """What tuning for a culture adds: the accuracy of ``specialised`` less that of ``base`` (Tuguesice, section 5)."""

    name: ClassVar[str] = "specialisation_gap"
    specialised: str = ""
    base: str = ""

    def sides(self) -> tuple[str, str, str]:
        return "model", self.specialised, self.base


difference = Difference()
oracle_delta = OracleDelta()
specialisation_gap = SpecialisationGap()
