"""Draw the solved examples that stand before a question, so that none of them gives its answer away.

In: a pool of items and the item that is asked. Out: ``k`` other items of its language, drawn uniformly at random by seed. The
one thing to know: a shot is never the item, a copy of it (also with its options in another order or other labels), nor a
sibling that shares its entity, its parallel, its source or its parent. Protocol: CARTE §4.
"""

import random
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from ..errors import InputError, UnknownName
from ..records import Item

KIN = ("entity", "parallel", "source", "parent")


class Shots(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many examples, and which.

    ``k``: every number in it makes prompts of its own. ``by`` is a dimension (``place``, ``topic``, a key of ``meta``):
    with ``strata="same"`` examples share the item's value of it, with ``"spread"`` each has another. ``draw="fixed"`` takes
    one set for all items of a language (one prefix, computed once), with others in the place of those an item may not see.
    """

    k: tuple[int, ...] = (0,)
    by: str = ""
    strata: Literal["same", "spread"] = "same"
    draw: Literal["each", "fixed"] = "each"

    def pool(self, items: Iterable[Item], *, seed: int = 0) -> "Pool":
        """Make the pool; it is read only where examples are wanted. Raises UnknownName for a dimension that no item has."""
        return Pool(self, items if max(self.k) else (), seed)


class Pool:
    """Items by language, and by a dimension within it, from which the examples of an item are drawn."""

    def __init__(self, how: Shots, items: Iterable[Item], seed: int) -> None:
        self.how, self.seed = how, seed
        self.groups: dict[tuple[str, str], list[Item]] = defaultdict(list)
        self.kin: dict[str, frozenset[Hashable]] = {}
        known: set[str] = set()
        for item in items:
            if item.id not in self.kin:
                self.kin[item.id] = kindred(item)
                known.update(item.meta)
                self.groups[self._group(item)].append(item)
        if how.by and self.kin and how.by not in {*known, *Item.__struct_fields__}:
            raise UnknownName("dimension", how.by, {*known, "place", "topic", "subset", "template"})

    def draw(self, item: Item, k: int) -> tuple[Item, ...]:
        """Draw ``k`` examples for an item; raise InputError where the pool has fewer that it may see."""
        if k == 0:
            return ()
        found: list[Item] = []
        kin, values = kindred(item), set[str]()
        for candidate in self._shuffled(self.groups.get(self._group(item), []), item):
            value, theirs = self._value(candidate), self.kin[candidate.id]
            if kin & theirs or (self.how.by and self.how.strata == "spread" and value in values):
                continue
            found.append(candidate)
            values.add(value)
            kin |= theirs
            if len(found) == k:
                return tuple(found)
        raise InputError(self._too_small(item, k, len(found)))

    def _group(self, item: Item) -> tuple[str, str]:
        return item.lang, self._value(item) if self.how.strata == "same" else ""

    def _value(self, item: Item) -> str:
        by = self.how.by
        if not by:
            return ""
        return str(getattr(item, by)) if by in Item.__struct_fields__ else item.meta.get(by, "")

    def _shuffled(self, group: Sequence[Item], item: Item) -> Iterator[Item]:
        """The group in a random order, one by one, so that a large pool is not shuffled whole for each item."""
        who = "" if self.how.draw == "fixed" else item.id
        rng, moved = random.Random(f"{self.seed}:{who}"), dict[int, int]()
        for last in range(len(group) - 1, -1, -1):
            at = rng.randint(0, last)
            picked = moved.get(at, at)
            moved[at] = moved.get(last, last)
            yield group[picked]

    def _too_small(self, item: Item, k: int, found: int) -> str:
        where = f" with {self.how.by} = {self._value(item)!r}" if self.how.by and self.how.strata == "same" else ""
        return (
            f"{k} shots for item {item.id}: the pool holds only {found} examples in {item.lang or 'its language'}{where} that are neither "
            f"the item, nor a copy or a sibling of it; give a larger pool, fewer shots or another --shots-by"
        )


def kindred(item: Item) -> frozenset[Hashable]:
    """What an item must not share with its examples: its question, however it is laid out, and its kin."""
    names: set[Hashable] = {(name, value) for name in KIN if (value := getattr(item, name))}
    return frozenset(names | {("question", item.lang, folded(item.stem))})


def folded(text: str) -> str:
    """A question without what makes copies of it look different: case, blanks and marks."""
    return "".join(c for c in text.casefold() if c.isalnum())
