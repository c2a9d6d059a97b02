"""Dumps on this machine: the same facts from RDF and JSON, plain and packed, in memory and on disk, as from the endpoint's store."""

import bz2
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
import wikidata_model as model

from endonym.build import dump as dumps
from endonym.build import knowledge_queries as queries
from endonym.build.dump import dump, stream
from endonym.build.dump_filter import Kept
from endonym.build.dump_rdf import opened
from endonym.build.knowledge import Wanted, mined
from endonym.build.sparql import Row, local
from endonym.errors import InputError, StorageError, TableError
from endonym.records import Source

TOLD: dict[str, Any] = {
    "countries": ("FR", "PT", "DE"), "domains": ("leader", "war", "park", "heritage", "area"), "langs": ("en", "fr", "de", "ja"),
}  # fmt: skip
NT = ("\n".join(model.triples()) + "\n").encode()
JSON = "[\n" + ",\n".join(json.dumps(entity) for entity in model.entities()) + "\n]\n"


class Whole:
    """A base that holds everything, as an endpoint does."""

    name, retrieved = "whole", "2025-06-01"

    def __init__(self) -> None:
        self.store = pyoxigraph.Store()
        self.store.load(NT, format=pyoxigraph.RdfFormat.N_TRIPLES)

    def select(self, query: str) -> list[Row]:
        return local(self.store, query)

    def focus(self, items: Sequence[str]) -> None:
        """Everything is there."""


@pytest.fixture(scope="module")
def expected() -> list[Source]:
    found = list(mined(Whole(), queries.read(), Wanted(**TOLD)))
    assert len(found) > 100
    return found


def turtle() -> bytes:
    return pyoxigraph.serialize(
        pyoxigraph.parse(NT, pyoxigraph.RdfFormat.N_TRIPLES), format=pyoxigraph.RdfFormat.TURTLE,
        prefixes={"wd": "http://www.wikidata.org/entity/", "wdt": "http://www.wikidata.org/prop/direct/"},
    )  # type: ignore[return-value]  # fmt: skip


