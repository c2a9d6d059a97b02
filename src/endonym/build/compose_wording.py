"""What a model is told when it is to write questions from a document: prompts as data, one TOML file a language; regions, one a country.

In: a file of prompts (``data/compose/fr.toml``), a file of regions (``data/places/FR.toml``), a document. Out: the text of a prompt. The
one thing to know: the document stands between marks, which are taken out of the document itself, so that nothing in it can pass
for instructions; and it stands there whole.
Paper: CARTE, sections 3.2 and 4, appendices A and D (the constraints; the wording here is another).
"""

import re
import unicodedata
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from ..errors import InputError, TableError, UnknownName
from ..records import Record, Source
from . import lines

OPEN, CLOSE = "<<<", ">>>"


class Frame(Record, frozen=True):
    """The sentences that lead each part of a prompt."""

    document: str
    regions: str
    topics: str
    rules: str
    kinds: str
    format: str


class Brief(Record, frozen=True):
    """What is asked for: who the writer is, what to do, the rules, and the kinds of question.

    ``documents``: topics of the documents that are asked about where the recipe names none; empty: all.
    """

    role: str
    task: str
    rules: tuple[str, ...]
    kinds: tuple[str, ...]
    documents: tuple[str, ...] = ()


class Wording(Record, frozen=True):
    """A whole file of prompts in one language. ``plain`` is CARTE's (appendix D), ``LV`` that of linguistic variation (appendix A)."""

    lang: str
    abstain: str
    topics: tuple[str, ...]
    frame: Frame
    plain: Brief
    LV: Brief | None = None
    common: tuple[str, ...] = ()


class Places(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """The regions of a country: ISO 3166-2 code → names, and what the country is called in each language."""

    country: str
    name: dict[str, str]
    regions: dict[str, tuple[str, ...]]

    @cached_property
    def _codes(self) -> dict[str, str]:
        return {plain(name): code for code, names in self.regions.items() for name in (*names, code)}

    def code(self, said: str) -> str:
        """The code of a region by its code or one of its names, without regard to accents, case and hyphens; "" where there is none."""
        return self._codes.get(plain(said), "")


def plain(name: str) -> str:
    """A name without accents, case and punctuation."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", bare))


def read_wording(path: Path) -> Wording:
    """Read a file of prompts. Raises ``TableError`` naming file and field."""
    found = lines.toml(path, Wording)
    if len({plain(topic) for topic in found.topics}) < max(1, len(found.topics)):
        raise TableError(f"{path}: topics: there must be some, and no two alike")
    if not found.abstain.strip():
        raise TableError(f"{path}: abstain: is empty; it is the last option of every question")
    return found


def read_places(path: Path) -> Places:
    """Read a file of regions. Raises ``TableError`` naming file and field, or two regions of one name."""
    found = lines.toml(path, Places)
    seen: dict[str, str] = {}
    for code, names in found.regions.items():
        for name in (*names, code):
            if seen.setdefault(plain(name), code) != code:
                raise TableError(f"{path}: regions.{code}: {name!r} is also a name of {seen[plain(name)]}")
    if not all(found.regions.values()):
        raise TableError(f"{path}: regions: each region has at least one name")
    return found


def common_words(path: Path) -> dict[str, frozenset[str]]:
    """Language → its frequent words: that of ``path`` first, then those of the prompts that come with the package."""
    own = read_wording(path)
    if not own.common:
        raise TableError(f"{path}: common: is missing; the language of a document is told by frequent words")
    others = (read_wording(p) for p in sorted((Path(__file__).parent.parent / "data" / "compose").glob("*.toml")))
    return {own.lang: frozenset(own.common)} | {w.lang: frozenset(w.common) for w in others if w.lang != own.lang}


def brief(wording: Wording, subset: str) -> Brief:
    """The brief for a subset: "" or "LV". Raises ``InputError`` where the file has none."""
    if subset not in ("", "LV"):
        raise UnknownName("subset", subset, ["LV"])
    found = wording.LV if subset else wording.plain
    if found is None:
        raise InputError(f"subset: the prompts in {wording.lang!r} have no part [LV]")
    return found


def country(wording: Wording, places: Places) -> str:
    """What the country is called in the language of the prompts. Raises ``InputError``."""
    if wording.lang not in places.name:
        raise InputError(f"places: the file of {places.country} has no name in {wording.lang!r}: add it to name = {{ … }}")
    return places.name[wording.lang]


def page(source: Source, wording: Wording, places: Places, number: int, subset: str) -> str:
    """The whole prompt for one document."""
    told, frame = brief(wording, subset), wording.frame
    regions = tuple(f"{code}: {names[0]}" for code, names in places.regions.items())
    lists = {frame.rules: told.rules, frame.kinds: told.kinds, frame.topics: wording.topics, frame.regions: regions}
    parts = [told.role, told.task, *(_listed(head, entries) for head, entries in lists.items())]
    named: dict[str, Any] = {"number": number, "country": country(wording, places), "abstain": wording.abstain}
    before, after = (_filled(text, named) for text in ("\n\n".join(map(str.strip, parts)), frame.format.strip()))
    return "\n\n".join([before, f"{frame.document.strip()}\n{OPEN}\n{fenced(source)}\n{CLOSE}", after])


def fenced(source: Source) -> str:
    """The title and the text of a document, without anything that looks like the marks."""
    whole = f"{source.title}\n\n{source.text}" if source.title and source.title not in source.text[: len(source.title) + 8] else source.text
    return re.sub(r"[<>]{3,}", lambda marks: "‹›"[marks[0][0] == ">"] * len(marks[0]), whole)


def _listed(head: str, entries: tuple[str, ...]) -> str:
    return "\n".join([head.strip(), *(f"- {entry}" for entry in entries)])


def _filled(text: str, named: dict[str, Any]) -> str:
    for name, value in named.items():
        text = text.replace("{" + name + "}", str(value))
    return text
