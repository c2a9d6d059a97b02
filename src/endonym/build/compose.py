"""Have a model write multiple-choice questions from documents: prompts out, items in, and a reason for every candidate that is none.

In: sources, a file of prompts (one a language) and one of regions (one a country); to read, the replies. Out: prompts; then items, and
with ``rejected`` a judgment for every other candidate. The one thing to know: each prompt asks for ``number`` questions, and so has that
many candidates (more where the model wrote more); each of them is either an item or rejected: candidates = items + rejected.
Paper: CARTE, sections 3.2 and 4, appendices A and D.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import InputError
from ..records import Item, Judgment, Message, Prompt, Response, Source
from .compose_item import Given, item
from .compose_json import Reject, questions
from .compose_wording import Places, brief, page, read_places, read_wording
from .split import length

VERSION = "1"
FILTERED = frozenset({"content_filter", "refusal", "safety", "SAFETY", "RECITATION", "blocklist"})
TOKENS = 320
"""Tokens that one question may take, with its JSON and its evidence."""
REASONS = (
    "failed", "refused", "truncated", "malformed", "missing", "fields", "options", "answer", "topic", "region", "evidence", "duplicate",
)  # fmt: skip
"""Why a candidate became no item; in the order in which it is looked at. ``missing``: the model wrote fewer than it was asked for."""


def write(sources: Iterable[Source], *, file: Path, places: Path, number: int = 5, subset: str = "", only: tuple[str, ...] = (),
          budget: int = 1500) -> Iterator[Prompt]:  # fmt: skip
    """Ask for ``number`` questions about every document whose topic is one of ``only``; if not given, one that the prompts name, if any.

    ``subset``: "" for CARTE's questions, "LV" for linguistic variation (the prompts name the topic of language). ``budget``: words of a
    document at most; a longer one raises ``InputError`` before anything is asked (``build.split`` cuts it), as does a run in which no
    document is left; ``TableError`` for a bad file.
    """
    if number < 1:
        raise InputError(f"number: {number}; at least one question is asked for")
    wording, known, count = read_wording(file), read_places(places), 0
    only = only or brief(wording, subset).documents
    for source in sources:
        if only and source.topic not in only:
            continue
        if (words := length(source.text)) > budget:
            raise InputError(f"{source.id}: text: has {words} words, budget is {budget}; cut long documents with build.split before")
        turns = (Message(role="user", content=page(source, wording, known, number, subset)),)
        method = f"compose:{subset}" if subset else "compose"
        yield Prompt(item=source.id, messages=turns, method=method, max_tokens=number * TOKENS)
        count += 1
    if not count:
        raise InputError("sources: no document is left to ask about" + (f" with one of the topics {', '.join(only)}" if only else ""))


def read(responses: Iterable[Response], prompts: Iterable[Prompt], sources: Iterable[Source], *, file: Path, places: Path,
         number: int = 5, subset: str = "") -> Iterator[Item]:  # fmt: skip
    """Every candidate that is an item, in the order of the replies. The settings are those of ``write``."""
    found = _candidates(responses, _asked(prompts, sources), _given(file, places, subset), read_places(places), number)
    yield from (made for made in found if isinstance(made, Item))


def rejected(said: Iterable[Response], asked: Iterable[Prompt], sources: Iterable[Source], *, file: Path, places: Path,
             number: int = 5, subset: str = "") -> Iterator[Judgment]:  # fmt: skip
    """Every candidate that is no item, with its reason (``criterion``, one of ``REASONS``); the tables and settings are those of ``read``.

    ``item`` names the candidate: ``PROMPT of MODEL #3``.
    """
    found = _candidates(said, _asked(asked, sources), _given(file, places, subset), read_places(places), number)
    yield from (made for made in found if isinstance(made, Judgment))


def _given(file: Path, places: Path, subset: str) -> Given:
    return Given(wording=read_wording(file), regions=read_places(places).regions, subset=subset)


def _asked(prompts: Iterable[Prompt], sources: Iterable[Source]) -> dict[str, Source]:
    """Prompt → the document that it asks about. Raises ``InputError`` where the sources are others than those asked about."""
    known = {source.id: source for source in sources}
    asked = {prompt.id: prompt.item for prompt in prompts}
    if missing := sorted(set(asked.values()) - known.keys()):
        raise InputError(f"sources: {missing[0]} was asked about and is not among them; name the table that the prompts were made of")
    return {prompt: known[source] for prompt, source in asked.items()}


def _candidates(responses: Iterable[Response], asked: dict[str, Source], given: Given, places: Places,
                number: int) -> Iterator[Item | Judgment]:  # fmt: skip
    """Every candidate of every reply, as what it became."""
    seen: dict[str, str] = {}
    for response in responses:
        source = asked[response.prompt]
        for slot, raw in enumerate(_slots(response, number), 1):
            name = f"{response.prompt} of {response.model} #{slot}"
            try:
                if isinstance(raw, Reject):
                    raise raw
                made = item(raw, source, response.model, given, places)
                if made.id in seen:
                    raise Reject("duplicate", f"is word for word the question of {seen[made.id]}")
            except Reject as reason:
                yield _judged(name, reason, raw)
                continue
            seen[made.id] = name
            yield made


def _slots(response: Response, number: int) -> list[object]:
    """What a reply holds for each question that was asked for: JSON values, or why there is none."""
    try:
        written = _written(response)
    except Reject as reason:
        return [reason] * number
    short = Reject("missing", f"{len(written)} of {number} questions were written")
    return [*written, *[short] * (number - len(written))]


def _written(response: Response) -> list[object]:
    if response.error:
        raise Reject("failed", response.error)
    if response.finish_reason in FILTERED:
        raise Reject("refused", f"the reply was refused: {response.text[:120] or response.finish_reason}")
    return questions(response.text, cut=response.finish_reason == "length")


def _judged(name: str, reason: Reject, raw: object) -> Judgment:
    stem = raw.get("question") if isinstance(raw, dict) else None
    note = f"{reason.note} · {stem[:120]}" if isinstance(stem, str) else reason.note
    return Judgment(item=name, judge=f"check/{reason.reason}", criterion=reason.reason, value="error", guideline="compose/1", note=note)
