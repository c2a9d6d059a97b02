"""Are parallel items parallel: the same answer, at the same letter, among the same distractors, in every language?

In: items that share ``parallel``. Out: hits, most of them one a set. The one thing to know: years and numbers say the same in every
language and are compared as they are; names cannot be, so they are held to the translations that the benchmark itself uses: at one place
of the options, a name of the pivot language stands beside its translation, nearly always the same one.

Paper: XNationQA (papers/xnationqa.md), section 3: parallel sets; the metrics of transfer rest on it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ..records import Item
from .audit_hits import Hit, number, same, short

Set = list[int]
Row = tuple[tuple[str, str], list[str], list[str]]
"""Place and language, the options of the pivot, and those of the item."""
OFTEN, SURE = 3, 0.8
"""A translation is known if it was seen so often, and in such a share of the places where either name stands."""


def parallel(items: Sequence[Item]) -> Iterator[Hit]:
    """Kinds: parallel_twice, parallel_count, parallel_gold, parallel_answer, parallel_options, parallel_order, languages_missing,
    parallel_meaning, name_varies."""
    sets: defaultdict[str, Set] = defaultdict(list)
    for at, item in enumerate(items):
        if item.parallel:
            sets[item.parallel].append(at)
    wanted = {items[at].lang for group in sets.values() for at in group} if any(len(g) > 1 for g in sets.values()) else set()
    for label, group in sets.items():
        yield from _languages(items, label, group, wanted)
        if len(group) > 1:
            yield from _alike(items, label, group)
    yield from _names(items, sets)


def _languages(items: Sequence[Item], label: str, group: Set, wanted: set[str]) -> Iterator[Hit]:
    there = Counter(items[at].lang for at in group)
    if missing := wanted - there.keys():
        yield Hit("languages_missing", tuple(group), f"{label}: no {', '.join(sorted(missing))}")
    if twice := sorted(lang for lang, n in there.items() if n > 1):
        yield Hit("parallel_twice", tuple(group), f"{label}: {there[twice[0]]} items in {twice[0] or 'no language'}")


def _alike(items: Sequence[Item], label: str, group: Set) -> Iterator[Hit]:
    members, where = [items[at] for at in group], tuple(group)
    if len({(item.kind, len(item.options), item.abstain) for item in members}) > 1:
        yield Hit("parallel_count", where, f"{label}: {_by(members, [f'{len(i.options)} options' for i in members])}")
        return
    if members[0].kind == "open":
        return
    golds = [item.gold for item in members]
    if len(set(golds)) > 1:
        yield Hit("parallel_gold", where, f"{label}: {_by(members, ['ABCDEFGHIJKLMNOPQRSTUVWXYZ'[g or 0] for g in golds])}")
    tokens = [[number(text) for text in item.options] for item in members]
    if any(None in row for row in tokens):
        return
    said = [" ".join(str(token) for token in row) for row in tokens]
    right = [str(row[item.gold or 0]) for row, item in zip(tokens, members, strict=True)]
    if len(set(right)) > 1:
        yield Hit("parallel_answer", where, f"{label}: {_by(members, right)}")
    if len({tuple(sorted(map(str, row))) for row in tokens}) > 1:
        yield Hit("parallel_options", where, f"{label}: {_by(members, said)}")
    elif len(set(said)) > 1:
        yield Hit("parallel_order", where, f"{label}: {_by(members, said)}")


def _by(members: Sequence[Item], values: Sequence[str]) -> str:
    """What the languages have, those that agree together: ``en, hi: A; de, ru: D``."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for item, value in zip(members, values, strict=True):
        groups[value].append(item.lang)
    return "; ".join(f"{', '.join(sorted(langs))}: {value}" for value, langs in groups.items())


def _names(items: Sequence[Item], sets: dict[str, Set]) -> Iterator[Hit]:
    """Hold each option to what translates the option of the pivot language at its place elsewhere in the benchmark."""
    langs = Counter(items[at].lang for group in sets.values() for at in group)
    if len(langs) < 2:
        return
    pivot = "en" if "en" in langs else langs.most_common(1)[0][0]
    pairs = list(_pairs(items, sets, pivot))
    forth: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    back: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for _, where, names, others in pairs:
        for one, other in zip(names, others, strict=True):
            forth[(*where, one)][other] += 1
            back[(*where, other)][one] += 1
    known = {key: sure for key, counts in back.items() if (sure := _sure(counts))}
    usual = {key: counts.most_common(1)[0][0] for key, counts in forth.items()}
    for at, where, names, others in pairs:
        yield from _held(items[at], at, (where, names, others), known, usual)


def _pairs(items: Sequence[Item], sets: dict[str, Set], pivot: str) -> Iterator[tuple[int, tuple[str, str], list[str], list[str]]]:
    """Every item beside its pivot: place, (place, language), and the options of both as they are compared, numbers left out."""
    for group in sets.values():
        first = next((items[at] for at in group if items[at].lang == pivot), None)
        if first is None or first.kind == "open" or all(number(text) is not None for text in first.options):
            continue
        names = [same(text) for text in first.options]
        for at in group:
            item = items[at]
            if item.lang != pivot and len(item.options) == len(names):
                yield at, (item.place, item.lang), names, [same(text) for text in item.options]


def _sure(counts: Counter[str]) -> str:
    (name, n), *_ = counts.most_common(1)
    return name if n >= OFTEN and n >= SURE * counts.total() else ""


def _held(item: Item, at: int, row: Row, known: dict[tuple[str, ...], str], usual: dict[tuple[str, ...], str]) -> Iterator[Hit]:
    where, names, others = row
    for one, other in zip(names, others, strict=True):
        means = known.get((*where, other), one)
        if means != one and usual[(*where, one)] != other:
            yield Hit("parallel_meaning", (at,), f"{other} stands for {one}, and elsewhere for {means}: {short(item.stem, 60)}")
            return
    for one, other in zip(names, others, strict=True):
        if usual[(*where, one)] != other:
            yield Hit("name_varies", (at,), f"{one}: {other} here, mostly {usual[(*where, one)]}")
            return
