"""Make two spellings of one text equal, and nothing more.

In: a text and its language. Out: a text in which forms that a reader takes for the same are the same. :func:`fold`
unites composition (NFC), full-width and half-width forms, digits of every script, marks of direction, apostrophes and optional vowel
signs; ① and ² stay what they are. :func:`lower` keeps the length of the text, so that places in one hold in the other.
"""

import re
import unicodedata
from functools import cache

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "}
_MARKS = dict.fromkeys([0xAD, 0x61C, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF])
_QUOTES = {"’": "'", "‘": "'", "ʼ": "'", "′": "'", "‐": "-", "‑": "-", "−": "-", "“": '"', "”": '"', "ß": "ss", "ẞ": "SS", "臺": "台"}
_SPACES = dict.fromkeys([0xA0, 0x202F, *range(0x2000, 0x200B)], " ")
_ARABIC = {"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ـ": None}
_HARAKAT = dict.fromkeys([*range(0x64B, 0x660), 0x670])
_CYRILLIC = {"ё": "е", "Ё": "Е"}
_NIQQUD = dict.fromkeys([*range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7])
_SPAN = re.compile(r"(?<=\d)[–—](?=\d)")
_HALF = re.compile(r"[\uff61-\uff9f]+")


def fold(text: str, lang: str = "") -> str:
    """Unite the spellings of one text: NFC, widths, digits, directions, quotes, optional vowel signs of Arabic and Hebrew."""
    if not text.isascii():
        text = _HALF.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text)
        text = unicodedata.normalize("NFC", text).translate(_table())
        text = unicodedata.normalize("NFC", _SPAN.sub("-", text))
    return text


def lower(text: str, lang: str = "") -> str:
    """Lower-case a text as its language does (Turkish I ı, İ i; σ for ς), without changing its length."""
    if text.isascii() and "I" not in text:
        return text.lower()
    if lang[:2] in ("tr", "az") and lang[2:3] in ("", "-"):
        text = text.replace("I", "ı")
    return text.replace("İ", "i").lower().replace("ς", "σ")


def bare(text: str) -> str:
    """Take the accents off Latin and Greek letters, length kept; what an all-capital or careless spelling leaves out."""
    return text if text.isascii() else text.translate(_accents())


@cache
def _table() -> dict[int, str | int | None]:
    digits = {c: str(unicodedata.decimal(chr(c))) for c in range(128, 0x20000) if unicodedata.category(chr(c)) == "Nd"}
    letters = str.maketrans({**_QUOTES, **_CYRILLIC, **_ARABIC})
    return {**letters, **_NIQQUD, **_HARAKAT, **_SPACES, **_WIDE, **_MARKS, **digits}


@cache
def _accents() -> dict[int, str]:
    codes = [*range(0xC0, 0x250), *range(0x370, 0x400), *range(0x1E00, 0x2000)]
    bases = {code: unicodedata.normalize("NFD", chr(code))[:1] for code in codes}
    whole = {ord(sign): base for sign, base in zip("đĐłŁøØ", "dDlLoO", strict=True)}
    return whole | {code: base for code, base in bases.items() if base.isalpha() and base != chr(code)}
