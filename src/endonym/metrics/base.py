"""A metric is a value: it prints as it is typed, compares by what it is, and signs its results.

In: a table of scores (:func:`~endonym.metrics.frame.frame`). Out: one :class:`~endonym.records.Estimate` a group. The one
thing to know: a metric is **numbers for each row and a function of their sum**. ``numbers`` gives an array (rows, k)
whose column 0 says whether the row counts (1 or 0); ``finish`` turns any array of sums (…, k) into values (…). So a
bootstrap is one product of two matrices, (draws × clusters) @ (clusters × k), for any metric, without asking again.
A metric that judges whole entities puts an entity's numbers on its first row.
"""

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self, TypedDict, Unpack

import msgspec
import numpy as np
import polars as pl

from .. import __version__
from ..errors import InputError, UnknownName
from ..records import Estimate
from . import interval
from .frame import dimension, groups
from .interval import Plan

_ALONE, _CODE, _RANK = "|alone", "|code", "|cluster"
"""Columns of a marked table; no dimension has a bar in its name that a user could type by chance."""


class Counted(NamedTuple):
    """Numbers of rows, and what goes with them into an estimate."""

    numbers: np.ndarray
    told: dict[str, str] = {}
    """What the parameters stand for in these scores, for the signature: the languages of a named group, say."""
    missing: str = ""
    """What of these scores could not be counted, in words for a note."""


class How(TypedDict, total=False):
    """The words of :class:`~endonym.metrics.interval.Plan`, as keywords."""

    cluster: str
    draws: int
    seed: int
    level: float


