"""A dump of a knowledge base in, facts out: the same queries as ``knowledge``, asked of a file on this machine, larger than memory.

In: RDF (``.nt``, ``.ttl``) or Wikidata's JSON (``.json``), plain or packed (``.gz``, ``.bz2``). Out: sources.
The one thing to know: the dump is streamed twice and never loaded. The first time only triples are kept whose predicates tell who
belongs to a domain; the second time the dates, areas and names of those alone. What is kept goes to a file and into a pyoxigraph store,
in memory while it is small, else on disk. A dump of "truthy" statements has no ranks and no precisions: take the whole one.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import InputError, StorageError, Unavailable
from ..records import Source
from . import knowledge_queries as queries
from . import lines
from .dump_filter import Kept, direct
from .dump_json import quads_of_json
from .dump_rdf import quads_of_ntriples, quads_of_turtle
from .knowledge import DOMAINS, FIRST_LEVEL, Wanted, by_list, check, mined
from .knowledge_queries import Queries
from .sparql import Row, local

VERSION = "1"
IN_MEMORY = 400_000
"""Kept triples that are held in memory, some 700 bytes each; more of them go to a store on disk."""
TOGETHER = 200_000
"""Triples that the store is given at once: it sorts what it is given in memory."""
FORMATS: dict[str, Callable[[Path, Kept], Iterator[bytes]]] = {
    ".nt": quads_of_ntriples, ".ttl": quads_of_turtle, ".json": quads_of_json,
}  # fmt: skip
"""Ending of the file → how to stream the triples of it that are to be kept, as lines of N-Triples."""


def dump(listed: Iterable[Source] = (), *, file: Path, countries: tuple[str, ...], langs: tuple[str, ...],
         domains: tuple[str, ...] = DOMAINS, queries_in: Path | None = None, level: str = FIRST_LEVEL, retrieved: str = "",
         scratch: str = "", skipped: list[str] | None = None) -> Iterator[Source]:  # fmt: skip
    """Mine a dump. ``retrieved``: the day of the dump (ISO 8601), else the file's. ``scratch``: a folder for what is kept.

    Raises ``InputError`` for a file of another kind, ``TableError`` naming file and line for what is no RDF or JSON, ``StorageError``,
    ``Unavailable`` where pyoxigraph is missing; else as ``knowledge``.
    """
    told = queries.read(queries_in)
    wanted = Wanted(countries=countries, domains=domains, langs=langs, level=level, page=1_000_000)
    check(wanted, told)
    lines.file(file)
    folder = Path(scratch) if scratch else None
    if folder and not folder.is_dir():
        raise StorageError(f"{folder}: no such folder")
    with tempfile.TemporaryDirectory(prefix="endonym-", dir=folder) as place:
        base = Dump(file, told, wanted, Path(place), retrieved or day(file))
        yield from mined(base, told, wanted, by_list(listed), skipped)


def day(file: Path) -> str:
    """The day (UTC) on which a file was last written."""
    return datetime.fromtimestamp(file.stat().st_mtime, UTC).date().isoformat()


def stream(file: Path) -> Callable[[Path, Kept], Iterator[bytes]]:
    """How to read a file, by the ending of its name. Raises ``InputError``."""
    name = file.name.removesuffix(".gz").removesuffix(".bz2")
    for ending, how in FORMATS.items():
        if name.endswith(ending):
            return how
    raise InputError(f"{file}: is no dump that can be read; its name ends in {', '.join(FORMATS)}, and may go on with .gz or .bz2")


class Dump:
    """A base that is a file. What is asked of it before ``focus`` is who belongs to a domain, and after it what holds of whom."""

    def __init__(self, file: Path, told: Queries, wanted: Wanted, place: Path, retrieved: str) -> None:
        self.file, self.told, self.wanted, self.place = file, told, wanted, place
        self.name, self.retrieved, self.triples = file.name, retrieved, 0
        self._stream = stream(file)
        self._store: Any = None

    def select(self, query: str) -> list[Row]:
        return local(self._begun() if self._store is None else self._store, query)

    def focus(self, items: list[str]) -> None:
        """Go through the dump again for what holds of these entities."""
        langs = {one.lower() for lang in self.wanted.langs for one in (lang, *self.told.fallback.get(lang, ()))}
        store = self._begun() if self._store is None else self._store
        if items:
            self._load(store, Kept(self._named("facts"), frozenset(items), frozenset(langs), second=True))

    def _begun(self) -> Any:
        """Go through the dump for who belongs to a domain."""
        path, count = self._kept(Kept(self._named("members"), frozenset(), frozenset()))
        ox = _pyoxigraph()
        self._store = ox.Store() if count <= IN_MEMORY else ox.Store(str(self.place / "store"))
        self._loaded(self._store, path)
        return self._store

    def _named(self, which: str) -> frozenset[str]:
        """The predicates of the queries of one pass; direct ones of facts belong to the first, for areas lie in areas of any kind."""
        told, some = self.told, [self.told.domain(name) for name in self.wanted.domains]
        listing = {p for d in some for p in queries.predicates(told.texts[d.members])}
        facts = {p for d in some for prop in d.properties for p in _of_facts(told, d.facts, prop)}
        facts |= queries.predicates(told.texts["labels.rq"])
        straight = {p for p in facts if direct(p)}
        return frozenset(listing | straight) if which == "members" else frozenset(facts - straight)

    def _load(self, store: Any, what: Kept) -> None:
        path, _ = self._kept(what)
        self._loaded(store, path)

    def _kept(self, what: Kept) -> tuple[Path, int]:
        """Write what is kept of the dump to a file; its place, and its number of triples."""
        path, count = self.place / "kept.nt", 0
        with path.open("wb") as out:
            for line in self._stream(self.file, what):
                out.write(line)
                count += 1
        self.triples += count
        return path, count

    def _loaded(self, store: Any, path: Path) -> None:
        try:
            with path.open("rb") as kept:
                while some := b"".join(islice(kept, TOGETHER)):
                    store.bulk_load(some, format=_pyoxigraph().RdfFormat.N_TRIPLES, lenient=True)
        except SyntaxError as error:
            raise InputError(f"{self.file}: holds a line that is no N-Triples: {error.msg}") from error
        except OSError as error:
            raise StorageError(f"{self.place}: {error}") from error
        path.unlink()


def _of_facts(told: Queries, file: str, prop: str) -> set[str]:
    return queries.predicates(told.texts[file].replace("{property}", prop))


def _pyoxigraph() -> Any:
    try:
        import pyoxigraph
    except ImportError as error:
        raise Unavailable("a dump needs pyoxigraph: pip install 'endonym[knowledge]'") from error
    return pyoxigraph
