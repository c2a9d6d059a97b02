"""How far judges agree on the same replies: Krippendorff's α over all of them, Cohen's κ for each pair.

In: judgments, each a judge's value for one reply under one criterion. Out: an :class:`Agreement`. The one thing to know: where
every rating is the same value, both coefficients are 0/0 and there is no number, which is said; a verdict that could not be
read, or a failed call, is a missing rating, never a value of its own. Values are names (nominal): none is nearer to another.

Papers: Krippendorff, Content Analysis (2004), chapter 11; Cohen, A coefficient of agreement for nominal scales (1960).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from ..records import Judgment


class Coefficient(msgspec.Struct, kw_only=True, frozen=True):
    """A coefficient over ``n`` replies; ``value`` is None where it does not exist, and ``note`` says why."""

    value: float | None
    n: int
    same: float | None = None
    """The share of pairs of ratings that are equal."""
    note: str = ""


class Agreement(msgspec.Struct, kw_only=True, frozen=True):
    """What the judges of one criterion said, and how far they agree."""

    criterion: str
    values: dict[str, dict[str, int]]
    """Judge → value → how often; what was not answered stands under its status."""
    alpha: Coefficient
    pairs: dict[tuple[str, str], Coefficient]
    """Two judges → Cohen's κ over the replies that both judged."""


ALIKE = "every rating is the same value, so that chance alone would agree as much: 0/0"
APART = "no reply was judged by two"


def agreements(judgments: Iterable[Judgment]) -> list[Agreement]:
    """One agreement for each criterion, in the order of their names."""
    by = dict[str, list[Judgment]]()
    for judgment in judgments:
        by.setdefault(judgment.criterion, []).append(judgment)
    return [_agreement(criterion, by[criterion]) for criterion in sorted(by)]


def _agreement(criterion: str, judgments: Sequence[Judgment]) -> Agreement:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    ratings: dict[str, dict[str, str]] = defaultdict(dict)
    for j in judgments:
        counts[j.judge][j.value if j.status == "answered" else j.status] += 1
        if j.status == "answered":
            ratings[j.judge][j.item] = j.value
    judges = sorted(counts)
    units = defaultdict[str, list[str]](list)
    for judge in judges:
        for item, value in ratings[judge].items():
            units[item].append(value)
    pairs = {(a, b): kappa(ratings[a], ratings[b]) for a, b in combinations(judges, 2)}
    values = {judge: dict(sorted(counts[judge].items())) for judge in judges}
    return Agreement(criterion=criterion, values=values, alpha=alpha(units.values()), pairs=pairs)


def alpha(units: Iterable[Sequence[str]]) -> Coefficient:
    """Krippendorff's α for nominal values: 1 − observed / expected disagreement.

    ``units`` holds the ratings of each thing that was rated; one with fewer than two is not paired and does not count.
    """
    paired = [Counter(unit) for unit in units if len(unit) > 1]
    totals = sum(paired, Counter[str]())
    n = sum(totals.values())
    if not n:
        return Coefficient(value=None, n=0, note=APART)
    # Each unit adds its ordered pairs of unequal ratings, divided by its number of ratings less one.
    observed = sum((u.total() ** 2 - sum(c * c for c in u.values())) / (u.total() - 1) for u in paired) / n
    expected = (n * n - sum(c * c for c in totals.values())) / (n * (n - 1))
    same = 1 - observed
    if expected == 0:
        return Coefficient(value=None, n=len(paired), same=same, note=ALIKE)
    return Coefficient(value=1 - observed / expected, n=len(paired), same=same)


def kappa(one: Mapping[str, str], other: Mapping[str, str]) -> Coefficient:
    """Cohen's κ of two judges, thing → value each, over the things that both judged."""
    both = sorted(one.keys() & other.keys())
    n = len(both)
    if not n:
        return Coefficient(value=None, n=0, note=APART)
    same = sum(one[item] == other[item] for item in both) / n
    left, right = Counter(one[item] for item in both), Counter(other[item] for item in both)
    chance = sum(left[value] * right[value] for value in left) / (n * n)
    if chance == 1:
        return Coefficient(value=None, n=n, same=same, note=ALIKE)
    return Coefficient(value=(same - chance) / (1 - chance), n=n, same=same)
