"""A folder of SPARQL queries in, queries ready to be asked out: what stands in braces is filled, and nothing else can get in.

In: ``domains.toml`` and the ``.rq`` files beside it (shipped: ``data/queries``). Out: domains, and query texts.
The one thing to know: every value is held to the shape of its place (a country is two capitals, an item is Q and digits or an IRI
without a bracket), so that no value can close a string and go on with a query of its own.
"""

import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from ..errors import InputError, TableError, UnknownName
from ..records import Record
from . import lines

SHIPPED = Path(str(files("endonym") / "data")) / "queries"
_BRACES = re.compile(r"\{(\w+)\}")
_PREFIX = re.compile(r"^\s*PREFIX\s+(\w*):\s*<([^>]*)>", re.M | re.I)
_NAMED = re.compile(r"(?<!\w)(\w+):(\w+)")
_ASIDE = re.compile(r"(?m)^\s*#.*$|<[^<>\s]*>|\"[^\"\n]*\"")
_IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+")


class Domain(Record, frozen=True):
    """One kind of fact: the files of its two queries, the slot it fills, what that is, and the properties, the best first."""

    members: str
    facts: str
    slot: str
    kind: Literal["year", "area", "code"]
    properties: tuple[str, ...]


class _File(Record, frozen=True):
    domains: dict[str, Domain]
    fallback: dict[str, tuple[str, ...]] = {}


class Queries(Record, frozen=True):
    """A folder of queries: topic → domain, language → languages to fall back on, file name → text."""

    domains: dict[str, Domain]
    fallback: dict[str, tuple[str, ...]]
    texts: dict[str, str]

    def domain(self, name: str) -> Domain:
        """Find a domain by its topic; raise UnknownName."""
        if name not in self.domains:
            raise UnknownName("domain", name, self.domains)
        return self.domains[name]

    def members(self, name: str, **values: Any) -> str:
        """The query that lists the entities of a domain."""
        return self.filled(self.domain(name).members, **values)

    def filled(self, file: str, **values: Any) -> str:
        """One query with every place filled. Raises ``InputError`` naming file and place, ``UnknownName`` for a place not known."""
        return _BRACES.sub(lambda match: _value(file, match[1], values), self.texts[file])


def read(folder: Path | None = None) -> Queries:
    """Read a folder of queries. Raises ``TableError`` naming the file and the domain, ``StorageError`` for one that is missing."""
    folder = folder or SHIPPED
    path = folder / "domains.toml"
    told = lines.toml(path, _File)
    names = {name for domain in told.domains.values() for name in (domain.members, domain.facts)} | {"labels.rq"}
    texts = {name: lines.content(lines.file(folder / name)).decode() for name in sorted(names)}
    for name, text in texts.items():
        if strange := set(_BRACES.findall(text)) - _PLACES.keys():
            raise TableError(f"{folder / name}: {UnknownName('place', min(strange), _PLACES)}")
    for topic, domain in told.domains.items():
        if not domain.properties:
            raise TableError(f"{path}: domains.{topic}.properties: is empty")
    return Queries(domains=told.domains, fallback=told.fallback, texts=texts)


def predicates(text: str) -> set[str]:
    """The IRIs that a query names by prefix, of entities too: a triple without one of them as its predicate is of no use to it."""
    known = dict(_PREFIX.findall(text))
    body = _ASIDE.sub("", text)
    return {known[prefix] + name for prefix, name in _NAMED.findall(body) if prefix in known}


def short(iri: str) -> str:
    """The last part of an IRI: ``http://www.wikidata.org/entity/Q142`` → ``Q142``."""
    return re.split(r"[/#]", iri.rstrip("/#"))[-1]


def _value(file: str, place: str, values: dict[str, Any]) -> str:
    if place not in values:
        raise InputError(f"{file}: {{{place}}}: is not filled")
    try:
        return _PLACES[place](values[place])
    except ValueError as error:
        raise InputError(f"{place}: {error}") from error


def _shaped(pattern: str, what: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"{value!r} is no {what}")
        return value

    return check


def _items(items: Iterable[str]) -> str:
    return " ".join(f"<{iri(item)}>" for item in items)


def iri(value: str) -> str:
    """An IRI as it may stand in a query; raise ValueError."""
    if not _IRI.fullmatch(value):
        raise ValueError(f"{value!r} is no IRI")
    return value


def _langs(langs: Iterable[str]) -> str:
    check = _shaped(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", "language (BCP 47)")
    return ", ".join(f'"{check(lang)}"' for lang in langs)


_PLACES: dict[str, Callable[[Any], str]] = {
    "country": _shaped("[A-Z]{2}", "country (ISO 3166-1 alpha-2, in capitals)"),
    "items": _items,
    "langs": _langs,
    "property": _shaped("P[1-9][0-9]*", "property"),
    "level": _shaped("Q[1-9][0-9]*", "class"),
    "after": lambda value: iri(value) if value else "",
    "limit": lambda value: str(int(value)),
    "offset": lambda value: str(int(value)),
}
