"""A file of people in, its rows out: what every reader needs to name file, line and field of a fault.

In: a path, and a function that makes one record of the text of one line. Out: the records, in the file's order.
The one thing to know: a reader raises ``Fault("field: what")`` and knows nothing of files; ``rows`` puts the file and the line
before it, and either raises it as ``TableError`` or, where the caller gave a list ``skipped``, appends the sentence and goes on.
"""

import codecs
import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..errors import InputError, StorageError, TableError

Row = TypeVar("Row")
Told = TypeVar("Told", bound=msgspec.Struct)

_WORDS = {"str": "text", "int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list", "object": "an object"}
_AT = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<field>.*)`)?$", re.S)
_FIELD = re.compile(r"^Object (?P<kind>missing required|contains unknown) field `(?P<name>[^`]*)`$")
_BYTE = re.compile(r"^JSON is malformed: (?P<what>.*) \(byte (?P<byte>\d+)\)$")


class Fault(ValueError):
    """What is wrong with one row, as ``field: what``; the reader of the file adds where."""


def rows(
    path: str | Path, read: Callable[[int, str], Row | None], skipped: list[str] | None = None, known: Iterable[str] = ()
) -> Iterator[Row]:
    """Read a file of JSON lines, one record a line; blank lines, a byte order mark and CRLF mean nothing.

    ``read(line number, text)`` gives a record, or None for a line that is none. ``known`` are the field names to guess from
    where a row has an unknown one. Raises ``TableError`` at the first bad row unless ``skipped`` is given, ``InputError`` for a
    folder, ``StorageError`` for a file that is missing or may not be read.
    """
    names = tuple(known)
    for number, line in _numbered(file(path)):
        try:
            row = read(number, line.decode("utf-8"))
        except (ValueError, msgspec.DecodeError, RecursionError) as error:
            tell(f"{path}:{number}: {sentence(error, names)}", skipped)
            continue
        if row is not None:
            yield row


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, from 1. Split at line feeds only: U+2028 may stand inside a JSON text."""
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                line = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                line = line.rstrip(b"\r\n")
                if line.strip():
                    yield number, line
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error


def tell(said: str, skipped: list[str] | None) -> None:
    """Raise a bad row, or list it where the caller wants to go on without it."""
    if skipped is None:
        raise TableError(said)
    skipped.append(said)


def file(path: str | Path) -> Path:
    """A path that is a file. Raises ``StorageError`` (missing: says which name stands beside it) and ``InputError`` (a folder)."""
    found = _existing(path)
    if found.is_dir():
        raise InputError(f"{path}: is a folder; expected a file of JSON lines")
    return found


def folder(path: str | Path, holds: str) -> Path:
    """A path that is a folder; ``holds`` says what is expected in it. Raises as ``file`` does, the other way round."""
    found = _existing(path)
    if not found.is_dir():
        raise InputError(f"{path}: is a file; expected the folder that holds {holds}")
    return found


def _existing(path: str | Path) -> Path:
    found = Path(path)
    try:
        if found.exists():
            return found
        beside = [entry.name for entry in found.parent.iterdir()] if found.parent.is_dir() else []
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error
    close = difflib.get_close_matches(found.name, beside, n=1, cutoff=0.5)
    where = "" if found.parent.is_dir() else f" (there is no folder {str(found.parent)!r})"
    raise StorageError(f"{path}: no such file or folder{where}" + (f"; did you mean {close[0]!r}?" if close else ""))


def content(path: Path) -> bytes:
    """A whole file of UTF-8 text, without its byte order mark. Raises ``StorageError``, ``Fault`` where it is no UTF-8."""
    try:
        data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Fault(f"{_place(data, error.start)}: is no UTF-8, found the byte 0x{data[error.start]:02x}") from error
    return data


def toml(path: Path, kind: type[Told]) -> Told:
    """A whole TOML file as a record. Raises ``TableError`` naming file and field, ``StorageError``, ``InputError`` for a folder."""
    try:
        return msgspec.toml.decode(content(file(path)), type=kind)
    except (ValueError, msgspec.DecodeError) as error:
        raise TableError(f"{path}: {sentence(error, kind.__struct_fields__)}") from error


def malformed(error: msgspec.DecodeError, data: bytes) -> str:
    """Say where a whole JSON file breaks off, as ``line N, column M: what``."""
    match = _BYTE.match(str(error))
    if match:
        return f"{_place(data, int(match['byte']))}: no JSON, {match['what']}"
    truncated = "truncated" in str(error)
    return f"{_place(data, len(data))}: the JSON is cut off" if truncated else sentence(error)


def _place(data: bytes, at: int) -> str:
    begin = data.rfind(b"\n", 0, at) + 1
    line = data.count(b"\n", 0, at) + 1
    return f"line {line}, column {at - begin + 1}"


def sentence(error: Exception, known: Iterable[str] = ()) -> str:
    """Put an error of decoding into ``field: what is there, what was expected``; a ``Fault`` is such a sentence already."""
    if isinstance(error, UnicodeDecodeError):
        return f"column {error.start + 1}: is no UTF-8, found the byte 0x{error.object[error.start]:02x}"
    if isinstance(error, RecursionError):
        return "the JSON is nested too deeply"
    if not isinstance(error, msgspec.DecodeError):
        return str(error)
    said = str(error)
    if "truncated" in said:
        return "the JSON is cut off at the end of the line"
    broken = _BYTE.match(said)
    if broken:
        return f"column {int(broken['byte']) + 1}: no JSON, {broken['what']}"
    return _validation(said, known)


def _validation(said: str, known: Iterable[str]) -> str:
    match = _AT.match(said)
    what, field = (match["what"], match["field"] or "") if match else (said, "")
    named = _FIELD.match(what)
    if named:
        name = ".".join(part for part in (field, named["name"]) if part)
        if named["kind"] == "missing required":
            return f"{name}: is missing"
        close = difflib.get_close_matches(named["name"], list(known), n=1, cutoff=0.5)
        return f"{name}: is no field of this record" + (f"; did you mean {close[0]!r}?" if close else "")
    plain = re.sub(r"`([^`]*)`", lambda word: " or ".join(_WORDS.get(w, w) for w in word[1].split(" | ")), what)
    plain = plain.replace("Expected", "expected", 1).replace(", got ", ", found ", 1)
    return f"{field}: {plain}" if field else plain


def found(value: Any) -> str:
    """Name a JSON value in a sentence: ``null``, ``3``, ``"text"``, ``a list of 2``, ``an object``."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= 60 else shown[:57] + '…"'
