"""A file of a data set in, its rows out, one at a time: CSV, TSV, JSON, JSON lines, Parquet.

In: a path, and what of it is asked for. Out: (line, row) pairs; the row is a dictionary, or the fault that kept it from being one, so that
whoever reads on can. The one thing to know: nothing is guessed of a column from its first rows. A cell of CSV is text, a value of JSON is
what stands there, a column of Parquet has its own type; the line is that in which the row begins (Parquet: the row's number).
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import StorageError, TableError
from .lines import Fault, content, found

Row = dict[str, Any]
Rows = Iterator[tuple[int, Row | Fault]]
Check = Callable[[Sequence[str]], None]
"""Called with the columns of a file that has them before its rows; raises where one is lacking."""
BATCH = 4096
"""Rows of Parquet that are in memory at once."""
SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet")

_BLANK = re.compile(r"[ \t\r\n]*")


def csv_rows(path: Path, check: Check, delimiter: str = "") -> Rows:
    """Rows of CSV: every cell is text. A row of another length than the first, or with bytes that are no UTF-8, is a fault."""
    reader = csv.reader(_texts(path), delimiter=delimiter or _delimiter(path), strict=True)
    head: list[str] | None = None
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield line, Fault(f"is no CSV, {error}")
            continue
        if cells is None:
            return
        if head is None:
            head = _head(path, cells)
            check(head)
        elif cells:
            yield line, _cells(head, cells)


def _texts(path: Path) -> Iterator[str]:
    """Lines with their ends. A byte that is no UTF-8 stays in its cell until the cell is looked at."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file):
                text = line.decode("utf-8", "surrogateescape")
                yield text.removeprefix("\ufeff") if number == 0 else text
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error