class Metric(msgspec.Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """``accuracy`` is a metric and so is ``accuracy(over='answered')``; a subclass adds its parameters as fields."""

    name: ClassVar[str] = ""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    undefined: ClassVar[str] = "not defined for these scores"
    """Why there is no value although something was counted: ``finish`` gave NaN."""

    @property
    def curved(self) -> bool:
        """Whether ``finish`` is far from linear, so that bootstrap values are centred on the estimate."""
        return False

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        """(rows, k): column 0 is 1 where the row counts, else 0 and the row is all zeros."""
        raise NotImplementedError

    def finish(self, sums: np.ndarray) -> np.ndarray:
        """(…, k) → (…): the metric from sums over rows; NaN where nothing was counted."""
        raise NotImplementedError

    def analytic(self, sums: np.ndarray, level: float) -> tuple[str, float, float] | None:
        """An interval where the bootstrap would be too sure of itself, with its name; ``sums`` is (clusters, k)."""
        return None

    def counted(self, scores: pl.DataFrame) -> "Counted":
        """``numbers`` and what is to be said of them; a metric that has something to say makes this and is ``Noted``."""
        return Counted(self.numbers(scores))

    def __call__(self, **params: Any) -> Self:
        """The same metric with other parameters. Raises UnknownName, or InputError for a value it cannot take."""
        for key in params:
            if key not in self.__struct_fields__:
                raise UnknownName(f"parameter of {self.name}", key, self.__struct_fields__ or ["no parameters"])
        try:
            return msgspec.convert({**self.params, **params}, type(self))
        except msgspec.ValidationError as problem:
            raise InputError(f"{self.name}: {problem}") from problem

    @property
    def params(self) -> dict[str, Any]:
        """Every parameter, defaults too."""
        return {name: getattr(self, name) for name in self.__struct_fields__}

    def __repr__(self) -> str:
        defaults = type(self)()
        given = [f"{name}={value!r}" for name, value in self.params.items() if value != getattr(defaults, name)]
        return f"{self.name}({', '.join(given)})" if given else self.name

    def estimate(
        self, scores: pl.DataFrame, *, by: Sequence[str] = (), context: Mapping[str, Any] | None = None, **how: Unpack[How]
    ) -> list[Estimate]:
        """Estimate the metric for each group of scores, with an interval.

        ``by`` names dimensions (none: one estimate, whose group is ``{}``); ``context`` are facts for the signature.
        ``cluster="entity"`` says which rows stand or fall together (a row without an entity is clustered with its own
        item), ``draws=1000`` and ``seed=0`` are the bootstrap's, ``level=0.95`` the interval's. A group is drawn from
        ``seed`` anew, so its numbers do not depend on which other groups there are, and models asked the same
        questions get the same draws. Raises UnknownName for a dimension that is not there.
        """
        plan, facts = Plan(**how), context or {}
        marked = mark(scores, plan.cluster)
        return [self._one(part, group, plan, facts) for group, part in groups(marked, by)]

    def _one(self, part: pl.DataFrame, group: dict[str, str], plan: Plan, facts: Mapping[str, Any]) -> Estimate:
        return self._made(part, self.counted(part), group, (plan, facts))

    def _made(self, part: pl.DataFrame, counted: "Counted", group: dict[str, str], how: tuple[Plan, Mapping[str, Any]]) -> Estimate:
        (plan, facts), (numbers, said, lacks) = how, counted
        label, sums = clustered(part, numbers, plan.cluster)
        n = int(numbers[:, 0].sum()) if len(numbers) else 0
        value = float(self.finish(sums.sum(axis=0))) if n else math.nan
        if math.isnan(value):
            signature = self.signature({**said, "cluster": label, "ci": "none"}, facts)
            note = "; ".join(filter(None, (self.undefined if n else _nothing(part, lacks), lacks if n else "")))
            return Estimate(metric=repr(self), value=None, n=n, group=group, signature=signature, note=note)
        low, high, ci, note = self._interval(sums, value, plan)
        seed = {"seed": plan.seed} if ci.startswith("bootstrap") else {}
        signature = self.signature({**said, "cluster": label, "ci": ci, **seed, "level": plan.level}, facts)
        note = "; ".join(filter(None, (note, lacks)))
        return Estimate(metric=repr(self), value=value, low=low, high=high, n=n, group=group, signature=signature, note=note)

    def _interval(self, sums: np.ndarray, value: float, plan: Plan) -> tuple[float | None, float | None, str, str]:
        """Choose the interval: (low, high, name for the signature, note)."""
        sums = sums[sums[:, 0] > 0]
        values = self.finish(interval.draw(sums, plan)) if len(sums) >= interval.FEW else np.full(1, value)
        constant = np.nanmax(values) - np.nanmin(values) < 1e-12
        if constant and (exact := self.analytic(sums, plan.level)):
            return exact[1], exact[2], exact[0], ""
        if len(sums) < 2:
            return None, None, "none", "one cluster: no interval"
        if len(sums) < interval.FEW:
            values = self.finish(interval.draw(sums, plan))
        if np.nanmax(values) - np.nanmin(values) < 1e-12:
            return value, value, f"bootstrap/{plan.draws}", "every draw gave the same value"
        if self.curved:
            return *interval.centred(values, plan.level, value, self.bounds), f"bootstrap-centred/{plan.draws}", ""
        return *interval.percentile(values, plan.level), f"bootstrap/{plan.draws}", ""

    def signature(self, how: Mapping[str, Any], context: Mapping[str, Any]) -> str:
        """Say what a reader needs to compute the number again: every parameter, defaults too, how, and the facts of the run."""
        said = {**self.params, **how}
        # A fact that bears the name of a parameter (an order's seed, say) is told apart from it.
        said |= {f"context.{key}" if key in said else key: value for key, value in context.items()}
        return "|".join([self.name, *(fact(key, value) for key, value in said.items()), f"endonym:{__version__}"])


class Noted(Metric, frozen=True, kw_only=True):
    """A metric that says more than numbers: it makes ``counted``."""

    def numbers(self, scores: pl.DataFrame) -> np.ndarray:
        return self.counted(scores).numbers


class Share(Metric, frozen=True, kw_only=True):
    """A metric that is a sum over a count: ``numbers`` gives (rows, 2), whether a row counts and what it adds."""

    def finish(self, sums: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return sums[..., 1] / sums[..., 0]

    def analytic(self, sums: np.ndarray, level: float) -> tuple[str, float, float] | None:
        """Wilson's interval on the effective number of rows."""
        rows, right = sums[:, 0], sums[:, 1]
        share = float(right.sum() / rows.sum())
        return "wilson/effective", *interval.wilson(share, interval.effective(rows, right, level), level)


def mark(scores: pl.DataFrame, cluster: str) -> pl.DataFrame:
    """Number the clusters of a table in the sorted order of their names; a row without one is clustered with its own item."""
    named = pl.col(dimension(scores, cluster)).cast(pl.String).fill_null("")
    alone = named == ""
    code = pl.when(alone).then("i" + pl.col("item")).otherwise("c" + named)
    marked = scores.with_columns(alone.alias(_ALONE), code.alias(_CODE))
    names = marked.select(pl.col(_CODE).unique().sort()).with_row_index(_RANK)
    return marked.join(names, on=_CODE, how="left", maintain_order="left").drop(_CODE)


def clustered(part: pl.DataFrame, numbers: np.ndarray, cluster: str) -> tuple[str, np.ndarray]:
    """Sum the rows of a marked table by cluster: (what clustered them, (clusters, k))."""
    alone = part[_ALONE]
    label = cluster if not alone.any() else "item" if alone.all() else f"{cluster}+item"
    if not len(part):
        return label, numbers
    codes = part[_RANK].to_numpy()
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order].astype(np.int64), prepend=-1))
    return label, np.add.reduceat(numbers[order], starts, axis=0)


def parse(text: str, shelf: Mapping[str, Metric]) -> Metric:
    """Read a metric as it prints: ``parse(repr(m), shelf) == m``. Raises InputError, or UnknownName for a name on no shelf."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
        call = node if isinstance(node, ast.Call) else None
        named = call.func if call else node
        if not isinstance(named, ast.Name) or (call and (call.args or any(k.arg is None for k in call.keywords))):
            raise ValueError("not a name")
        params = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords} if call else {}
    except (SyntaxError, ValueError) as problem:
        raise InputError(f"{text!r} is no metric; one is written as accuracy or accuracy(over='answered')") from problem
    if named.id not in shelf:
        raise UnknownName("metric", named.id, shelf)
    return shelf[named.id](**params) if params else shelf[named.id]


def _nothing(part: pl.DataFrame, lacks: str) -> str:
    """Say why nothing was counted."""
    if lacks or not len(part):
        return lacks or "no score"
    counts = sorted(part["status"].value_counts().iter_rows())
    return "no score counts: " + ", ".join(f"{count} {status}" for status, count in counts)


def fact(key: str, value: Any) -> str:
    """One part of a signature, which keeps bars and line ends for itself."""
    return f"{key}:{value}".replace("%", "%25").replace("|", "%7C").replace("\n", "%0A")
