"""A panel of models answers every item; what none of them gets right is dropped, for it is more often a bad item than a hard one.

In: items and the scores of a panel. Out: the items that stay (``panel``), or a judgment for each that was dropped, with the replies
(``dropped``). The one thing to know: a call that failed or a reply that could not be read is never taken as wrong. An item is
dropped only on the word of models that answered; where too few did, it stays, and its ``meta`` says ``panel = "unsettled: …"``.

Paper: CARTE, section 3.3 (seven models, 0-shot, dropped at 0 %).
"""

from collections.abc import Iterable, Iterator

import msgspec

from ..errors import InputError
from ..records import Item, Judgment, Response, Score
from .readings import Member, Readings, readings

VERSION = "1"
JUDGE = "panel"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """How many models must be right for an item to stay, how many may be, and how many have to have answered."""

    least: int = 1
    most: int | None = None
    answered: int | None = None

    def __post_init__(self) -> None:
        if self.least < 0 or (self.most is not None and self.most < self.least):
            raise InputError(f"least: {self.least} is not from 0 to most, {self.most}")
        if self.answered is not None and self.answered < 1:
            raise InputError(f"answered: {self.answered}; at least one model has to have answered")

    def verdict(self, members: list[Member], models: int) -> str:
        """``kept``, ``dropped`` or ``unsettled``: whatever those that did not answer would have said is left open."""
        right = sum(m.right for m in members)
        needed = models if self.answered is None else min(self.answered, models)
        silent = models - len(members)
        if right < self.least:
            return "dropped" if len(members) >= needed or right + silent < self.least else "unsettled"
        if self.most is not None and right > self.most:
            return "dropped"
        return "kept"


def panel(items: Iterable[Item], scores: Iterable[Score], *, least: int = 1, most: int | None = None, answered: int | None = None,
          shots: int = 0, style: str = "plain") -> Iterator[Item]:  # fmt: skip
    """Keep the items that at least ``least`` models get right (and no more than ``most``), marking those that are unsettled.

    ``answered``: how many models have to have answered for an item to be dropped; all of the panel if not given. Only scores of
    ``shots`` examples and ``style`` count. A model asked several times (orders, draws) is right if at least half of its readings are.
    Raises InputError where there is no such score, or where an item has none at all.
    """
    rule, held = Rule(least=least, most=most, answered=answered), readings(scores, shots=shots, style=style)
    for item in items:
        members = held.of(item)
        verdict = rule.verdict(members, len(held.models))
        if verdict == "unsettled":
            note = f"unsettled: {_count(members, held)}"
            yield msgspec.structs.replace(item, meta={**item.meta, "panel": note})
        elif verdict == "kept":
            yield item


def dropped(items: Iterable[Item], scores: Iterable[Score], said: Iterable[Response] = (), *, least: int = 1, most: int | None = None,
            answered: int | None = None, shots: int = 0, style: str = "plain") -> Iterator[Judgment]:  # fmt: skip
    """Say which items ``panel`` drops with the same settings, and which it leaves unsettled, each with the replies.

    Value ``dropped`` or ``unsettled``; the note has the count and each model's reply: the option it chose, and word for word what it
    wrote where the panel's responses are given as ``said``.
    """
    rule, held = Rule(least=least, most=most, answered=answered), readings(scores, shots=shots, style=style)
    words = _words(said)
    for item in items:
        members = held.of(item)
        verdict = rule.verdict(members, len(held.models))
        if verdict != "kept":
            replies = [_reply(score, item, words) for score in held.scores[item.id]]
            note = "; ".join([_count(members, held), *replies])
            yield Judgment(item=item.id, judge=JUDGE, criterion="panel", value=verdict, note=note)


def _count(members: list[Member], held: Readings) -> str:
    return f"{sum(m.right for m in members)} right of {len(members)} models that answered, {len(held.models)} asked"


def _words(said: Iterable[Response]) -> dict[tuple[str, str], Response]:
    return {(response.prompt, response.model): response for response in said}


def _reply(score: Score, item: Item, words: dict[tuple[str, str], Response]) -> str:
    chosen = f"{score.status}, {item.options[score.choice]!r}" if score.choice is not None and item.options else str(score.status)
    response = words.get((score.prompt, score.model))
    verbatim = "" if response is None else f" ({response.error or response.text.strip()[:200]!r})"
    return f"{score.model}: {chosen}{verbatim}"
