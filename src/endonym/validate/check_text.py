"""Text as the checks see it: words without case and accents, and phrases found among them.

In: a text of an item, or a list of phrases from a file of word lists. Out: words with their places, and the phrases that a text
holds. The one thing to know: a phrase written with a capital is found only with a capital (the département Lot, not a lot of
fish), one in lower case in any case; ``*`` at the end of a word stands for any ending.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

_MARKS = re.compile("[\u0300-\u036f]")
_SAME = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "−": "-", "–": "-", "—": "-",
                       "\u00a0": " ", "\u202f": " ", "\u2009": " ", "œ": "oe", "Œ": "Oe", "æ": "ae", "Æ": "Ae", "ß": "ss"})  # fmt: skip
_SIGNS = "".join(chr(c) for c in range(0x370, 0x2000) if unicodedata.category(chr(c)) in ("Mn", "Mc"))
"""Vowel signs of Indic and other scripts, which for ``re`` are no part of a word."""
_WORD = re.compile(rf"(?:[^\W_]|[{_SIGNS}])+")
_QUOTED = re.compile(r"«[^«»]*»|“[^“”]*”|\"[^\"]*\"|‘[^‘’]*’(?!\w)|‹[^‹›]*›|(?<!\w)'[^']*'(?!\w)")


def bare(text: str) -> str:
    """Take the accents off Latin letters and unite quotes, dashes and blanks; marks of other scripts stay."""
    if text.isascii():
        return text
    text = _MARKS.sub("", unicodedata.normalize("NFD", text.translate(_SAME)))
    return unicodedata.normalize("NFC", text)


def lowered(text: str) -> str:
    """The text in lower case with its accents, quotes and dashes united, blanks single: what patterns are for."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_SAME).lower().split())


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """The text in lower case without accents, blanks single."""
    return " ".join(bare(text).lower().split())


def split(text: str) -> tuple[str, ...]:
    """The words of a text in lower case without accents; apostrophes and hyphens part words."""
    return tuple(_WORD.findall(bare(text).lower()))


words = lru_cache(maxsize=4096)(split)
"""The same for the short texts of items, which many checks look at."""


def unquoted(text: str) -> str:
    """The text with an ellipsis for every quotation: what the item itself says."""
    return _QUOTED.sub("«…»", text)


def quotes(text: str) -> list[str]:
    """The quotations of a text, with their marks."""
    return _QUOTED.findall(text)


class Found(NamedTuple):
    """A phrase in a text: its place among the words, and as it is written there."""

    start: int
    end: int
    text: str
    phrase: str


class _Entry(NamedTuple):
    words: tuple[str, ...]
    capitals: tuple[bool, ...]
    phrase: str


class Phrases:
    """Many phrases looked for at once, by their first word."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._first: dict[str, list[_Entry]] = {}
        self._heads: dict[str, list[_Entry]] = {}
        for phrase in map(bare, phrases):
            pairs = [(m[0], phrase[m.end() : m.end() + 1] == "*") for m in _WORD.finditer(phrase)]
            if pairs:
                keys = tuple(w.lower() + ("*" if star else "") for w, star in pairs)
                entry = _Entry(keys, tuple(w[0].isupper() for w, _ in pairs), phrase)
                (self._heads if pairs[0][1] else self._first).setdefault(keys[0].rstrip("*"), []).append(entry)
        self._lengths = sorted({len(head) for head in self._heads})

    def __bool__(self) -> bool:
        return bool(self._first or self._heads)

    def find(self, text: str) -> Iterator[Found]:
        """The phrases in a text, the longest at each place, none within another."""
        written, at = _written(text), 0
        lowered = [w.lower() for w in written]
        if not self._lengths and self._first.keys().isdisjoint(lowered):
            return
        while at < len(written):
            near = self._at(lowered[at])
            best = max([e for e in near if _fits(e, written, lowered, at)], key=_length, default=None) if near else None
            if best:
                end = at + len(best.words)
                yield Found(at, end, " ".join(written[at:end]), best.phrase)
                at = end
            else:
                at += 1

    def first(self, text: str) -> str:
        """The first phrase as it is written in the text; "" where there is none."""
        return next((found.text for found in self.find(text)), "")

    def _at(self, word: str) -> list[_Entry]:
        found = self._first.get(word, [])
        for length in self._lengths:
            if heads := self._heads.get(word[:length]) if length <= len(word) else None:
                found = found + heads
        return found


def _length(entry: _Entry) -> int:
    return len(entry.words)


@lru_cache(maxsize=4096)
def _written(text: str) -> list[str]:
    return _WORD.findall(bare(text))


def _fits(entry: _Entry, written: list[str], lowered: list[str], at: int) -> bool:
    if at + len(entry.words) > len(written):
        return False
    for n, (key, capital) in enumerate(zip(entry.words, entry.capitals, strict=True), at):
        if capital and not written[n][0].isupper():
            return False
        if not (lowered[n].startswith(key[:-1]) if key[-1] == "*" else lowered[n] == key):
            return False
    return True


class Lookup:
    """Lists of phrases and of patterns by name, each made ready when it is first asked for; one that is not there is empty."""

    def __init__(self, phrases: Mapping[str, Iterable[str]], patterns: Mapping[str, Iterable[str]]) -> None:
        self._listed, self._written = phrases, patterns
        self._phrases: dict[str, Phrases] = {}
        self._patterns: dict[str, re.Pattern[str] | None] = {}

    def phrases(self, name: str) -> Phrases:
        """A list of phrases; an empty one where there is none of that name."""
        if name not in self._phrases:
            self._phrases[name] = Phrases(self._listed.get(name, ()))
        return self._phrases[name]

    def pattern(self, name: str) -> re.Pattern[str] | None:
        """The patterns of a name as one, for text in lower case; None where there are none."""
        if name not in self._patterns:
            parts = self._written.get(name, ())
            self._patterns[name] = re.compile("|".join(f"(?:{p})" for p in parts)) if parts else None
        return self._patterns[name]