FILES = {
    "a.nt": lambda: NT, "a.nt.gz": lambda: gzip.compress(NT), "a.nt.bz2": lambda: bz2.compress(NT), "a.ttl": turtle,
    "a.json": JSON.encode, "a.json.gz": lambda: gzip.compress(JSON.encode()), "a.json.bz2": lambda: bz2.compress(JSON.encode()),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_facts(name: str, expected: list[Source], tmp_path: Path):
    (tmp_path / name).write_bytes(FILES[name]())
    assert list(dump(file=tmp_path / name, retrieved="2025-06-01", **TOLD)) == expected


def test_what_is_kept_may_be_on_disk_and_is_taken_away(expected: list[Source], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a.nt").write_bytes(NT)
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(dumps, "IN_MEMORY", 10)
    assert list(dump(file=tmp_path / "a.nt", retrieved="2025-06-01", scratch=str(tmp_path / "scratch"), **TOLD)) == expected
    assert not list((tmp_path / "scratch").iterdir())


def test_the_order_of_lines_means_nothing(expected: list[Source], tmp_path: Path):
    """Values of dates and statements may stand before the entity that they belong to."""
    (tmp_path / "a.nt").write_bytes(b"# a comment\n\n" + b"\n".join(sorted(NT.splitlines(), reverse=True)))
    assert list(dump(file=tmp_path / "a.nt", retrieved="2025-06-01", **TOLD)) == expected


def test_only_what_is_needed_is_kept(tmp_path: Path):
    """Of 3,000 triples, descriptions and labels in other languages are the first to go."""
    (tmp_path / "a.nt").write_bytes(NT)
    base = dumps.Dump(tmp_path / "a.nt", queries.read(), Wanted(countries=("PT",), domains=("park",), langs=("en",)), tmp_path, "")
    found = list(mined(base, queries.read(), base.wanted))
    assert len(found) == 1 and base.triples < NT.count(b"\n") / 4


def test_the_day_of_a_dump(tmp_path: Path):
    import os

    (tmp_path / "a.nt").write_bytes(NT)
    os.utime(tmp_path / "a.nt", (1_700_000_000, 1_700_000_000))  # 14 November 2023, 22:13 UTC
    told = TOLD | {"countries": ("PT",), "domains": ("park",)}
    assert next(dump(file=tmp_path / "a.nt", **told)).origin["retrieved"] == "2023-11-14"


def test_only_what_a_list_names(tmp_path: Path):
    (tmp_path / "a.nt").write_bytes(NT)
    listed = [Source(id="x", place="PT", topic="park", fact={"item": model.q_of("park", "Peneda-Gerês National Park")})]
    (found,) = dump(listed, file=tmp_path / "a.nt", **TOLD)
    assert found.fact["area"] == "PT-03 PT-16 PT-17"


@pytest.mark.parametrize(
    ("name", "content", "error", "said"),
    [
        ("a.rdf", b"", InputError, r"a.rdf: is no dump that can be read; its name ends in .nt, .ttl, .json"),
        ("a.nt", b"<a> <b> <c> .\nnonsense\n", TableError, "a.nt:2: is no N-Triples: 'nonsense'"),
        ("a.nt", b"<http://x/a> <http://www.wikidata.org/prop/direct/P17> nothing .\n", InputError, "holds a line that is no N-Triples"),
        ("a.ttl", b"@prefix x: <http://x/> .\n\nx:a x:b .\n", TableError, "a.ttl:3: is no Turtle"),
        ("a.json", b'[\n{"id":"Q1"},\n{"id":\n]', TableError, "a.json:3: is no entity"),
        ("a.json", b'{"id":"Q1","claims":{"P17":[{"mainsnak":{"snaktype":"value","property":"P17","datavalue":'
         b'{"type":"wikibase-entityid","value":{}}}}]}}', TableError, "a.json:1: Q1: has a value of another shape"),
        ("a.nt.gz", gzip.compress(NT)[:-40], StorageError, "a.nt.gz: ends too early"),
        ("a.nt.gz", b"plain text", StorageError, "a.nt.gz: cannot be read"),
        ("a.nt.bz2", bz2.compress(NT)[:-40], StorageError, "a.nt.bz2: ends too early"),
    ],
)  # fmt: skip
def test_files_that_are_no_dumps(name: str, content: bytes, error: type[Exception], said: str, tmp_path: Path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=said):
        list(dump(file=tmp_path / name, **TOLD))


def test_files_that_are_not_there(tmp_path: Path):
    with pytest.raises(StorageError, match="no such file"):
        next(dump(file=tmp_path / "a.nt", **TOLD))
    (tmp_path / "a.nt").write_bytes(NT)
    with pytest.raises(StorageError, match="no such folder"):
        next(dump(file=tmp_path / "a.nt", scratch=str(tmp_path / "none"), **TOLD))


def test_an_empty_dump_has_no_facts(tmp_path: Path):
    (tmp_path / "a.json").write_text("[\n]\n")
    assert list(dump(file=tmp_path / "a.json", **TOLD)) == []


def test_statements_of_old_have_small_letters():
    """The identifiers of some old statements begin with q: they are of the entity with Q."""
    kept = Kept(frozenset(), frozenset({"http://www.wikidata.org/entity/Q42"}), frozenset(), second=True)
    assert kept.mine(b"<http://www.wikidata.org/entity/statement/q42-ABC>") and kept.mine(b"<http://www.wikidata.org/entity/statement/Q42-ABC>")
    assert not kept.mine(b"<http://www.wikidata.org/entity/statement/Q421-ABC>") and not kept.mine(b"_:x")


def test_streaming_holds_one_line(tmp_path: Path):
    """The reader gives its first line before it has read the last one."""
    (tmp_path / "a.nt").write_bytes(b"<http://x/a> <http://x/p> <http://x/b> .\n" * 1000 + b"nonsense\n")
    lines = stream(tmp_path / "a.nt")(tmp_path / "a.nt", Kept(frozenset({"http://x/p"}), frozenset(), frozenset()))
    assert next(lines).startswith(b"<http://x/a>")
    with opened(tmp_path / "a.nt") as file:
        assert file.readline() == b"<http://x/a> <http://x/p> <http://x/b> .\n"
