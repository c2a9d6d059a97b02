"""Checks of what a question gives away: the culture's own name, places, people, other proper names; and of the variety of the language.

In: a view. Out: findings. The one thing to know: a name is first looked for in the culture's lists; what is written with a capital within
the sentence and stands in none is a name too, unless the language or the culture allows it. Paper: Tuguesice, guidelines D1, E1 and E4.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from .check_text import Phrases, words
from .writing_culture import Culture
from .writing_view import Check, Finding, View

_RUN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[.!?:;,\"«»“”()]")


class _Lists(NamedTuple):
    own: Phrases
    places: Phrases
    people: Phrases
    names: Phrases
    allowed: Phrases
    slang: Phrases
    other: Phrases


@lru_cache(maxsize=64)
def _lists(culture: Culture) -> _Lists:
    found = (culture.own, culture.places, culture.people, culture.names, culture.allowed, culture.slang)
    return _Lists(*map(Phrases, found), other=Phrases(pair.word for pair in culture.variety))


def own_name(view: View) -> Iterator[Finding]:
    """The question names the culture that it is about, with or without capitals."""
    listed = _lists(view.culture).own
    if found := _named(view, listed) or listed.first(view.text.stem.title()):
        yield Finding(found)


def place_name(view: View) -> Iterator[Finding]:
    """A place of the gazetteer; a warning where nothing at all is written with a capital, for porto is a harbour too."""
    listed, stem = _lists(view.culture).places, view.text.stem
    if found := _named(view, listed):
        yield Finding(found)
    elif stem == stem.lower() and (found := listed.first(stem.title())):
        yield Finding(found, "warning")


def person_name(view: View) -> Iterator[Finding]:
    """A person of the list, or a first name with a capitalised word after it."""
    if found := _named(view, _lists(view.culture).people):
        yield Finding(found)
        return
    given, free = _given(view.culture), _freed(view)
    for first, second in zip(view.text.tokens, view.text.tokens[1:], strict=False):
        if first in given and second[:1].isupper() and not _is_free(first, free):
            yield Finding(f"{first} {second}")
            return


def _named(view: View, listed: Phrases) -> str:
    """The first phrase of a list that stands in the question and is no part of an allowed one: Reis is a surname, dia de Reis a feast."""
    free = [range(f.start, f.end) for allowed in _allowed(view) for f in allowed.find(view.text.stem)]
    found = (f for f in listed.find(view.text.stem) if not any(f.start in span and f.end - 1 in span for span in free))
    return next((f.text for f in found), "")


def _allowed(view: View) -> tuple[Phrases, Phrases]:
    return view.words.phrases("allowed"), _lists(view.culture).allowed


@cache
def _given(culture: Culture) -> frozenset[str]:
    return frozenset(culture.given)


def proper_name(view: View) -> Iterator[Finding]:
    """A name that is none of those: of the list, or what has a capital in the middle of a sentence; two such words together block."""
    if any(found for check in (own_name, place_name, person_name) for found in check(view)):
        return
    if found := _named(view, _lists(view.culture).names):
        yield Finding(found, "error")
        return
    runs = list(_capitals(view))
    if runs:
        longest = max(runs, key=len)
        yield Finding(" ".join(longest), "error" if len(longest) > 1 else None)


def _capitals(view: View) -> Iterator[list[str]]:
    """Runs of capitalised words that nobody allows; small words of names (de, of) may stand between them and are not counted."""
    if view.words.bag("all_capitals") or not view.words.lang:
        return
    free, run, start = _freed(view), list[str](), True
    for token in _RUN.findall(view.text.stem):
        if len(token) == 1 and not token.isalnum():
            start = start or token in ".!?:"
            yield from [run] if run else []
            run = []
            continue
        if token[:1].isupper() and not start and not _is_free(token, free):
            run = [*run, token]
        elif run and token not in view.words.lists.words.get("particles", ()):
            yield run
            run = []
        start = False
    yield from [run] if run else []


def _freed(view: View) -> frozenset[str]:
    """The words of the phrases that may have a capital, as far as the question holds the whole phrase."""
    return frozenset(w.lower() for allowed in _allowed(view) for found in allowed.find(view.text.stem) for w in found.text.split())


def _is_free(token: str, free: frozenset[str]) -> bool:
    """A single letter, a number of a century (XVI), or a word of an allowed phrase."""
    return len(token) == 1 or bool(re.fullmatch(r"[IVXLC]+", token)) or all(w in free for w in words(token))


def variety(view: View) -> Iterator[Finding]:
    """A word, or a turn, of another variety of the language than the culture's; a word of two meanings is a warning."""
    pairs = {" ".join(words(p.word)): p for p in view.culture.variety}
    texts = (view.text.stem, view.text.answer)
    found = [(f.text, pairs[" ".join(words(f.phrase))]) for text in texts for f in _lists(view.culture).other.find(text)]
    turn = view.words.search(f"not:{view.culture.lang}", view.text.low)
    sure = next((f for f in found if f[1].sure), None)
    if sure:
        yield Finding(f"{sure[0]} → {sure[1].use}")
    elif turn:
        yield Finding(turn)
    elif found:
        yield Finding(f"{found[0][0]} → {found[0][1].use}", "warning")


def slang(view: View) -> Iterator[Finding]:
    """A word of slang: the culture's, or the language's."""
    for listed in (_lists(view.culture).slang, view.words.phrases("slang")):
        if found := listed.first(view.text.stem):
            yield Finding(found)
            return


def recent(view: View) -> Iterator[Finding]:
    """A year of the last three, in the question or the answer."""
    for text in (view.text.stem, view.text.answer):
        for year in map(int, re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", text)):
            if view.year - view.limit("recent", "years") < year <= view.year + 20:
                yield Finding(str(year))
                return


CHECKS: dict[str, Check] = {
    "own-name": own_name, "place-name": place_name, "person-name": person_name, "proper-name": proper_name, "variety": variety,
    "slang": slang, "recent": recent,
}  # fmt: skip
