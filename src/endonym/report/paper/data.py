"""What the profiles of papers are made from: the scores of a workspace asked in one way, and its estimates.

In: a workspace. Out: scores of one style and number of examples, estimates by model, names. The one thing to know: a paper's
table has one number a model, so scores that were asked in other ways are set aside, and it is said which.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import msgspec
import polars as pl

from ...metrics import MARK, Metric
from ...records import Estimate
from .. import words
from ..workspace import Workspace
from .sheet import Sheet

LABEL = "model"
NEEDED = {
    "item", "model", "status", "right", "position", "gold_position", "options", "method", "style", "shots", "draw", "lang", "place",
    "topic", "subset", "entity", "template", "parallel", "tier",
}  # fmt: skip
"""The columns that the tables are made of; all others would only be carried along."""


class Figure(msgspec.Struct, kw_only=True, frozen=True):
    """A drawing of a paper: the chart, what it shows, and the numbers that are drawn."""

    name: str
    caption: str
    chart: Any
    estimates: Sequence[Estimate] = ()


class Profile(msgspec.Struct, kw_only=True):
    """The tables and figures of one paper that a workspace can give, and what it cannot."""

    paper: str
    sheets: list[Sheet] = []
    figures: list[Figure] = []
    missing: list[str] = []
    notes: list[str] = []

    @property
    def estimates(self) -> list[Estimate]:
        return [e for part in (*self.sheets, *self.figures) for e in part.estimates]


class Data(msgspec.Struct, kw_only=True, dict=True):
    """A workspace's scores and how estimates are made of them."""

    space: Workspace
    scores: pl.DataFrame
    draws: int
    seed: int

    @cached_property
    def models(self) -> list[str]:
        """Models in the order in which they were asked; where one was asked by several methods, each is a model of its own."""
        return self.scores[LABEL].unique(maintain_order=True).to_list()

    @cached_property
    def parts(self) -> dict[str, pl.DataFrame]:
        """The scores of each model."""
        found = self.scores.partition_by(LABEL, as_dict=True, maintain_order=True)
        return {str(key[0]): part for key, part in found.items()}

    @cached_property
    def topics(self) -> dict[str, "Data"]:
        """The scores of each topic."""
        found = self.scores.partition_by("topic", as_dict=True, maintain_order=True)
        return {str(key[0]): self.only(part) for key, part in found.items()}

    def only(self, scores: pl.DataFrame) -> "Data":
        return msgspec.structs.replace(self, scores=scores)

    def where(self, name: str, value: Any) -> "Data":
        return self.only(self.scores.filter(pl.col(name) == value))

    def estimate(self, metric: Metric, by: Sequence[str] = ()) -> dict[tuple[str, ...], Estimate]:
        """Estimate for each model and group: (model, value of each dimension of ``by``) → estimate."""
        found: dict[tuple[str, ...], Estimate] = {}
        for model, part in self.parts.items():
            context = self.space.context(model.partition(" · ")[0])
            for e in metric.estimate(part, by=by, context=context, draws=self.draws, seed=self.seed):
                group = {LABEL: model, **e.group}
                found[model, *(e.group[name] for name in by)] = msgspec.structs.replace(e, group=group)
        return found

    def overall(self, metric: Metric, by: Sequence[str]) -> dict[str, Estimate]:
        """Estimate over all models at once, by one dimension."""
        context = {**self.space.shared, "models": len(self.models)}
        made = metric.estimate(self.scores, by=by, context=context, draws=self.draws, seed=self.seed)
        return {e.group[by[0]]: e for e in made}


def asked(space: Workspace, *, draws: int, seed: int, notes: list[str]) -> Data:
    """All scores, with methods told apart in the model's name where there are several."""
    scores = space.scores.select([c for c in space.scores.columns if c in NEEDED or c.startswith(MARK)])
    if scores["method"].n_unique() > 1:
        scores = scores.with_columns(pl.format("{} · {}", pl.col("model"), pl.col("method")).alias(LABEL))
        notes.append("Models were asked by several methods; each method has a row of its own.")
    return Data(space=space, scores=scores, draws=draws, seed=seed)


def plainest(data: Data, notes: list[str], *, shots: bool = True) -> Data:
    """Scores of the plain style and, with ``shots``, the fewest examples; what is set aside is noted."""
    scores = data.scores
    for name, first in (("style", "plain"), ("shots", None)):
        values = scores[name].unique().sort().to_list()
        if len(values) > 1 and (name == "style" or shots):
            kept = first if first in values else values[0]
            scores = scores.filter(pl.col(name) == kept)
            others = ", ".join(str(v) for v in values if v != kept)
            notes.append(f"{words.dimension(name).capitalize()} {kept} only, unless said otherwise; set aside: {others}.")
    return data.only(scores)


def ordered(found: Iterable[str], first: Sequence[str]) -> list[str]:
    """Values in a paper's order, then others by name."""
    there = set(found)
    return [*(v for v in first if v in there), *sorted(there - set(first))]
