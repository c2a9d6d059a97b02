"""Scores as one table of columns: what every metric works on.

In: :class:`~endonym.records.Score` rows, or the path of a ``scores.jsonl``. Out: a polars DataFrame with one row a score;
its columns are the score's fields and, after them, one column for each key of ``meta``, and a column ``mark.NAME`` for each
scorer of open answers. The one thing to know: a row is
read as strictly as any other record (a wrong type is an error with file and line, never a guess from the first rows), and
a meta key that a row lacks is ``""``, as :meth:`Score.dimension` says.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from ..errors import InputError, StorageError, TableError, UnknownName
from ..records import Score

FIELDS = tuple(name for name in Score.__struct_fields__ if name not in {"meta", "marks"})
MARK = "mark."
"""Before the name of a scorer: the column of what it said, null where it said nothing."""
_WHOLE = {"choice", "position", "gold_position", "options", "shots", "draw"}
SCHEMA: dict[str, Any] = {name: pl.Boolean if name == "right" else pl.Int64 if name in _WHOLE else pl.String for name in FIELDS}
ALIASES = {"domain": "topic", "country": "place", "nation": "place", "language": "lang"}
"""Words of the papers for fields of a score; a column of that very name, from ``meta``, goes before."""
_CHUNK = 20_000


def frame(scores: Iterable[Score] | str | Path) -> pl.DataFrame:
    """Lay scores out in columns: (rows, fields + meta keys). Raises TableError (file, line, field) for a row that is no score."""
    rows = _read(Path(scores)) if isinstance(scores, str | Path) else iter(scores)
    parts = list(_parts(rows))
    if not parts:
        return pl.DataFrame(schema=SCHEMA)
    table = pl.concat(parts, how="diagonal", rechunk=True)
    extra = sorted(name for name in table.columns if name not in SCHEMA)
    return table.select(*FIELDS, *(pl.col(name).fill_null("") if table.schema[name] == pl.String else name for name in extra))


def dimension(table: pl.DataFrame, name: str) -> str:
    """Find the column that a dimension is read from; raise UnknownName, with what was probably meant, where there is none."""
    if name in table.columns:
        return name
    if ALIASES.get(name) in table.columns:
        return ALIASES[name]
    known = [column for column in table.columns if column not in {"right", "prompt", "choice", "position"} and not column.startswith(MARK)]
    raise UnknownName("dimension", name, [*known, *ALIASES])


def groups(table: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
    """Split a table by dimensions, in the sorted order of their values; no dimension: the whole table, with the group ``{}``."""
    if not by:
        yield {}, table
        return
    if len(set(by)) < len(by):
        raise InputError(f"a dimension is named twice: {', '.join(by)}")
    parts = table.partition_by([dimension(table, name) for name in by], as_dict=True, maintain_order=True)
    for key in sorted(parts, key=lambda values: tuple((v is not None, v) for v in values)):
        yield {name: "" if value is None else str(value) for name, value in zip(by, key, strict=True)}, parts[key]


def _parts(rows: Iterator[Score]) -> Iterator[pl.DataFrame]:
    while chunk := list(islice(rows, _CHUNK)):
        keys = sorted({key for row in chunk for key in row.meta})
        columns = [pl.Series(name, [getattr(row, name) for row in chunk], dtype=SCHEMA[name]) for name in FIELDS]
        columns += [pl.Series(_free(key), [row.meta.get(key, "") for row in chunk], dtype=pl.String) for key in keys]
        scorers = sorted({name for row in chunk for name in row.marks})
        columns += [pl.Series(MARK + name, [row.marks.get(name) for row in chunk], dtype=pl.Float64) for name in scorers]
        yield pl.DataFrame(columns)


def _free(key: str) -> str:
    """Name the column of a meta key: a key that is also a field of the score does not hide the field."""
    return f"meta.{key}" if key in SCHEMA or key.startswith((MARK, "meta.")) else key


def _read(path: Path) -> Iterator[Score]:
    decoder = msgspec.json.Decoder(Score)
    try:
        with path.open("rb") as file:
            first = 1
            while lines := list(islice(file, _CHUNK)):
                yield from _decode(decoder, lines, path, first)
                first += len(lines)
    except FileNotFoundError:
        raise StorageError(f"{path}: no such file") from None
    except OSError as problem:
        raise StorageError(f"{path}: cannot be read: {problem.strerror}") from problem


def _decode(decoder: msgspec.json.Decoder[Score], lines: list[bytes], path: Path, first: int) -> list[Score]:
    try:
        return decoder.decode_lines(b"".join(lines))
    except (msgspec.DecodeError, UnicodeDecodeError):
        # The bulk decoder does not say which line it stopped at; a slow second look does.
        for number, line in enumerate(lines, first):
            try:
                decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as problem:
                raise TableError(f"{path}:{number}: not a score: {problem}") from problem
        raise
