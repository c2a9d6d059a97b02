"""A published data set in, items out, by a file of column names and no Python.

In: a file of CSV, TSV, JSON, JSON lines or Parquet, or a folder of them, and a mapping (``mapped_toml``: a TOML file of one's own, or one
that comes with the package: ``blend``, ``include``, …). Out: items, file by file in the order of their names, row by row. The one thing to
know: a row that cannot be read is a fault with its line and column; a row that the data set itself does not count (BLEnD's, of which too
many annotators knew nothing) is no fault, but left out and listed with the reason.

Papers: of each data set, in its mapping.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, TableError, UnknownName
from ..records import Item
from . import lines, mapped_file
from . import mapped_values as values
from .lines import Fault, found, sentence
from .mapped_file import Row
from .mapped_toml import DIMENSIONS, Mapping, joined_columns, named_columns, read_mapping


def mapped(path: str | Path, *, mapping: Path, skipped: list[str] | None = None, left: list[str] | None = None) -> Iterator[Item]:
    """Read a data set by a mapping. A row with several versions is several items; a version in a language that the row has is passed over.

    ``left`` gets a line for each row that the data set does not count, and for each accepted answer that could match anything; ``skipped``
    is used for them where ``left`` is not given. Raises ``TableError`` ("FILE:LINE: column: what") at the first bad row or, with
    ``skipped``, appends the sentence and goes on; ``TableError`` for a mapping that is not one, or names a column that a file has not;
    ``InputError`` for a folder without such files; ``StorageError`` for a path that is missing or may not be read.
    """
    told = read_mapping(mapping)
    ids: dict[str, tuple[Any, str]] = {}
    for file, parts in files(Path(path), told[0]):
        beside = _Beside(file, Path(path), parts)
        yield from _Reading(file, told, beside, skipped, left if left is not None else skipped).items(ids)


def files(path: Path, told: Mapping) -> list[tuple[Path, dict[str, str]]]:
    """The files of a data set with the parts of their paths that the mapping names. Raises as ``mapped`` does."""
    there = _data(path) if path.is_dir() else [lines.file(path)]
    for pattern in told.files:
        matches = [(file, match) for file in there if (match := _pattern(pattern).fullmatch(Path(os.path.abspath(file)).as_posix()))]
        if matches:
            return [(file, {f"file.{name}": part for name, part in match.groupdict().items()}) for file, match in matches]
    if path.is_file() or (there and not told.files):
        return [(file, {}) for file in there]
    names = ", ".join(p.relative_to(path).as_posix() for p in there[:8]) or "no data file"
    raise InputError(f"{path}: holds none of {', '.join(told.files) or ', '.join(mapped_file.SUFFIXES)}; there is {names}")


def _data(folder: Path) -> list[Path]:
    """The files of a folder that may hold rows, with those of its folders."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in mapped_file.SUFFIXES and path.is_file())


def _pattern(pattern: str) -> re.Pattern[str]:
    """A pattern of the end of a path: ``*`` is a part of a name, ``{NAME}`` a part that is kept, ``{NAME:a,b}`` one of these."""

    def part(match: re.Match[str]) -> str:
        if not match[1]:
            return "[^/]*" if match[0] == "*" else re.escape(match[0])
        return f"(?P<{match[1]}>{'|'.join(map(re.escape, match[2].split(','))) if match[2] else '[^/]+'})"

    return re.compile("(?:.*/)?" + re.sub(r"\*|\{(\w+)(?::([^{}]+))?\}|[^*{]+|\{", part, pattern))


class _Beside:
    """What other files say of the rows of one. They count where they lie in the folder that is read: on its content a run rests."""

    def __init__(self, file: Path, root: Path, parts: dict[str, str]) -> None:
        self.file, self.root, self.parts = file, root, parts

    def joined(self, told: Mapping) -> dict[str, Row]:
        """Value of ``on`` → the columns of the joined file; empty where there is none. Raises ``TableError``."""
        if not told.join:
            return {}
        table = self._table(told.join.file)
        wanted = [name.removeprefix("join.") for name in joined_columns(told)] if table else []
        for name in (told.join.on, *wanted):
            if table and name not in table[0]:
                raise TableError(f"{self._path(told.join.file)}: {told.name}.toml: join: {UnknownName('column', name, table[0])}")
        return {row[told.join.on]: {f"join.{name}": cell for name, cell in row.items()} for row in table}

    def prompt(self, told: Mapping) -> str:
        """The text of a prompt. Raises ``InputError`` where a mapping asks for one that is not there."""
        if not told.prompts:
            return ""
        asked = told.prompts
        table = {row.get(asked.on, ""): row.get(asked.column, "") for row in self._table(asked.file)}
        if not table:
            raise InputError(f"{self._path(asked.file)}: no such file in {self.root}; {told.name}.toml takes its prompts from it")
        if not table.get(asked.row):
            raise InputError(f"{self._path(asked.file)}: {UnknownName(f'prompt in the column {asked.column!r}', asked.row, table)}")
        return table[asked.row]

    def _path(self, name: str) -> Path:
        filled = re.sub(r"\{(\w+)\}", lambda match: self.parts.get(f"file.{match[1]}", ""), name)
        return Path(os.path.normpath(self.file.parent / filled))

    def _table(self, name: str) -> list[dict[str, str]]:
        path, rows = self._path(name), list[dict[str, str]]()
        if not (self.root.is_dir() and path.is_relative_to(os.path.normpath(self.root)) and path.is_file()):
            return rows
        for line, row in mapped_file.csv_rows(path, lambda head: None):
            if isinstance(row, Fault):
                raise TableError(f"{path}:{line}: {row}")
            rows.append(row)
        return rows


