"""Read a benchmark into items: by a reader's name and a path, in part or whole.

In: a file or folder. Out: items, in its order. A part is chosen by dimension (``where``), by stratum (``sample``) or by number
(``limit``); what is drawn is drawn at random by the seed, so that the first country of a file is not taken for all of them.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from ..errors import InputError, UnknownName
from ..records import Item
from . import MAPPINGS, READERS

VERSION = "1"
FIELDS = ("lang", "place", "topic", "subset", "entity", "template", "kind", "source", "parallel", "maker", "id")


def read(*, reader: str, path: Path, mapping: Path | None = None, where: tuple[str, ...] = (), sample: str = "", limit: int = 0,
         seed: int = 0, skip_bad: bool = False, skipped: list[str] | None = None) -> Iterator[Item]:  # fmt: skip
    """Read the items that fit every ``where`` (``name=value``, several values by comma), at most ``limit`` of them.

    ``mapping``: the file of column names of the reader ``mapped``. ``sample="entity:1"`` keeps one item of each entity and language, as
    XNationQA did for its costly model (§4). ``skipped`` also lists the rows that a data set itself does not count, which are never bad.

    Raises TableError for a bad row, or collects what is wrong with it in ``skipped`` if ``skip_bad``; InputError where
    nothing fits; UnknownName for a dimension that no item has.
    """
    reading = named(f"{reader}:{mapping}" if mapping else reader)
    bad = skipped if skip_bad else None
    items = list(reading(path, skipped=bad, left=skipped) if isinstance(reading, partial) else reading(path, skipped=bad))
    if not items:
        raise InputError(f"{path}: holds no items")
    for clause in where:
        items = _fitting(items, clause)
    if sample:
        items = _sampled(items, sample, seed)
    if limit and limit < len(items):
        items = [items[i] for i in sorted(random.Random(seed).sample(range(len(items)), limit))]
    yield from items


def named(reader: str) -> Callable[..., Iterator[Item]]:
    """Find a reader: a name of the shelf, a shipped mapping, or ``mapped:MAPPING.toml``. Raises UnknownName, InputError."""
    word, _, mapping = reader.partition(":")
    if word not in READERS or mapping and word != "mapped":
        raise UnknownName("reader", reader, READERS)
    module, _, name = READERS[word].partition(":")
    function = getattr(import_module(module), name)
    if word != "mapped":
        return partial(function, mapping=MAPPINGS[word]) if word in MAPPINGS else function
    if not mapping:
        raise InputError("reader mapped: needs a file of column names: mapped:MAPPING.toml:PATH; in a recipe, mapping = \"MAPPING.toml\"")
    return partial(function, mapping=Path(mapping))


def dimension(item: Item, name: str) -> str:
    """The value of a dimension of an item: one of its fields, or a key of its ``meta``."""
    return str(getattr(item, name)) if name in FIELDS else item.meta.get(name, "")


def _sampled(items: Sequence[Item], sample: str, seed: int) -> list[Item]:
    name, _, number = sample.partition(":")
    if not number.isdigit() or int(number) < 1:
        raise InputError(f"--sample {sample}: is not of the form NAME:NUMBER, as entity:1")
    _known(items, name)
    strata: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        strata[dimension(item, name), item.lang].append(at)
    kept = [
        at for stratum, here in strata.items() for at in random.Random(f"{seed}:{stratum}").sample(here, min(int(number), len(here)))
    ]  # fmt: skip
    return [items[at] for at in sorted(kept)]


def _known(items: Sequence[Item], name: str) -> None:
    known = {*FIELDS, *(key for item in items for key in item.meta)}
    if name not in known:
        raise UnknownName("dimension", name, known)


def _fitting(items: Sequence[Item], clause: str) -> list[Item]:
    name, equals, values = clause.partition("=")
    if not equals:
        raise InputError(f"--where {clause}: is not of the form name=value")
    _known(items, name)
    wanted = set(values.split(","))
    found = [item for item in items if dimension(item, name) in wanted]
    there = Counter(dimension(item, name) for item in items)
    for value in sorted(wanted - there.keys()):
        raise UnknownName(f"item with {name} =", value, there)
    return found
