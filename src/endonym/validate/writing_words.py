"""The messages, word lists and patterns of the checks of writing, one file a language: another language is a file and no Python.

In: ``data/writing/rules.toml`` (check → guideline, how grave, limits) and ``data/writing/LANG.toml``. Out: :class:`Words` of a language.
The one thing to know: patterns are regular expressions for text in lower case with its accents (:func:`low`); words are looked for as
:mod:`.check_text` does. The messages may be those of another language than the question's: the writer's. Paper: Tuguesice, section 3.
"""

import re
import unicodedata
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..canonical import Record
from ..errors import TableError
from .check_text import Lookup, words

FOLDER = Path(__file__).parent.parent / "data" / "writing"
RULES = "rules"
Value = Literal["error", "warning", "note"]
_SAME = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "‑": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " "})


class Rule(Record, frozen=True):
    """One check: the guideline it holds to, how grave a finding is (an error blocks), and its limits."""

    guideline: str
    value: Value
    limits: dict[str, float] = {}


class Lists(Record, frozen=True):
    """A file of a language. ``messages``: check → what teaches, with ``{what}`` and the check's limits by name."""

    lang: str
    messages: dict[str, str]
    words: dict[str, tuple[str, ...]] = {}
    patterns: dict[str, tuple[str, ...]] = {}
    numbers: dict[str, int] = {}
    same: tuple[tuple[str, ...], ...] = ()


class Words(Lookup):
    """The lists of a language made ready to be looked for; a language without a file has none."""

    def __init__(self, lists: Lists) -> None:
        super().__init__(lists.words, lists.patterns)
        self.lists, self.lang = lists, lists.lang

    def bag(self, name: str) -> frozenset[str]:
        """A list of single words, in lower case without accents."""
        return self._bags.get(name, frozenset())

    @cached_property
    def _bags(self) -> dict[str, frozenset[str]]:
        return {name: frozenset(w for entry in listed for w in words(entry)) for name, listed in self.lists.words.items()}

    def search(self, name: str, text: str) -> str:
        """What the patterns of a name find in a text, the first of them; "" where there is nothing."""
        pattern = self.pattern(name)
        found = pattern.search(text) if pattern else None
        return found[0].strip(" ,?") if found else ""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number words, in lower case without accents."""
        return {" ".join(words(word)): n for word, n in self.lists.numbers.items()}

    def message(self, name: str, **filled: Any) -> str:
        """What teaches; the check's name where this language says nothing (a test holds the shipped files to saying something)."""
        text = self.lists.messages.get(name, name)
        for key, value in filled.items():
            text = text.replace("{" + key + "}", str(value))
        return text


def low(text: str) -> str:
    """A text in lower case, composed, quotes and blanks united; accents stay, for they part está from esta."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_SAME).lower().split())


@cache
def rules(folder: Path = FOLDER) -> dict[str, Rule]:
    """The checks there are, in their order: those of a folder's ``rules.toml``, or the shipped ones."""
    path = _file(folder, RULES) or FOLDER / f"{RULES}.toml"
    try:
        return msgspec.toml.decode(path.read_bytes(), type=dict[str, Rule])
    except (OSError, ValueError, msgspec.DecodeError) as problem:
        raise TableError(f"{path}: {problem}") from problem


def _file(folder: Path, name: str) -> Path | None:
    return next((path for place in (folder, FOLDER) if (path := place / f"{name}.toml").is_file()), None)


@cache
def languages(folder: Path = FOLDER) -> tuple[str, ...]:
    """The languages that have a file, in the folder or shipped."""
    return tuple(sorted({p.stem for place in (FOLDER, folder) for p in place.glob("*.toml")} - {RULES}))


@cache
def of(lang: str, folder: Path = FOLDER) -> Words:
    """The words of a language (BCP 47) or of its main language; English messages and no lists where there is no file.

    A file of ``folder`` stands for the shipped one of its name. Raises TableError for a bad file.
    """
    for name in (lang, lang.partition("-")[0]):
        if name and name != RULES and (path := _file(folder, name)):
            return Words(load(path))
    return Words(Lists(lang="", messages=of("en").lists.messages))


def load(path: Path) -> Lists:
    """Read the file of a language. Raises TableError naming file and field."""
    try:
        lists = msgspec.toml.decode(path.read_bytes(), type=Lists)
    except OSError as problem:
        raise TableError(f"{path}: {(problem.strerror or str(problem)).lower()}") from problem
    except (ValueError, msgspec.DecodeError) as problem:
        raise TableError(f"{path}: {problem}") from problem
    for name, parts in lists.patterns.items():
        for part in parts:
            try:
                re.compile(part)
            except re.error as problem:
                raise TableError(f"{path}: patterns.{name}: {part!r}: {problem}") from problem
    if unknown := lists.messages.keys() - rules().keys():
        raise TableError(f"{path}: messages.{min(unknown)}: is no check; there are: {', '.join(rules())}")
    return lists
