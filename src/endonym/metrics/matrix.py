"""Scores as a matrix: who (models, or styles) × what was asked, so that every side is compared on the same questions.

In: scores. Out: shares right, NaN where there is no reply. The one thing to know: a column is one question asked in one way (item,
place of the gold, draw, and whatever of method, style, shots is not compared), so two models meet on equal prompts, and two
styles on the same item in the same order.
"""

from typing import Literal

import msgspec
import numpy as np
import polars as pl

from ..errors import InputError
from .frame import dimension
from .units import REPLIED, RIGHT, SERIES


class Matrix(msgspec.Struct, kw_only=True, frozen=True):
    """Shares right: ``right`` is (sides, columns); ``items`` (columns,) says of which item; ``clusters`` (columns,) what falls together."""

    sides: tuple[str, ...]
    items: np.ndarray
    clusters: np.ndarray
    right: np.ndarray

    @property
    def shared(self) -> "Matrix":
        """The columns that every side replied to."""
        return self.only(np.asarray(~np.isnan(self.right).any(axis=0)))

    @property
    def binary(self) -> np.ndarray:
        """(sides, columns) of 0 and 1: right in more than half of its replies (an exact copy may be asked twice)."""
        return (self.right > 0.5).astype(float)

    def only(self, columns: np.ndarray) -> "Matrix":
        """The matrix of some columns, a mask or positions."""
        taken = {name: getattr(self, name)[columns] for name in ("items", "clusters")}
        return msgspec.structs.replace(self, **taken, right=self.right[:, columns])

    def at(self, side: str) -> np.ndarray:
        return self.right[self.sides.index(side)]


def matrix(
    scores: pl.DataFrame, *, over: str = "model", unit: Literal["prompt", "item"] = "prompt", cluster: str = "entity"
) -> Matrix:  # fmt: skip
    """Lay scores out by the values of ``over``; ``unit="item"`` averages an item's orders and draws (and styles, shots: filter first).

    Columns are in the sorted order of their clusters, then items. Raises InputError where there is no score, UnknownName.
    """
    if not len(scores):
        raise InputError("no score to compare")
    side = dimension(scores, over)
    keys = ["item", *((*(n for n in SERIES if n != side), "gold_position", "draw") if unit == "prompt" else ())]
    named = pl.col(dimension(scores, cluster)).cast(pl.String).fill_null("")
    code = pl.when(named == "").then("i" + pl.col("item")).otherwise("c" + named).first().alias("|cluster")
    cells = scores.group_by([*keys, pl.col(side).cast(pl.String).alias("|side")]).agg(
        code, pl.when(REPLIED.any()).then(RIGHT.sum() / REPLIED.sum()).alias("|share")
    )
    wide = cells.pivot(on="|side", index=[*keys, "|cluster"], values="|share").sort(["|cluster", *keys])
    sides = tuple(sorted(name for name in wide.columns if name not in {*keys, "|cluster"}))
    codes = wide["|cluster"].rank("dense").to_numpy().astype(np.int64) - 1
    return Matrix(sides=sides, items=wide["item"].to_numpy(), clusters=codes, right=wide.select(sides).to_numpy().T.astype(float))


def summed(values: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Sum columns by cluster: (k, columns) → (k, clusters)."""
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    return np.add.reduceat(values[:, order], starts, axis=1) if len(starts) else np.zeros((len(values), 0))
