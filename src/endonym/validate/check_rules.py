"""The word lists of the checks, one file a language: another language is a file and no Python.

In: ``LANG.toml`` files, shipped and a user's. Out: :class:`Rules` of a language. The one thing to know: a user's file is laid over
the shipped file of its language, list by list and check by check, so that a change is a few lines; a language without any file
gets the checks of form only, with the English messages.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..canonical import Record
from ..errors import TableError
from .check_text import Lookup, Phrases, bare, words

SHIPPED = Path(__file__).parent.parent / "data" / "checks"
Value = Literal["error", "warning"]


class Example(Record, frozen=True):
    """An item, or with ``stems`` or ``golds`` a set of items, that a check must flag or must let pass."""

    stem: str = ""
    options: tuple[str, ...] = ()
    gold: int = 0
    abstain: int | None = None
    subset: str = ""
    place: str = ""
    stems: tuple[str, ...] = ()
    golds: tuple[int, ...] = ()


class Rule(Record, frozen=True):
    """One check in one language: how grave, what to say, its limits, and examples. ``{what}`` is what was found."""

    value: Value
    message: str
    limits: dict[str, float] = {}
    good: tuple[Example, ...] = ()
    bad: tuple[Example, ...] = ()


class Lists(Record, frozen=True):
    """A whole file. ``places``: ISO 3166 code → names; ``patterns`` are regular expressions for text in lower case."""

    lang: str
    example: Example
    checks: dict[str, Rule]
    decimal: str = "."
    among: tuple[str, ...] = ()
    words: dict[str, tuple[str, ...]] = {}
    patterns: dict[str, tuple[str, ...]] = {}
    places: dict[str, tuple[str, ...]] = {}
    same: tuple[tuple[str, ...], ...] = ()
    numbers: dict[str, int] = {}
    shares: dict[str, float] = {}
    units: dict[str, tuple[str, float]] = {}


class Rules(Lookup):
    """The lists of a language, made ready to be looked for."""

    def __init__(self, lists: Lists, *, made_for: bool = True) -> None:
        super().__init__(lists.words, lists.patterns)
        self.lists, self.made_for = lists, made_for
        self.decimal = lists.decimal

    @cached_property
    def places(self) -> Phrases:
        """All names of places below the country, with the adjectives made of them."""
        return Phrases(name for code, names in self.lists.places.items() if "-" in code or not code.isupper() for name in names)

    @cached_property
    def country(self) -> Phrases:
        """Names of whole countries."""
        return Phrases(name for code, names in self.lists.places.items() if "-" not in code and code.isupper() for name in names)

    def covers(self, place: str) -> bool:
        """Whether the lists name places of the country of a place (ISO 3166); yes where an item has none."""
        return bool(self.places) and (not place or place.partition("-")[0] in self._countries)

    @cached_property
    def _countries(self) -> frozenset[str]:
        return frozenset(code.partition("-")[0] for code in self.lists.places)

    def region(self, code: str) -> Phrases | None:
        """The names of one region; None where the lists do not know it."""
        key = f"\0{code}"
        if key not in self._phrases and code in self.lists.places:
            self._phrases[key] = Phrases(self.lists.places[code])
        return self._phrases.get(key)

    @cached_property
    def stop(self) -> frozenset[str]:
        """Words that say nothing by themselves: articles, prepositions, question words."""
        return frozenset(bare(w).lower() for w in self.lists.words.get("stop", ()))

    @cached_property
    def weak(self) -> frozenset[str]:
        """Stop words and words that most questions of this kind share (town, region, name)."""
        return self.stop | {bare(w).lower() for w in self.lists.words.get("generic", ())}

    @cached_property
    def unknown(self) -> frozenset[tuple[str, ...]]:
        """The ways to say "I don't know", as words."""
        return frozenset(map(words, self.lists.words.get("unknown", ())))

    @cached_property
    def aliases(self) -> dict[str, int]:
        """The names of ``same`` in lower case without accents, with and without a leading article, and the number of their group."""
        found: dict[str, int] = {}
        for n, group in enumerate(self.lists.same):
            for name in map(words, group):
                found |= {" ".join(name): n, " ".join(name[1:] if name[0] in self.articles and name[1:] else name): n}
        return found

    @cached_property
    def articles(self) -> frozenset[str]:
        """Words that may stand before a name without changing it."""
        return frozenset(bare(w).lower() for w in self.lists.words.get("articles", ()))

    def limit(self, check: str, name: str) -> float:
        """A limit of a check; raise TableError where the file has none of that name."""
        try:
            return self.lists.checks[check].limits[name]
        except KeyError as problem:
            raise TableError(f"checks/{self.lists.lang}.toml: checks.{check}.limits: has no {name!r}") from problem


class Shelf:
    """The rules of every language that is asked for: shipped, with a user's file or folder of files laid over them."""

    def __init__(self, place: Path = SHIPPED) -> None:
        self._files = {p.stem: [p] for p in sorted(SHIPPED.glob("*.toml"))}
        self._known: dict[str, Rules] = {}
        if place != SHIPPED:
            for file in sorted(place.glob("*.toml")) if place.is_dir() else [place]:
                self._files.setdefault(str(_toml(file).get("lang", file.stem)), []).append(file)

    def rules(self, lang: str) -> Rules:
        """The rules of a language (BCP 47), of its main language, or those of form only; raise TableError for a bad file."""
        if lang not in self._known:
            name = next((n for n in (lang, lang.partition("-")[0]) if n in self._files), "")
            files = tuple(self._files.get(name, ()))
            make = _shipped if len(files) == 1 and files[0].parent == SHIPPED else _made
            self._known[lang] = make(files) if files else self._form(lang)
        return self._known[lang]

    @property
    def languages(self) -> list[str]:
        """The languages that there are lists for."""
        return sorted(self._files)

    def _form(self, lang: str) -> Rules:
        english = self.rules("en").lists
        return Rules(Lists(lang=lang, example=english.example, checks=english.checks), made_for=False)


def _made(paths: tuple[Path, ...]) -> Rules:
    return Rules(load(paths))


_shipped = cache(_made)
"""Shipped files do not change while a program runs: each is read once."""


def load(paths: Sequence[Path]) -> Lists:
    """Read files of one language, each laid over those before it; raise TableError naming the file and the field."""
    found: dict[str, Any] = {}
    for path in paths:
        found = _over(found, _toml(path), depth=3)
    try:
        lists = msgspec.convert(found, Lists)
    except msgspec.ValidationError as problem:
        raise TableError(f"{paths[-1]}: {problem}") from problem
    for name, parts in lists.patterns.items():
        for part in parts:
            try:
                re.compile(part)
            except re.error as problem:
                raise TableError(f"{paths[-1]}: patterns.{name}: {part!r}: {problem}") from problem
    return lists


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise TableError(f"{path}: {(problem.strerror or str(problem)).lower()}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise TableError(f"{path}: {problem}") from problem


def _over(below: Mapping[str, Any], above: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """Lay one mapping over another: tables are united down to a depth, everything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        both = depth and isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _over(merged[key], value, depth - 1) if both else value
    return merged
