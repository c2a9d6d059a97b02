"""Where other rooms are plugged in: checks of a text as it is written, and probes of models once it is submitted.

In: a question as it stands in the form (:class:`Written`). Out: judgments, replies. The one thing to know: a check may be called at
every pause in the typing, with half a question; a probe only for a submitted one, in a thread of its own.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from ..records import Accept, Item, Judgment, digest

FIELDS = ("stem", "answer", "variants", "domain", "note")


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A question that may be unfinished: what an open item is, without its demands. ``accept[0]`` is the answer."""

    stem: str = ""
    accept: tuple[Accept, ...] = ()
    lang: str = ""
    place: str = ""
    topic: str = ""
    kind: str = "open"
    meta: dict[str, str] = {}

    @property
    def id(self) -> str:
        return digest(["written", self.lang, self.stem, self.accept])

    @property
    def answer(self) -> str:
        return self.accept[0].text if self.accept else ""


class Checks(Protocol):
    """``endonym.validate.writing.findings``: an error blocks, a warning advises, a note proposes; no finding, no row.

    ``notes`` is the language of the messages.
    """

    def __call__(self, question: Written, *, lang: str, culture: str, accepted: Sequence[Item], notes: str = "") -> Iterable[Judgment]: ...


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What one model said to a question, put in one style: ``plain``, ``oracle``, or ``oracle:PLACE`` as from a sister culture."""

    model: str
    style: str
    text: str = ""
    status: str = "answered"
    right: bool = False


class Probes(Protocol):
    """Asks models a submitted question. May be slow; what it raises of this package's errors is kept as a failed reply."""

    def __call__(self, question: Item) -> Iterable[Reply]: ...


def plain_checks(question: Written, *, lang: str, culture: str, accepted: Sequence[Item], notes: str = "") -> list[Judgment]:
    """The least that can be said without knowing a language: no question mark, a very long question, a copy of an accepted one."""
    found: list[Judgment] = []
    stem, words = question.stem.strip(), question.stem.split()
    if stem and stem[-1] not in "?？؟;՞":
        found.append(_finding(question, "mark", "warning", "L1", "note.mark"))
    if len(words) > 40:
        found.append(_finding(question, "length", "error", "L1", "note.length"))
    if stem and any(item.stem.casefold().split() == stem.casefold().split() for item in accepted):
        found.append(_finding(question, "copy", "error", "L4", "note.copy"))
    if len(question.answer.split()) > 12:
        found.append(_finding(question, "answer-length", "warning", "L2", "note.answer"))
    return found


def _finding(question: Written, name: str, value: str, guideline: str, note: str) -> Judgment:
    """``note`` is a key of the catalogue: these few checks speak the language of the page."""
    return Judgment(item=question.id, judge=f"check/{name}", criterion=name, value=value, guideline=guideline, note=note)


def field(criterion: str) -> str:
    """Which field of the form a finding stands beside, by the beginning of its criterion."""
    return next((name for name in ("answer", "variants", "domain") if criterion.lower().startswith(name)), "stem")
