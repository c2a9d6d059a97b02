"""A SPARQL query in, its rows out: from an endpoint by HTTP, or from a store on this machine.

Both give the same rows, so the same queries mine a server and a dump. The one thing to know: a reply that breaks off (some servers
say 200 and then run out of time) is no shorter list: it raises ``TooMuch``, as a time-out that is said does, and the caller asks for less.
Protocol: SPARQL 1.1 Protocol and Query Results JSON Format (W3C, 2013).
"""

import contextlib
from typing import Any, NamedTuple, Protocol

import msgspec

from ..errors import InputError, Unavailable
from .knowledge_web import Site, TooMuch

WIKIDATA = "https://query.wikidata.org/sparql"
_ACCEPT = "application/sparql-results+json"


class Term(NamedTuple):
    """One value of a row: an IRI, a literal or a blank node (``uri``, ``literal``, ``bnode``)."""

    value: str
    kind: str = "literal"
    lang: str = ""


Row = dict[str, Term]


class Base(Protocol):
    """Whatever answers queries. ``retrieved`` is the latest day (ISO 8601) on which it did."""

    name: str
    retrieved: str

    def select(self, query: str) -> list[Row]:
        """The rows of a SELECT query."""
        ...

    def focus(self, items: list[str]) -> None:
        """Said once, before facts and labels are asked for: of these entities and no others."""
        ...


class _Binding(msgspec.Struct):
    type: str
    value: str
    lang: str = msgspec.field(name="xml:lang", default="")


class _Results(msgspec.Struct):
    bindings: list[dict[str, _Binding]]


class _Reply(msgspec.Struct):
    results: _Results


_decoder = msgspec.json.Decoder(_Reply)


class Endpoint:
    """A SPARQL endpoint by URL."""

    def __init__(self, site: Site) -> None:
        self.site, self.name, self.retrieved = site, site.url, ""

    def select(self, query: str) -> list[Row]:
        """Raises ``TooMuch``, ``InputError`` for a query that the server does not understand, ``Unavailable``."""
        params = {"query": query, "format": "json"}
        page = self.site.page(params, accept=_ACCEPT)
        try:
            reply = _decoder.decode(page.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if b"bindings" in page.body[:2000]:
                raise TooMuch(f"{self.name}: its reply breaks off") from error
            start = page.body[:80].decode("utf-8", "replace").strip()
            raise Unavailable(f"{self.name}: its reply is no SPARQL result in JSON: {start!r}") from error
        self.site.keep(params, page)
        self.retrieved = max(self.retrieved, page.retrieved)
        return [{name: Term(b.value, b.type, b.lang) for name, b in row.items()} for row in reply.results.bindings]

    def focus(self, items: list[str]) -> None:
        """An endpoint has everything at hand."""


def local(store: Any, query: str) -> list[Row]:
    """The rows of a query to a ``pyoxigraph.Store``. Raises ``InputError`` where the query is no SPARQL."""
    try:
        found = store.query(query)
        names = [variable.value for variable in found.variables]
        rows = [{name: _term(term) for name, term in zip(names, row, strict=True) if term is not None} for row in found]
    except SyntaxError as error:
        raise InputError(f"the query is no SPARQL: {error}") from error
    return rows


def _term(term: Any) -> Term:
    kind = {"NamedNode": "uri", "BlankNode": "bnode"}.get(type(term).__name__, "literal")
    lang = ""
    if kind == "literal":
        with contextlib.suppress(AttributeError):
            lang = term.language or ""
    return Term(term.value, kind, lang)
