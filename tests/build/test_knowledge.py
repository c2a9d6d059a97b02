"""Facts from an endpoint that is a process of its own on loopback, with what goes wrong there; the right facts are written by hand."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import sparql_endpoint
import wikidata_model as model

from endonym.build import knowledge_queries
from endonym.build.knowledge import knowledge
from endonym.errors import InputError, Unavailable, UnknownName
from endonym.records import Source, canonical

LANGS = ("en", "fr", "pt", "de")
DOMAINS = ("leader", "war", "park", "heritage")


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory):
    with sparql_endpoint.running(tmp_path_factory.mktemp("endpoint")) as url:
        yield url


def own(tmp_path: Path, file: str, text: str) -> Path:
    """A folder of queries of which one is of one's own."""
    folder = tmp_path / "mine"
    shutil.copytree(knowledge_queries.SHIPPED, folder)
    (folder / file).write_text(text)
    return folder


def mined(url: str, cache: Path, **told: Any) -> list[Source]:
    given = {"countries": ("FR", "PT", "DE"), "langs": LANGS, **told}
    return list(knowledge(endpoint=f"{url}/sparql", cache=str(cache / "pages.db"), **given))


def seen(url: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{url}/seen", timeout=10) as reply:
        return json.load(reply)


def expected() -> dict[str, str]:
    """What the hand-written tables say, the odd ones aside: id → value."""
    found = {}
    for topic, table in (("leader", model.LEADERS), ("war", model.WARS), ("park", model.PARKS), ("heritage", model.SITES)):
        for country, name, value, *_ in model.rows(table):
            if name in model.ODD or value == "14xx":
                continue
            plain = value.split("-")[0] if topic in ("leader", "war") and value[0] != "-" else value.replace("-00", "-")
            found[f"{country}.{topic}.{model.q_of(topic, name)}"] = plain if topic in ("leader", "war") else " ".join(sorted(value.split()))
    return found


def test_the_data_is_large_enough_to_be_a_test():
    assert len(list(model.triples())) >= 2000 and len(expected()) > 60


def test_all_facts_of_three_countries(endpoint: str, tmp_path: Path):
    """Every plain fact is found with its value, and nothing else: not the war of nowhere, not the king of a novel."""
    facts = {s.id: s.fact.get("year") or s.fact.get("area", "") for s in mined(endpoint, tmp_path)}
    odd = {f"{c}.{t}.{model.q_of(t, n)}": n for t, table in (("leader", model.LEADERS), ("war", model.WARS), ("park", model.PARKS),
           ("heritage", model.SITES)) for c, n, v, *_ in model.rows(table) if n in model.ODD or v == "14xx"}  # fmt: skip
    assert {ident: value for ident, value in facts.items() if ident not in odd} == expected()
    left = {odd[ident]: value for ident, value in facts.items() if ident in odd}
    assert left == {
        "Vincent Auriol": "1884 1885", "René Coty": "1882", "Albert Lebrun": "1871 1872", "Raymond Poincaré": "1860", "Teófilo Braga": "",
        "Manuel de Arriaga": "", "Theodor Heuss": "1884", "Portuguese Conquest of Somewhere": "", "Thirty Years' War": "1618",
        "Berchtesgaden National Park": "DE-BY", "Saxon Switzerland National Park": "", "Belém Tower": "PT-11",
    }  # fmt: skip


def by_name(sources: list[Source]) -> dict[str, Source]:
    return {source.title: source for source in sources}


def test_where_a_fact_comes_from_and_what_is_wrong_with_it(endpoint: str, tmp_path: Path):
    skipped: list[str] = []
    found = by_name(mined(endpoint, tmp_path, domains=DOMAINS, skipped=skipped))
    coty, lebrun, braga = found["René Coty"], found["Albert Lebrun"], found["Teófilo Braga"]
    assert coty.origin["url"] == f"http://www.wikidata.org/entity/{coty.fact['item']}" and coty.origin["licence"] == "CC0-1.0"
    assert coty.origin["retrieved"] == time.strftime("%Y-%m-%d", time.gmtime()) and "deprecated" in coty.origin["note"]
    assert lebrun.origin["disputed"] == "year" and "disputed" not in found["Vincent Auriol"].origin
    assert found["Raymond Poincaré"].origin["disputed"] == "year" and "uncertain" in found["Raymond Poincaré"].origin["note"]
    assert "unknown" in braga.origin["note"] and "no value" in found["Manuel de Arriaga"].origin["note"]
    assert "century only" in found["Portuguese Conquest of Somewhere"].origin["note"]
    assert "no first-level area" in found["Saxon Switzerland National Park"].origin["note"]
    assert found["Theodor Heuss"].origin["names"] == "de from mul, en from mul, fr from mul, pt from mul"
    assert (coty.place, coty.topic, set(coty.labels["entity"])) == ("FR", "leader", set(LANGS))
    assert len(skipped) == 1 and skipped[0].startswith(f"DE.leader.{model.q_of('leader', 'Walter Scheel')}: has no name in en, fr, pt, de")


def test_labels_are_those_that_there_are(endpoint: str, tmp_path: Path):
    found = by_name(mined(endpoint, tmp_path, countries=("FR",), domains=("park",), langs=("fr", "ja", "en")))
    assert found["Calanques National Park"].labels["entity"] == {"en": "Calanques National Park", "fr": "parc national des Calanques"}


def test_the_areas_themselves_are_a_domain(endpoint: str, tmp_path: Path):
    """18 districts of Portugal; the province that was dissolved is none."""
    areas = mined(endpoint, tmp_path, countries=("PT",), domains=("area",))
    assert [s.fact["code"] for s in areas] == [f"PT-{n:02d}" for n in range(1, 19)]
    assert next(s for s in areas if s.fact["code"] == "PT-11").labels["entity"]["fr"] == "Lisbonne"


@pytest.mark.parametrize(("faults", "page"), [("busy,down,broken", 3), ("slow", 4), ("cut", 50), ("", 1)])
def test_what_goes_wrong_changes_no_fact(faults: str, page: int, endpoint: str, tmp_path: Path):
    """429, 503, a reply that breaks off, time-outs of large questions, replies that are cut: the same bytes as without any of them."""
    told = {"countries": ("PT",), "domains": ("leader", "park") if faults else ("park", "war")}
    plain = mined(endpoint, tmp_path / "a", **told)
    rows = 30 if faults == "cut" else 5
    with sparql_endpoint.running(tmp_path, faults=faults, rows=rows) as url:
        odd = mined(url, tmp_path / "b", page=page, **told)
        asked = seen(url)
    if faults == "cut":  # only lists can be gone on with: facts of so few entities are below the limit
        plain, odd = ([s for s in one if s.topic == "park"] for one in (plain, odd))
    assert list(map(canonical, plain)) == list(map(canonical, odd))
    if "busy" in faults:
        assert asked[1]["query"] == asked[2]["query"] and asked[2]["at"] - asked[1]["at"] >= 1.0


def test_a_polite_user_agent(endpoint: str, tmp_path: Path):
    mined(endpoint, tmp_path, countries=("PT",), domains=("park",), contact="https://example.org/bench")
    assert seen(endpoint)[-1]["agent"].startswith("endonym/") and "(https://example.org/bench)" in seen(endpoint)[-1]["agent"]
    with pytest.raises(InputError, match=r"^contact: is missing; query.wikidata.org asks for"):
        next(knowledge(countries=("PT",), langs=("en",), cache=str(tmp_path / "x.db")))
    with pytest.raises(InputError, match="^contact: '\\\\n' cannot stand"):
        next(knowledge(countries=("PT",), langs=("en",), contact="a\nb", cache=str(tmp_path / "x.db")))


def test_a_second_run_asks_nothing_and_a_later_day_asks_again(tmp_path: Path):
    with sparql_endpoint.running(tmp_path) as url:
        first = mined(url, tmp_path, countries=("FR",))
        asked = len(seen(url))
        assert mined(url, tmp_path, countries=("FR",)) == first and len(seen(url)) == asked
        mined(url, tmp_path, countries=("FR",), asof="2999-01-01")
        assert len(seen(url)) == 2 * asked
    assert mined(url, tmp_path, countries=("FR",)) == first  # the server is gone


def test_a_run_that_was_killed_asks_nothing_twice(tmp_path: Path):
    """Killed by signal while the server is slow to answer (a page of one entity each): no question is asked of it twice."""
    code = (
        "import sys; from endonym.build.knowledge import knowledge\n"
        "list(knowledge(endpoint=sys.argv[1], cache=sys.argv[2], countries=('FR', 'PT', 'DE'), langs=('en',), page=1))"
    )
    with sparql_endpoint.running(tmp_path) as url:
        command = [sys.executable, "-c", code, f"{url}/sparql", str(tmp_path / "pages.db")]
        process = subprocess.Popen(command)
        deadline = time.monotonic() + 20
        while len(seen(url)) < 12 and time.monotonic() < deadline:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        before = [one["query"] for one in seen(url)]
        mined(url, tmp_path, langs=("en",), page=1)
        queries = [one["query"] for one in seen(url)]
    assert len(before) >= 12 and len(queries) > len(before)
    assert len(queries) - len(set(queries)) <= 1  # the one in flight


def test_only_what_a_list_names(endpoint: str, tmp_path: Path):
    """The list of a page replaces the query: its entities alone, in their place and topic, odd classes or not."""
    tower, gard = model.q_of("heritage", "Museum Island"), model.q_of("heritage", "Pont du Gard")
    listed = [
        Source(id="a", place="DE", topic="heritage", fact={"item": tower}),
        Source(id="b", place="FR", topic="heritage", fact={"item": gard}),
        Source(id="c", place="FR", topic="heritage", title="without an item"),
    ]
    told = {"countries": ("DE", "FR"), "langs": ("en",), "endpoint": f"{endpoint}/sparql", "cache": str(tmp_path / "p.db")}
    assert {s.title: s.fact["area"] for s in knowledge(listed, **told)} == {"Museum Island": "DE-BE", "Pont du Gard": "FR-OCC"}
    with pytest.raises(InputError, match="listed: no row has an item"):
        next(knowledge(listed[2:], **told))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"countries": ()}, "countries: is empty"),
        ({"langs": ()}, "langs: is empty"),
        ({"countries": ("Portugal",)}, "'Portugal' is no country"),
        ({"langs": ("pt_PT",)}, "'pt_PT' is no language"),
        ({"domains": ("parks",)}, "no domain 'parks'; did you mean 'park'"),
        ({"page": 0}, "page: 0"),
        ({"asof": "2025-13-01"}, "asof: '2025-13-01' is no day"),
        ({"level": "region"}, "'region' is no class"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(told: dict[str, Any], said: str, tmp_path: Path):
    given = {"domains": ("area",), **told} if "level" in told else told
    with pytest.raises((InputError, UnknownName), match=said):
        mined("http://127.0.0.1:9", tmp_path, **given)


def test_servers_that_are_none(endpoint: str, tmp_path: Path):
    told = {"countries": ("PT",), "langs": ("en",), "cache": str(tmp_path / "p.db")}
    with pytest.raises(InputError, match="is no http or https URL"):
        next(knowledge(endpoint="file:///etc/passwd", **told))
    with pytest.raises(Unavailable, match="its reply is no SPARQL result in JSON: '<!DOCTYPE html>"):
        next(knowledge(endpoint=f"{endpoint}/start", **told))


def test_a_query_that_the_server_does_not_understand(endpoint: str, tmp_path: Path):
    folder = own(tmp_path, "park.rq", "SELECT ?item WHRE { ?item ?p {limit} }")
    with pytest.raises(InputError, match="does not understand the question: MalformedQueryException"):
        mined(endpoint, tmp_path, domains=("park",), queries_in=folder)


def test_a_list_of_ones_own_paged_by_offset(endpoint: str, tmp_path: Path):
    """A query without a key for pages, but with an offset: all 16 areas of Germany in pages of 5."""
    text = """PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT ?item WHERE { ?c wdt:P297 "{country}" . ?item wdt:P17 ?c ; wdt:P300 ?code } ORDER BY ?code LIMIT {limit} OFFSET {offset}"""
    folder = own(tmp_path, "area_members.rq", text)
    assert len(mined(endpoint, tmp_path, countries=("DE",), domains=("area",), queries_in=folder, page=5)) == 16
