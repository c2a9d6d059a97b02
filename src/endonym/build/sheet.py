"""A sheet that people fill in by hand in, facts out; and the other way round, a sheet of what is lacking, to be filled in.

In: CSV with a comma, a semicolon or a tab, one fact a row, its first row the names of the columns: ``id`` or ``place`` and ``topic``,
``title``, ``item`` (a Wikidata id), ``year``, ``area`` and ``code`` (several values with a blank between them), ``SLOT:LANG`` for names
(``entity:pt``), ``url``, ``licence``, ``retrieved``, ``note``, and ``decides``: yes where the row is to settle what sources disagree on.
The one thing to know: a cell that is empty says nothing; it never takes away what another source says.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..errors import InputError, TableError, UnknownName
from ..records import Source
from . import lines

VERSION = "1"
PLAIN = ("id", "place", "topic", "title", "item")
FACTS = ("year", "area", "code")
ORIGIN = ("url", "licence", "retrieved", "note", "decides")
_LABEL = re.compile(r"[a-z_]+:[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def sheet(*, file: Path, licence: str = "", facts: tuple[str, ...] = FACTS) -> Iterator[Source]:
    """Read a sheet. ``licence`` holds for every row that names none; ``facts``: the columns that are slots of a fact.

    Raises ``TableError`` ("FILE:LINE: column: what") for a row of another length, a column not known, a fact without place or topic, an
    id that stands twice; ``StorageError`` for a missing file.
    """
    rows = _rows(file)
    head = _head(file, next(rows, (1, []))[1], facts)
    seen: dict[str, int] = {}
    for number, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(head):
            raise TableError(f"{file}:{number}: has {len(cells)} cells, the first row {len(head)}")
        clean = (unicodedata.normalize("NFC", cell.strip()) for cell in cells)
        source = _source(f"{file}:{number}", dict(zip(head, clean, strict=True)), facts, licence)
        if seen.setdefault(source.id, number) != number:
            raise TableError(f"{file}:{number}: id: {source.id!r} stands in line {seen[source.id]} too")
        yield source


def _rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows with the line each begins in; the separator is the one that the first row has most of."""
    try:
        text = lines.content(lines.file(file)).decode()
    except lines.Fault as error:
        raise TableError(f"{file}: {error}") from error
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    before = 0
    try:
        for cells in reader:
            yield before + 1, cells
            before = reader.line_num
    except csv.Error as error:
        raise TableError(f"{file}:{before + 1}: {error}") from error


def _head(file: Path, cells: Sequence[str], facts: Sequence[str]) -> list[str]:
    head = [cell.strip() for cell in cells]
    known = (*PLAIN, *facts, *ORIGIN)
    for n, name in enumerate(head):
        if name not in known and not _LABEL.fullmatch(name):
            raise TableError(f"{file}:1: {UnknownName('column', name, [*known, 'entity:LANG'])}")
        if name in head[:n]:
            raise TableError(f"{file}:1: the column {name!r} stands twice")
    if "id" not in head and not {"place", "topic"} <= set(head):
        raise TableError(f"{file}:1: has neither a column id nor the columns place and topic")
    return head


def _source(where: str, row: dict[str, str], facts: Sequence[str], licence: str) -> Source:
    place, topic, item, title = (row.get(name, "") for name in ("place", "topic", "item", "title"))
    if (given := row.get("id", "")) and (parts := given.split(".", 2))[2:]:
        place, topic = place or parts[0], topic or parts[1]
    labels: dict[str, dict[str, str]] = {}
    for name, text in row.items():
        if ":" in name and text:
            labels.setdefault(name.partition(":")[0], {})[name.partition(":")[2]] = text
    title = title or next(iter(labels.get("entity", {}).values()), "")
    for name, value in (("place", place), ("topic", topic), ("id, item or title", given or item or title)):
        if not value:
            raise TableError(f"{where}: {name}: is missing")
    fact = {slot: " ".join(row[slot].split()) for slot in facts if row.get(slot)} | ({"item": item} if item else {})
    origin = {name: row[name] for name in ORIGIN if row.get(name) and name != "decides"}
    if licence:
        origin.setdefault("licence", licence)
    origin.setdefault("url", Path(where).name)
    if row.get("decides", "").casefold() not in ("", "no", "0", "false"):
        origin["decides"] = "yes"
    return Source(
        id=given or f"{place}.{topic}.{item or slug(title)}", title=title, fact=fact, labels=labels, place=place, topic=topic, origin=origin
    )  # fmt: skip


def slug(text: str) -> str:
    """A name as a part of an id: ``Torre de Belém`` → ``torre-de-belem``; letters of other scripts stay."""
    bare = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text.casefold()))
    letters = (c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in unicodedata.normalize("NFC", bare))
    return "-".join("".join(letters).split())


def blank(sources: Iterable[Source], slots: dict[str, str], langs: Sequence[str]) -> str:
    """A sheet of what sources lack, as CSV: a fact in the slot of its topic (``slots``: topic → slot), or a name in a language.

    What is there is written too, so that whoever fills the sheet sees it; ``note`` says why a fact is lacking.
    """
    out = io.StringIO()
    columns = sorted(set(slots.values()))
    names = [f"entity:{lang}" for lang in langs]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "item", "title", *columns, *names, "url", "note", "decides"])
    for source in sources:
        if source.topic not in slots:
            raise InputError(f"{source.id}: topic: {source.topic!r} has no slot; there are: {', '.join(sorted(slots))}")
        held = source.labels.get("entity", {})
        disputed = bool(source.origin.get("disputed"))
        if source.fact.get(slots[source.topic]) and all(held.get(lang) for lang in langs) and not disputed:
            continue
        cells = [source.fact.get(column, "") for column in columns] + [held.get(lang, "") for lang in langs]
        note = source.origin.get("note", "")
        writer.writerow([source.id, source.fact.get("item", ""), source.title, *cells, source.origin.get("url", ""), note, ""])
    return out.getvalue()
