"""The shipped queries: SPARQL that an engine understands, and places that let nothing else in."""

import shutil
from pathlib import Path

import pyoxigraph
import pytest

from endonym.build import knowledge_queries as queries
from endonym.errors import InputError, StorageError, TableError, UnknownName

VALUES = {
    "country": "PT", "items": ["http://www.wikidata.org/entity/Q45"], "langs": ["pt", "zh-hans"], "property": "P569", "level": "Q10864048",
    "after": "http://www.wikidata.org/entity/Q9", "limit": 10, "offset": 0,
}  # fmt: skip
SHIPPED = queries.read()


@pytest.mark.parametrize("file", SHIPPED.texts)
def test_a_shipped_query_is_sparql(file: str):
    pyoxigraph.Store().query(SHIPPED.filled(file, **VALUES))


@pytest.mark.parametrize("file", [d.members for d in SHIPPED.domains.values()])
def test_a_list_can_be_paged_by_key(file: str):
    text = SHIPPED.filled(file, **VALUES)
    assert 'STR(?item) > "http://www.wikidata.org/entity/Q9"' in text and "ORDER BY STR(?item)\nLIMIT 10" in text


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("country", 'FR" } UNION { ?s ?p "', "no country"),
        ("country", "fr", "no country"),
        ("country", "FRA", "no country"),
        ("items", ["http://x/Q1> . ?s ?p ?o . <http://x/"], "no IRI"),
        ("items", ["Q1"], "no IRI"),
        ("langs", ['en") || ("a" = "a'], "no language"),
        ("property", "P1 ?x", "no property"),
        ("level", "Q0", "no class"),
        ("after", 'http://x/" || "', "no IRI"),
    ],
)
def test_nothing_else_gets_into_a_query(place: str, value: object, said: str):
    file = {"items": "year.rq", "property": "year.rq", "langs": "labels.rq", "level": "area_members.rq"}.get(place, "park.rq")
    with pytest.raises(InputError, match=f"^{place}: .*{said}"):
        SHIPPED.filled(file, **{**VALUES, place: value})


def test_predicates_of_a_query_are_those_it_names_by_prefix():
    """In paths and in classes too; what stands in comments, strings and IRIs is none."""
    text = """# wdt:P1 is not asked for
PREFIX wdt: <http://x/direct/>
PREFIX p: <http://x/>
SELECT * { ?s wdt:P31/wdt:P279* ?c . ?s ^p:P5|p:P6 "wdt:P7" . FILTER(?c != <http://y/wdt:P8>) }"""
    assert queries.predicates(text) == {"http://x/direct/P31", "http://x/direct/P279", "http://x/P5", "http://x/P6"}


def test_a_folder_of_ones_own(tmp_path: Path):
    folder = tmp_path / "mine"
    shutil.copytree(queries.SHIPPED, folder)
    (folder / "park.rq").write_text("SELECT ?item WHERE { ?item ?in {cuontry} }")
    with pytest.raises(TableError, match=r"park.rq: no place 'cuontry'; did you mean 'country'"):
        queries.read(folder)
    (folder / "park.rq").unlink()
    with pytest.raises(StorageError, match="park.rq: no such file"):
        queries.read(folder)
    (folder / "domains.toml").write_text('[domains.river]\nmembers = "r.rq"\nfacts = "r.rq"\nslot = "x"\nkind = "flow"\nproperties = []')
    with pytest.raises(TableError, match=r"domains.*kind: .*'flow'"):
        queries.read(folder)


def test_a_domain_that_there_is_not():
    with pytest.raises(UnknownName, match="no domain 'leaders'; did you mean 'leader'"):
        SHIPPED.domain("leaders")


def test_the_last_part_of_an_iri():
    assert queries.short("http://www.wikidata.org/entity/Q142") == "Q142" and queries.short("http://x/a#B") == "B"


def test_shipped_queries_that_change_raise_the_version_of_their_stages():
    """Queries are no code, so the house does not see them change: raise VERSION in knowledge.py and dump.py, then write both down here."""
    import hashlib

    from endonym.build import dump, knowledge

    said = "".join(path.read_text(encoding="utf-8") for path in sorted(queries.SHIPPED.iterdir()))
    found = (knowledge.VERSION, dump.VERSION, hashlib.sha256(said.encode()).hexdigest()[:16])
    assert found == ("1", "1", "19f2910792a5c76b")
