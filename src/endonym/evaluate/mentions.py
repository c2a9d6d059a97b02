"""Where the texts of options stand in a reply.

In: a folded, lower-cased reply and the options in the order shown. Out: spans, each with its position. A mention is
bounded as its script bounds words, and one inside a longer one is none: "Saxony-Anhalt" does not mention Saxony.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .folding import bare, fold, lower

_HAN, _KANA, _HANGUL = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[\u30a1-\u30fa\u30fc-\u30ff]"), re.compile(r"[\uac00-\ud7a3]")
_ARABIC, _HEBREW = re.compile(r"[\u0620-\u06ff]"), re.compile(r"[\u05d0-\u05ea]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u309f\u3400-\u9fff]")
_PREFIX = {_ARABIC: re.compile(r"(?:^|[^\u0620-\u06ff])[وف]?[بلك]?(?:ال)?$"), _HEBREW: re.compile(r"(?:^|[^\u05d0-\u05ea])[ושהבלמכ]{1,2}$")}
_PARTICLE = re.compile(
    r"입니다|이다|이에요|예요|은|는|이|가|을|를|에|의|와|과|로|으로|도|인|라고|이라고|이고|만|부터|까지|시|도시"
)


class Mention(NamedTuple):
    """The text of the option at ``position``, from ``start`` to ``end`` of the reply."""

    start: int
    end: int
    position: int


def mentions(text: str, options: Sequence[str], lang: str) -> list[Mention]:
    """Find the texts of options in a reply, accents counting unless nothing is found with them."""
    shown = folded(options, lang)
    found = _outermost(_occurrences(text, shown, lang))
    if found or text.isascii() and all(map(str.isascii, shown)):
        return found
    plain = tuple(map(bare, shown))
    return _outermost(_occurrences(bare(text), plain, lang)) if len(set(plain)) == len(set(shown)) else found


def folded(options: Sequence[str], lang: str) -> tuple[str, ...]:
    """Options as they are looked for: folded, lower-cased, without the full stop that some data sets put behind them."""
    return tuple([_folded(option, lang) for option in options])


@lru_cache(maxsize=1 << 16)
def _folded(option: str, lang: str) -> str:
    return lower(fold(option, lang), lang).strip().rstrip(".。")


def _occurrences(text: str, shown: Sequence[str], lang: str) -> list[Mention]:
    found = []
    for position, option in enumerate(shown):
        start = text.find(option) if option else -1
        while start >= 0:
            if bounded(text, start, start + len(option), lang):
                found.append(Mention(start, start + len(option), position))
            start = text.find(option, start + 1)
    return sorted(found)


def _outermost(found: list[Mention]) -> list[Mention]:
    def inside(one: Mention) -> bool:
        return any(o.start <= one.start and one.end <= o.end and o.end - o.start > one.end - one.start for o in found)

    return [one for one in found if not inside(one)] if len(found) > 1 else found


def bounded(text: str, start: int, end: int, lang: str) -> bool:
    """Whether a stretch of text begins and ends where its script ends words."""
    return (start == 0 or _begins(text, start, lang)) and (end == len(text) or _ends(text, end))


def _begins(text: str, start: int, lang: str) -> bool:
    before, first = text[start - 1], text[start]
    if before == "-" and start > 1 and text[start - 2].isalnum():
        return False
    if before in ".," and first.isdigit() and start > 1 and text[start - 2].isdigit():
        return False
    if not _sticks(before, first):
        return not (lang[:2] == "ja" and _HAN.match(before) and _HAN.match(first))
    for script, prefix in _PREFIX.items():
        if script.match(first):
            return bool(prefix.search(text, 0, start))
    return False


def _ends(text: str, end: int) -> bool:
    last, after = text[end - 1], text[end]
    if after == "-" and text[end + 1 : end + 2].isalnum():
        return False
    if after in ".," and last.isdigit() and text[end + 1 : end + 2].isdigit():
        return False
    if _HANGUL.match(last) and _HANGUL.match(after):
        return bool(_PARTICLE.match(text, end))
    return not _sticks(last, after)


def _sticks(one: str, other: str) -> bool:
    """Whether two neighbours belong to one word: letters, digits and marks do, but not where a script writes no blanks."""
    if one.isascii() and other.isascii():
        return one.isalnum() and other.isalnum()
    if _KANA.match(one) and _KANA.match(other):
        return True
    if _UNSPACED.match(one) or _UNSPACED.match(other) or _KANA.match(one) or _KANA.match(other):
        return unicodedata.category(other)[0] == "M"
    return _wordly(one) and _wordly(other) and not (one.isascii() and _HANGUL.match(other))


def _wordly(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign)[0] == "M"
