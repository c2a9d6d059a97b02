"""Wikidata's JSON dump in, the triples that are to be kept out: one entity a line, each turned into what its RDF would be.

In: ``[``, one entity a line with a comma behind it, ``]``; or one entity a line. Out: lines of N-Triples.
The one thing to know: an empty object is written as an empty list by the dump's maker, and dates are as people wrote them: in the
Julian calendar where they say so, and without a year 0.
Format: Wikibase JSON data model (mediawiki.org).
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..errors import TableError
from . import dump_filter as names
from .dump_filter import Kept
from .dump_rdf import opened
from .knowledge_dates import NoYear, rdf_time

_PROP = "http://www.wikidata.org/prop/"
_WIKIBASE = "http://wikiba.se/ontology#"
_XSD = "http://www.w3.org/2001/XMLSchema#"


class _Text(msgspec.Struct):
    language: str
    value: str


class _Data(msgspec.Struct):
    type: str
    value: Any


class _Snak(msgspec.Struct):
    snaktype: str
    property: str
    datavalue: _Data | None = None


class _Claim(msgspec.Struct):
    mainsnak: _Snak
    id: str = ""
    rank: str = "normal"
    qualifiers: dict[str, list[_Snak]] | list[Any] = {}


class _Entity(msgspec.Struct):
    id: str
    labels: dict[str, _Text] | list[Any] = {}
    claims: dict[str, list[_Claim]] | list[Any] = {}


_decoder = msgspec.json.Decoder(_Entity)


def quads_of_json(file: Path, kept: Kept) -> Iterator[bytes]:
    """The triples of a dump that are to be kept. Raises ``TableError`` ("FILE:LINE: what") for a line that is no entity."""
    properties = frozenset(p.rpartition("/")[2] for p in kept.predicates if p.startswith(_PROP))
    with opened(file) as stream:
        for number, line in enumerate(stream, 1):
            text = line.strip().rstrip(b",")
            if text in (b"", b"[", b"]"):
                continue
            try:
                entity = _decoder.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise TableError(f"{file}:{number}: is no entity of Wikidata's JSON: {error}") from error
            if kept.second and names.ENTITY + entity.id not in kept.items:
                continue
            try:
                yield from _kept(entity, properties, kept)
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                raise TableError(f"{file}:{number}: {entity.id}: has a value of another shape: {error!r}") from error


def _kept(entity: _Entity, properties: frozenset[str], kept: Kept) -> Iterator[bytes]:
    for subject, predicate, rest in _triples(entity, properties):
        if predicate in kept.tokens and kept.line(subject, predicate, rest):
            yield subject + b" " + predicate + b" " + rest + b" .\n"


def _triples(entity: _Entity, properties: frozenset[str]) -> Iterator[tuple[bytes, bytes, bytes]]:
    subject = _iri(names.ENTITY + entity.id)
    if isinstance(entity.labels, dict):
        for label in entity.labels.values():
            yield subject, _iri(names.LABEL), _literal(label.value) + b"@" + label.language.encode()
    if not isinstance(entity.claims, dict):
        return
    for prop in properties & entity.claims.keys():
        claims = entity.claims[prop]
        best = "preferred" if any(claim.rank == "preferred" for claim in claims) else "normal"
        for claim in claims:
            yield from _claim(subject, prop, claim, claim.rank == best)


def _claim(subject: bytes, prop: str, claim: _Claim, truthy: bool) -> Iterator[tuple[bytes, bytes, bytes]]:
    node = _iri(names.STATEMENT + claim.id.replace("$", "-"))
    yield subject, _iri(_PROP + prop), node
    yield node, _iri(names.RANK), _iri(f"{_WIKIBASE}{claim.rank.capitalize()}Rank")
    snak = claim.mainsnak
    if snak.snaktype == "novalue":
        yield node, _iri(names.TYPE), _iri(names.NOVALUE + prop)
        return
    value = _value(snak, claim.id)
    yield node, _iri(f"{_PROP}statement/{prop}"), value
    if truthy:
        yield subject, _iri(names.DIRECT + prop), value
    if snak.datavalue and snak.datavalue.type == "time":
        yield from _moment(node, prop, snak.datavalue.value)
    if isinstance(claim.qualifiers, dict):
        for other, snaks in claim.qualifiers.items():
            for n, one in enumerate(snaks):
                yield node, _iri(f"{_PROP}qualifier/{other}"), _value(one, f"{claim.id}{other}{n}")


def _moment(node: bytes, prop: str, value: dict[str, Any]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """The node of a date's value, named by its content."""
    inner = _iri(f"{names.VALUE}{zlib.crc32(repr(sorted(value.items())).encode()):08x}-{value['time'].lstrip('+')}")
    yield node, _iri(f"{_PROP}statement/value/{prop}"), inner
    yield inner, _iri(f"{_WIKIBASE}timeValue"), _time(value)
    yield inner, _iri(f"{_WIKIBASE}timePrecision"), _typed(str(value["precision"]), "integer")
    yield inner, _iri(f"{_WIKIBASE}timeCalendarModel"), _iri(value["calendarmodel"])


def _value(snak: _Snak, name: str) -> bytes:
    """The value of a snak; one that nobody knows is a blank node."""
    data = snak.datavalue
    if snak.snaktype != "value" or data is None:
        return b"_:n" + name.encode().hex().encode()
    if data.type == "wikibase-entityid":
        return _iri(names.ENTITY + (data.value.get("id") or f"Q{data.value['numeric-id']}"))
    if data.type == "time":
        return _time(data.value)
    if data.type == "monolingualtext":
        return _literal(data.value["text"]) + b"@" + data.value["language"].encode()
    return _literal(data.value if isinstance(data.value, str) else msgspec.json.encode(data.value).decode())


def _time(value: dict[str, Any]) -> bytes:
    try:
        return _typed(rdf_time(value["time"], int(value["precision"]), value["calendarmodel"]), "dateTime")
    except NoYear:
        return _literal(value["time"])


def _iri(iri: str) -> bytes:
    return f"<{iri}>".encode()


def _typed(text: str, kind: str) -> bytes:
    return _literal(text) + f"^^<{_XSD}{kind}>".encode()


def _literal(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'.encode()
