"""Scripts: which one a language is written in, and which ones the letters of a text belong to.

In: a language tag, or a text. Out: names of scripts as Unicode's character names begin with them (LATIN, CYRILLIC, CJK). The one thing to
know: CLDR names a language's likely script; Japanese and Korean are written in several.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from .audit_hits import Signs

_NAMES = {
    "Hans": "CJK", "Hant": "CJK", "Hani": "CJK", "Jpan": "CJK HIRAGANA KATAKANA", "Kore": "HANGUL CJK", "Hang": "HANGUL", "Latn": "LATIN",
    "Cyrl": "CYRILLIC", "Arab": "ARABIC", "Deva": "DEVANAGARI", "Grek": "GREEK", "Hebr": "HEBREW", "Beng": "BENGALI", "Thai": "THAI",
    "Taml": "TAMIL", "Telu": "TELUGU", "Knda": "KANNADA", "Mlym": "MALAYALAM", "Gujr": "GUJARATI", "Guru": "GURMUKHI", "Orya": "ORIYA",
    "Sinh": "SINHALA", "Mymr": "MYANMAR", "Khmr": "KHMER", "Laoo": "LAO", "Tibt": "TIBETAN", "Geor": "GEORGIAN", "Armn": "ARMENIAN",
    "Ethi": "ETHIOPIC", "Mong": "MONGOLIAN CYRILLIC", "Thaa": "THAANA", "Tfng": "TIFINAGH", "Syrc": "SYRIAC", "Cher": "CHEROKEE",
}  # fmt: skip
"""ISO 15924 → the first words of its characters' names."""
_ALIAS = {"IDEOGRAPHIC": "CJK", "KATAKANA-HIRAGANA": "KATAKANA", "FULLWIDTH": "LATIN", "HALFWIDTH": "KATAKANA", "KANGXI": "CJK"}
_RUN = re.compile("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]+|[^A-Za-z\u00aa-\u024f\u1e00-\u1eff]+")
_LOOK_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK"})


@lru_cache(maxsize=1_000)
def expected(lang: str) -> frozenset[str]:
    """The scripts of a language (BCP 47: zh-Hant, sr-Latn, pt-BR); empty for a language that CLDR does not know."""
    from babel.core import get_global

    likely = get_global("likely_subtags")
    parts = lang.replace("_", "-").split("-")
    if script := next((part.title() for part in parts[1:] if len(part) == 4 and part.isalpha()), ""):
        return frozenset(_NAMES.get(script, script.upper()).split())
    tags = [f"{parts[0].lower()}_{part.upper()}" for part in parts[1:] if len(part) == 2] + [parts[0].lower()]
    found = next((likely[tag] for tag in tags if tag in likely), "")
    script = next((part for part in found.split("_") if len(part) == 4), "")
    return frozenset(_NAMES.get(script, script.upper()).split()) if script else frozenset()


def _script(sign: str) -> str:
    """A letter's script as one character that stands for it; an empty string for all that is no letter of a script."""
    if unicodedata.category(sign)[0] != "L":
        return ""
    word = unicodedata.name(sign, "").partition(" ")[0]
    if word in ("MODIFIER", "FEMININE", "MASCULINE", ""):
        return ""
    word = _ALIAS.get(word, word)
    if word not in _SEEN:
        _SEEN.append(word)
    return chr(0xE000 + _SEEN.index(word))


_SEEN: list[str] = []
_SCRIPTS, _SPACED = Signs(_script), Signs(lambda sign: sign if unicodedata.category(sign)[0] in "LM" else " ")


def words(text: str) -> list[str]:
    """The words of a text: letters with their signs, which are part of the word in the scripts of India."""
    return text.translate(_SPACED).split()


@lru_cache(maxsize=100_000)
def scripts(text: str) -> Counter[str]:
    """How many letters of each script a text has."""
    return Counter({_SEEN[ord(code) - 0xE000]: n for code, n in Counter(text.translate(_SCRIPTS)).items()})


def foreign_words(text: str, wanted: frozenset[str]) -> list[str]:
    """Words of three letters or more in none of the scripts; abbreviations in capitals are let pass, as readers let them."""
    pieces = [run for word in words(text) for run in _RUN.findall(word)]  # Chinese and Latin words stand together without a blank
    return [word for word in pieces if len(word) > 2 and not word.isupper() and not any(s in wanted for s in scripts(word))]


def mixed(text: str) -> str:
    """The first word that mixes Latin, Cyrillic or Greek letters, which look alike; an empty string where there is none."""
    if len(_LOOK_ALIKE & scripts(text).keys()) < 2:
        return ""
    return next((word for word in words(text) if len(_LOOK_ALIKE & scripts(word).keys()) > 1), "")
