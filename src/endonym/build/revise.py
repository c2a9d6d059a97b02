"""Moved questions before they are answered: a person from there keeps each, mends it or drops it.

In: questions (sources, of ``build.transposed``). Out: a page for each; of the replies the questions that stay, as they were or as they
were rewritten; with ``revised_out`` the others, with the reason that the person gave. The one thing to know: an edited question is a new
one (its ``fact["was"]`` names the one before), and a reply that is neither "ok", nor a word that drops, nor a question is counted as
unread and keeps nothing. Paper: Tuguesice, section 5 (the translated questions were revised by hand).
"""

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ..canonical import digest
from ..errors import InputError
from ..records import Judgment, Message, Prompt, Response, Source
from .compose_json import Reject
from .transpose_check import marked
from .transpose_page import Revise, revise_page, wording
from .votes import same

VERSION = "1"
METHOD = "revise"


def write(questions: Iterable[Source], *, file: Path | None = None) -> Iterator[Prompt]:
    """Show every question, with the one that it was made from. ``file``: other words than the shipped ones for the language."""
    for each in questions:
        turns = (Message(role="user", content=revise_page(each, wording(each.lang, file))),)
        yield Prompt(item=each.id, messages=turns, method=METHOD, max_tokens=160)


def read(responses: Iterable[Response], prompts: Iterable[Prompt], questions: Iterable[Source], *,
         file: Path | None = None) -> Iterator[Source]:  # fmt: skip
    """The questions that stay, in the order of the replies. Raises InputError where two people revised the same table."""
    yield from (found for found in _revised(responses, prompts, questions, file) if isinstance(found, Source))


def revised_out(said: Iterable[Response], asked: Iterable[Prompt], questions: Iterable[Source], *,
                file: Path | None = None) -> Iterator[Judgment]:  # fmt: skip
    """The questions that do not stay: ``dropped`` with the person's reason, ``question`` (unread), ``duplicate`` or ``failed``."""
    yield from (found for found in _revised(said, asked, questions, file) if isinstance(found, Judgment))


def _revised(responses: Iterable[Response], prompts: Iterable[Prompt], questions: Iterable[Source],
             file: Path | None) -> Iterator[Source | Judgment]:  # fmt: skip
    known, subject = {each.id: each for each in questions}, {p.id: p.item for p in prompts}
    who, seen = set[str](), set[tuple[str, str, str]]()
    for response in responses:
        who.add(response.model)
        if len(who) > 1:
            raise InputError(f"models: {' and '.join(sorted(who))} revised one table; let one revise what the other made, in two stages")
        asked = _known(known, subject[response.prompt])
        try:
            found = _one(response, asked, wording(asked.lang, file).revise)
            if (key := (found.lang, found.place, found.text)) in seen:
                raise Reject("duplicate", f"is another question word for word: {found.text[:120]!r}")
        except Reject as reason:
            why, note = reason.reason, reason.note
            yield Judgment(item=asked.id, judge=response.model, criterion=why, value="error", guideline="revise/1", note=note)
            continue
        seen.add(key)
        yield found


def _known(known: dict[str, Source], question: str) -> Source:
    if question not in known:
        raise InputError(f"questions: {question} was asked about and is not among them; name the table that the prompts were made of")
    return known[question]


def _one(response: Response, asked: Source, told: Revise) -> Source:
    if response.error:
        raise Reject("failed", response.error)
    text = unicodedata.normalize("NFC", " ".join(response.text.split()))
    if same(text) in {same(word) for word in told.keep}:
        return asked
    for word in sorted(told.drop, key=len, reverse=True):
        rest = text[len(word) :]
        if text.casefold().startswith(word) and not rest[:1].isalnum() and (rest.lstrip()[:1] == ":" or "?" not in rest):
            raise Reject("dropped", rest.strip(" :,;.-–—") or "no reason given")
    marked(text, asked.lang)
    if text == asked.text:
        return asked
    fact = {**asked.fact, "was": asked.id, "revised_by": response.model}
    return msgspec.structs.replace(asked, id=digest(["revised", asked.lang, asked.place, text]), text=text, fact=fact)