def _delimiter(path: Path) -> str:
    """Tabs by the file's ending; else what the first line has most of."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    first = re.sub(r'"[^"]*"', "", next(_texts(path), ""))
    return max(",;\t", key=first.count)


def _head(path: Path, cells: list[str]) -> list[str]:
    head = [cell.strip() for cell in cells]
    for n, name in enumerate(head):
        if name in head[:n]:
            raise TableError(f"{path}:1: the column {name!r} stands twice")
    return head


def _cells(head: list[str], cells: list[str]) -> Row | Fault:
    if len(cells) != len(head):
        return Fault(f"has {len(cells)} cells, the first row {len(head)}")
    for name, cell in zip(head, cells, strict=True):
        broken = next((c for c in cell if "\udc80" <= c <= "\udcff"), "")
        if broken:
            return Fault(f"{name}: is no UTF-8, found the byte 0x{ord(broken) - 0xDC00:02x}")
    return dict(zip(head, cells, strict=True))


class _Decoder:
    """JSON as its standard has it, with the keys that stand twice in one object told; NaN is no value."""

    def __init__(self) -> None:
        self.twice = ""
        self.decoder = json.JSONDecoder(object_pairs_hook=self._pairs, parse_constant=lambda _: None)

    def _pairs(self, pairs: list[tuple[str, Any]]) -> Row:
        made: Row = {}
        for key, value in pairs:
            if key in made:
                self.twice = self.twice or key
            made[key] = value
        return made

    def row(self, text: str, at: int) -> tuple[Any, int]:
        """The value that begins at a place, a fault where it is no row, and the place after it. Raises JSONDecodeError."""
        self.twice = ""
        value, end = self.decoder.raw_decode(text, at)
        if self.twice:
            return Fault(f"{self.twice}: stands twice in the row"), end
        return (value if isinstance(value, dict) else Fault(f"expected an object {{…}} as a row, found {found(value)}")), end


def jsonl_rows(path: Path) -> Rows:
    """Rows of JSON lines. A value may be null in one row and text or a number in another."""
    decoder = _Decoder()
    for number, line in enumerate(_texts(path), 1):
        text = line.strip()
        if text:
            yield number, _line(decoder, text)


def _line(decoder: _Decoder, text: str) -> Row | Fault:
    broken = next((n for n, c in enumerate(text, 1) if "\udc80" <= c <= "\udcff"), 0)
    if broken:
        return Fault(f"column {broken}: is no UTF-8")
    try:
        row, end = decoder.row(text, 0)
    except json.JSONDecodeError as error:
        return Fault(f"column {error.colno}: no JSON, {error.msg}")
    except RecursionError:
        return Fault("the JSON is nested too deeply")
    return row if end == len(text) else Fault(f"column {end + 1}: no JSON, another value begins")


def json_rows(path: Path, at: str = "", key: str = "") -> Rows:
    """Rows of one JSON file: a list, or with ``key`` the values of an object. ``at`` leads to them by dots.

    The text is in memory whole, its rows are not. Where it breaks off, the rows before are read and the rest is a fault.
    """
    try:
        text = content(path).decode()
    except Fault as error:
        raise TableError(f"{path}: {error}") from error
    scan = _Scan(text)
    try:
        yield from scan.rows([part for part in at.split(".") if part], key)
    except json.JSONDecodeError as error:
        yield error.lineno, Fault(f"column {error.colno}: no JSON, {error.msg}; nothing after it was read")
    except RecursionError:
        yield scan.line, Fault("the JSON is nested too deeply; nothing after it was read")
    except Fault as error:
        yield scan.line, error


class _Scan:
    """A JSON text that is walked through value by value, with the line at hand."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.line, self._counted = text, 0, 1, 0
        self.decoder = _Decoder()

    def rows(self, path: list[str], key: str) -> Rows:
        if path:
            self._enter(path[0])
            yield from self.rows(path[1:], key)
            return
        opening = self._next("[{")
        if opening == "{" and not key:
            raise Fault("is an object, expected a list of rows; in a mapping, at says where they are, key that they are its values")
        for name in self._members("]" if opening == "[" else "}"):
            line = self.line
            row, self.at = self.decoder.row(self.text, self.at)
            yield line, {key: name, **row} if isinstance(row, dict) and name is not None else row

    def _enter(self, wanted: str) -> None:
        """Walk to the value of a key."""
        self._next("{")
        for name in self._members("}"):
            if name == wanted:
                return
            self.at = self.decoder.row(self.text, self.at)[1]
        raise Fault(f"{wanted}: is missing; a mapping says with at where the rows are")

    def _members(self, closing: str) -> Iterator[str | None]:
        """Stand before each value of a list or an object in turn; give its key."""
        first, seen = True, set[str]()
        while not self._ends(closing, first):
            name: str | None = None
            if closing == "}":
                name, self.at = self.decoder.decoder.raw_decode(self.text, self._begins('"'))
                self._next(":")
                if name in seen:
                    raise Fault(f"{name}: stands twice in the object; nothing after it was read")
                seen.add(str(name))
            self._blanks()
            first = False
            yield name

    def _ends(self, closing: str, first: bool) -> bool:
        self._blanks()
        if self.text.startswith(closing, self.at):
            self.at += 1
            return True
        if not first:
            self._next(",")
            self._blanks()
        return False

    def _begins(self, mark: str) -> int:
        if not self.text.startswith(mark, self.at):
            raise json.JSONDecodeError(f"expected {mark}", self.text, self.at)
        return self.at

    def _next(self, marks: str) -> str:
        self._blanks()
        mark = self.text[self.at : self.at + 1]
        if not mark or mark not in marks:
            raise json.JSONDecodeError(f"expected {' or '.join(marks)}", self.text, self.at)
        self.at += 1
        return mark

    def _blanks(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at
        self.line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at


def parquet_rows(path: Path, check: Check, wanted: Sequence[str]) -> Rows:
    """Rows of Parquet, the wanted columns of them, a batch at a time. Raises ``TableError`` for a file that is none."""
    import polars as pl

    try:
        table = pl.scan_parquet(path, glob=False)
        head = table.collect_schema().names()
        check(head)
        table = table.select([name for name in head if name in wanted])
        total = table.select(pl.len()).collect().item()
        for start in range(0, total, BATCH):
            yield from enumerate(table.slice(start, BATCH).collect().iter_rows(named=True), start + 1)
    except pl.exceptions.PolarsError as error:
        raise TableError(f"{path}: is no Parquet that can be read: {str(error).splitlines()[0]}") from error
