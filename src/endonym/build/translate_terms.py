"""What need not be translated, because its name is known: labels of sources and areas, a glossary, numbers.

In: a glossary (TOML: ``lang`` and ``[terms."World Heritage Site"]`` with language = form, or a list of forms), sources and areas with
labels in several languages. Out: for a text of an item its fixed translation and how it was made, and the terms and names that stand in
a text. The one thing to know: a name counts only for items of its own source or its own country, and one that two areas share with
different translations counts for none; a glossary that somebody wrote for this goes before a label.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import TableError
from ..records import Item, Record, Source
from . import distractors, lines

LABEL, GLOSSARY, KEPT = "label", "glossary", "kept"
_UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my", "bo"})


class Glossary(Record, frozen=True):
    """Term → language → the form to be used, or all forms that may be."""

    lang: str
    terms: dict[str, dict[str, str | tuple[str, ...]]]

    def forms(self, term: str, lang: str) -> tuple[str, ...]:
        """The forms of a term in a language, else in its primary language; none where the glossary has none."""
        found = self.terms[term].get(lang) or self.terms[term].get(lang.partition("-")[0], ())
        return (found,) if isinstance(found, str) else found


class Fixed(NamedTuple):
    """A translation that is not asked for, and how it was made."""

    text: str
    made: str


class Terms:
    """Everything that is fixed. Raises TableError for a glossary that is none, or of another language than ``lang``."""

    def __init__(self, lang: str, sources: Iterable[Source], glossary: Path | None, areas: Path | None) -> None:
        self.lang, self.glossary = lang, read(glossary, lang) if glossary else Glossary(lang=lang, terms={})
        self._own = {source.id: list(source.labels.values()) for source in sources}
        self._areas: dict[str, list[Mapping[str, str]]] = defaultdict(list)
        for area in distractors.areas(areas).values() if areas else ():
            self._areas[area.place].append(area.labels)

    def names(self, item: Item, lang: str) -> dict[str, str]:
        """Names of an item's source and of the areas of its country: in the item's language → in another."""
        found: dict[str, set[str]] = defaultdict(set)
        for labels in [*self._areas.get(item.place.partition("-")[0], ()), *self._own.get(item.source, ())]:
            name, other = labels.get(self.lang, "").strip(), labels.get(lang, "").strip()
            if name and other:
                found[name].add(other)
        return {name: others.pop() for name, others in found.items() if len(others) == 1}

    def fixed(self, text: str, item: Item, lang: str) -> Fixed | None:
        """What a whole text is in another language, where that is known."""
        for term in self.glossary.terms:
            if folded(term) == folded(text) and (forms := self.glossary.forms(term, lang)):
                return Fixed(forms[0], GLOSSARY)
        if name := self.names(item, lang).get(text.strip()):
            return Fixed(name, LABEL)
        return Fixed(text, KEPT) if not any(unicodedata.category(sign).startswith("L") for sign in text) else None

    def terms_in(self, text: str, lang: str) -> dict[str, tuple[str, ...]]:
        """The terms of the glossary that stand in a text, each with its forms; of two that overlap the longer one."""
        known = {term: forms for term in self.glossary.terms if (forms := self.glossary.forms(term, lang))}
        return {term: known[term] for term in self._within(text, list(known))}

    def names_in(self, text: str, item: Item, lang: str) -> dict[str, str]:
        """The names that stand in a text."""
        known = self.names(item, lang)
        return {name: known[name] for name in self._within(text, list(known))}

    def _within(self, text: str, words: Sequence[str]) -> list[str]:
        left, found = folded(text), []
        for word in sorted(words, key=lambda word: (-len(word), word)):
            edge = ("", "") if self.lang.partition("-")[0] in _UNSPACED else (r"(?<!\w)", r"(?!\w)")
            left, times = re.subn(f"{edge[0]}{re.escape(folded(word))}{edge[1]}", "\0", left)
            found += [word] if times else []
        return sorted(found)


def read(path: Path, lang: str) -> Glossary:
    """Read a glossary. Raises TableError naming file and field, StorageError."""
    found = lines.toml(path, Glossary)
    if found.lang.partition("-")[0] != lang.partition("-")[0]:
        raise TableError(f"{path}: lang: the terms are in {found.lang!r}, the questions in {lang!r}")
    for term, languages in found.terms.items():
        for other in languages:
            if not found.forms(term, other) or "" in (form.strip() for form in found.forms(term, other)):
                raise TableError(f"{path}: terms.{term}.{other}: is empty")
    return found


def folded(text: str) -> str:
    """A text as terms are looked for: NFC, one blank for any, no case."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()
