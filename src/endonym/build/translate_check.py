"""What a translation is held to: as many options, none equal to another, the same numbers and placeholders, the glossary's terms.

In: the texts of an item and their translations. Out: nothing, or a ``Reject`` with a reason that can be counted and a note that teaches.
The one thing to know: a number of three digits or more (a year) must come out as often as it went in, in whatever digits; a smaller one
must be there as a number, a Roman or a Chinese numeral (20th century, siglo XX, 二十世纪), and more of these may be added (January, 1月).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from .compose_json import Reject
from .translate_terms import folded

_PLACEHOLDER = re.compile(r"\{[\w.]*\}|%(?:\(\w+\))?[sd]|</?[a-zA-Z][^<>]*>|_{2,}|https?://\S+")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,'’  \u00a0]\d{3})+(?![\d.,]*\d)")
_ROMAN = re.compile(r"\b[IVXLC]+\b")
_HAN = re.compile("[一二三四五六七八九十]+")
_LARGE = 100
_UNTRANSLATED = 3
"""Words from which on a stem that comes out as it went in is taken for not translated; a title may well be the same."""


def hold(before: Sequence[str], after: Sequence[str]) -> None:
    """Raise ``Reject`` unless translated parts (the stem, then options or answers) are what their originals are."""
    names = ["question", *(f"options[{n}]" for n in range(len(before) - 1))]
    for name, one, other in zip(names, before, after, strict=True):
        _placeholders(name, one, other)
        _numbers(name, one, other)
    if folded(before[0]) == folded(after[0]) and len(before[0].split()) >= _UNTRANSLATED:
        raise Reject("untranslated", f"question: came back as it was: {after[0][:80]!r}")


def distinct(options: Sequence[str]) -> None:
    """Raise ``Reject`` where two options are the same but for case, width and blanks at the ends."""
    first: dict[str, int] = {}
    for n, option in enumerate(options):
        if (other := first.setdefault(folded(unicodedata.normalize("NFKC", option)), n)) != n:
            raise Reject("equal", f"options[{other}] and options[{n}] are the same: {option!r}")


def terms(text: str, wanted: dict[str, tuple[str, ...]]) -> None:
    """Raise ``Reject`` where a term of the glossary stands in a translation in none of its forms."""
    said = folded(text)
    for term, forms in wanted.items():
        if not any(folded(form) in said for form in forms):
            raise Reject("glossary", f"{term!r} is none of {', '.join(map(repr, forms))} in {text[:120]!r}")


def _placeholders(name: str, before: str, after: str) -> None:
    one, other = (Counter(_PLACEHOLDER.findall(text)) for text in (before, after))
    if one != other:
        lost, new = sorted((one - other).elements()), sorted((other - one).elements())
        raise Reject("placeholder", f"{name}: {lost or new} {'is lost' if lost else 'is new'}: {after[:120]!r}")


def _numbers(name: str, before: str, after: str) -> None:
    one, other = numbers(before), numbers(after)
    large, others = (Counter(n for n in found if n >= _LARGE) for found in (one, other))
    if large != others:
        lost, new = sorted((large - others).elements()), sorted((others - large).elements())
        raise Reject("number", f"{name}: {(lost or new)[0]} {'is lost' if lost else 'is new'}: {after[:120]!r}")
    known = {*other, *map(_roman, _ROMAN.findall(after)), *map(_han, _HAN.findall(after))}
    if lost := [n for n in one if n < _LARGE and n not in known]:
        raise Reject("number", f"{name}: {lost[0]} is lost: {after[:120]!r}")


def numbers(text: str) -> list[int]:
    """All whole numbers of a text, in the digits of any script; separators of thousands are no ends of a number."""
    joined = _GROUPED.sub(lambda m: "".join(sign for sign in m[0] if sign.isdecimal()), unicodedata.normalize("NFKC", text))
    return [int(digits) for digits in re.findall(r"\d+", joined)]


def _roman(numeral: str) -> int:
    values = [{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}[sign] for sign in numeral]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


def _han(numeral: str) -> int:
    """十 to 九十九, and single digits; 0 for what is no number of this form."""
    tens, ten, ones = numeral.rpartition("十")
    digits = "一二三四五六七八九"
    if len(tens) > 1 or len(ones) > 1 or "十" in tens:
        return 0
    return (10 * (digits.index(tens) + 1 if tens else 1) if ten else 0) + (digits.index(ones) + 1 if ones else 0)
