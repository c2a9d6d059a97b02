"""A question as the checks of writing see it: its text prepared once, whatever number of checks look at it.

In: a question (an open item, or one that is still being written), the words of its language and its culture. Out: a :class:`View`. A check
is a function from a view to findings; ``CHECKS`` of each module names them.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple, Protocol

from ..records import Accept
from .check_text import unquoted, words
from .writing_culture import Culture
from .writing_words import Rule, Value, Words, low

TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


class Asked(Protocol):
    """What is checked: an item of kind open, or a question with what there is of it so far. ``accept[0]`` is the answer."""

    @property
    def id(self) -> str: ...
    @property
    def stem(self) -> str: ...
    @property
    def accept(self) -> tuple[Accept, ...]: ...


class Finding(NamedTuple):
    """What a check found: the words that go into its message, and how grave, where it is not as grave as its rule says."""

    what: str
    value: Value | None = None


class View(NamedTuple):
    """A question made ready: ``year`` is the year of writing."""

    question: Asked
    words: Words
    culture: Culture
    rules: Mapping[str, Rule]
    year: int
    text: "Text"

    def limit(self, check: str, name: str) -> float:
        return self.rules[check].limits[name]


class Text:
    """The texts of a question in the forms that checks look at."""

    def __init__(self, question: Asked) -> None:
        self.stem = question.stem.strip()
        self.answers = tuple(a.text.strip() for a in question.accept if a.text.strip())
        self.answer = self.answers[0] if self.answers else ""

    @cached_property
    def low(self) -> str:
        """The stem in lower case, accents kept, a blank before no mark."""
        return re.sub(r" +([?!;:])", r"\1", low(self.stem))

    @cached_property
    def own(self) -> str:
        """``low`` without what is quoted: what the writer says."""
        return low(unquoted(self.stem))

    @cached_property
    def low_answer(self) -> str:
        return low(self.answer).rstrip(" .")

    @cached_property
    def tokens(self) -> list[str]:
        """The words of the stem as they are written; an apostrophe or hyphen within parts none."""
        return TOKEN.findall(self.stem)

    @cached_property
    def bare(self) -> tuple[str, ...]:
        """The words of the stem in lower case without accents."""
        return words(self.stem)

    @cached_property
    def bare_answer(self) -> tuple[str, ...]:
        return words(self.answer)


Check = Callable[[View], Iterable[Finding]]
