"""Positional bias: how far a model's choices lean to a place on the page (CARTE, appendix E).

In: scores. Out: 1 − H / log2 N, where H is the Shannon entropy of the chosen positions and N the number of options: 0 for
choices spread evenly, 1 for a model that always says B. The one thing to know: the paper takes one N for the whole
data set (5); where items differ in N, entropies and their greatest values are summed over the N, weighted by prompts,
which is the paper's formula wherever there is one N. Every chosen position counts, also that of "don't know". The gold
positions are not looked at: an unevenly keyed benchmark makes a perfect model look biased; ``orders="rotate"`` mends that.
"""

from collections.abc import Sequence
from math import isqrt
from typing import ClassVar

import numpy as np
import polars as pl

from . import interval
from .base import Metric
from .frame import dimension


class PositionBias(Metric, frozen=True, kw_only=True):
    """1 − H / log2 N (CARTE, appendix E, equations 1 to 3).

    Numbers, (rows, 1 + M²) with M the most options of any row: whether a position was chosen, then a cell for each pair
    of options N and position, at 1 + (N − 1) M + position.
    """

    name: ClassVar[str] = "position_bias"
    curved: ClassVar[bool] = True

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        options = scores["options"].to_numpy()
        position = scores["position"].fill_null(-1).to_numpy()
        rows = np.flatnonzero((position >= 0) & (position < options) & (options > 1))
        most = int(options.max()) if len(options) else 0
        numbers = np.zeros((len(scores), 1 + most * most))
        numbers[rows, 0] = 1
        numbers[rows, 1 + (options[rows] - 1) * most + position[rows]] = 1
        return numbers

    def finish(self, sums: np.ndarray) -> np.ndarray:
        most = isqrt(sums.shape[-1] - 1)
        counts = sums[..., 1:].reshape(*sums.shape[:-1], most, most)
        prompts = counts.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = counts / prompts[..., None]
            entropy = -np.where(p > 0, p * np.log2(p), 0.0).sum(axis=-1)
            greatest = (prompts * np.log2(np.arange(1, most + 1))).sum(axis=-1)
            # The two ends are exact: rounding must not make a lean of −0.0 or 1e-16.
            return np.clip(1 - (prompts * entropy).sum(axis=-1) / greatest, 0.0, 1.0)

    def analytic(self, sums: np.ndarray, level: float) -> tuple[str, float, float] | None:
        """Of a model that only ever chose one position: from the bias if its share were as low as Wilson's bound, to 1.

        The rest is taken as spread over the other positions evenly, which gives the lowest bias.
        """
        counts = sums[:, 1:].sum(axis=0)
        used = np.flatnonzero(counts)
        if len(used) != 1:
            return None
        options = used[0] // isqrt(len(counts)) + 1
        least, _ = interval.wilson(1.0, interval.effective(sums[:, 0], sums[:, 0], level), level)
        spread = np.full(options, (1 - least) / (options - 1))
        spread[0] = least
        return "wilson/effective", max(0.0, float(1 + (spread * np.log2(spread)).sum() / np.log2(options))), 1.0


position_bias = PositionBias()


def positions(scores: pl.DataFrame, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """Where choices fell: a row for each group, number of options and position (0 is the first), with count, share and gold.

    ``share`` is of the group's prompts with that many options and a chosen position; ``gold`` is the share of these
    prompts whose gold option stood there. Positions that were never chosen have a row with 0.
    """
    chose = scores.filter(pl.col("position").is_not_null() & (pl.col("options") > 1) & (pl.col("position") < pl.col("options")))
    keys = [pl.col(dimension(scores, name)).cast(pl.String).alias(name) for name in by]
    chose = chose.select(*keys, "options", "position", "gold_position")
    group = [*by, "options"]
    grid = chose.group_by(group).agg(pl.len().alias("prompts")).with_columns(position=pl.int_ranges(0, "options")).explode("position")
    for column, name in (("position", "count"), ("gold_position", "golds")):
        counted = chose.group_by([*group, column]).agg(pl.len().alias(name)).rename({column: "position"} if column != "position" else {})
        grid = grid.join(counted, on=[*group, "position"], how="left")
    grid = grid.with_columns(pl.col("count", "golds").fill_null(0)).sort([*group, "position"])
    return grid.select(*group, "position", "count", share=pl.col("count") / pl.col("prompts"), gold=pl.col("golds") / pl.col("prompts"))
