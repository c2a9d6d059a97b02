"""What stands more than once: items, wordings, entities, questions with several answers.

In: items. Out: hits. The one thing to know: a question repeated under another template of its entity is a copy, which bends a mean; the
same row again is a duplicate; the same question with another answer is a contradiction, if the two are of one name, both ask for a
number, or the answer of one is a distractor of the other ("Which of these is true?" may be asked of many things).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ..records import Item
from .audit_hits import Hit, name, number, same, short, squashed


def repeats(items: Sequence[Item], ids: Sequence[str]) -> Iterator[Hit]:
    """Every repetition; ``ids`` are those of the items, worked out once. Kinds: item_twice, copy,
    near_copy, entity_twice, entity_places, contradiction, several_true."""
    yield from _copies(items, ids)
    yield from _entities(items)
    asked: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        asked[item.lang, squashed(item.stem)].append(at)
    for places in asked.values():
        if len(places) > 1:
            yield from _answers(items, places)


def _copies(items: Sequence[Item], ids: Sequence[str]) -> Iterator[Hit]:
    exact: dict[str, int] = {}
    wordings: dict[tuple[str, str, str, str], int] = {}
    for at, item in enumerate(items):
        first = exact.setdefault(ids[at], at)
        wording = wordings.setdefault((item.entity, item.lang, squashed(item.stem), answer(item) if not item.entity else ""), at)
        if first != at:
            other = items[first]
            within = item.entity and item.entity == other.entity and (item.template, item.parallel) != (other.template, other.parallel)
            again = f"template {item.template or at + 1} repeats template {other.template or first + 1}" if within else "stands twice"
            yield Hit("copy" if within else "item_twice", (at,), f"{again}: {short(item.stem)}")
        elif wording != at:
            yield Hit("near_copy", (at,), f"{short(item.stem)} / {short(items[wording].stem)}")


def _entities(items: Sequence[Item]) -> Iterator[Hit]:
    """Entities of one name, topic and place; where a data set gives no names, those that share a question."""
    groups: defaultdict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
    places: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    members: defaultdict[str, list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        if item.entity:
            members[item.entity].append(at)
            called = name(item)
            key = (called,) if called else (item.lang, squashed(item.stem), answer(item))
            groups[(item.topic, item.place, *key)].setdefault(item.entity, at)
            if called:
                places[item.topic, called].setdefault(item.place, at)
    yield from _twins(items, groups.values(), members)
    for (_, called), where in places.items():
        if len(where) > 1:
            yield Hit("entity_places", tuple(where.values()), f"{called}: {', '.join(sorted(where))}")


def _twins(items: Sequence[Item], groups: Iterable[dict[str, int]], members: dict[str, list[int]]) -> Iterator[Hit]:
    told: set[str] = set()
    for group in groups:
        first, *others = group
        for entity in others:
            if entity not in told:
                told.add(entity)
                called = items[group[entity]].meta.get("entity_name", "") or short(items[group[entity]].stem)
                yield Hit("entity_twice", tuple(members[entity]), f"{entity} is {first}: {called}")


def _answers(items: Sequence[Item], places: list[int]) -> Iterator[Hit]:
    """Items that ask the same: do their answers differ, and is a distractor of one the answer of another?"""
    golds = {at: answer(items[at]) for at in places}
    told = set(golds.values())
    if len(told) < 2:
        return
    true = [at for at in places if items[at].kind == "choice" and told & _distractors(items[at])]
    for at in true:
        others = sorted(told & _distractors(items[at]))
        yield Hit("several_true", (at,), f"{short(items[at].stem)}: {', '.join(others)} is the answer of the same question elsewhere")
    names = {name(items[at]) for at in places}
    one = len(names) == 1 and names != {""}
    if true or one or all(number(gold) is not None for gold in told):
        yield Hit("contradiction", tuple(places), f"{short(items[places[0]].stem)}: {' / '.join(sorted(told))}")


def answer(item: Item) -> str:
    """What is right, as it is compared."""
    if item.gold is not None:
        return same(item.options[item.gold])
    return " | ".join(sorted(same(a.text) for a in item.accept))


def _distractors(item: Item) -> set[str]:
    return {same(text) for at, text in enumerate(item.options) if at not in (item.gold, item.abstain)} - {answer(item)}
