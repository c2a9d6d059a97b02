"""How a question and its examples are laid out for a model: words, letters, order of the options, system prompt.

In: an item and its settings. Out: the turns of a prompt. A question that a data set fixes word for word is shown so in its own
order; any other is written in the item's language.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ..records import Item, Message
from .wording import Wording, ask_choice, system, wording

Method = Literal["letters", "texts", "generate"]
Orders = Literal["asis", "shuffle", "rotate"]
Letters = Literal["latin", "native"]


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Method, letters and words of a page; the same for the question and for its examples."""

    method: Method
    letters: Letters = "latin"
    words: Path | None = None

    def wording(self, item: Item) -> Wording:
        return wording(item.lang or "en", self.words)

    def text(self, item: Item, order: Sequence[int]) -> str:
        """The question with its options in an order."""
        if item.prompt and tuple(order) == tuple(range(len(order))):
            return item.prompt
        return ask_choice(item, order, wording=self.wording(item), letters=self.letters, instruct=self.method == "generate")

    def marks(self, item: Item) -> tuple[str, ...]:
        """The letters that stand before an item's options."""
        words = self.wording(item)
        native = self.letters == "native" and not item.prompt
        return (words.native if native else words.letters)[: len(item.options)]

    def solved(self, item: Item) -> tuple[Message, Message]:
        """An example: a question in its own order, and its right answer."""
        gold = item.gold or 0
        answer = item.options[gold] if self.method == "texts" else self.marks(item)[gold]
        return Message(role="user", content=self.text(item, range(len(item.options)))), Message(role="assistant", content=answer)

    def turns(self, item: Item, order: Sequence[int], shots: Sequence[Item], style: str) -> tuple[Message, ...]:
        """The system prompt of the style, if it has one, the examples, and the question."""
        told = system(self.wording(item), style, item.place, meta=item.meta)
        before = (Message(role="system", content=told),) if told else ()
        examples = (turn for shot in shots for turn in self.solved(shot))
        return (*before, *examples, Message(role="user", content=self.text(item, order)))

    def continuations(self, item: Item, order: Sequence[int]) -> tuple[str, ...]:
        """What a model's likelihoods are asked of, by position; nothing where it is to write."""
        if self.method == "generate":
            return ()
        return tuple(item.options[o] for o in order) if self.method == "texts" else self.marks(item)

    def gap(self, item: Item, text: str) -> str:
        """What stands between the cue and the answer in a raw text: nothing where the cue ends with a blank already."""
        return "" if text[-1:].isspace() else self.wording(item).gap


def layouts(item: Item, *, orders: Orders, seed: int) -> list[tuple[int, ...]]:
    """The orders in which an item's options are shown, each a tuple of option indices by position.

    ``asis``: its own; ``shuffle``: one drawn by seed and item; ``rotate``: one for each turn, so that gold stands everywhere
    once. An abstaining option keeps its place in all of them.
    """
    movable = [i for i in range(len(item.options)) if i != item.abstain]
    if orders == "shuffle":
        random.Random(f"{seed}:{item.id}").shuffle(movable)
    turns = range(len(movable)) if orders == "rotate" else range(1)
    return [_with_abstain(movable[turn:] + movable[:turn], item.abstain) for turn in turns]


def _with_abstain(turn: Sequence[int], abstain: int | None) -> tuple[int, ...]:
    return tuple(turn) if abstain is None else (*turn[:abstain], abstain, *turn[abstain:])
