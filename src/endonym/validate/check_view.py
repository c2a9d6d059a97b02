"""One item as the checks see it: its text prepared once, whatever number of checks look at it.

In: an item and the rules of its language. Out: the stem with and without its quotations, the options that are answers, the option
"don't know", and places. A check is a function from a view to findings.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

from ..records import Item
from .check_numbers import Span, span
from .check_rules import Rules, Value
from .check_text import Found, lowered, plain, unquoted, words

VARIATION = "LV"
"""The subset of linguistic variation, CARTE-LV: regional forms are its subject, so its options may be near each other."""


class Finding(NamedTuple):
    """What a check found: the words that go into its message, and how grave, where it is not as grave as its rule says."""

    what: str
    value: Value | None = None


class View:
    """An item made ready for checks."""

    def __init__(self, item: Item, rules: Rules) -> None:
        self.item, self.rules = item, rules
        self.variation = item.subset == VARIATION

    @cached_property
    def unknowns(self) -> tuple[int, ...]:
        """The options that say "I don't know"."""
        known = self.rules.unknown
        return tuple(n for n, o in enumerate(self.item.options) if n == self.item.abstain or words(o) in known)

    @cached_property
    def answers(self) -> tuple[int, ...]:
        """The options that are answers."""
        return tuple(n for n in range(len(self.item.options)) if n not in self.unknowns)

    @cached_property
    def gold(self) -> str:
        """The text of the right answer; "" for an open item."""
        return "" if self.item.gold is None else self.item.options[self.item.gold]

    @cached_property
    def distractors(self) -> tuple[str, ...]:
        return tuple(self.item.options[n] for n in self.answers if n != self.item.gold)

    @cached_property
    def unquoted(self) -> str:
        """The stem without what it quotes."""
        return unquoted(self.item.stem)

    @cached_property
    def said(self) -> str:
        """The stem without what it quotes, in lower case."""
        return lowered(self.unquoted)

    @cached_property
    def places(self) -> list[Found]:
        """The places that the stem names."""
        return list(self.rules.places.find(self.item.stem))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The options as they are compared: without case, accents, marks and a leading article; bare case for variation."""
        return tuple(self.key(option) for option in self.item.options)

    def key(self, text: str) -> str:
        """One text as it is compared. Where forms are the subject, a mark or an accent may be all the difference."""
        if self.variation:
            return " ".join(text.lower().replace("’", "'").split()).strip(" .«»\"“”")
        found = words(text)
        while len(found) > 1 and found[0] in self.rules.articles:
            found = found[1:]
        return " ".join(found) or plain(text)

    @cached_property
    def spans(self) -> dict[int, Span]:
        """The answers that are quantities."""
        found = ((n, span(self.item.options[n], self.rules)) for n in self.answers)
        return {n: s for n, s in found if s is not None}


ItemCheck = Callable[[View], Iterable[Finding]]
