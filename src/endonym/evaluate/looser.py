"""What may name an option in a reply where neither a letter nor an option's whole text does.

In: a reply. Out: the first way to look again that finds any: its name, the text and the options to look with, and where
they stand. "spelling": equal numbers and initials (1.200, RUR). "ordinal": the second option, option 2, ②. "part": an option
without its brackets, or by words that no other has (Eminescu). "inflected": other endings, in languages that put them
(в Москве). The one thing to know: these are tried only after everything else failed, and words of options and other
endings in short replies only, for a long one holds many words.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from .folding import fold, lower
from .grammar import base, words
from .matching import joined_initials, plain_numbers
from .mentions import Mention, mentions
from .spots import NOTHING
from .statements import Reply

SHORT = 16
"""The most words of a reply in which a part of a name or another ending may name an option."""
_ENDINGS = {"tr": 0, "az": 0, "kk": 0, "hu": 1, "eu": 1, "hy": 1, "ka": 1} | dict.fromkeys(
    ("be", "cs", "el", "et", "fi", "hr", "lt", "lv", "mk", "pl", "ro", "ru", "sk", "sl", "sr", "uk"), 2
)
"""How many last letters of a word may become others when it is inflected, by language."""
_GROWN = 4
_CIRCLED = "①②③④⑤⑥⑦⑧⑨"
_WORD = re.compile(r"[^\W_]+(?:[\u0900-\u0963\u0966-\u0dff]+[^\W_]*)*")
_BRACKETS = re.compile(r"\s*[(\[（][^)\]）]*[)\]）]\s*")


class Look(NamedTuple):
    """One more way to look: its name, the text and the options to look with, and what was found."""

    name: str
    text: str
    options: tuple[str, ...]
    found: list[Mention]


def look_again(reply: Reply, abstain: int | None) -> Look | None:
    """The first way that finds anything; the words of the option at ``abstain`` ("I don't know") stand for nothing."""
    return next((look for look in _looks(reply, abstain) if look.found), None)


def _looks(reply: Reply, abstain: int | None) -> Iterator[Look]:
    text, options, lang = reply.text, reply.options, reply.lang
    plain, shown = _spelt(text, lang), _all_spelt(options, lang)
    if plain != text or shown != options:
        yield Look("spelling", plain, shown, mentions(lower(plain, lang), shown, lang))
    yield Look("ordinal", text, options, _ordinals(reply))
    bare = _without_brackets(options)
    if bare != options:
        yield Look("part", text, bare, mentions(reply.low, bare, lang))
    said = list(_WORD.finditer(text))
    if len(said) <= SHORT:
        yield Look("part", text, options, _parts(reply, said, abstain))
        if base(lang) in _ENDINGS:
            yield Look("inflected", text, options, _inflected(reply, said))


def _spelt(text: str, lang: str) -> str:
    return joined_initials(plain_numbers(text, lang))


@lru_cache(maxsize=1 << 12)
def _all_spelt(options: tuple[str, ...], lang: str) -> tuple[str, ...]:
    return tuple([_spelt(option, lang) for option in options])


def _ordinals(reply: Reply) -> list[Mention]:
    """Ordinals that count options, and bare ones right behind a cue or as the whole reply ("the answer is the third")."""
    options, count = reply.options, _counting(reply.lang)
    numbered = any(option.strip().isdecimal() for option in options)
    found = [(m.span(), next(filter(None, m.groups()))) for m in count.beside.finditer(reply.low)]
    for start in (0, *[cue.end() for cue in reply.grammar.cue.finditer(reply.low)]):
        bare = count.bare.match(reply.low, reply.glued(start))
        found += [(bare.span(1), bare[1])] if bare and (start or NOTHING.fullmatch(reply.low, bare.end())) else []
    found = [(span, said) for span, said in found if not (numbered and said.isdecimal())]
    places = {Mention(*span, len(options) - 1 if said in count.last else count.places[said]) for span, said in found}
    return sorted(places) if all(mention.position < len(options) for mention in places) else []


class _Count(NamedTuple):
    """How a language counts options: ordinals beside a noun, ordinals alone, their places, and its words for the last."""

    beside: re.Pattern[str]
    bare: re.Pattern[str]
    places: dict[str, int]
    last: frozenset[str]


@cache
def _counting(lang: str) -> _Count:
    own, english = words(lang), words("en")

    def spelt(form: str) -> str:
        return lower(fold(form, lang), lang)

    places = {sign: place for signs in ("123456789", _CIRCLED) for place, sign in enumerate(signs)}
    for table in (english, own):
        places |= {spelt(form): place for place, forms in enumerate(table.ordinal[:-1]) for form in forms.split("|")}
    last = frozenset(spelt(form) for table in (english, own) for forms in table.ordinal[-1:] for form in forms.split("|"))
    ordinal = _any_of({form for form in (*places, *last) if not form.isnumeric()})
    nouns = {spelt(noun) for noun in (*own.noun, *english.noun)}
    noun, numbered = _any_of(nouns), _any_of(nouns - {"answer"})  # "I can answer 2 questions"
    edge, gap, end = ("", r"[ \t]*", "") if base(lang) in ("zh", "ja", "ko", "th") else (r"(?<!\w)", r"[ \t]+", r"(?!\w)")
    beside = rf"{edge}({ordinal}){gap}{noun}{end}|{edge}{noun}{gap}({ordinal})(?!\w)|{edge}{numbered}[ \t]*([1-9])(?!\w|[.,]\d)"
    beside += rf"|(?<![\w.,])([1-9])[.ºª]?[ \t]*{numbered}{end}|([{_CIRCLED}])"
    return _Count(re.compile(beside), re.compile(rf"({ordinal})(?: one)?(?=\W*(?:[.!;。]|$))"), places, last)


def _any_of(forms: set[str]) -> str:
    return "(?:" + "|".join(sorted(map(re.escape, forms), key=len, reverse=True)) + ")"


@lru_cache(maxsize=1 << 12)
def _without_brackets(options: tuple[str, ...]) -> tuple[str, ...]:
    bare = tuple([_BRACKETS.sub(" ", option).strip() for option in options])
    return bare if all(bare) and len(set(bare)) == len(set(options)) else options


def _parts(reply: Reply, said: list[re.Match[str]], abstain: int | None) -> list[Mention]:
    """Words of options of several words, each held by one option only; with a capital in both, where the script has capitals."""
    split = {place: _WORD.findall(option) for place, option in enumerate(reply.options) if place != abstain}
    held = Counter(word for option in split.values() for word in {lower(w, reply.lang) for w in option})
    names = all(len(option) > 1 for option in split.values())
    own = {
        low: place
        for place, option in split.items() if len(option) > 1
        for word in option if len(word) > 2 and (word[0].isupper() or (names and not word.islower()))
        if held[low := lower(word, reply.lang)] == 1
    }  # fmt: skip
    spots = [(Mention(*m.span(), own[low]), m[0].islower()) for m in said if (low := lower(m[0], reply.lang)) in own]
    one = len({mention.position for mention, _ in spots}) == 1
    return [mention for mention, small in spots if one and (not small or len(said) < 4)]


def _inflected(reply: Reply, said: list[re.Match[str]]) -> list[Mention]:
    """Options whose words all stand there in order, each with the ending that it has or with another."""
    loose = _ENDINGS[base(reply.lang)]
    forms = [m[0] for m in said]
    found = []
    for position, option in enumerate(reply.options):
        wanted = _WORD.findall(option.strip().rstrip("."))
        found += [
            Mention(said[first].start(), said[first + len(wanted) - 1].end(), position)
            for first in range(len(forms) - len(wanted) + 1)
            if wanted and all(_bends(word, form, loose) for word, form in zip(wanted, forms[first:], strict=False))
        ]
    return sorted(found)


def _bends(word: str, form: str, loose: int) -> bool:
    """Whether a form may be a word with another ending: the same first letter, capital or not, the same stem, not much longer."""
    if word[0].isupper() and not form[0].isupper() or len(word) < 3 or not word.isalpha():
        return form == word
    stem = word[: max(3, len(word) - loose)].lower()
    return form.lower().startswith(stem) and len(form) <= len(word) + _GROWN
