"""What the builders of shipped benchmarks share: a folder's ``benchmark.jsonl``, and the parts of its ``card.md`` that are counted.

In: a header and items, or a card's text. Out: bytes, or the text with what stands between ``<!-- NAME -->`` and ``<!-- /NAME -->`` made
anew. The one thing to know: a card is written by people, and only its marked parts by a builder.
"""

import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

import msgspec

from ..canonical import canonical
from ..errors import EndonymError, InputError, StorageError, TableError
from ..records import Item
from .native import Header

_Table = TypeVar("_Table")


def read(path: Path, table: type[_Table]) -> _Table:
    """A TOML file as a record. Raises ``TableError`` ("FILE: what") and ``StorageError``."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), table)
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise TableError(f"{path}: {error}") from error


def whole(header: Header, items: Iterable[Item]) -> bytes:
    """The bytes of ``benchmark.jsonl``: the header, then the items, each in canonical JSON."""
    return b"".join(line + b"\n" for line in (canonical(header), *map(canonical, items)))


def card(text: str, parts: Mapping[str, str]) -> str:
    """A card's text with its marked parts made anew. Raises ``InputError`` where a mark is missing."""
    for name, made in parts.items():
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        if begin not in text or end not in text:
            raise InputError(f"card.md: the marks {begin} and {end} are missing; what stands between them is made by this builder")
        before, after = text.split(begin)[0], text.split(end)[1]
        text = f"{before}{begin}\n\n{made}\n{end}{after}"
    return text


def main(names: Sequence[str], make: Callable[[Path], bytes], told: Callable[[str, Path], str]) -> None:
    """Write ``benchmark.jsonl`` and the card of each shipped folder named; a fault ends in one sentence."""
    try:
        for name in names:
            folder = Path(str(files("endonym") / "data")) / name
            (folder / "benchmark.jsonl").write_bytes(make(folder))
            page = folder / "card.md"
            page.write_text(told(page.read_text(encoding="utf-8"), folder), encoding="utf-8")
    except EndonymError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        sys.exit(f"error: {error.filename}: {error.strerror}")
