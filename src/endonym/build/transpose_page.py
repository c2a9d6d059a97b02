"""The words with which questions are moved to another country: what a model is told, and what people are asked.

In: a file of words (``data/transpose/LANG.toml``), a question, two countries. Out: the text of a prompt. The one thing to know: a question
stands between marks that nothing in it can open or close, and each language has its file, in that language.
Paper: Tuguesice, sections 2 and 5 (how BLEnD's questions were carried to other countries; the wording here is ours).
"""

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import msgspec

from ..errors import InputError, TableError, UnknownName
from ..records import Item, Record, Source
from . import lines

FOLDER = Path(__file__).parent.parent / "data" / "transpose"
OPEN, CLOSE = "<<<", ">>>"
_MARK = re.compile(r"<{3,}|>{3,}")


class Revise(Record, frozen=True):
    """What people are asked when they revise a question, and the replies that keep it or drop it."""

    task: str
    how: tuple[str, ...]
    original: str
    keep: tuple[str, ...]
    drop: tuple[str, ...]


class Answer(Record, frozen=True):
    """What people are asked when they answer, the replies that say that there is no answer, and the language's articles."""

    task: str
    how: tuple[str, ...]
    candidates: str
    unknown: tuple[str, ...]
    not_here: tuple[str, ...]
    articles: tuple[str, ...] = ()


class Wording(Record, frozen=True):
    """A whole file. ``names``: country (ISO 3166-1) → words that name it or its people; ``common``: frequent words."""

    lang: str
    language: str
    role: str
    task: str
    rules: tuple[str, ...]
    candidates: str
    material: str
    format: str
    revise: Revise
    answer: Answer
    common: tuple[str, ...]
    names: dict[str, tuple[str, ...]] = {}


def wording(lang: str, file: Path | None = None) -> Wording:
    """The words of a file, or of the shipped one for a language (BCP 47): pt is pt-PT, en-GB is en; pt-BR has none.

    Raises InputError for a language without a file or another than the file's, TableError naming file and field.
    """
    if file:
        found = _read(file)
        if found.lang.partition("-")[0] != lang.partition("-")[0]:
            raise InputError(f"{file}: lang: is {found.lang!r}, the questions are to be in {lang!r}")
        return _in(found, lang)
    known = shipped()
    fitting = [tag for tag in known if lang in (tag, tag.partition("-")[0]) or lang.partition("-")[0] == tag]
    if len(fitting) != 1:
        raise InputError(f"{UnknownName('language', lang, known)}; write a file like {next(iter(known))}.toml and name it as file")
    return _in(known[fitting[0]], lang)


def _in(found: Wording, lang: str) -> Wording:
    """The words, for the tag that was asked for where it says more than the file's (en-GB)."""
    return found if found.lang.startswith(lang) else msgspec.structs.replace(found, lang=lang)


@cache
def shipped() -> dict[str, Wording]:
    """The files that come with the package, by language."""
    return {found.lang: found for found in map(_read, sorted(FOLDER.glob("*.toml")))}


def _read(path: Path) -> Wording:
    found = lines.toml(path, Wording)
    for name in ("rules", "common"):
        if not all(word.strip() for word in getattr(found, name)) or not getattr(found, name):
            raise TableError(f"{path}: {name}: there must be some, and none may be empty")
    return found


def country(place: str, lang: str) -> str:
    """What a place's country is called in a language, as CLDR has it. Raises InputError for a code that is no country's."""
    from babel import Locale, UnknownLocaleError

    code = place.partition("-")[0].upper()
    try:
        names = Locale.parse(lang, sep="-").territories
    except (ValueError, UnknownLocaleError):
        names = Locale("en").territories
    if len(code) != 2 or code not in names:
        raise InputError(f"place: {place!r} is no country (ISO 3166-1: PT)")
    return str(names[code])


def page(item: Item, place: str, told: Wording, answers: int) -> str:
    """What a model sees: the question of an item, to be moved to ``place``."""
    words = {"source": country(item.place, told.lang), "target": country(place, told.lang), "language": told.language}
    rules = [*told.rules, *([told.candidates] if answers else [])]
    said = [told.role, told.task, "", *(f"- {rule}" for rule in rules)]
    shape = {"question": "…", **({"answers": ["…"]} if answers else {}), "fits": True, "why": ""}
    head = [_filled(line, {**words, "answers": str(answers)}) for line in said]
    return "\n".join([*head, "", told.material, OPEN, safe(item.stem), CLOSE, "", told.format, json.dumps(shape, ensure_ascii=False)])


def revise_page(question: Source, told: Wording) -> str:
    """What a person sees who revises a question."""
    original = next(iter(question.labels.get("original", {}).values()), "")
    from_ = [f"{told.revise.original}: {safe(original)}"] if original else []
    return _person(question, told, told.revise.task, told.revise.how, from_)


def answer_page(question: Source, told: Wording, *, candidates: bool) -> str:
    """What a person sees who answers a question; with the answers of a model, if that is wanted."""
    proposed = "; ".join(question.labels.get("candidates", {}).values()) if candidates else ""
    shown = [f"{told.answer.candidates}: {safe(proposed)}"] if proposed else []
    return _person(question, told, told.answer.task, told.answer.how, shown)


def _person(question: Source, told: Wording, task: str, how: Sequence[str], more: Iterable[str]) -> str:
    words = {"target": country(question.place, told.lang), "language": told.language}
    head = [_filled(line, words) for line in (task, *(f"- {line}" for line in how))]
    return "\n".join([*head, "", f"{told.material} {safe(question.text)}", *more])


def _filled(line: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        line = line.replace(f"{{{name}}}", value)
    return line


def safe(text: str) -> str:
    """A text in one line that can neither open nor close the marks."""
    return " ".join(_MARK.sub(lambda m: ("‹" if m[0][0] == "<" else "›") * len(m[0]), text).split())
