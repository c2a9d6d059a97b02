"""Tests over many items: is the answer's letter, length or rank among the years what chance would make it?

In: items. Out: tests, and hits for those that fail. The one thing to know: the draws are entities, not rows. An entity that stands in four
templates with its answer at B is one draw of B; else a few hundred questions would prove what a few dozen draws cannot.

A test fails where p is below ALPHA divided by the number of tests of its kind (Bonferroni), and, for lengths, the share is five points off.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ..records import Item
from .audit_hits import Hit, same, unit
from .audit_years import asked

ALPHA = 0.01
LEAST = 5.0
"""Expected counts below this make the chi-square test a bad one: it is not done, and no finding is made."""


class Test(msgspec.Struct, frozen=True, kw_only=True):
    """One test of one language: what was counted, over how many draws, and the p value against chance."""

    kind: str
    lang: str
    options: int
    counts: tuple[int, ...]
    n: int
    statistic: float | None
    p: float

    @property
    def said(self) -> str:
        shares = ", ".join(f"{label} {count / self.n:.1%}" for label, count in zip(self._labels(), self.counts, strict=True))
        head = f"{self.lang or 'no language'}, {self.options} options, {self.n} draws"
        return f"{head}: {shares}; chance {1 / self.options:.1%}; p = {self.p:.2g}"

    def _labels(self) -> tuple[str, ...]:
        if self.kind == "gold_length":
            return ("longest", "shortest")
        return tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(self.counts)]) if self.kind == "letters_unbalanced" else tuple(
            f"rank {n}" for n in range(1, len(self.counts) + 1)
        )  # fmt: skip


def tests(items: Sequence[Item]) -> list[Test]:
    """Every test that there are draws enough for, by kind, language and number of options."""
    draws: defaultdict[tuple[str, str, int], set[tuple[str, int]]] = defaultdict(set)
    lengths: defaultdict[tuple[str, str, int], dict[str, tuple[bool, bool]]] = defaultdict(dict)
    for item in items:
        if item.gold is None:
            continue
        texts = [text for n, text in enumerate(item.options) if n != item.abstain]
        place = item.gold - (item.abstain is not None and item.abstain < item.gold)
        one = unit(item)
        draws["letters_unbalanced", item.lang, len(texts)].add((one, place))
        years = asked(item)
        if len(set(years)) == len(texts):
            draws["gold_rank", item.lang, len(texts)].add((one, sorted(years).index(years[item.gold])))
        elif (extreme := _extreme([len(same(text)) for text in texts], place)) is not None:
            lengths["gold_length", item.lang, len(texts)].setdefault(one, extreme)
    found = [_uniform(key, Counter(value for _, value in pairs)) for key, pairs in draws.items()]
    found += [_extremes(key, pairs.values()) for key, pairs in lengths.items()]
    return sorted((test for test in found if test), key=lambda test: (test.kind, test.lang, test.options))


def balance(items: Sequence[Item], done: Sequence[Test]) -> Iterator[Hit]:
    """Kinds: letters_unbalanced, gold_rank, gold_length; one hit a language (and number of options) that fails."""
    many = Counter(test.kind for test in done)
    for test in done:
        off = max(abs(count / test.n - 1 / test.options) for count in test.counts)
        if test.p < ALPHA / many[test.kind] and (test.kind != "gold_length" or off >= 0.05):
            yield Hit(test.kind, tuple(_of(items, test)), test.said)


def _of(items: Sequence[Item], test: Test) -> Iterator[int]:
    """The items of a test's language and number of options."""
    for at, item in enumerate(items):
        if item.gold is not None and item.lang == test.lang and len(item.options) - (item.abstain is not None) == test.options:
            years = bool(asked(item))
            if test.kind == "letters_unbalanced" or years == (test.kind == "gold_rank"):
                yield at


def _extreme(lengths: list[int], gold: int) -> tuple[bool, bool] | None:
    """Whether the answer is the longest, and whether it is the shortest; None where two share the first or the last place."""
    ordered = sorted(lengths)
    if len(ordered) < 3 or ordered[0] == ordered[1] or ordered[-1] == ordered[-2]:
        return None
    return lengths[gold] == ordered[-1], lengths[gold] == ordered[0]


def _uniform(key: tuple[str, str, int], counts: Counter[int]) -> Test | None:
    from scipy.special import chdtrc  # scipy.stats takes a second to import

    kind, lang, k = key
    n = counts.total()
    if k < 2 or n / k < LEAST:
        return None
    seen = tuple(counts[place] for place in range(k))
    statistic = sum((count - n / k) ** 2 / (n / k) for count in seen)
    return Test(kind=kind, lang=lang, options=k, counts=seen, n=n, statistic=statistic, p=float(chdtrc(k - 1, statistic)))


def _extremes(key: tuple[str, str, int], seen: Iterable[tuple[bool, bool]]) -> Test | None:
    """Two exact binomial tests, each of both tails, as one: the smallest of the four p, times four."""
    from scipy.special import bdtr, bdtrc

    kind, lang, k = key
    pairs = list(seen)
    n, counts = len(pairs), (sum(long for long, _ in pairs), sum(brief for _, brief in pairs))
    if n / k < LEAST:
        return None
    tails = [tail for count in counts for tail in (bdtr(count, n, 1 / k), bdtrc(count - 1, n, 1 / k) if count else 1.0)]
    p = min(1.0, 4 * float(min(tails)))
    return Test(kind=kind, lang=lang, options=k, counts=counts, n=n, statistic=None, p=p)
