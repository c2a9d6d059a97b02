"""The numbers of a report: every estimate, with the facts of its model in its signature.

In: a workspace and the dimensions to group by. Out: estimates, counts, and a list of what is missing. The one thing to
know: scores that differ in the way of asking, style or number of examples are never averaged; each such set of a model's scores is a
series of its own.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import polars as pl

from ..metrics import MARK, Metric, abstention, accuracy, chance, dimension, groups, position_bias, positions, scored, statuses
from ..records import Estimate
from . import words
from .tables import Grid
from .workspace import Workspace

HEADLINE: tuple[Metric, ...] = (accuracy, accuracy(over="answered"), chance, position_bias, abstention)


class Numbers(msgspec.Struct, kw_only=True, frozen=True):
    """What is known of the scores of a workspace."""

    headline: list[Estimate]
    """For each series every metric of ``HEADLINE``, and what each scorer of open answers said."""
    grouped: dict[str, list[Estimate]]
    """Dimension → accuracy for each series and value."""
    counts: list[dict[str, Any]]
    """For each series the number of prompts of every status."""
    positions: list[dict[str, Any]]
    gaps: list[str]
    """What is missing, in sentences."""

    @property
    def all(self) -> list[Estimate]:
        return [*self.headline, *(e for each in self.grouped.values() for e in each)]

    def overall(self, series: tuple[str, ...]) -> Grid:
        """Accuracy of every series over all its prompts."""
        estimates = [e for e in self.headline if e.metric == "accuracy"]
        return Grid(title=words.say("Accuracy"), dimension="", series=series, estimates=estimates)

    def grids(self, series: tuple[str, ...]) -> list[Grid]:
        """Accuracy by each dimension."""
        return [
            Grid(title=words.say("Accuracy by {name}", name=words.dimension(name)), dimension=name, series=series, estimates=estimates)
            for name, estimates in self.grouped.items()
        ]


def count(space: Workspace, *, by: Sequence[str], draws: int, seed: int) -> Numbers:
    """Estimate everything. Raises UnknownName for a dimension that is not there, before anything is computed."""
    series = space.series
    by = [name for name in dict.fromkeys(by) if name not in series]
    for name in by:
        dimension(space.scores, name)
    stated = [name for name in by if (space.scores[dimension(space.scores, name)].cast(pl.String) != "").any()]
    scorers = [scored(scorer=name.removeprefix(MARK)) for name in space.scores.columns if name.startswith(MARK)]
    headline: list[Estimate] = []
    grouped: dict[str, list[Estimate]] = {name: [] for name in stated}
    for whole, part in groups(space.scores, series):
        # What sets a series apart is said in its own signature.
        context = {**space.context(whole["model"]), **{name: whole[name] for name in series[1:]}}
        for metric in (*HEADLINE, *scorers):
            headline += metric.estimate(part, by=series, context=context, draws=draws, seed=seed)
        for name in stated:
            grouped[name] += accuracy.estimate(part, by=(*series, name), context=context, draws=draws, seed=seed)
    return Numbers(
        headline=headline, grouped=grouped, counts=statuses(space.scores, series).to_dicts(),
        positions=positions(space.scores, series).to_dicts(), gaps=list(_gaps(space, by, stated, grouped)),
    )  # fmt: skip


def _gaps(space: Workspace, by: Sequence[str], stated: Sequence[str], grouped: dict[str, list[Estimate]]) -> Iterator[str]:
    """Say what is missing beside the statuses."""
    if space.skipped:
        one, more = "{n} row of the source could not be read", "{n} rows of the source could not be read"
        yield words.many(space.skipped, f"{one} and was left out.", f"{more} and were left out.")
    asked = set(space.scores["item"])
    if unasked := len(space.items) - len(asked):
        one, more = "{n} question of {all} was put to no model.", "{n} questions of {all} were put to no model."
        yield words.many(unasked, one, more, all=words.whole(len(space.items)))
    yield from _uneven(space)
    for name in by:
        if name not in stated:
            yield words.say("No question states its {name}, so there is no table by {name}.", name=words.dimension(name))
            continue
        column = pl.col(dimension(space.scores, name)).cast(pl.String)
        if without := space.scores.filter(column == "")["prompt"].n_unique():
            yield words.many(without, "{n} prompt states no {name}.", "{n} prompts state no {name}.", name=words.dimension(name))
    for name, estimates in grouped.items():
        yield from _thin(name, estimates, space.series)


def _uneven(space: Workspace) -> Iterator[str]:
    prompts = space.scores["prompt"].n_unique()
    for model, n in space.scores.group_by("model").agg(pl.col("prompt").n_unique()).sort("model").iter_rows():
        if n < prompts:
            told = {"model": model, "n": words.whole(n), "all": words.whole(prompts)}
            yield words.say("{model} was asked {n} of the {all} prompts that some model was asked.", **told)


def _thin(name: str, estimates: Sequence[Estimate], series: Sequence[str]) -> Iterator[str]:
    """Name the groups with none or one prompt to count."""
    for n, text in ((0, "nothing to count"), (1, "one prompt only")):
        found = [e for e in estimates if e.n == n]
        shown = "; ".join(f"{words.value(name, e.group[name])} ({words.series(e.group, series)})" for e in found[:6])
        if found:
            more = words.say("; and {n} more", n=len(found) - 6) if len(found) > 6 else ""
            yield words.say("By {name}, {text}: {shown}{more}.", name=words.dimension(name), text=words.say(text), shown=shown, more=more)
