"""Checks of a whole set of items: what is asked twice, what is always asked alike, where the right answer always stands.

In: views of all items of one language. Out: findings with the item they are about, or :data:`WHOLE`. The one thing to know: of two items
that are the same, the later is named, so that leaving out what is named keeps one. Source: CARTE, section 3.2 (uniform gold
positions) and appendix D (variation of structure).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from .check_text import unquoted, words
from .check_view import Finding, View
from .near import pairs, shingles

WHOLE = "benchmark"
"""The item of a judgment that is about all items together."""

SetFinding = tuple[str, Finding]
SetCheck = Callable[[Sequence[View]], Iterator[SetFinding]]


def duplicates(views: Sequence[View]) -> Iterator[SetFinding]:
    """Items that ask what an earlier one asks: the words that mean something nearly the same, and the same answer or the same choices."""
    if not views:
        return
    least = views[0].rules.limit("near-duplicate", "likeness")
    best: dict[int, tuple[float, int]] = {}
    for earlier, later, index in pairs([shingles(_meaning(v)) for v in views], threshold=least):
        if index > best.get(later, (0.0, 0))[0] and _twins(views[earlier], views[later], index):
            best[later] = (index, earlier)
    for later, (index, earlier) in sorted(best.items()):
        first = views[earlier].item
        source = f", {first.source}" if first.source and first.source != views[later].item.source else ""
        yield views[later].item.id, Finding(f"{first.stem} ({first.id}{source}; {index:.0%})")


def _meaning(view: View) -> str:
    """The words of the stem that say what is asked, in the order of the alphabet; all words where that leaves nothing."""
    said = words(view.item.stem)
    return " ".join(sorted({w for w in said if w not in view.rules.weak} or set(said)))


def _twins(a: View, b: View, index: float) -> bool:
    """Whether two like stems are one question: not where names or numbers differ, nor where they were made to go together."""
    x, y = a.item, b.item
    one_fact = x.entity and x.entity == y.entity and x.template != y.template
    one_wording = x.template and x.template == y.template and x.entity != y.entity
    if one_fact or one_wording or (x.parallel and x.parallel == y.parallel):
        return False
    if _marks(a) != _marks(b):
        return False
    if x.kind == "open" or y.kind == "open":
        return index >= 0.8
    if a.key(a.gold) == b.key(b.gold):
        return True
    common = set(a.keys) & set(b.keys) - {a.keys[n] for n in a.unknowns}
    return index >= 0.9 and 2 * len(common) >= len(a.answers)


def _marks(view: View) -> tuple[frozenset[str], frozenset[str]]:
    """The numbers and the quotations of a stem: where these differ, the question does."""
    stem = view.item.stem
    quoted = set(words(stem)) - set(words(unquoted(stem))) if view.variation else set[str]()
    return frozenset(w for w in words(stem) if w[0].isdigit()), frozenset(quoted)


def skeleton(view: View) -> tuple[str, ...]:
    """The stem with a mark for each place, number and quotation: equal for questions made after one pattern."""
    stem = unquoted(view.item.stem)
    said = list(words(stem))
    for found in reversed(list(view.rules.places.find(stem))):
        said[found.start : found.end] = ["¤"]
    return tuple("#" if w[0].isdigit() else w for w in said)


def structure(views: Sequence[View]) -> Iterator[SetFinding]:
    """Stems after one pattern, beyond the number that is allowed; then openings that too many stems share."""
    if not views:
        return
    rules, seen = views[0].rules, Counter[tuple[str, ...]]()
    openings: Counter[str] = Counter()
    for view in views:
        bones = skeleton(view)
        openings[" ".join(bones[:3])] += 1
        seen[bones] += 1
        if seen[bones] > rules.limit("structure-repeated", "same") and not view.item.template:
            yield view.item.id, Finding(" ".join(bones))
    n = len(views)
    if n >= rules.limit("structure-repeated", "least"):
        for opening, count in openings.items():
            if count > rules.limit("structure-repeated", "share") * n:
                yield WHOLE, Finding(f"{opening} … ({count} / {n})", "warning")


def positions(views: Sequence[View]) -> Iterator[SetFinding]:
    """The gold does not stand equally often at every position: a warning where by more than one, graver beyond chance."""
    groups: dict[int, list[int]] = defaultdict(list)
    for view in views:
        if view.item.gold in view.answers:
            groups[len(view.answers)].append(view.answers.index(view.item.gold or 0))
    for options, golds in groups.items():
        counts = [golds.count(n) for n in range(options)]
        if len(golds) >= 2 * options and max(counts) - min(counts) > 1:
            chance = _beyond(max(counts), len(golds), 1 / options)
            yield WHOLE, Finding("-".join(map(str, counts)), "error" if chance else "warning")


def longest(views: Sequence[View]) -> Iterator[SetFinding]:
    """The right answer is the longest more often than chance lets it be."""
    counted = [(len(v.gold), [len(d) for d in v.distractors]) for v in views if v.distractors and v.item.gold not in v.spans]
    if len(counted) < 20:
        return
    hits = sum(gold > max(others) for gold, others in counted)
    share = sum(1 / (1 + len(others)) for _, others in counted) / len(counted)
    if _beyond(hits, len(counted), share):
        yield WHOLE, Finding(f"{hits} / {len(counted)}")


def _beyond(hits: int, n: int, share: float) -> bool:
    """Whether a count lies more than three standard errors above what chance gives."""
    return hits > n * share + 3 * math.sqrt(n * share * (1 - share))


CHECKS: dict[str, SetCheck] = {
    "near-duplicate": duplicates,
    "structure-repeated": structure,
    "gold-unbalanced": positions,
    "gold-longest": longest,
}
