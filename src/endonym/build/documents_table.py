"""What people know of their documents: title, place, topic, language, licence and origin, in a table or in a file beside each.

In: a folder. Out: name of the document → ``Entry``. Three forms are read, and one folder uses one of them: ``sources.csv`` with a
head line; ``sources.toml`` with a table ``[[source]]`` a document; ``NAME.toml`` beside the document ``NAME.txt``. A row without
``file`` and with ``url`` is a page of the web and is named by its address. The one thing to know: a column that does not
exist, or a row whose file is not there, is an error with its line.
"""

import csv
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import TableError, UnknownName
from ..records import Record
from . import lines
from .documents_text import READERS


class Entry(Record, frozen=True):
    """One row: ``file`` within the folder, or a ``url`` to be fetched; the rest describes the document."""

    file: str = ""
    url: str = ""
    title: str = ""
    lang: str = ""
    place: str = ""
    topic: str = ""
    licence: str = ""
    retrieved: str = ""
    note: str = ""


NAMES = ("sources.csv", "sources.toml")


def table(folder: Path) -> str:
    """The name of the folder's table, or ``""``. Raises ``TableError`` where there are two."""
    found = [name for name in NAMES if (folder / name).is_file()]
    if len(found) > 1:
        raise TableError(f"{folder}: has both {found[0]} and {found[1]}; keep one")
    return found[0] if found else ""


def files(folder: Path) -> list[str]:
    """The documents of a folder and the folders in it, by name; no tables, sidecars, read-me or hidden files."""
    found = (p.relative_to(folder) for p in sorted(folder.rglob("*")) if p.is_file())
    return [p.as_posix() for p in found if not _aside(folder, p)]


def _aside(folder: Path, path: Path) -> bool:
    if any(part[0] in "._" for part in path.parts) or path.stem.lower() == "readme" or path.as_posix() in NAMES:
        return True
    return path.suffix.lower() == ".toml" and bool(_beside(folder / path))


def _beside(sidecar: Path) -> list[Path]:
    """The documents that a sidecar may speak of."""
    return [p for suffix in sorted(READERS) if (p := sidecar.with_suffix(suffix)).is_file()]


def entries(folder: Path) -> dict[str, Entry]:
    """Everything that is known of the documents of a folder. Raises ``TableError`` naming file, line or row, and field."""
    name = table(folder)
    found: dict[str, Entry] = {}
    for where, row in _rows(folder, name):
        entry = _entry(where, row)
        key = entry.file or entry.url
        if key in found:
            raise TableError(f"{where}: {'file' if entry.file else 'url'}: {key} stands twice")
        if entry.file and not (folder / entry.file).is_file():
            hint = str(UnknownName("document", entry.file, files(folder)))
            raise TableError(f"{where}: file: {hint}")
        found[key] = entry
    return found


def _rows(folder: Path, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if name.endswith(".csv"):
        yield from _csv(folder / name)
    elif name:
        whole = _toml(folder / name)
        if extra := whole.keys() - {"source"}:
            raise TableError(f"{folder / name}: {UnknownName('key', min(extra), ['source'])}")
        yield from ((f"{folder / name}: source {n}", row) for n, row in enumerate(whole.get("source", []), 1))
    else:
        for path in sorted(folder.rglob("*.toml")):
            documents = [p.relative_to(folder).as_posix() for p in _beside(path)]
            if len(documents) > 1:
                raise TableError(f"{path}: speaks of {documents[0]} or of {documents[1]}? Rename one")
            if documents:
                yield str(path), {"file": documents[0], **_toml(path)}


def _csv(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        text = lines.content(path).decode("utf-8")
    except lines.Fault as fault:
        raise TableError(f"{path}: {fault}") from None
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    try:
        head = [cell.strip() for cell in next(reader, [])]
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            where = f"{path}:{reader.line_num}"
            if len(row) != len(head):
                raise TableError(f"{where}: has {len(row)} cells, the head line has {len(head)}")
            yield where, {name: cell.strip() for name, cell in zip(head, row, strict=True)}
    except csv.Error as problem:
        raise TableError(f"{path}:{reader.line_num}: {problem}") from problem


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(lines.content(path).decode("utf-8"))
    except (lines.Fault, tomllib.TOMLDecodeError) as problem:
        raise TableError(f"{path}: {problem}") from None


def _entry(where: str, row: Any) -> Entry:
    if not isinstance(row, dict):
        raise TableError(f"{where}: is no table of fields")
    for field, value in row.items():
        if field not in Entry.__struct_fields__:
            raise TableError(f"{where}: {UnknownName('field', field, Entry.__struct_fields__)}")
        if not isinstance(value, str):
            raise TableError(f"{where}: {field}: expected text, found {lines.found(value)}")
    entry = Entry(**row)
    if not entry.file and not entry.url:
        raise TableError(f"{where}: file: is missing, and url too")
    return entry
