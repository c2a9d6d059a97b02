"""A sheet that people fill in, as an XLSX file: the same columns as the CSV one, for those who work in a spreadsheet.

In: rows of texts, or a file. Out: the file's bytes, or its rows as texts. The one thing to know: whatever a spreadsheet made of what
somebody typed (a number, a date, a share) comes back as plain text: 1974, 25.5, 1974-04-25, 12%. Every cell is written as text, and marked
as such, so that none can be taken for a formula. Needs openpyxl (extra ``sheets``).
"""

import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from ..errors import InputError, Unavailable
from ..store import guarded

LONGEST = 32_000
"""Characters of a cell; the format ends at 32,767."""
WIDTHS = (20, 90, 40)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def _library() -> Any:
    try:
        import openpyxl
    except ImportError as problem:
        raise Unavailable("XLSX sheets need openpyxl: pip install 'endonym[sheets]', or name a .csv file") from problem
    return openpyxl


def written(lines: Iterable[Sequence[str]]) -> bytes:
    """The bytes of a file with one sheet; long texts are wrapped, the head stays in sight, and every cell is text."""
    book = _library().Workbook()
    page = book.active
    for number, line in enumerate(lines, 1):
        for column, text in enumerate(line, 1):
            _put(page.cell(row=number, column=column), text)
    for letter, width in zip("ABC", WIDTHS, strict=True):
        page.column_dimensions[letter].width = width
    page.freeze_panes = "A2"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _put(cell: Any, text: str) -> None:
    from openpyxl.styles import Alignment

    cell.value = _short(_CONTROL.sub("", text)) or None
    if cell.value is not None:
        cell.data_type = "s"  # not a formula, whatever it begins with
    cell.number_format = "@"
    cell.quotePrefix = True  # what a spreadsheet shows as a leading apostrophe: it stays text when it is edited
    cell.alignment = Alignment(wrap_text=True, vertical="top")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} [… {len(text) - LONGEST:,}]"


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows below the head, by the names in it. Raises InputError for what is no XLSX file, or for a cell that holds an error."""
    with guarded(path):
        content = path.read_bytes()
    try:
        book = _library().load_workbook(io.BytesIO(content), data_only=True)
    except (OSError, ValueError, TypeError, KeyError, EOFError, SyntaxError, BadZipFile, zlib.error) as problem:
        raise InputError(f"{path}: is no XLSX file: {problem or type(problem).__name__}") from problem
    lines = iter(book.worksheets[0].iter_rows() if book.worksheets else ())
    head = [_text(cell, path).strip() for cell in next(lines, ())]
    yield dict.fromkeys(filter(None, head), "")  # the head itself, so that a missing column can be told
    for line in lines:
        yield {name: _text(cell, path) for name, cell in zip(head, line, strict=False) if name}


def _text(cell: Any, path: Path) -> str:
    """What a cell holds, as somebody would have typed it."""
    if cell.data_type == "e":
        raise InputError(f"{path}: cell {cell.coordinate}: holds the error {cell.value}; type the answer anew")
    return plain(cell.value, cell.number_format or "")


def plain(value: Any, number_format: str = "") -> str:
    """A value as text: whole numbers without a point, days as YYYY-MM-DD, shares with their sign."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{_number(value * 100)}%" if number_format.endswith("%") else _number(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("minutes")
    return _span(value) if isinstance(value, timedelta) else str(value)


def _number(value: float) -> str:
    return str(round(value)) if abs(value) < 1e15 and abs(value - round(value)) < 1e-9 else f"{value:.12g}"


def _span(value: timedelta) -> str:
    minutes = round(value.total_seconds() / 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"
