"""Units larger than a prompt: an entity in all its questions, an item in all its orders, a question in all its translations.

In: scores. Out: one row a unit, with the position of its first score, where a metric puts the unit's numbers. The one thing
to know: a unit is of one model, asked in one way (``SERIES``), so that scores of two models are never taken for one.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

SERIES = ("model", "method", "style", "shots")
"""What sets scores of one question apart."""
ROW, UNIT = "|row", "|unit"
REPLIED = pl.col("status") != "failed"
RIGHT = REPLIED & pl.col("right")
ENTITY = (
    pl.when(pl.col("entity") != "").then("e" + pl.col("entity"))
    .when(pl.col("parallel") != "").then("p" + pl.col("parallel"))
    .otherwise("i" + pl.col("item")).alias(UNIT)
)  # fmt: skip
"""What a score is about: its entity; where none is stated its question in all languages; else its item."""
QUESTION = (
    pl.when(pl.col("parallel") != "").then("p" + pl.col("parallel"))
    .when((pl.col("entity") != "") & (pl.col("template") != "")).then("e" + pl.col("entity") + "/" + pl.col("template"))
    .otherwise("i" + pl.col("item")).alias(UNIT)
)  # fmt: skip
"""The question of a score in all languages."""


def units(scores: pl.DataFrame, keys: Sequence[str | pl.Expr], numbers: Sequence[pl.Expr]) -> pl.DataFrame:
    """Gather scores into units: ``keys``, ``|row`` (the unit's first row) and ``numbers``, in the order of first rows."""
    return scores.with_row_index(ROW).group_by([*keys], maintain_order=True).agg(pl.col(ROW).first(), *numbers)


def placed(rows: int, first: pl.Series, numbers: np.ndarray) -> np.ndarray:
    """Put the numbers of units (units, k) on their first rows: (rows, k), zeros elsewhere."""
    out = np.zeros((rows, numbers.shape[1]))
    out[first.to_numpy()] = numbers
    return out


def spread(scores: pl.DataFrame, keys: Sequence[str | pl.Expr], over: str, values: Sequence[str]) -> tuple[pl.DataFrame, np.ndarray]:
    """The share of right replies of each unit in each value of a dimension: (units, (units, values)); NaN without a reply."""
    at = [pl.col(over).cast(pl.String) == value for value in values]
    counts = [(REPLIED & here).sum().alias(f"|n{i}") for i, here in enumerate(at)]
    rights = [(RIGHT & here).sum().alias(f"|r{i}") for i, here in enumerate(at)]
    table = units(scores, keys, [*counts, *rights])
    both = table.select(pl.col(f"|n{i}", f"|r{i}").cast(pl.Float64) for i in range(len(values)))
    n, right = (both.select(f"|{kind}{i}" for i in range(len(values))).to_numpy() for kind in "nr")
    with np.errstate(invalid="ignore", divide="ignore"):
        return table.drop(both.columns), right / n
