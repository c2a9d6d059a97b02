"""Coverage: of what a model knows in one language, how much it knows in all (XNationQA, section 5.3, equations 1 to 3).

In: scores. Out: Total Coverage, |∩ C_l| / |∪ C_l| over languages l, where C_l are the entities with at least ``known`` of their
questions right in l; Smooth Coverage, the mean over entities of min m_l / (max m_l + ε), where m_l is the share of right
questions. The one thing to know: an entity counts if it got a reply in every language that is asked for; the note says how
many did not. Where a model knows nothing in any language Total Coverage does not exist (0 / 0); in one language it is 1 by
definition wherever it exists.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar, Unpack

import numpy as np
import polars as pl

from ..errors import InputError
from ..records import Estimate
from .base import Counted, How, Noted, Share, mark
from .frame import groups
from .interval import Plan
from .languages import chosen
from .units import ENTITY, ROW, SERIES, UNIT, placed, spread

_ROUND = 1e-9
"""3 / 4 of 4 questions is 3, however the division was rounded."""


class Coverage(Noted, frozen=True, kw_only=True):
    """A function of the shares of right replies of each entity in each language.

    ``langs`` is ``"all"`` that are there, a named group (W, NW, Eng-NW) or a tuple of languages.
    """

    langs: str | tuple[str, ...] = "all"

    def of(self, shares: np.ndarray) -> np.ndarray:
        """(entities, langs) → (entities, k − 1): what each entity adds."""
        raise NotImplementedError

    def languages(self, scores: pl.DataFrame) -> tuple[str, ...]:
        return chosen(self.langs, scores["lang"].unique() if self.langs == "all" else ())

    def counted(self, scores: pl.DataFrame) -> Counted:
        langs = self.languages(scores)
        return self.laid(len(scores), known(scores, langs), langs)

    def laid(self, rows: int, found: tuple[pl.DataFrame, np.ndarray], langs: Sequence[str]) -> Counted:
        """Lay what entities add on their first rows: (rows, k)."""
        table, shares = found
        counts = ~np.isnan(shares).any(axis=1) & (shares.shape[1] > 0)
        added = np.zeros((len(shares), self.of(np.zeros((1, 1))).shape[1]))
        added[counts] = self.of(shares[counts])
        without = len(counts) - int(counts.sum())
        note = f"{without} of {len(counts)} entities left out: without a reply in each of {', '.join(langs)}" if without else ""
        return Counted(placed(rows, table[ROW], np.column_stack([counts, added])), {"languages": ",".join(langs)}, note)


class TotalCoverage(Coverage, frozen=True, kw_only=True):
    """|∩ C_l| / |∪ C_l|. Numbers: whether the entity counts, is known in a language, is known in all."""

    name: ClassVar[str] = "total_coverage"
    undefined: ClassVar[str] = "nothing is known in any language: 0 of 0"
    known: float = 0.75

    def of(self, shares: np.ndarray) -> np.ndarray:
        knows = shares >= self.known - _ROUND
        return np.column_stack([knows.any(axis=1), knows.all(axis=1)])

    def finish(self, sums: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return sums[..., 2] / sums[..., 1]

    def analytic(self, sums: np.ndarray, level: float) -> tuple[str, float, float] | None:
        """Of the entities that are known at all, as a share is treated."""
        known = sums[sums[:, 1] > 0]
        return Share.analytic(_SHARE, known[:, 1:], level) if len(known) else None


class SmoothCoverage(Coverage, Share, frozen=True, kw_only=True):
    """The mean of min m_l / (max m_l + ε). The paper calls ε a small constant without its value; an unknown entity adds 0."""

    name: ClassVar[str] = "smooth_coverage"
    eps: float = 1e-6

    def of(self, shares: np.ndarray) -> np.ndarray:
        most = shares.max(axis=1) + self.eps
        return (shares.min(axis=1) / np.where(most > 0, most, 1.0))[:, None]


_SHARE = Share()
total_coverage = TotalCoverage()
smooth_coverage = SmoothCoverage()


def known(scores: pl.DataFrame, langs: Sequence[str]) -> tuple[pl.DataFrame, np.ndarray]:
    """The share of right replies of each entity in each language: (entities, langs), NaN where there is none."""
    return spread(scores, [*SERIES, ENTITY], "lang", langs)


def pairwise(
    scores: pl.DataFrame, metric: Coverage = total_coverage, *, by: Sequence[str] = (), context: Mapping[str, Any] | None = None,
    **how: Unpack[How],
) -> list[Estimate]:  # fmt: skip
    """Coverage of every pair of languages (XNationQA, figure 4), each with ``lang.a`` and ``lang.b`` in its group, a before b.

    ``metric`` says which coverage and which languages; ``by`` as in ``estimate``.
    """
    if {"lang", "language"} & set(by):
        raise InputError("by: pairs of languages are not grouped by language")
    plan = Plan(**how)
    marked = mark(scores, plan.cluster)
    return [e for group, part in groups(marked, by) for e in _pairs(metric, part, group, (plan, context or {}))]


def _pairs(metric: Coverage, part: pl.DataFrame, group: dict[str, str], how: tuple[Plan, Mapping[str, Any]]) -> Iterator[Estimate]:
    langs = metric.languages(part)
    table, shares = known(part, langs)
    slim = part.select("status", *(name for name in part.columns if name.startswith("|")))
    for (i, a), (j, b) in combinations(enumerate(langs), 2):
        counted = metric.laid(len(part), (table, shares[:, [i, j]]), (a, b))
        yield metric(langs=(a, b))._made(slim, counted, {**group, "lang.a": a, "lang.b": b}, how)


def covered(scores: pl.DataFrame, metric: TotalCoverage = total_coverage) -> pl.DataFrame:
    """In which languages each entity is known: ``model``, …, ``|unit`` renamed ``entity``, and a column for each language."""
    langs = metric.languages(scores)
    table, shares = known(scores, langs)
    knows = [pl.Series(lang, shares[:, i] >= metric.known - _ROUND) for i, lang in enumerate(langs)]
    return table.select(*SERIES, pl.col(UNIT).str.slice(1).alias("entity")).with_columns(knows)
