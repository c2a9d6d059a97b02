"""Difficulty as a property of an item: the share of models that get it right, and its tier, written into ``meta``.

In: items and scores. Out: the same items, with ``difficulty`` (Easy, Medium, Hard), ``difficulty_share`` (three decimals), ``difficulty_n``
(models that answered) and ``difficulty_panel`` (who was asked, and how). The one thing to know: a tier is a property of these models;
it is no part of an item's id, and an item that no model answered has no tier, which is said ("unknown"), never a middle one.

Paper: CARTE, section 3.4 and table 2; its limits are not in the text, those here are thirds (as in ``metrics.tiers``), and settable.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from ..errors import InputError
from ..records import Item, Score
from .readings import Member, Readings, readings

VERSION = "1"
_EPS = 1e-9


def difficulty(items: Iterable[Item], scores: Iterable[Score], *, easy: float = 2 / 3, hard: float = 1 / 3, shots: int = 0,
               style: str = "plain", unread: Literal["leave", "wrong"] = "leave") -> Iterator[Item]:  # fmt: skip
    """Write share and tier into every item: Easy from ``easy`` upwards, Hard up to ``hard``, Medium between.

    A model's share is over its orders and draws. ``unread="wrong"`` counts a reply that could not be read as not right, as
    ``metrics.difficulty`` does; by default it is left out of the share, and a failed call always is.
    Raises InputError for limits out of order, or an item without any score.
    """
    if not 0 <= hard < easy <= 1:
        raise InputError(f"hard: {hard} is not below easy, {easy}, both from 0 to 1")
    held = readings(scores, shots=shots, style=style)
    panel = f"{held.signature}|easy:{easy:.4g}|hard:{hard:.4g}" + ("|unread:wrong" if unread == "wrong" else "")
    for item in items:
        members = held.of(item)
        if unread == "wrong":
            members = _with_unread(item, members, held)
        share = sum(m.share for m in members) / len(members) if members else None
        meta = {"difficulty": tier(share, easy, hard), "difficulty_n": str(len(members)), "difficulty_panel": panel}
        known = {"difficulty_share": f"{share:.3f}"} if share is not None else {}
        kept = {key: value for key, value in item.meta.items() if not key.startswith("difficulty")}
        yield msgspec.structs.replace(item, meta={**kept, **meta, **known})


def tier(share: float | None, easy: float = 2 / 3, hard: float = 1 / 3) -> str:
    """The tier of a share of models right; ``unknown`` where there is no share."""
    if share is None:
        return "unknown"
    return "Easy" if share >= easy - _EPS else "Hard" if share <= hard + _EPS else "Medium"


def _with_unread(item: Item, members: list[Member], held: Readings) -> list[Member]:
    """Count every reply, read or not: a model's share is over all calls that did not fail."""
    calls: dict[str, list[bool]] = {}
    for score in held.scores[item.id]:
        if score.status != "failed":
            calls.setdefault(score.model, []).append(score.right)
    return [Member(model=model, share=sum(right) / len(right)) for model, right in calls.items()]
