"""The words of a report: names of dimensions, languages and places; numbers as they are read; marks for signatures.

In: codes, estimates. Out: text. The one thing to know: a group whose value is empty is shown as "not stated" and a group
named "all" as "all": neither is ever the total, which has no group.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import count, product
from string import ascii_lowercase

from ..metrics import ALIASES, fact
from ..records import Estimate

DIMENSIONS = {
    "lang": "language", "shots": "number of examples", "parallel": "question", "method": "way of asking", "draw": "draw",
}  # fmt: skip
NOT_STATED = "not stated"


def dimension(name: str) -> str:
    """What a dimension is called in a heading."""
    return DIMENSIONS.get(name, name)


def value(name: str, code: str) -> str:
    """What a group is called: a language and a country by its English name with its code, anything else as it is."""
    if not code:
        return NOT_STATED
    field = ALIASES.get(name, name)
    known = _names(field).get(code.replace("-", "_")) if field in {"lang", "place"} else None
    return f"{known} ({code})" if known and known != code else code


@cache
def _names(field: str) -> Mapping[str, str]:
    from babel import Locale

    english = Locale.parse("en")
    return english.languages if field == "lang" else english.territories


def series(group: Mapping[str, str], dimensions: Sequence[str]) -> str:
    """What a column is called: the model, and what else sets its scores apart."""
    said = {"shots": "{}-shot"}
    return " · ".join(said.get(name, "{}").format(group.get(name, "") or NOT_STATED) for name in dimensions)


def percent(number: float | None) -> str:
    """A share in per cent with one decimal; a dash where there is no number."""
    return "–" if number is None else f"{100 * number:.1f}"


def interval(estimate: Estimate) -> str:
    """The interval of a share in per cent; nothing where there is none."""
    return "" if estimate.low is None or estimate.high is None else f"{percent(estimate.low)}–{percent(estimate.high)}"


def plural(number: int, noun: str) -> str:
    """``1 question``, ``1,200 questions``."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else many}"


class Marks:
    """Letters for signatures, given as they come: what they say beyond the facts of the run and of the model, which are said once."""

    def __init__(self, contexts: Sequence[Mapping[str, str]]) -> None:
        self._facts = {fact(key, text) for context in contexts for key, text in context.items()}
        self._letters = _letters()
        self.said: dict[str, str] = {}
        """What a mark stands for → its letter."""

    def of(self, estimate: Estimate) -> str:
        own = "|".join(part for part in estimate.signature.split("|") if part not in self._facts)
        if own not in self.said:
            self.said[own] = next(self._letters)
        return self.said[own]


def _letters() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
