"""A folder of documents in, sources out: text, Markdown, HTML, PDF and Word files, and pages of the web where a network is allowed.

In: a folder with the documents and, beside them, what is known of each (``sources.csv``, ``sources.toml`` or ``NAME.toml``; see
``documents_table``). Out: one source a document, by name; its ``id`` is the path within the folder, its ``text`` is in NFC with
headings as ``# …``. The one thing to know: a document that cannot be read, or that holds no text, is an error or, where the caller
gives a list ``skipped``, a line in it; nothing is left out in silence.
Paper: CARTE, section 3.1.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..errors import InputError
from ..records import Source
from . import documents_table as tables
from . import documents_text as texts
from . import lines
from .documents_net import fetch

VERSION = "1"


def documents(*, path: Path, lang: str = "", place: str = "", licence: str = "", network: bool = False,
              skipped: list[str] | None = None) -> Iterator[Source]:  # fmt: skip
    """Read every document of a folder, in the order of their names; those that are only a URL come last, in the table's order.

    ``lang`` (BCP 47), ``place`` (ISO 3166) and ``licence`` hold for documents whose table does not say. ``network``: pages may be fetched.
    Raises ``TableError`` for a bad table, an unreadable or an empty document (or lists it in ``skipped``), ``InputError`` where no
    document is left or a page would have to be fetched and may not, ``Unavailable`` for a library that is missing.
    """
    folder = lines.folder(path, "documents")
    entries = tables.entries(folder)
    defaults = {"lang": lang, "place": place, "licence": licence}
    names = [*tables.files(folder), *(name for name, entry in entries.items() if not entry.file)]
    if not names:
        raise InputError(f"{path}: holds no documents ({', '.join(sorted(texts.READERS))})")
    if not network and (pages := [name for name in names if name in entries and not entries[name].file]):
        raise InputError(f"{path}: {len(pages)} documents are pages of the web, the first is {pages[0]}; set network = true to fetch them")
    made = 0
    for name in names:
        try:
            source = _source(folder, name, entries.get(name))
        except lines.Fault as fault:
            lines.tell(f"{folder / name if _is_file(entries, name) else name}: {fault}", skipped)
            continue
        made += 1
        yield _filled(source, defaults)
    if not made:
        raise InputError(f"{path}: not one of {len(names)} documents could be read; the first: {(skipped or [''])[0]}")


def _is_file(entries: dict[str, tables.Entry], name: str) -> bool:
    return name not in entries or bool(entries[name].file)


def _source(folder: Path, name: str, entry: tables.Entry | None) -> Source:
    """One document with what is known of it. Raises ``Fault``."""
    if entry is None and (listing := tables.table(folder)):
        raise lines.Fault(f"file: stands in no row of {listing}")
    entry = entry or tables.Entry(file=name)
    if entry.file:
        text, retrieved = texts.read(folder / name), entry.retrieved
    else:
        page = fetch(entry.url)
        text, retrieved = texts.decoded(page.data, page.kind), entry.retrieved or page.retrieved
    text = texts.settled(text)
    if not any(map(str.isalpha, text)):
        raise lines.Fault("text: the document holds none" + texts.why_empty(name))
    origin = {"url": entry.url, "licence": entry.licence, "retrieved": retrieved, "note": entry.note}
    return Source(
        id=name, text=text, lang=entry.lang, place=entry.place, topic=entry.topic, title=entry.title or texts.title(text),
        origin={k: v for k, v in origin.items() if v},
    )  # fmt: skip


def _filled(source: Source, defaults: dict[str, str]) -> Source:
    """Lay the folder's defaults under what a document's own row says."""
    origin = {**({"licence": defaults["licence"]} if defaults["licence"] else {}), **source.origin}
    return msgspec.structs.replace(
        source, lang=source.lang or defaults["lang"], place=source.place or defaults["place"], origin=dict(sorted(origin.items()))
    )  # fmt: skip
