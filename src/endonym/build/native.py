"""Our own benchmark file in, its items out: ``benchmark.jsonl``, one item a line, an optional header in the first.

In: JSON lines, each the fields of ``Item``; the first may be a header, an object with ``canary`` or ``benchmark``. Out: items.
The one thing to know: reading is strict. An unknown field, a missing gold, two equal options are faults with their line; only an
item whose ``prompt`` is fixed by a published data set may have equal options, for what was published is not ours to mend.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..records import Item, Record
from .lines import Fault, found, rows

_MARKS = ("canary", "benchmark")


class Header(Record, frozen=True):
    """What a benchmark's file says of itself. The canary is a line no one would write by chance: find it, and it was trained on."""

    name: str = ""
    version: str = ""
    canary: str = ""
    licence: str = ""
    languages: tuple[str, ...] = ()
    """BCP 47."""
    title: str = ""
    description: str = ""
    origin: str = ""


def native(path: str | Path, *, skipped: list[str] | None = None) -> Iterator[Item]:
    """Read the items of a benchmark's file, in its order; the header is passed over (``header`` reads it).

    Raises ``TableError`` ("FILE:LINE: field: what") or, with ``skipped``, appends the sentence and goes on; ``InputError`` for a folder,
    ``StorageError`` for a file that is missing or may not be read.
    """
    begun = False

    def read(number: int, text: str) -> Item | None:
        nonlocal begun
        first, begun = not begun, True
        if _is_header(text):
            if not first:
                raise Fault("is a header; it may stand in the first line only (were two benchmarks joined?)")
            _header(text)
            return None
        return _item(text)

    yield from rows(path, read, skipped, Item.__struct_fields__)


def header(path: str | Path) -> Header | None:
    """Read the header of a benchmark's file, or None where its first line is an item. Raises as ``native`` does."""
    lines = rows(path, lambda number, text: (_header(text) if _is_header(text) else None,), None, Header.__struct_fields__)
    return next(lines, (None,))[0]


def _is_header(text: str) -> bool:
    """Cheap where it matters: an item's line is parsed here only if it holds one of the words at all."""
    if not any(f'"{mark}"' in text for mark in _MARKS):
        return False
    row = msgspec.json.decode(text)
    return isinstance(row, dict) and "stem" not in row and any(mark in row for mark in _MARKS)


def _header(text: str) -> Header:
    """``benchmark`` may be the name, or an object that holds the other fields."""
    row: dict[str, Any] = msgspec.json.decode(text)
    inner = row.pop("benchmark", {})
    if not isinstance(inner, dict | str):
        raise Fault(f"benchmark: expected a name or an object, found {found(inner)}")
    row |= inner if isinstance(inner, dict) else {"name": inner}
    return msgspec.convert(row, type=Header)


def _item(text: str) -> Item:
    item = msgspec.json.decode(text, type=Item)
    same = _equal(item.options)
    if same and not item.prompt:
        raise Fault(f"options: {same!r} stands twice")
    return item


def _equal(options: tuple[str, ...]) -> str:
    """The first option that stands twice, blanks at the ends aside; empty where none does."""
    seen: set[str] = set()
    for option in options:
        if option.strip() in seen:
            return option.strip()
        seen.add(option.strip())
    return ""
