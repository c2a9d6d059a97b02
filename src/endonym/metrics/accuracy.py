"""Accuracy: the share of prompts answered with the gold option, or with an accepted answer.

In: scores. Out: right answers over prompts. The one thing to know: a failed call is never a wrong answer, so it is not
in the denominator; a reply that could not be read, was cut off, refused, or says "don't know", is a reply, and not right.
"""

from typing import ClassVar, Literal

import numpy as np
import polars as pl

from ..errors import UnknownName
from .base import Share
from .frame import MARK


class Accuracy(Share, frozen=True, kw_only=True):
    """``over="all"``: every prompt that got a reply (all but failed). ``over="answered"``: those whose reply chose an answer.

    ``over="all"`` is the papers' accuracy: CARTE and XNationQA count a reply without a readable option as not right, and
    CARTE counts its "Je ne sais pas" so. ``over="answered"`` leaves out abstained, unparsed, truncated and refused too.
    """

    name: ClassVar[str] = "accuracy"
    over: Literal["all", "answered"] = "all"

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        status = pl.col("status")
        counts = status != "failed" if self.over == "all" else status == "answered"
        return scores.select(counts.cast(pl.Float64).alias("n"), (counts & pl.col("right")).cast(pl.Float64).alias("right")).to_numpy()


class Scored(Share, frozen=True, kw_only=True):
    """What one scorer of open answers said, on average over the prompts that got a reply.

    The scorers stand side by side on each score (``Score.marks``; ``accuracy`` takes the word of the one that was chosen):
    ``strict``, and ``contains`` of Tuguesice, are 0 or 1; ``votes`` of BLEnD is a weight.
    """

    name: ClassVar[str] = "scored"
    scorer: str = "strict"

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        column, known = MARK + self.scorer, [name.removeprefix(MARK) for name in scores.columns if name.startswith(MARK)]
        if not known:  # choices only: nothing to count
            return np.zeros((len(scores), 2))
        if self.scorer not in known:
            raise UnknownName("scorer", self.scorer, known)
        counts = (pl.col("status") != "failed") & pl.col(column).is_not_null()
        said = pl.when(counts).then(pl.col(column)).otherwise(0.0)
        return scores.select(counts.cast(pl.Float64).alias("n"), said.alias("said")).to_numpy()


accuracy = Accuracy()
scored = Scored()
