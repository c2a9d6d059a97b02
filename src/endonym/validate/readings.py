"""What each model of a panel made of each item: the scores of one way of asking, gathered.

In: scores. Out: :class:`Readings`, item → model → share of its readings that are right. The one thing to know: only a reply that was
read counts (answered, or abstained, which is not right); unparsed, truncated, refused and failed are no reading, and are never wrong.
"""

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from ..canonical import digest
from ..errors import InputError
from ..records import Item, Score

READ = ("answered", "abstained")


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """One model on one item."""

    model: str
    share: float
    """Of its readings that are right; over orders and draws."""

    @property
    def right(self) -> bool:
        return self.share >= 0.5


class Readings(msgspec.Struct, kw_only=True):
    """The scores of a panel by item, in the order of the table."""

    models: tuple[str, ...]
    shots: int
    style: str
    scores: dict[str, list[Score]]

    def of(self, item: Item) -> list[Member]:
        """The models that answered an item; raise InputError where it was put to none."""
        if item.id not in self.scores:
            raise InputError(f"item {item.id}: has no score: was the panel asked these items, or an earlier version of them?")
        held: dict[str, list[bool]] = defaultdict(list)
        for score in self.scores[item.id]:
            if score.status in READ:
                held[score.model].append(score.right)
        return [Member(model=model, share=sum(right) / len(right)) for model, right in held.items()]

    @property
    def signature(self) -> str:
        """Who was asked and how; the models by a digest of their sorted names, which the release card lists in full."""
        return f"{len(self.models)} models|shots:{self.shots}|style:{self.style}|models:{panel_id(self.models)}"


def panel_id(models: Iterable[str]) -> str:
    return digest(sorted(models), 12)


def readings(scores: Iterable[Score], *, shots: int, style: str) -> Readings:
    """Gather the scores of one number of examples and one style. Raises InputError, saying what there is, where all are of others.

    A table without rows is no fault by itself: nothing was left to ask.
    """
    held: dict[str, list[Score]] = defaultdict(list)
    models: set[str] = set()
    seen: set[str] = set()
    for score in scores:
        seen.add(f"shots {score.shots}, style {score.style}")
        if score.shots == shots and score.style == style:
            held[score.item].append(score)
            models.add(score.model)
    if seen and not held:
        raise InputError(f"scores: none with shots {shots}, style {style}; there are: {'; '.join(sorted(seen))}")
    return Readings(models=tuple(sorted(models)), shots=shots, style=style, scores=dict(held))
