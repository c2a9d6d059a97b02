"""How far judges agree on the same items: Krippendorff's α over all of them, Cohen's κ and per cent for each pair, with people too.

In: judgments. Out: estimates, one for each criterion and group of judges. The one thing to know: where every rating is the same value
both coefficients are 0/0, so there is no number and the note says "n/a" and why; a judgment that could not be read, or was never
given, is a missing cell, and no value of its own. Findings of checks and of this package's own stages are no ratings.

Papers: Krippendorff, Content Analysis (2004), chapter 11; Cohen, Weighted kappa (1968); CARTE, appendix B (two judges, 1 to 5).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal

import msgspec
import numpy as np

from .. import __version__
from ..errors import InputError
from ..records import Estimate, Judgment
from .coefficients import Drawn, alpha, kappa, percent

VERSION = "1"
Level = Literal["", "nominal", "ordinal", "interval"]
Weights = Literal["", "linear", "quadratic"]
Ratings = Mapping[str, Mapping[str, str]]
"""Judge → item → value."""
APART = "n/a: no item was rated by two of these judges"
ALIKE = "n/a: every rating is the same value, so that chance alone would agree as much (0/0)"
PEOPLE = "people/"
_MACHINES = ("check/", "panel", "keep", "balance")


class How(msgspec.Struct, frozen=True, kw_only=True):
    """Level of measurement, weights of κ, bootstrap."""

    level: str
    weights: str
    drawn: Drawn

    def signature(self, name: str) -> str:
        weights = f"|weights:{self.weights or 'none'}" if name == "kappa" else ""
        level = f"|level:{self.level}" if name == "alpha" else ""
        draws = f"|ci:bootstrap/{self.drawn.draws}|seed:{self.drawn.seed}|confidence:{self.drawn.level:g}"
        return f"{name}{level}{weights}{draws}|endonym:{__version__}"


def agreement(judgments: Iterable[Judgment], *, level: Level = "", weights: Weights = "quadratic", criteria: tuple[str, ...] = (),
              draws: int = 1000, seed: int = 0) -> Iterator[Estimate]:  # fmt: skip
    """α, κ and per cent of each criterion, each with a bootstrap interval over items.

    ``level`` "" is ordinal where every value of a criterion is a number, else nominal (κ is then unweighted). The groups: ``judges=all``,
    ``models``, ``people`` (α and per cent of several judges), and pairs ``A × B`` (κ and per cent); with two or more people also each
    model × ``people``, whose word is the lower median of their scores, or the value that most of them gave.
    Raises InputError for a value that is no number where the level asks for numbers.
    """
    if draws < 1:
        raise InputError(f"draws: {draws}; at least one")
    by: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for j in judgments:
        if (not criteria or j.criterion in criteria) and not j.judge.startswith(_MACHINES):
            cell = by[j.criterion][j.judge]
            if j.status == "answered":
                cell[j.item] = j.value
    for criterion in sorted(by):
        yield from _criterion(criterion, by[criterion], level, weights, Drawn(draws=draws, seed=seed))


def _criterion(criterion: str, ratings: Ratings, level: Level, weights: Weights, drawn: Drawn) -> Iterator[Estimate]:
    values = sorted({v for said in ratings.values() for v in said.values()})
    chosen = level or ("ordinal" if values and all(map(_is_number, values)) else "nominal")
    if chosen != "nominal" and (bad := [v for v in values if not _is_number(v)]):
        raise InputError(f"level: {chosen} needs numbers, and {criterion} has {bad[0]!r}; give nominal")
    domain = values if chosen == "nominal" else sorted(values, key=float)
    how = How(level=chosen, weights="" if chosen == "nominal" else weights, drawn=drawn)
    for name, group in _groups(ratings):
        yield from _many({"criterion": criterion, "judges": name}, group, domain, how)
    for (a, b), pair in _pairs(ratings, chosen):
        yield from _two({"criterion": criterion, "judges": f"{a} × {b}"}, pair, domain, how)


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _groups(ratings: Ratings) -> Iterator[tuple[str, Ratings]]:
    people = {name: said for name, said in ratings.items() if name.startswith(PEOPLE)}
    models = {name: said for name, said in ratings.items() if name not in people}
    yield "all", ratings
    if people and models:
        yield from ((name, group) for name, group in (("models", models), ("people", people)) if len(group) > 1)


def _pairs(ratings: Ratings, level: str) -> Iterator[tuple[tuple[str, str], tuple[Mapping[str, str], Mapping[str, str]]]]:
    for a, b in combinations(sorted(ratings), 2):
        yield (a, b), (ratings[a], ratings[b])
    people = [said for name, said in ratings.items() if name.startswith(PEOPLE)]
    if len(people) > 1:
        word = _consensus(people, level)
        yield from (((name, "people"), (ratings[name], word)) for name in sorted(ratings) if not name.startswith(PEOPLE))


def _consensus(people: Sequence[Mapping[str, str]], level: str) -> dict[str, str]:
    """What people together say of each item: the lower median of scores, or the value of more of them than any other has."""
    said: dict[str, list[str]] = defaultdict(list)
    for one in people:
        for item, value in one.items():
            said[item].append(value)
    if level != "nominal":
        return {item: sorted(values, key=float)[(len(values) - 1) // 2] for item, values in said.items()}
    found: dict[str, str] = {}
    for item, values in said.items():
        most = max(map(values.count, values))
        if len(leaders := {v for v in values if values.count(v) == most}) == 1:
            found[item] = leaders.pop()
    return found


def _many(group: dict[str, str], ratings: Ratings, domain: Sequence[str], how: How) -> Iterator[Estimate]:
    """α and per cent of several judges: (items, values) counts, of the items that at least two of them rated."""
    place = {value: n for n, value in enumerate(domain)}
    rows: dict[str, np.ndarray] = {}
    for said in ratings.values():
        for item, value in said.items():
            rows.setdefault(item, np.zeros(len(domain)))[place[value]] += 1
    counts = np.array([rows[i] for i in sorted(rows) if rows[i].sum() > 1]).reshape(-1, len(domain))
    scale = np.arange(len(domain), dtype=float) if how.level == "nominal" else np.array([float(v) for v in domain])
    yield _estimate("alpha", counts, lambda c: alpha(c, scale, how.level), group, how)
    yield _estimate("percent", counts, percent, group, how)


def _two(group: dict[str, str], pair: tuple[Mapping[str, str], Mapping[str, str]], domain: Sequence[str], how: How) -> Iterator[Estimate]:
    """κ and per cent of two judges, from the places (items, 2) of their values in the domain."""
    place = {value: n for n, value in enumerate(domain)}
    both = sorted(pair[0].keys() & pair[1].keys())
    cells = np.array([[place[pair[0][i]], place[pair[1][i]]] for i in both], dtype=int).reshape(-1, 2)
    scale = None if how.level == "nominal" else np.array([float(v) for v in domain])
    yield _estimate("kappa", cells, lambda c: kappa(c, len(domain), how.weights, scale), group, how)
    yield _estimate("percent", cells, lambda c: float(np.mean(c[:, 0] == c[:, 1])), group, how)


def _estimate(name: str, rows: np.ndarray, of: Callable[[np.ndarray], float | None], group: dict[str, str], how: How) -> Estimate:
    signature = how.signature(name)
    if not len(rows):
        return Estimate(metric=name, value=None, n=0, group=group, signature=signature, note=APART)
    if (value := of(rows)) is None:
        return Estimate(metric=name, value=None, n=len(rows), group=group, signature=signature, note=ALIKE)
    low, high, note = how.drawn.interval(rows, of)
    return Estimate(metric=name, value=value, low=low, high=high, n=len(rows), group=group, signature=signature, note=note)
