"""Numbers in the digits of a language's own script, and years in its own eras: an optional style of questions.

In: items. Out: the same items, those of the languages named with Devanagari, Arabic, … digits, or with Japanese eras. The one thing to
know: an item is changed as a whole or not at all: where one of its years has no era (before 1868) all of them stay, so that no option
stands out; what is changed is a new item, and ``meta`` says how under ``digits``. The first year of an era is 元年, and a year in which
one era followed another is counted in the later one.

Data: digits by the Unicode Standard; eras from Meiji on, by the year from which each was counted.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

import msgspec

from ..errors import UnknownName
from ..records import Accept, Item

VERSION = "1"
ZERO = {
    "ar": "ARABIC-INDIC", "as": "BENGALI", "bn": "BENGALI", "fa": "EXTENDED ARABIC-INDIC", "gu": "GUJARATI", "hi": "DEVANAGARI",
    "km": "KHMER", "kn": "KANNADA", "lo": "LAO", "ml": "MALAYALAM", "mr": "DEVANAGARI", "my": "MYANMAR", "ne": "DEVANAGARI",
    "or": "ORIYA", "pa": "GURMUKHI", "ps": "EXTENDED ARABIC-INDIC", "ta": "TAMIL", "te": "TELUGU", "th": "THAI",
    "ur": "EXTENDED ARABIC-INDIC",
}  # fmt: skip
"""Language → the Unicode name of its digits."""
ERAS = (("令和", 2019), ("平成", 1989), ("昭和", 1926), ("大正", 1912), ("明治", 1868))
LATEST = 2100
_YEAR = re.compile(r"(?<![0-9０-９.,])(1[0-9]{3}|20[0-9]{2}|[0-9]{3})年(?!前|間|代)")
_ALONE = re.compile(r"\s*([0-9]{3,4})年?\s*")


class NoEra(ValueError):
    """A year that has no era here."""


def digits(items: Iterable[Item], *, native: tuple[str, ...] = (), eras: tuple[str, ...] = ()) -> Iterator[Item]:
    """Rewrite the numbers of stem, options and accepted answers of the languages named (BCP 47); others pass as they are.

    ``native``: languages whose own digits are used, of those in ``ZERO``. ``eras``: languages in eras; there is ``ja``. An item that has a
    prompt fixed word for word passes as it is. Raises UnknownName for a language that has neither.
    """
    for lang in native:
        if lang.partition("-")[0] not in ZERO:
            raise UnknownName("language with digits of its own", lang, ZERO)
    for lang in eras:
        if lang.partition("-")[0] != "ja":
            raise UnknownName("language with eras", lang, ["ja"])
    for item in items:
        how = "" if item.prompt else "era" if item.lang in eras else "native" if item.lang in native else ""
        yield _changed(item, how) if how else item


def _changed(item: Item, how: str) -> Item:
    try:
        stem, options, accept = _texts(item, _in_eras if how == "era" else _in_digits(item.lang), how)
    except NoEra:
        return item
    made = msgspec.structs.replace(item, stem=stem, options=options, accept=accept)
    if made.id == item.id:
        return item
    return msgspec.structs.replace(made, parent=item.id, meta={**item.meta, "digits": how})


def _texts(item: Item, change: Callable[[str], str], how: str) -> tuple[str, tuple[str, ...], tuple[Accept, ...]]:
    """All texts of an item. In eras bare numbers among the options are years only if all options are and the stem asks for one."""
    numbers = [text for n, text in enumerate(_answers(item)) if n != item.abstain]
    years = "年" in item.stem and all(map(_ALONE.fullmatch, numbers))
    answers = [change(text) if how != "era" or years or not _ALONE.fullmatch(text) else text for text in _answers(item)]
    if item.kind == "choice":
        return change(item.stem), tuple(answers), ()
    return change(item.stem), (), tuple(Accept(text=t, weight=a.weight) for t, a in zip(answers, item.accept, strict=True))


def _answers(item: Item) -> list[str]:
    """The options, or the accepted answers."""
    return list(item.options or (answer.text for answer in item.accept))


def _in_digits(lang: str) -> Callable[[str], str]:
    zero = ord(unicodedata.lookup(f"{ZERO[lang.partition('-')[0]]} DIGIT ZERO"))
    table = {ord("0") + n: zero + n for n in range(10)}
    return lambda text: text.translate(table)


def _in_eras(text: str) -> str:
    if alone := _ALONE.fullmatch(text):
        return era(int(alone[1]))
    return _YEAR.sub(lambda year: era(int(year[1])), text)


def era(year: int) -> str:
    """A year of the common era as Japan counts it: 1945 → 昭和20年, 1989 → 平成元年. Raises NoEra before 1868 and after ``LATEST``."""
    for name, first in ERAS:
        if first <= year <= LATEST:
            return f"{name}{year - first + 1 if year > first else '元'}年"
    raise NoEra(f"{year} has no era: eras are counted from 1868 on")
