"""From an endpoint to a benchmark by a recipe: mined, listed conflicts, a sheet that decides, areas, questions in four languages."""

import json
import urllib.request
from pathlib import Path

import sparql_endpoint
import wikidata_model as model

from endonym import recipe, store
from endonym.kitchen import Kitchen
from endonym.records import Item, Judgment

RECIPE = """
[[stage]]
do = "build.knowledge"
makes = "mined"
endpoint = "{url}/sparql"
cache = "{cache}"
countries = ["PT", "DE"]
domains = ["leader", "park"]
langs = ["en", "fr", "pt", "de"]
page = 5

[[stage]]
do = "build.knowledge"
makes = "mined-areas"
endpoint = "{url}/sparql"
cache = "{cache}"
countries = ["PT", "DE"]
domains = ["area"]
langs = ["en", "fr", "pt", "de"]

[[stage]]
do = "build.sheet"
makes = "by-hand"
file = "by-hand.csv"
licence = "CC-BY-4.0"

[[stage]]
do = "build.conflicts"
makes = "conflicts"
sources = ["mined", "by-hand"]
langs = ["en", "fr", "pt", "de"]

[[stage]]
do = "build.merge"
makes = "sources"
sources = ["mined", "by-hand"]

[[stage]]
do = "build.areas"
makes = "areas"
known = "mined-areas"
countries = ["PT", "DE"]
langs = ["en", "fr", "pt", "de"]
as_written = true

[[stage]]
do = "build.templates"
makes = "items"
file = "templates.toml"
areas = "tables/areas.jsonl"
"""
TEMPLATES = """
languages = ["en", "de"]
[domains.leader]
slot = "year"
kind = "year"
templates.en = ["When was {entity} born?", "{entity}, {country}: which year of birth?"]
templates.de = ["Wann wurde {entity} geboren?", "{entity}, {country}: welches Geburtsjahr?"]
[domains.park]
slot = "area"
kind = "area"
templates.en = ["Where is {entity}?", "{entity}, {country}: which area?"]
templates.de = ["Wo liegt {entity}?", "{entity}, {country}: welches Gebiet?"]
[countries.PT]
name = "Portugal"
forms = { en = { country = "Portugal" }, de = { country = "Portugal" } }
[countries.DE]
name = "Germany"
forms = { en = { country = "Germany" }, de = { country = "Deutschland" } }
"""
SHEET = """id,year,area,entity:de,note
PT.leader.{braga},1843,,,seen in a parish register
DE.leader.{heuss},1885,,,a slip of the pen
DE.park.{swiss},,DE-SN,,
PT.park.{geres},,,Nationalpark Peneda-Gerês,
"""


def test_from_an_endpoint_to_a_benchmark(tmp_path: Path):
    """A gap that the sheet fills is asked for; a conflict that nobody decided is shown and left out; a second run asks nothing."""
    ids = {"braga": ("leader", "Teófilo Braga"), "heuss": ("leader", "Theodor Heuss"), "swiss": ("park", "Saxon Switzerland National Park"),
           "geres": ("park", "Peneda-Gerês National Park")}  # fmt: skip
    numbers = {key: model.q_of(*where) for key, where in ids.items()}
    work = tmp_path / "work"
    work.mkdir()
    (work / "templates.toml").write_text(TEMPLATES, encoding="utf-8")
    (work / "by-hand.csv").write_text(SHEET.format(**numbers), encoding="utf-8")
    with sparql_endpoint.running(tmp_path, faults="busy") as url:
        (work / "recipe.toml").write_text(RECIPE.format(url=url, cache=tmp_path / "pages.db"), encoding="utf-8")
        told = recipe.load(work)
        Kitchen(work).cook(told)
        asked = seen(url)
        before = (work / "tables" / "items.jsonl").read_bytes()
        for table in (work / "tables").iterdir():
            table.unlink()
        Kitchen(work).cook(told)
        assert seen(url) == asked and (work / "tables" / "items.jsonl").read_bytes() == before

    items = list(store.read(work / "tables" / "items.jsonl", Item))
    by_stem = {item.stem: item.options[item.gold or 0] for item in items}
    assert by_stem["When was Teófilo Braga born?"] == "1843" and by_stem["Where is Saxon Switzerland National Park?"] == "Saxony"
    assert by_stem["Wo liegt Nationalpark Peneda-Gerês?"] == "Braga"
    assert not any("Heuss" in item.stem or "Arriaga" in item.stem for item in items)
    geres = next(item for item in items if item.stem == "Where is Peneda-Gerês National Park?")
    assert not {"Viana do Castelo", "Vila Real"} & set(geres.options)
    judged = {(j.item, j.criterion) for j in store.read(work / "tables" / "conflicts.jsonl", Judgment) if j.value == "error"}
    arriaga = model.q_of("leader", "Manuel de Arriaga")
    assert judged == {(f"DE.leader.{numbers['heuss']}", "conflict"), (f"PT.leader.{arriaga}", "gap")}
    skipped = (work / "tables" / "sources.skipped.txt").read_text()
    assert f"DE.leader.{numbers['heuss']}: year: is not settled: 1884, 1885" in skipped and f"PT.leader.{arriaga}" in skipped


def seen(url: str) -> int:
    with urllib.request.urlopen(f"{url}/seen", timeout=10) as reply:
        return len(json.load(reply))
