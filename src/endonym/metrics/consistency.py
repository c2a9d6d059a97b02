"""Consistency: the share of questions whose every wording, order or draw got the same.

In: scores. Out: of the units with two replies or more, the share whose replies all agree. The one thing to know: what agrees is
``right`` (all right or all wrong) or ``choice`` (the same option; what is no choice, such as an abstention, agrees with its
like). Of templates and languages only compare ``choice`` where the options stand alike in all of them.
"""

from typing import ClassVar, Literal

import polars as pl

from .base import Counted, Noted, Share
from .units import ENTITY, QUESTION, REPLIED, ROW, SERIES, placed, units


class Consistency(Noted, Share, frozen=True, kw_only=True):
    """``over`` is what may change: the template (the unit is then an entity in a language), the order of the options (an item), the
    draw (a prompt), or the language (a question).
    """

    name: ClassVar[str] = "consistency"
    over: Literal["template", "order", "draw", "lang"] = "template"
    of: Literal["right", "choice"] = "right"

    def keys(self) -> list[str | pl.Expr]:
        own: dict[str, list[str | pl.Expr]] = {"template": [ENTITY, "lang"], "order": ["item"], "draw": ["prompt"], "lang": [QUESTION]}
        return [*SERIES, *own[self.over]]

    def counted(self, scores: pl.DataFrame) -> Counted:
        said = pl.col("right") if self.of == "right" else pl.concat_str("status", pl.col("choice").fill_null(-1).cast(pl.String))
        same = said.filter(REPLIED).n_unique() == 1
        table = units(scores, self.keys(), [(REPLIED.sum() > 1).alias("counts"), same.alias("same")])
        both = table.select("counts", (pl.col("counts") & pl.col("same")).alias("agrees")).cast(pl.Float64).to_numpy()
        without = len(table) - int(both[:, 0].sum())
        note = f"{without} of {len(table)} units left out: fewer than two replies" if without else ""
        return Counted(placed(len(scores), table[ROW], both), missing=note)


consistency = Consistency()
