"""A true answer in, wrong ones of the same kind out: years near it, areas of the same country.

In: the gold and a seeded generator. Out: answers that are false, distinct, and never part of each other's text in any language.
The one thing to know: they are chosen as values (a year, an area's code), never as words, so every language has the same.
Paper: XNationQA, section 3 (years 5 to 10 away; areas sampled from the country).
"""

import random
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from ..errors import InputError
from ..records import Record
from .lines import Fault, rows

NEAR, FAR = 5, 10
"""The paper's rule: a wrong year is so many years away from the right one."""

Names = Mapping[str, str]
"""Language → the text of one answer."""


class TooFew(InputError):
    """There are not as many possible distractors as are asked for."""


class Area(Record, frozen=True):
    """One administrative area: ISO 3166-2 code (or a made-up one, as ``GB-x:KEN``), country (ISO 3166-1), language → name."""

    code: str
    place: str
    labels: dict[str, str]
    parents: tuple[str, ...] = ()
    """Codes of the areas in which it lies, whether or not they stand in the table."""
    made: dict[str, str] = {}
    """Language → where the name comes from."""


class Atlas(dict[str, Area]):
    """A table of areas, code → area, that remembers which of them overlap: many questions ask for the same pairs."""

    def __init__(self, table: Mapping[str, Area]) -> None:
        super().__init__(table)
        self._known: dict[tuple[str, str], bool] = {}
        self._named: dict[tuple[str, tuple[str, ...]], list[str]] = {}

    def named(self, place: str, langs: tuple[str, ...]) -> list[str]:
        """The codes of a country's areas that have a name in all languages, in their order."""
        if (place, langs) not in self._named:
            here = (code for code, area in sorted(self.items()) if area.place == place)
            self._named[place, langs] = [c for c in here if all(self[c].labels.get(lang, "").strip() for lang in langs)]
        return self._named[place, langs]

    def overlap(self, one: str, other: str) -> bool:
        """Whether one of two areas lies in the other, or their names are so to each other, in any language that both have."""
        pair = (one, other) if one < other else (other, one)
        if pair not in self._known:
            inside = one in self.above(other) or other in self.above(one)
            self._known[pair] = inside or _within(self[one].labels, self[other].labels)
        return self._known[pair]

    def above(self, code: str) -> set[str]:
        """The codes of all areas in which an area lies: its own word, and that of the areas above it."""
        found: set[str] = set()
        todo = list(self[code].parents)
        while todo:
            parent = todo.pop()
            if parent not in found:
                found.add(parent)
                todo += self[parent].parents if parent in self else ()
        return found


def areas(path: str | Path) -> Atlas:
    """Read a table of areas, one JSON object a line: code → area.

    Raises ``TableError`` ("FILE:LINE: field: what") for a bad row or a code that stands twice, ``StorageError`` for a missing file.
    """
    found: dict[str, Area] = {}

    def read(number: int, text: str) -> Area:
        area = msgspec.json.decode(text, type=Area)
        if area.code in found:
            raise Fault(f"code: {area.code!r} stands twice")
        return area

    for area in rows(path, read, None, Area.__struct_fields__):
        found[area.code] = area
    return Atlas(found)


def near(gold: int, count: int, latest: int, rng: random.Random, *, bounds: tuple[int, int] = (NEAR, FAR),
         true: Sequence[int] = ()) -> list[int]:  # fmt: skip
    """Draw ``count`` years 5 to 10 (``bounds``) away from ``gold``, with as many digits, not after ``latest``. Raises ``TooFew``.

    None is nearer than the lower bound to another year that is held to be ``true``. How many lie before the gold is drawn first, each
    number alike: else the gold would be a middle year four times in five, and choosing the middle would beat chance.
    """
    possible = [gold + sign * away for sign in (-1, 1) for away in range(bounds[0], bounds[1] + 1)]
    possible = [year for year in possible if 1 <= year <= latest and len(str(year)) == len(str(gold))]
    possible = [year for year in possible if all(abs(year - other) >= bounds[0] for other in true)]
    before, after = [year for year in possible if year < gold], [year for year in possible if year > gold]
    if len(possible) < count:
        raise TooFew(f"only {len(possible)} possible distractors, {count} are asked for")
    earlier = rng.randint(max(0, count - len(after)), min(count, len(before)))
    years = rng.sample(before, earlier) + rng.sample(after, count - earlier)
    rng.shuffle(years)
    return years


def elsewhere(gold: Area, true: Sequence[str], table: Mapping[str, Area], count: int, rng: random.Random, *,
              langs: Iterable[str] = ()) -> list[str]:  # fmt: skip
    """Draw ``count`` codes of areas of the gold's country that have a name in all ``langs``, none of them ``true``. Raises ``TooFew``.

    An area in which a true one lies, or that lies in a true one, is no distractor; nor is one whose name contains a true one's, or the
    other way round, in any language of the table. No two distractors are so to each other either.
    """
    atlas = table if isinstance(table, Atlas) else Atlas(table)
    here = atlas.named(gold.place, tuple(langs))
    candidates = [code for code in here if code not in true and not any(atlas.overlap(code, other) for other in true)]
    rng.shuffle(candidates)
    found = next(_sets(candidates, atlas, count, []), None)
    if found is None:
        raise TooFew(f"only {len(candidates)} possible distractors, some of them parts of each other's names; {count} are asked for")
    return found


def _sets(candidates: Sequence[str], atlas: Atlas, count: int, chosen: list[str]) -> Iterator[list[str]]:
    """Sets of ``count`` candidates, in their order, no two of which overlap."""
    if count == len(chosen):
        yield chosen
        return
    for n, one in enumerate(candidates):
        if len(candidates) - n < count - len(chosen):
            return
        if not any(atlas.overlap(one, other) for other in chosen):
            yield from _sets(candidates[n + 1 :], atlas, count, [*chosen, one])


def _within(one: Names, other: Names) -> bool:
    """Whether the names are the same, or one is part of the other, in any language that both have; case is not looked at."""
    pairs = ((_folded(one[lang]), _folded(other[lang])) for lang in one.keys() & other.keys())
    return any(a in b or b in a for a, b in pairs)


@lru_cache(4096)
def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()
