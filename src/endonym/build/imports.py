"""What people annotated elsewhere, as tables: exports of Label Studio and of Argilla in, judgments or open items out.

In: an export (JSON, or JSON lines), and perhaps the items that were judged. Out: with ``judgments`` one judgment for each annotator, item
and question; with ``answered`` open items, whose accepted answers weigh as many annotators as gave them. The one thing to know: an item is
found by its id, which the task carries in its data or metadata (``item``); e-mail addresses never go out: who has no pseudonym in
``people`` is called by the tool's number, or by a digest of the address.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ..canonical import digest
from ..errors import InputError, TableError, UnknownName
from ..records import Accept, Item, Judgment
from . import imports_argilla, imports_label_studio, lines
from .imports_entry import Entry, Said
from .lines import Fault
from .transpose_page import shipped
from .votes import apart, tally

VERSION = "1"
FORMS: dict[str, Any] = {"label-studio": imports_label_studio, "argilla": imports_argilla}
NONE: dict[str, str] = {}


def judgments(items: Iterable[Item] = (), *, file: Path, form: str = "", item: str = "item", criteria: dict[str, str] = NONE,
              note: str = "", people: dict[str, str] = NONE) -> Iterator[Judgment]:  # fmt: skip
    """Every annotator's word on every item, in the order of the export.

    ``form``: label-studio or argilla; told from the file where it is empty. ``item``: the field of the data (or of the metadata) that
    holds the item's id; a record of Argilla without it is the item of its own id. ``criteria``: question of the tool → criterion; empty:
    all, by their own names. ``note``: the question whose text goes with the others as their note. ``people``: id of the tool → pseudonym.
    A task that was skipped, discarded or left as a draft is one abstention for each criterion. With a table of items every id must be
    in it. Raises TableError ("FILE: task 17: field: what").
    """
    wanted = frozenset({*criteria, *([note] if note else [])}) if criteria else frozenset()
    module, rows = _opened(file, form)
    for name in sorted(wanted - module.questions(rows)):
        raise UnknownName("question of the export", name, module.questions(rows))
    entries = _told(file, module.entries(rows, wanted))
    asked = criteria or {said.question: said.question for entry in entries for said in entry.said if said.question not in ("", note)}
    known = {each.id for each in items}
    for entry in entries:
        about = _about(file, entry, item, module is imports_argilla)
        if known and about not in known:
            raise TableError(f"{file}: {entry.where}: {item}: {about!r} is none of the {len(known)} items of the table")
        notes = {said.person: " ".join(said.values) for said in entry.said if note and said.question == note}
        for said in entry.said:
            if said.question != note or not note:
                yield from _judged(about, said, asked, notes.get(said.person, ""), people)


def _judged(about: str, said: Said, asked: Mapping[str, str], note: str, people: Mapping[str, str]) -> Iterator[Judgment]:
    judge = f"people/{pseudonym(said.person, people)}"
    for criterion in [asked[said.question]] if said.question else asked.values():
        yield Judgment(
            item=about, judge=judge, criterion=criterion, value="; ".join(said.values), status=said.status, note=said.note or note
        )  # fmt: skip


def pseudonym(person: str, people: Mapping[str, str]) -> str:
    """What somebody is called in a table. Raises InputError for nobody, unless ``people`` says how nobody is called."""
    if person in people:
        return people[person]
    if not person:
        raise InputError('people: an annotation says not who made it; give people = { "" = "somebody" }, if it was one person')
    return f"p{digest(person, 8)}" if "@" in person else person


def _about(file: Path, entry: Entry, item: str, own: bool) -> str:
    value = entry.data.get(item, entry.key if own else None)
    if not isinstance(value, str) or not value.strip():
        there = ", ".join(entry.data) or "no field"
        raise TableError(f"{file}: {entry.where}: {item}: is missing; it holds the id of the item. The data has {there}")
    return value.strip()


def answered(*, file: Path, form: str = "", question: str = "question", answer: str = "answer", lang: str = "", place: str = "",
             people: dict[str, str] = NONE, skip_bad: bool = False, skipped: list[str] | None = None) -> Iterator[Item]:  # fmt: skip
    """Every question that was answered, as an open item.

    ``question``: the field that holds it; ``answer``: the annotators' question whose texts are answers. ``lang`` and ``place`` hold where
    the data has no such field. Of a model's question moved to another country, ``item`` and ``maker`` of the data are kept.
    Raises TableError for a task without question, language or any answer; with ``skip_bad`` it is listed instead.
    """
    module, rows = _opened(file, form)
    for entry in _told(file, module.entries(rows, frozenset({answer}))):
        try:
            yield _item(entry, question, {"lang": lang, "place": place}, people)
        except (Fault, ValueError) as fault:
            lines.tell(f"{file}: {entry.where}: {fault}", skipped if skip_bad else None)


def _item(entry: Entry, question: str, usual: Mapping[str, str], people: Mapping[str, str]) -> Item:
    lang, place = (_text(entry, name) or usual[name] for name in ("lang", "place"))
    stem = _text(entry, question)
    if not stem:
        raise Fault(f"{question}: is missing; the data has {', '.join(entry.data) or 'no field'}")
    if not lang:
        raise Fault("lang: is missing; say in which language the questions are")
    accept = _accepted(entry, lang, people)
    if not accept:
        raise Fault("answer: nobody has answered")
    voters = {said.person for said in entry.said if said.values}
    meta = {"answered_by": "people", "asked": str(len({said.person for said in entry.said})), "answered": str(len(voters))}
    return Item(
        stem=stem, kind="open", accept=accept, lang=lang, place=place, topic=_text(entry, "topic"), subset=_text(entry, "subset"),
        entity=_text(entry, "entity"), source=entry.where, parent=_text(entry, "item"), maker=_text(entry, "maker"), meta=meta,
    )  # fmt: skip


def _accepted(entry: Entry, lang: str, people: Mapping[str, str]) -> tuple[Accept, ...]:
    words = next((each.answer.articles for tag, each in shipped().items() if tag.partition("-")[0] == lang.partition("-")[0]), ())
    given = ((pseudonym(said.person, people), [part for value in said.values for part in apart(value)]) for said in entry.said)
    return tally(given, words)


def _text(entry: Entry, name: str) -> str:
    value = entry.data.get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""


def label_studio(path: str | Path, *, skipped: list[str] | None = None) -> Iterator[Item]:
    """Open items of a Label Studio export whose data has ``question`` and ``lang``, and whose control ``answer`` takes texts."""
    yield from answered(file=Path(path), form="label-studio", skip_bad=skipped is not None, skipped=skipped)


def argilla(path: str | Path, *, skipped: list[str] | None = None) -> Iterator[Item]:
    """Open items of an Argilla export whose fields or metadata have ``question`` and ``lang``, and whose question is ``answer``."""
    yield from answered(file=Path(path), form="argilla", skip_bad=skipped is not None, skipped=skipped)


def _opened(file: Path, form: str) -> tuple[Any, list[Any]]:
    """The module that reads an export, and its rows. Raises UnknownName, TableError."""
    if form and form not in FORMS:
        raise UnknownName("form of export", form, FORMS)
    rows = _rows(file)
    if form:
        return FORMS[form], rows
    first = next((row for row in rows if isinstance(row, dict)), {})
    found = [module for module in FORMS.values() if module.is_export(first)]
    if len(found) != 1:
        keys = ", ".join(first) or "no field"
        raise TableError(f"{file}: is no export of {' or '.join(FORMS)}: a row has {keys}. From Label Studio export JSON, not JSON-MIN")
    return found[0], rows


def _rows(file: Path) -> list[Any]:
    """The rows of a JSON list, or of JSON lines."""
    try:
        content = lines.content(lines.file(file))
    except Fault as fault:
        raise TableError(f"{file}: {fault}") from fault
    if not content.lstrip().startswith(b"["):
        return list(lines.rows(file, lambda number, text: msgspec.json.decode(text)))
    try:
        return msgspec.json.decode(content, type=list[Any])
    except msgspec.DecodeError as error:
        raise TableError(f"{file}: {lines.malformed(error, content)}") from error


def _told(file: Path, entries: Iterator[Entry]) -> list[Entry]:
    try:
        return list(entries)
    except Fault as fault:
        raise TableError(f"{file}: {fault}") from fault


__all__ = ["FORMS", "VERSION", "answered", "argilla", "judgments", "label_studio", "pseudonym"]
