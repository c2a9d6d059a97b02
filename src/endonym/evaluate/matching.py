"""Say whether an open reply holds an accepted answer.

In: the reply (thoughts stripped, :func:`strip_thinking`) and the accepted answers. Out: right or not, by three scorers
that are meant to be reported side by side. ``contains`` is the Tuguesice paper's rule to the letter. ``strict`` looks for
the answer as words: folded spelling, the language's lower case, whole words as the script bounds them, equal numbers.
``votes`` are BLEnD's two, on top of ``strict``. The one thing to know: none of them sees a denial ("not tea" holds tea).

What ``strict`` decides: accents count (avó is not avô), except in words written all in capitals, where many leave them
out; optional vowel signs, Arabic hamza on alif and Russian ё do not count; ß is ss; an article may be missing at the head;
hyphen and blank are one inside an answer, and a boundary outside it, so Saxony is not in Saxony-Anhalt. Number words are
not numbers; a date holds its year, a range (1914-1918) neither of its ends. A single Han sign must stand alone; longer
Chinese answers are found anywhere, for want of blanks.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache, lru_cache
from typing import NamedTuple

from ..errors import InputError
from ..records import Accept
from ..thoughts import strip_thinking
from .folding import bare, fold, lower
from .grammar import words
from .mentions import bounded

__all__ = ["Votes", "contains", "strict", "strip_thinking", "votes"]

_POINT = {"en", "zh", "ja", "ko", "hi", "bn", "th", "he", "ar", "fa", "ur", "ta", "te", "sw", "ms", "tl", "am"}
_COMMA_REGIONS = {"MX", "US", "GT", "HN", "NI", "SV", "PA", "DO", "PR", "PE", "CU"}
"""Spanish-speaking lands that write 1,000.5."""
_SPACE = {"fr", "ru", "uk", "pl", "cs", "sk", "sv", "fi", "hu", "bg", "pt", "es", "nb", "no", "ka", "hy", "be", "et", "lv", "lt"}
_DOTTED = re.compile(r"\b(?:[^\W\d_]\. ?){2,}")
_DATE = re.compile(r"(?<![\w.-])(?:(\d\d?)\. ?(\d\d?)\. ?(\d{4})|(\d{4})-(\d\d)-(\d\d))(?![\d-])")
"""A day as 9.11.1989 or 1989-11-09."""
_LOOSE = re.compile(r"(?<!\w)-|-(?!\w)|(?<!\d)[.,]|[.,](?!\d)")
_DIGIT = re.compile(r"\d")
_HAN = re.compile(r"[\u3400-\u9fff]")
_FUNCTION = frozenset("是在为為的和与與于於叫有了到从從被由或及即就也，。")


class Votes(NamedTuple):
    """BLEnD's two scores: whether any accepted answer is there, and the greatest weight of one that is, over the greatest of all."""

    any: bool
    weighted: float


def contains(reply: str, accept: Iterable[Accept | str]) -> bool:
    """Whether the lower-cased reply contains any lower-cased accepted answer: Tuguesice §5, nothing more (tea is in steak)."""
    said = reply.lower()
    return any(text.lower() in said for text in _texts(accept))


def strict(reply: str, accept: Iterable[Accept | str], lang: str = "") -> bool:
    """Whether the reply holds any accepted answer as words and numbers of its language; raises InputError for an empty answer."""
    found = _finder(reply, lang)
    return any(found(text) for text in _texts(accept))


def votes(reply: str, accept: Iterable[Accept], lang: str = "") -> Votes:
    """BLEnD's two scores, the answers being found by ``strict`` (BLEnD compares lemmas, by a tool of each language).

    Source: Myung et al. 2024, BLEnD §4.1: one for any annotator's answer; votes of the best one found over the most votes.
    """
    accepted = list(accept)
    most = max((a.weight for a in accepted), default=0.0)
    found = _finder(reply, lang)
    best = max((a.weight for a, text in zip(accepted, _texts(accepted), strict=True) if found(text)), default=None)
    return Votes(best is not None, best / most if best is not None and most > 0 else 0.0)


def _texts(accept: Iterable[Accept | str]) -> list[str]:
    texts = [a if isinstance(a, str) else a.text for a in accept]
    if not all(text.strip() for text in texts):
        raise InputError("accept: an answer is empty, and an empty answer matches anything")
    return texts


