"""A true answer in, wrong ones of the same kind out: years near it, areas of the same country.

In: the gold and a seeded generator. Out: answers that are false, distinct, and never part of each other's text in any language.
The one thing to know: they are chosen as values (a year, an area's code), never as words, so every language has the same.
Paper: XNationQA, section 3 (years 5 to 10 away; areas sampled from the country).
"""

import random
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
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


def areas(path: str | Path) -> dict[str, Area]:
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
    return found


def near(gold: int, count: int, latest: int, rng: random.Random) -> list[int]:
    """Draw ``count`` years 5 to 10 away from ``gold``, with as many digits, not after ``latest``. Raises ``TooFew``.

    How many lie before the gold is drawn first, each number alike: else the gold would be a middle year four times in five,
    and choosing the middle would beat chance.
    """
    possible = [gold + sign * away for sign in (-1, 1) for away in range(NEAR, FAR + 1)]
    possible = [year for year in possible if 1 <= year <= latest and len(str(year)) == len(str(gold))]
    before, after = [year for year in possible if year < gold], [year for year in possible if year > gold]
    if len(possible) < count:
        raise TooFew(f"only {len(possible)} possible distractors, {count} are asked for")
    earlier = rng.randint(max(0, count - len(after)), min(count, len(before)))
    years = rng.sample(before, earlier) + rng.sample(after, count - earlier)
    rng.shuffle(years)
    return years


def elsewhere(gold: Area, true: Sequence[str], table: Mapping[str, Area], count: int, rng: random.Random) -> list[str]:
    """Draw ``count`` codes of areas of the gold's country, none of them ``true``. Raises ``TooFew``.

    An area whose name contains a true one's, or the other way round, in any language of the table is no distractor either.
    """
    held = [table[code].labels for code in true]
    names = {code: area.labels for code, area in sorted(table.items()) if area.place == gold.place and code not in true}
    candidates = [code for code, labels in names.items() if not any(_overlap(labels, other) for other in held)]
    rng.shuffle(candidates)
    return _apart(candidates, names, gold.labels, count)


def _apart(candidates: Sequence[str], names: Mapping[str, Names], gold: Names, count: int) -> list[str]:
    """The first ``count`` of the candidates, in their order, no two of which (nor the gold) contain each other."""
    usable = [one for one in candidates if not _overlap(names[one], gold)]
    found = next(_sets(usable, names, count, []), None)
    if found is None:
        raise TooFew(f"only {len(usable)} possible distractors, some of them parts of each other's names; {count} are asked for")
    return found


def _sets(candidates: Sequence[str], names: Mapping[str, Names], count: int, chosen: list[str]) -> Iterator[list[str]]:
    if count == len(chosen):
        yield chosen
        return
    for n, one in enumerate(candidates):
        if len(candidates) - n < count - len(chosen):
            return
        if not any(_overlap(names[one], names[other]) for other in chosen):
            yield from _sets(candidates[n + 1 :], names, count, [*chosen, one])


def _overlap(one: Names, other: Names) -> bool:
    """Whether the names are the same, or one is part of the other, in any language that both have; case is not looked at."""
    pairs = ((_folded(one[lang]), _folded(other[lang])) for lang in one.keys() & other.keys())
    return any(a in b or b in a for a, b in pairs)


@lru_cache(4096)
def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()
