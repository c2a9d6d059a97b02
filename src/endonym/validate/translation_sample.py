"""A stratified sample of parallel questions, each with all its translations: for people to rate, for translating back.

In: items. Out: the items of ``size`` questions, in the items' order. The one thing to know: questions are drawn, not items, so every
language has the same ones and languages can be compared pair by pair; a stratum has its share of the sample to within one.

Paper: XNationQA, section 3 (1,000 queries of each language, across topics).
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ..canonical import digest
from ..errors import InputError
from ..records import Item
from .fields import dimension, known
from .translation import key

VERSION = "1"


def sample(items: Iterable[Item], *, size: int = 1000, by: tuple[str, ...] = ("topic", "place"), seed: int = 0) -> Iterator[Item]:
    """Draw ``size`` questions, stratified by the dimensions ``by``; all of them where there are no more.

    Raises InputError for a size below 1, UnknownName for a dimension that no item has.
    """
    if size < 1:
        raise InputError(f"size: {size}; at least one question is drawn")
    every = list(items)
    for name in by:
        known(every, name)
    strata: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    seen: set[str] = set()
    for item in every:
        if key(item) not in seen:  # the translations of a question are in the stratum of its first
            seen.add(key(item))
            strata[tuple(dimension(item, name) for name in by)][key(item)] = None
    chosen = set(_drawn({stratum: list(keys) for stratum, keys in strata.items()}, size, seed))
    yield from (item for item in every if key(item) in chosen)


def _drawn(strata: dict[tuple[str, ...], list[str]], size: int, seed: int) -> list[str]:
    """Every stratum is shuffled and laid evenly along a line; the sample is the line's beginning, so each has its share."""
    line: list[tuple[float, float, str]] = []
    for stratum, keys in sorted(strata.items()):
        rng = random.Random(digest(["sample", seed, stratum]))
        rng.shuffle(keys)
        line += [((n + 0.5) / len(keys), rng.random(), one) for n, one in enumerate(keys)]
    return [one for _, _, one in sorted(line)[:size]]
