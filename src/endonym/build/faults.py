"""What only the raw rows of a data set show: a reader's name and its path in, judgments of rows out.

In: the path that a reader reads: a folder of JSON files (each a list of entries), or a file of JSON lines. Out: judgments whose ``item`` is
the ``source`` of the items made of the row (``FILE#ID``, ``FILE:LINE``). The one thing to know: readers make one record of many shapes, so
that a field which is text here and a list there is gone once they have read it; whoever uses the files directly meets it.
A row that is no JSON is not judged here: the reader tells of it. Formats whose columns have types (CSV, Parquet) have no such faults.

Paper: XNationQA (papers/xnationqa.md), section 3, whose published files have them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..errors import InputError, StorageError
from ..records import Judgment
from .lines import Fault, content
from .readers import named
from .xnationqa import split

VERSION = "1"
_NAMES = {str: "text", list: "a list", dict: "an object", int: "a number", float: "a number", bool: "true or false"}
_OWN = "endonym"
"""Our own reader leaves out what has its default: that a field is missing there says nothing."""


class Row(NamedTuple):
    """One row: the file it stands in, its place as items name it, and its fields."""

    file: str
    source: str
    fields: dict[str, Any]


def faults(*, reader: str, path: Path) -> Iterator[Judgment]:
    """Judge the raw rows of a data set. Criteria: raw_types, raw_fields, id_twice, id_across, several_true.

    Raises UnknownName for a reader, StorageError for a path that cannot be read.
    """
    named(reader)
    rows = list(_rows(Path(path)))
    yield from _types(rows)
    yield from _missing(rows) if reader != _OWN else ()
    yield from _ids(rows)
    if reader == "xnationqa":
        yield from _true(rows)


def _rows(path: Path) -> Iterator[Row]:
    if path.is_dir():
        for file in sorted(path.glob("*.json")):
            for number, entry in enumerate(_json(file), 1):
                if isinstance(entry, dict):
                    yield Row(file.name, f"{file.name}#{entry.get('id', number)}", entry)
    elif path.suffix in (".jsonl", ".ndjson"):
        for number, line in enumerate(_data(path).split(b"\n"), 1):
            try:
                row = msgspec.json.decode(line) if line.strip() else None
            except (msgspec.DecodeError, RecursionError):
                continue
            if isinstance(row, dict) and not (number == 1 and ("canary" in row or "benchmark" in row)):
                yield Row(path.name, f"{path.name}:{number}", row)


def _json(file: Path) -> list[Any]:
    try:
        found = msgspec.json.decode(_data(file))
    except (msgspec.DecodeError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _data(file: Path) -> bytes:
    try:
        return content(file)
    except Fault:
        return b""
    except InputError as error:
        raise StorageError(str(error)) from error


def _types(rows: list[Row]) -> Iterator[Judgment]:
    """A field's usual type is the one that most rows have; rows with another are told, null aside."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for key, value in row.fields.items():
            if value is not None:
                counts[key][_NAMES[type(value)]] += 1
    usual = {key: types.most_common(1)[0] for key, types in counts.items() if len(types) > 1}
    for row in rows:
        for key, (name, n) in usual.items():
            value = row.fields.get(key)
            if value is not None and _NAMES[type(value)] != name:
                note = f"{key} is {_NAMES[type(value)]} here, and {name} in {n} of {counts[key].total()} entries"
                yield _judgment("raw_types", "warning", row, note)


def _missing(rows: list[Row]) -> Iterator[Judgment]:
    keys = Counter(key for row in rows for key in row.fields)
    some = [key for key, n in keys.items() if n < len(rows)]
    for row in rows:
        if lacking := [key for key in some if key not in row.fields]:
            yield _judgment("raw_fields", "note", row, f"no {', '.join(f'{key} (in {keys[key]} others)' for key in sorted(lacking))}")


def _ids(rows: list[Row]) -> Iterator[Judgment]:
    """Ids as text: 1 and "1" are one id in every table made of them."""
    files: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if "id" in row.fields:
            files[str(row.fields["id"])][row.file] += 1
    seen: set[tuple[str, str]] = set()
    for row in rows:
        name = str(row.fields.get("id", ""))
        where = files[name] if "id" in row.fields else Counter[str]()
        if (row.file, name) in seen:
            yield _judgment("id_twice", "error", row, f"{name} stands {where[row.file]} times in {row.file}")
        if len(where) > 1:
            yield _judgment("id_across", "warning", row, f"{name} stands in {len(where)} files: {', '.join(sorted(where)[:3])}, …")
        if "id" in row.fields:
            seen.add((row.file, name))


def _true(rows: list[Row]) -> Iterator[Judgment]:
    """XNationQA: an entry's ``answer`` may have several values, and only one of them may be among the options."""
    for row in rows:
        answers, prompts = row.fields.get("answer"), row.fields.get("prompts")
        english = prompts.get("English") if isinstance(prompts, dict) else None
        if not isinstance(answers, list) or not isinstance(english, list):
            continue
        for prompt in english:
            try:
                among = sorted({text for text in split(prompt)[1] if text in answers})
            except (ValueError, AttributeError):
                continue  # the reader tells of a prompt that cannot be taken apart
            if len(among) > 1:
                yield _judgment("several_true", "error", row, f"{', '.join(among)} are all right, by the entry's answer")
                break


def _judgment(kind: str, severity: str, row: Row, note: str) -> Judgment:
    return Judgment(item=row.source, judge=f"check/{kind}", criterion=kind, value=severity, guideline=kind, note=note)