class _Reading:
    """One file being read: how, what other files say of it, and where what is left out is listed."""

    def __init__(self, file: Path, told: tuple[Mapping, ...], beside: _Beside, skipped: list[str] | None, left: list[str] | None) -> None:
        self.file, self.told, self.parts, self.skipped, self.left = file, told, beside.parts, skipped, left
        self.joined = beside.joined(told[0])
        self.prompts = [beside.prompt(each) for each in told]

    def items(self, ids: dict[str, tuple[Any, str]]) -> Iterator[Item]:
        """The items of every row. A fault in one version of a row costs that version alone."""
        for line, row in self._rows():
            where, made = f"{self.file}:{line}", dict[str, Item]()
            try:
                row = self._counted(row, where, ids)
            except ValueError as error:
                lines.tell(f"{where}: {sentence(error)}", self.skipped)
                continue
            for each, prompt in zip(self.told, self.prompts, strict=True) if row else ():
                try:
                    self._version(made, row, each, prompt, where)
                except ValueError as error:
                    lines.tell(f"{where}: {sentence(error)}", self.skipped)
            yield from made.values()

    def _rows(self) -> mapped_file.Rows:
        told, suffix = self.told[0], self.file.suffix.lower()
        if suffix in (".jsonl", ".ndjson"):
            return mapped_file.jsonl_rows(self.file)
        if suffix == ".json":
            return mapped_file.json_rows(self.file, told.at, told.key)
        if suffix == ".parquet":
            wanted = {root for each in self.told for name in named_columns(each).values() for root in (name, name.partition(".")[0])}
            return mapped_file.parquet_rows(self.file, self._check, sorted(wanted))
        if suffix in (".csv", ".tsv"):
            return mapped_file.csv_rows(self.file, self._check, told.delimiter)
        raise InputError(f"{self.file}: nobody reads {suffix or 'a file without an ending'}; there are: {', '.join(mapped_file.SUFFIXES)}")

    def _check(self, head: Sequence[str]) -> None:
        for each in self.told:
            for place, name in named_columns(each).items():
                if name not in head and name.partition(".")[0] not in head:
                    raise TableError(f"{self.file}: {each.name}.toml: {place}: {UnknownName('column', name, head)}")

    def _same_id(self, row: Row, where: str, ids: dict[str, tuple[Any, str]]) -> None:
        """1 and "1" are two ids in JSON and one in every table made of it."""
        column = self.told[0].columns.id
        if not column:
            return
        given = values.value(row, column)
        before, place = ids.setdefault(str(given), (given, where))
        if type(before) is not type(given):
            raise Fault(f"{column}: {found(given)} here and {found(before)} in {place} would be one id; write ids as text")

    def _counted(self, row: Row | Fault, where: str, ids: dict[str, tuple[Any, str]]) -> Row:
        """The row with what its path and other files say; an empty one where the data set does not count it."""
        if isinstance(row, Fault):
            raise row
        told = self.told[0]
        self._same_id(row, where, ids)
        if why := values.invalid(row, told.invalid):
            self._leave(f"{where}: does not count in {told.name}: {why}")
            return {}
        other = self.joined.get(values.text(row, told.join.on), {}) if told.join and self.joined else {}
        return {**row, **self.parts, **other}

    def _version(self, made: dict[str, Item], row: Row, told: Mapping, prompt: str, where: str) -> None:
        dimensions = {name: _dimension(row, told, name) for name in DIMENSIONS}
        lang = dimensions["lang"]
        if not lang:
            raise Fault(f"{told.columns.lang}: is empty, and a question is in some language")
        if lang not in made:
            made[lang] = self._item(row, told, {**dimensions, "prompt": prompt}, where)

    def _leave(self, said: str) -> None:
        if self.left is not None:
            self.left.append(said)

    def _item(self, row: Row, told: Mapping, fields: dict[str, Any], where: str) -> Item:
        stem = values.needed(row, told.columns.stem)
        meta = {name: text for name, column in told.meta.items() if (text := values.text(row, column))}
        own = values.text(row, told.columns.prompt) if told.columns.prompt else ""
        filled = fields["prompt"].replace(told.prompts.slot, stem) if told.prompts else own
        source = f"{self.file.name}:{where.rpartition(':')[2]}"
        fields = {**fields, "stem": stem, "prompt": filled, "meta": meta, "source": source, "maker": told.name}
        if told.kind == "open":
            accept, notes = values.accepted(row, told.accept)
            for note in notes:
                self._leave(f"{where}: {note}")
            return Item(kind="open", accept=accept, **fields)
        options = values.options(row, told.columns, told.separator)
        gold = values.gold(row, told.columns.answer, options, told.answers)
        abstain = options.index(told.fixed.abstain) if told.fixed.abstain in options else None
        return Item(options=options, gold=gold, abstain=abstain, **fields)


def _dimension(row: Row, told: Mapping, name: str) -> str:
    """The value of a dimension: that of its column, by its table of values, or the one that is the same for every row."""
    column = getattr(told.columns, name)
    if not column:
        return getattr(told.fixed, name, "")
    return values.meant(values.text(row, column), column, told.values.get(name, {}))
