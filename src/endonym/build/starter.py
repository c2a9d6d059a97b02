"""A shipped folder of facts in, its benchmark out: ``python -m endonym.build.starter nations-mini`` writes ``benchmark.jsonl`` anew.

In: ``facts.jsonl`` (a header, then sources), ``areas.jsonl`` and ``templates.toml`` of one folder. Out: items, or the whole file.
The one thing to know: the file is made by the stage ``build.templates`` with its defaults and nothing else, so its bytes repeat.
"""

import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import msgspec

from ..canonical import canonical
from ..errors import EndonymError, InputError
from ..records import Item, Source
from .lines import Fault, rows
from .native import Header
from .templates import templates


def facts(path: str | Path) -> Iterator[Source]:
    """Read sources, one a line, after a header in the first. Raises ``TableError`` ("FILE:LINE: field: what"), ``StorageError``."""
    header(path)
    begun = False

    def read(number: int, text: str) -> Source | None:
        nonlocal begun
        first, begun = not begun, True
        return None if first else msgspec.json.decode(text, type=Source)

    yield from rows(path, read, None, Source.__struct_fields__)


def header(path: str | Path) -> Header:
    """Read the header of a table of facts; every one has it, for the canary. Raises as ``facts`` does."""

    def read(number: int, text: str) -> Header:
        head = msgspec.json.decode(text, type=Header)
        if not head.canary:
            raise Fault("canary: is missing; the first line of a table of facts is its header")
        return head

    head = next(rows(path, read, None, Header.__struct_fields__), None)
    if head is None:
        raise InputError(f"{path}: holds no header and no facts")
    return head


def nations_mini(folder: Path) -> Iterator[Item]:
    """Make the items of a folder that holds facts, areas and templates. Raises as ``facts`` and ``templates`` do."""
    return templates(facts(folder / "facts.jsonl"), file=folder / "templates.toml", areas=folder / "areas.jsonl")


def whole(folder: Path) -> bytes:
    """The bytes of ``benchmark.jsonl``: the header of the facts, then the items, each in canonical JSON."""
    head = canonical(header(folder / "facts.jsonl"))
    return b"".join(line + b"\n" for line in (head, *map(canonical, nations_mini(folder))))


def main(names: list[str]) -> None:
    """Write the ``benchmark.jsonl`` of each shipped folder named."""
    for name in names:
        folder = Path(str(files("endonym") / "data")) / name
        (folder / "benchmark.jsonl").write_bytes(whole(folder))


if __name__ == "__main__":
    try:
        main(sys.argv[1:] or ["nations-mini"])
    except EndonymError as error:
        sys.exit(f"error: {error}")
