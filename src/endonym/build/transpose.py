"""Open questions about one country in, the same questions about another out: BLEnD's way of making a set, as a contrast to one from within.

In: open items with their places. Out: prompts; of the replies, items where the model also gave answers (``meta["answered_by"] = "model"``);
with ``transposed`` every question as a source, for people to revise (``build.revise``) and answer (``build.answers``); with
``transposed_out`` a reason for everything else. The one thing to know: replies = items + rows of ``transposed_out``, and replies =
questions + its errors; a question without an answer is a warning there, and no item until people have answered it.
Paper: Tuguesice, sections 2 and 5 (BLEnD-PT); BLEnD, section 3.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..errors import InputError
from ..records import Accept, Item, Judgment, Message, Prompt, Response, Source
from . import transpose_check as check
from .compose import FILTERED
from .compose_json import Reject
from .transpose_page import Wording, country, page, wording
from .votes import tally

VERSION = "1"
TOKENS = 320
REASONS = (
    "failed", "refused", "truncated", "malformed", "fields", "unfit", "question", "target", "source", "language", "untranslated",
    "duplicate", "answers", "unanswered",
)  # fmt: skip
"""Why a reply became no item, in the order in which it is looked at; the last two are warnings: the question is good."""


class Moved(NamedTuple):
    """What one reply became: a question and its answers, or the reasons why either is missing."""

    name: str
    question: Source | None
    accept: tuple[Accept, ...] = ()
    reject: Reject | None = None


def write(items: Iterable[Item], *, place: str, lang: str, answers: int = 3, file: Path | None = None) -> Iterator[Prompt]:
    """Ask for every item's counterpart in ``place`` (ISO 3166-1), written in ``lang`` (BCP 47), with up to ``answers`` answers (0: none).

    ``file``: other words than the shipped ones for the language. Raises InputError for an item that is a choice, names no country, or is
    about the target already; UnknownName or InputError for a language without words; TableError for a bad file.
    """
    if answers < 0:
        raise InputError(f"answers: {answers}; ask for some, or for 0")
    told, count = wording(lang, file), 0
    country(place, told.lang)
    for item in items:
        _movable(item, place)
        turns = (Message(role="user", content=page(item, place, told, answers)),)
        yield Prompt(item=item.id, messages=turns, method=f"transpose:{place}:{told.lang}", max_tokens=TOKENS + 2 * len(item.stem))
        count += 1
    if not count:
        raise InputError("items: there are none to be moved to another country")


def _movable(item: Item, place: str) -> None:
    if item.kind != "open":
        raise InputError(f"item {item.id}: kind: {item.kind!r} has options; open questions are moved to another country")
    if not item.place:
        raise InputError(f"item {item.id}: place: is empty; it says which country a question is about")
    if item.place.partition("-")[0] == place.partition("-")[0]:
        raise InputError(f"item {item.id}: place: is {item.place} already; name a country other than {place}, or choose the items")
    country(item.place, item.lang or "en")


def read(responses: Iterable[Response], prompts: Iterable[Prompt], items: Iterable[Item], *, place: str, lang: str, answers: int = 3,
         file: Path | None = None, subset: str = "") -> Iterator[Item]:  # fmt: skip
    """Every question that a model moved and answered, in the order of the replies; the settings are those of ``write``.

    At most ``answers`` are taken, the first ones, with weight 1 each: no person has given them.
    """
    for moved in _moved(responses, prompts, items, (place, wording(lang, file), answers)):
        if moved.question and moved.accept:
            yield check.item(moved.question, moved.accept, subset=subset, meta={"answered_by": "model"})


def transposed(said: Iterable[Response], asked: Iterable[Prompt], items: Iterable[Item], *, place: str, lang: str, answers: int = 3,
               file: Path | None = None) -> Iterator[Source]:  # fmt: skip
    """Every moved question, answered or not, for people; what a model would accept is in ``labels["candidates"]``."""
    for moved in _moved(said, asked, items, (place, wording(lang, file), answers)):
        if moved.question and moved.accept:
            proposed = {"candidates": {moved.question.lang: "; ".join(a.text for a in moved.accept)}}
            yield msgspec.structs.replace(moved.question, labels={**moved.question.labels, **proposed})
        elif moved.question:
            yield moved.question


def transposed_out(said: Iterable[Response], asked: Iterable[Prompt], items: Iterable[Item], *, place: str, lang: str, answers: int = 3,
                   file: Path | None = None) -> Iterator[Judgment]:  # fmt: skip
    """Every reply that is no item, with its reason (``criterion``, one of ``REASONS``); ``item`` names it: ``ITEM to PLACE of MODEL``.

    ``value``: error, or warning where the question is good and only its answers are missing or wrong.
    """
    for moved in _moved(said, asked, items, (place, wording(lang, file), answers)):
        if why := moved.reject:
            value = "warning" if moved.question else "error"
            yield Judgment(
                item=moved.name, judge=f"check/{why.reason}", criterion=why.reason, value=value, guideline="transpose/1", note=why.note
            )  # fmt: skip


def _moved(responses: Iterable[Response], prompts: Iterable[Prompt], items: Iterable[Item],
           to: tuple[str, Wording, int]) -> Iterator[Moved]:  # fmt: skip
    """Every reply, as what it became; of two that are the same question, the first."""
    asked, seen = _asked(prompts, items, f"transpose:{to[0]}:{to[1].lang}"), dict[str, str]()
    for response in responses:
        item = asked[response.prompt]
        name = f"{item.id} to {to[0]} of {response.model}"
        moved = _one(response, item, to, name)
        if moved.question and (first := seen.setdefault(moved.question.id, name)) != name:
            moved = Moved(name, None, (), Reject("duplicate", f"is word for word {first}: {moved.question.text[:120]!r}"))
        yield moved


def _asked(prompts: Iterable[Prompt], items: Iterable[Item], method: str) -> Mapping[str, Item]:
    """Prompt → the item that it asks to move. Raises ``InputError`` where settings or items are others than those of the prompts."""
    known = {item.id: item for item in items}
    asked: dict[str, Item] = {}
    for prompt in prompts:
        if prompt.item not in known:
            raise InputError(f"items: {prompt.item} was to be moved and is not among them; name the table that the prompts were made of")
        if prompt.method != method:
            raise InputError(f"place, lang: the prompts were made for {prompt.method}, not {method}; bring them up to date")
        asked[prompt.id] = known[prompt.item]
    return asked


def _one(response: Response, item: Item, to: tuple[str, Wording, int], name: str) -> Moved:
    place, told, most = to
    question: Source | None = None
    try:
        written = _written(response)
        text = check.question(written, item, place, told)
        question = check.source(text, item, place, told, response.model)
        return Moved(name, question, _answers(written, text, told, most))
    except Reject as reason:
        return Moved(name, question, (), reason)


def _written(response: Response) -> dict[str, Any]:
    if response.error:
        raise Reject("failed", response.error)
    if response.finish_reason in FILTERED:
        raise Reject("refused", f"the reply was refused: {response.text[:120] or response.finish_reason}")
    return check.raw(response.text, cut=response.finish_reason == "length")


def _answers(written: dict[str, Any], text: str, told: Wording, most: int) -> tuple[Accept, ...]:
    """The answers of a model, equal ones as one. Raises ``Reject``: answers, unanswered."""
    given = written.get("answers", []) if most else []
    if not isinstance(given, list):
        raise Reject("answers", "answers: expected a list of texts")
    texts = [_answer(value, n) for n, value in enumerate(given[:most])]
    inside = [answer for answer in texts if check.pattern(answer.lower()).search(text)]
    if inside:
        raise Reject("answers", f"answers: {inside[0]!r} stands in the question")
    found = tally([("model", texts)], told.answer.articles)
    if not found:
        raise Reject("unanswered", "the model gave no answer; people answer the question (build.answers)")
    return found


def _answer(value: Any, n: int) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    try:
        return check.one_line(text, f"answers[{n}]")
    except Reject as reason:
        raise Reject("answers", reason.note) from None


__all__ = ["REASONS", "VERSION", "read", "transposed", "transposed_out", "write"]
