"""The words of a report: names of dimensions, languages and places; numbers as they are read; marks for signatures; its language.

In: codes, estimates, English. Out: text in the language of the page. The one thing to know: a group whose value is empty is shown as
"not stated" and a group named "all" as "all": neither is ever the total, which has no group. Sentences are written in English
where they are said, and looked up in ``template/LANGUAGE.toml``; one that is not there stays English.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import count, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from ..errors import UnknownName
from ..metrics import ALIASES, fact
from ..records import Estimate

DIMENSIONS = {
    "lang": "language", "shots": "number of examples", "parallel": "question", "method": "way of asking", "draw": "draw",
}  # fmt: skip
NOT_STATED = "not stated"
LANGUAGES = ("en", "fr")
_TONGUE: ContextVar[str] = ContextVar("the language of the report", default="en")
_HERE = Path(__file__).parent / "template"


@contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Write everything within in a language. Raises UnknownName for one that nobody has written down."""
    if lang not in LANGUAGES:
        raise UnknownName("language of the page", lang, LANGUAGES)
    before = _TONGUE.set(lang)
    try:
        yield
    finally:
        _TONGUE.reset(before)


def tongue() -> str:
    """The language of the page, BCP 47."""
    return _TONGUE.get()


@cache
def _table(lang: str) -> Mapping[str, str]:
    return {} if lang == "en" else tomllib.loads((_HERE / f"{lang}.toml").read_text(encoding="utf-8"))


def say(text: str, /, **values: Any) -> str:
    """A sentence in the language of the page; ``{name}`` in it is a value."""
    said = _table(tongue()).get(text, text)
    return said.format(**values) if values else said


def many(number: int, one: str, more: str, /, **values: Any) -> str:
    """One of two sentences, by the number: French says 0 as 1. ``{n}`` in them is the number as it is read."""
    single = number == 1 or (tongue() == "fr" and number == 0)
    return say(one if single else more, n=whole(number), **values)


def whole(number: int) -> str:
    """A count with marks at its thousands."""
    text = f"{number:,}"
    return text.replace(",", "\u202f") if tongue() == "fr" else text


def decimal(number: float, digits: int) -> str:
    """A number with so many decimals, and the language's mark before them."""
    text = f"{number:.{digits}f}"
    return text.replace(".", ",") if tongue() == "fr" else text


def dimension(name: str) -> str:
    """What a dimension is called in a heading."""
    return say(DIMENSIONS.get(name, name))


def value(name: str, code: str) -> str:
    """What a group is called: a language and a country by its name with its code, anything else as it is."""
    if not code:
        return say(NOT_STATED)
    field = ALIASES.get(name, name)
    known = _names(field, tongue()).get(code.replace("-", "_")) if field in {"lang", "place"} else None
    return f"{known} ({code})" if known and known != code else code


@cache
def _names(field: str, lang: str) -> Mapping[str, str]:
    from babel import Locale

    locale = Locale.parse(lang)
    return locale.languages if field == "lang" else locale.territories


def series(group: Mapping[str, str], dimensions: Sequence[str]) -> str:
    """What a column is called: the model, and what else sets its scores apart."""
    said = {"shots": say("{}-shot")}
    return " · ".join(said.get(name, "{}").format(group.get(name, "") or say(NOT_STATED)) for name in dimensions)


def percent(number: float | None) -> str:
    """A share in per cent with one decimal; a dash where there is no number."""
    return "–" if number is None else decimal(100 * number, 1)


def interval(estimate: Estimate) -> str:
    """The interval of a share in per cent; nothing where there is none."""
    return "" if estimate.low is None or estimate.high is None else f"{percent(estimate.low)}–{percent(estimate.high)}"


def plural(number: int, noun: str) -> str:
    """``1 question``, ``1,200 questions``."""
    more = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return many(number, f"{{n}} {noun}", f"{{n}} {more}")


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
