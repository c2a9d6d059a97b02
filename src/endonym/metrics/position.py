"""Positional bias: how far a model's choices lean to a place on the page (CARTE, appendix E).

In: scores. Out: 1 − H / log2 N, where H is the Shannon entropy of the chosen positions and N the number of options: 0 for
choices spread evenly, 1 for a model that always says B. The one thing to know: the paper takes one N for the whole
data set (5); where items differ in N, entropies and their greatest values are summed over the N, weighted by prompts,
which is the paper's formula wherever there is one N. Every chosen position counts, also that of "don't know". The gold
positions are not looked at: an unevenly keyed benchmark makes a perfect model look biased; ``gold=`` mends that.
"""

from collections.abc import Sequence
from math import isqrt
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from . import interval
from .base import Counted, Noted
from .frame import dimension
from .units import SERIES


class PositionBias(Noted, frozen=True, kw_only=True):
    """1 − H / log2 N (CARTE, appendix E, equations 1 to 3).

    ``gold="as shown"`` is the paper's. The others are free of where the gold options stand: ``"balanced"`` takes the mean of the
    distributions of choices over the gold positions, so that each weighs alike; ``"rotated"`` counts only items shown in every
    turn (``--orders rotate``), the gold as often at each place. Numbers, (rows, 1 + M³) with M the most options of any row: whether
    a position was chosen, then a cell for each number of options N, gold position g and chosen position p, at
    1 + ((N − 1) M + g) M + p; with ``"as shown"`` there is no g, (rows, 1 + M²).
    """

    name: ClassVar[str] = "position_bias"
    gold: Literal["as shown", "balanced", "rotated"] = "as shown"

    @property
    def curved(self) -> bool:
        return True

    @property
    def _split(self) -> bool:
        return self.gold == "balanced"

    def counted(self, scores: pl.DataFrame) -> Counted:
        position, gold, options = scores.select(pl.col("position", "gold_position").fill_null(-1), "options").to_numpy().T
        counts, note = (position >= 0) & (position < options) & (options > 1), ""
        if self._split:
            counts &= (gold >= 0) & (gold < options)
        if self.gold == "rotated":
            whole = turned(scores)
            counts &= whole
            items, kept = scores["item"].n_unique(), scores["item"].filter(pl.Series(whole, dtype=pl.Boolean)).n_unique()
            note = f"{items - kept} of {items} items left out: not shown in every turn" if kept < items else ""
        rows = np.flatnonzero(counts)
        most = int(options.max()) if len(options) else 0
        numbers = np.zeros((len(scores), 1 + most ** (3 if self._split else 2)))
        numbers[rows, 0] = 1
        cell = (options[rows] - 1) * most + gold[rows] if self._split else options[rows] - 1
        numbers[rows, 1 + cell * most + position[rows]] = 1
        return Counted(numbers, missing=note)

    def finish(self, sums: np.ndarray) -> np.ndarray:
        most = round((sums.shape[-1] - 1) ** (1 / 3)) if self._split else isqrt(sums.shape[-1] - 1)
        cells = sums[..., 1:].reshape(*sums.shape[:-1], most, -1, most)
        prompts = cells.sum(axis=(-1, -2))
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = cells / cells.sum(axis=-1, keepdims=True)
            there = ~np.isnan(shares[..., :1])
            p = np.where(there, shares, 0.0).sum(axis=-2) / there.sum(axis=-2)
            entropy = -np.where(p > 0, p * np.log2(p), 0.0).sum(axis=-1)
            greatest = (prompts * np.log2(np.arange(1, most + 1))).sum(axis=-1)
            # The two ends are exact: rounding must not make a lean of −0.0 or 1e-16.
            return np.clip(1 - (prompts * entropy).sum(axis=-1) / greatest, 0.0, 1.0)

    def analytic(self, sums: np.ndarray, level: float) -> tuple[str, float, float] | None:
        """Of a model that only ever chose one position: from the bias if its share were as low as Wilson's bound, to 1.

        The rest is taken as spread over the other positions evenly, which gives the lowest bias.
        """
        counts = sums[:, 1:].sum(axis=0)
        most = round(len(counts) ** (1 / 3)) if self._split else isqrt(len(counts))
        cells = counts.reshape(most, -1, most).sum(axis=1)
        used = np.argwhere(cells)
        if len(used) != 1:
            return None
        options = int(used[0][0]) + 1
        least, _ = interval.wilson(1.0, interval.effective(sums[:, 0], sums[:, 0], level), level)
        spread = np.full(options, (1 - least) / (options - 1))
        spread[0] = least
        return "wilson/effective", max(0.0, float(1 + (spread * np.log2(spread)).sum() / np.log2(options))), 1.0


def turned(scores: pl.DataFrame) -> np.ndarray:
    """Which rows are of items shown in every turn, (rows,): the gold as often at each place, "don't know" keeping the last."""
    keys = [*SERIES, "item", "options"]
    times = scores.group_by([*keys, "gold_position"]).agg(pl.len().alias("|n"))
    places = times.group_by(keys).agg(
        pl.col("gold_position").n_unique().alias("|places"), pl.col("gold_position").max().alias("|last"),
        pl.col("|n").n_unique().alias("|even"),
    )  # fmt: skip
    # Without an abstention every place holds the gold once, with one all but the last.
    whole = (pl.col("|even") == 1) & (pl.col("|last") + 1 == pl.col("|places")) & (pl.col("|places") >= pl.col("options") - 1)
    whole &= pl.col("|places") > 1
    found = scores.select(keys).join(places.select(*keys, whole.alias("|whole")), on=keys, how="left", maintain_order="left")
    return found["|whole"].fill_null(False).to_numpy()


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
