"""Read a benchmark into items: by a reader's name and a path, in part or whole.

In: a file or folder. Out: items, in its order. A part is chosen by dimension (``where``) or by number (``limit``: drawn
at random by the seed, so that the first country of a file is not taken for all of them).
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

from ..errors import InputError, UnknownName
from ..records import Item
from . import READERS

VERSION = "1"
FIELDS = ("lang", "place", "topic", "subset", "entity", "template", "kind", "source", "parallel", "maker", "id")


def read(*, reader: str, path: Path, where: tuple[str, ...] = (), limit: int = 0, seed: int = 0,
         skip_bad: bool = False, skipped: list[str] | None = None) -> Iterator[Item]:  # fmt: skip
    """Read the items that fit every ``where`` (``name=value``, several values by comma), at most ``limit`` of them.

    Raises TableError for a bad row, or collects what is wrong with it in ``skipped`` if ``skip_bad``; InputError where
    nothing fits; UnknownName for a dimension that no item has.
    """
    items = list(named(reader)(path, skipped=skipped if skip_bad else None))
    if not items:
        raise InputError(f"{path}: holds no items")
    for clause in where:
        items = _fitting(items, clause)
    if limit and limit < len(items):
        items = [items[i] for i in sorted(random.Random(seed).sample(range(len(items)), limit))]
    yield from items


def named(reader: str) -> Callable[..., Iterator[Item]]:
    """Find a reader; raise UnknownName."""
    if reader not in READERS:
        raise UnknownName("reader", reader, READERS)
    module, _, name = READERS[reader].partition(":")
    return getattr(import_module(module), name)


def dimension(item: Item, name: str) -> str:
    """The value of a dimension of an item: one of its fields, or a key of its ``meta``."""
    return str(getattr(item, name)) if name in FIELDS else item.meta.get(name, "")


def _fitting(items: Sequence[Item], clause: str) -> list[Item]:
    name, equals, values = clause.partition("=")
    if not equals:
        raise InputError(f"--where {clause}: is not of the form name=value")
    known = {*FIELDS, *(key for item in items for key in item.meta)}
    if name not in known:
        raise UnknownName("dimension", name, known)
    wanted = set(values.split(","))
    found = [item for item in items if dimension(item, name) in wanted]
    there = Counter(dimension(item, name) for item in items)
    for value in sorted(wanted - there.keys()):
        raise UnknownName(f"item with {name} =", value, there)
    return found