def _finder(reply: str, lang: str) -> Callable[[str], bool]:
    """A function that says whether an answer is in a reply, which is prepared once."""
    said = _clean(reply, lang)
    capitals = bare(_clean(_capitals(reply), lang))

    def found(text: str) -> bool:
        gold = _gold(text, lang)
        if not gold:
            return text.strip() in reply
        if _holds(said, gold, lang) or _holds(capitals, bare(gold), lang):
            return True
        return len(text) > 1 and text.isupper() and _holds(bare(said), bare(gold), lang)

    return found


def _holds(said: str, gold: str, lang: str) -> bool:
    return any(_alone(said, *m.span(1), lang) for m in _pattern(gold).finditer(said))


def _alone(said: str, start: int, end: int, lang: str) -> bool:
    """Whether a stretch is bounded as its script bounds words, and is no negative number and no lone part of a Han word."""
    before, after = said[start - 1 : start], said[end : end + 1]
    if (before == "-" and said[start].isdigit()) or (after in ("+", "#") and said[end - 1].isalpha()):
        return False
    if end - start == 1 and _HAN.match(said[start]):
        return all(not _HAN.match(sign) or sign in _FUNCTION for sign in (before, after))
    return bounded(said, start, end, lang)


@lru_cache(maxsize=1 << 14)
def _pattern(gold: str) -> re.Pattern[str]:
    """The answer, with hyphen and blank as one; overlapping places are all looked at."""
    return re.compile("(?=(" + "[ -]".join(map(re.escape, re.split("[ -]", gold))) + "))")


@lru_cache(maxsize=1 << 14)
def _gold(text: str, lang: str) -> str:
    """An accepted answer as it is looked for: clean, without an article at its head."""
    gold = _clean(text, lang)
    head, _, rest = gold.partition(" ")
    if rest and head in words(lang).articles:
        return rest
    return gold[2:] if lang[:2] == "ar" and gold.startswith("ال") and len(gold) > 4 else gold


def _clean(text: str, lang: str) -> str:
    """Fold, write numbers in one way, lower-case, and put blanks for punctuation that is neither in a number nor a hyphen."""
    said = plain_numbers(fold(text, lang), lang)
    said = lower(joined_initials(_DATE.sub(_day, said)), lang)
    said = "".join(c if c in "-.,+#" or not _punctuation(c) else " " for c in said)
    said = _LOOSE.sub(lambda m: "-" if m[0] == "-" and said[m.end() : m.end() + 1].isdigit() else " ", said)
    return " ".join(said.split())


def _day(found: re.Match[str]) -> str:
    return " ".join(number for number in found.groups() if number)


def joined_initials(text: str) -> str:
    """Write initials and abbreviations without dots: JS Bach for J. S. Bach, USA for U.S.A."""
    return _DOTTED.sub(lambda m: re.sub(r"[. ]", "", m[0]) + " " * m[0].endswith(" "), text)


@cache
def _punctuation(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PZSC"


def _capitals(text: str) -> str:
    """Only the words that are all in capitals, the others as a sign that no answer has."""
    return " ".join(word if word.isupper() and len(word) > 1 else "\ufffc" for word in fold(text).split())


def plain_numbers(text: str, lang: str) -> str:
    """Write numbers without signs between thousands and with a decimal point, as the language means them."""
    if not lang or not _DIGIT.search(text):
        return text
    grouped, decimal = _number_patterns(lang)
    text = grouped.sub(lambda m: re.sub(r"[., '\u066c]", "", m[1]) + (m[2] or ""), text)
    return decimal.sub(lambda m: f"{Decimal(m[1] + '.' + m[2]).normalize():f}", text)


@cache
def _number_patterns(lang: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    base, _, region = lang.replace("_", "-").partition("-")
    point = base in _POINT or (base == "es" and region.upper() in _COMMA_REGIONS)
    mark, thousands = (r"[.\u066b]", r",'\u066c") if point else (",", r".'")
    thousands += " " if base in _SPACE else ""
    groups = rf"(?:[{thousands}]\d\d(?=[{thousands}]\d))*(?:[{thousands}]\d{{3}})+" if point else rf"(?:[{thousands}]\d{{3}})+"
    grouped = re.compile(rf"(?<![\w.,])(\d{{1,3}}{groups})({mark}\d+)?(?![.,]?\d)")
    return grouped, re.compile(rf"(?<![\w.,])(\d+){mark}(\d+)(?![.,]?\d)")
