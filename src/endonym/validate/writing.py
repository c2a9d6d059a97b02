"""Check open questions as people write them: what breaks a guideline, said at once and in the writer's language.

In: a question, or a table of open items; a culture. Out: judgments, a row for each finding and none where nothing is found; ``judge`` is
``check/NAME``, ``guideline`` one of L1 to L7, E1 to E5, D1, D2. ``value`` is ``error`` (a hard rule: it blocks), ``warning``, or ``note``
(a proposal). The one thing to know: every word by which this is found is data (``data/writing``, ``data/cultures``), and what only
people or models can know (whether an answer is right, D2, D3) is left to them. Paper: Tuguesice, section 3.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec

from ..errors import InputError, UnknownName
from ..records import Item, Judgment
from . import writing_answer, writing_culture, writing_form, writing_names, writing_repeats, writing_words
from .writing_culture import SHIPPED, Culture, culture
from .writing_repeats import Alike
from .writing_view import Asked, Check, Finding, Text, View
from .writing_words import FOLDER

VERSION = "1"
CODED: dict[str, Check] = writing_form.CHECKS | writing_answer.CHECKS | writing_names.CHECKS
REPEATS = "duplicate"
FORM = ("mark", "length", "answer-length", REPEATS)
"""The checks that still say something of a question in the wrong language."""

__all__ = ["CODED", "REPEATS", "SHIPPED", "VERSION", "Culture", "Extra", "culture", "findings", "writing"]


class Extra(msgspec.Struct, frozen=True, kw_only=True):
    """What may be given beside a question and its culture.

    ``year`` of writing (0: this year); ``skip`` checks by name; ``folder`` of word lists, laid over the shipped files by name; ``alike``
    measures how near two questions are in meaning.
    """

    year: int = 0
    skip: tuple[str, ...] = ()
    folder: Path = FOLDER
    alike: Alike | None = None


NOTHING = Extra()


def findings(question: Asked, *, lang: str, culture: Culture | str, accepted: Sequence[Asked] = (), notes: str = "",
             extra: Extra = NOTHING) -> list[Judgment]:  # fmt: skip
    """What the checks say of one question, however much of it is there: a check of what is not yet written finds nothing.

    ``lang``: of the question (BCP 47). ``culture``: a record, a place with a shipped file (``PT``), or a file by name. ``accepted``:
    questions that must not be asked again. ``notes``: the writer's language, the question's if not given. A question in a language without
    a file gets the checks of form, in English. Raises UnknownName for a check to skip that does not exist, TableError for a bad file.
    """
    held = writing_culture.known(culture) if isinstance(culture, str) else culture
    rules = writing_words.rules(extra.folder)
    for name in extra.skip:
        if name not in rules:
            raise UnknownName("check", name, rules)
    said = writing_words.of(lang, extra.folder)
    told = writing_words.of(notes or lang, extra.folder)
    year = extra.year or datetime.now(UTC).year
    view = View(question, said, held, rules, year, Text(question))
    names = [n for n in rules if n not in extra.skip]
    if "language" in names and (other := list(CODED["language"](view))):
        names = [n for n in names if n in FORM]
        said_so = [_judgment(view, told, "language", found) for found in other]
    else:
        said_so = []
    return said_so + [_judgment(view, told, n, found) for n in names if n != "language" for found in _found(n, view, accepted, extra)]


def _found(name: str, view: View, accepted: Sequence[Asked], extra: Extra) -> Iterable[Finding]:
    """A check is coded, or compares with other questions, or else a look for the words and patterns of its name."""
    if not view.text.stem and not name.startswith("answer"):
        return ()
    if name == REPEATS:
        return writing_repeats.duplicate(view, accepted, extra.alike)
    return CODED.get(name, partial(_listed, name=name))(view)


def _listed(view: View, *, name: str) -> Iterator[Finding]:
    found = view.words.search(name, view.text.own) or view.words.phrases(name).first(view.text.stem)
    if found:
        yield Finding(found)


def _judgment(view: View, told: writing_words.Words, name: str, found: Finding) -> Judgment:
    rule = view.rules[name]
    filled = {key: f"{value:g}" for key, value in rule.limits.items()}
    note = told.message(name, **filled, since=view.year - int(filled.get("years", 3)), what=found.what)
    return Judgment(
        item=view.question.id, judge=f"check/{name}", criterion=name, value=found.value or rule.value, guideline=rule.guideline, note=note
    )  # fmt: skip


def writing(items: Iterable[Item], accepted: Iterable[Item] = (), *, culture: Path = SHIPPED, notes: str = "", year: int = 2026,
            words: Path = FOLDER, skip: tuple[str, ...] = ("variants",)) -> Iterator[Judgment]:  # fmt: skip
    """Check every open item, also against ``accepted`` ones and those before it in the table.

    ``culture``: a file, or a folder of files PLACE.toml (the item's place chooses). ``notes``: language of the messages. ``year``: of
    writing, for what is to be three years old. ``words``: a folder of word lists laid over the shipped ones. ``skip``: checks by name;
    the proposals of variants unless told otherwise. Raises InputError for a choice, UnknownName for a check that does not exist.
    """
    extra, asked = Extra(year=year, skip=tuple(skip), folder=Path(words)), dict[str, list[Asked]]()
    for item in accepted:
        asked.setdefault(item.lang, []).append(item)
    for item in items:
        if item.kind != "open":
            raise InputError(f"item {item.id}: kind: {item.kind!r} has options; validate.check is for choices")
        before = asked.setdefault(item.lang, [])
        yield from findings(item, lang=item.lang, culture=_culture(Path(culture), item), accepted=before, notes=notes, extra=extra)
        before.append(item)


def _culture(place: Path, item: Item) -> Culture:
    """The culture of a file; of an item's place among the files of a folder; or what is known of the place without one."""
    if not place.is_dir():
        return writing_culture.held(place)
    country = item.place.partition("-")[0].lower()
    found = next((p for p in (place / f"{item.place.lower()}.toml", place / f"{country}.toml") if item.place and p.is_file()), None)
    return writing_culture.held(found) if found else writing_culture.known(country.upper())
