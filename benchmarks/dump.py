"""A dump through the miner: a synthetic one in Wikidata's model, streamed as N-Triples, as Turtle and as JSON.

Most of its triples are of no use, as in a real one: names in many languages, descriptions, statements of other properties. Some
entities are leaders, parks and the areas they lie in. Each format is mined in a process of its own: wall and CPU seconds, and the most
memory that the process ever held (which begins at some 40 MB for Python and the libraries).

    python benchmarks/dump.py [--triples 5000000] [--formats nt ttl json]
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

ENTITY, PROP = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/"
LANGS = ("en", "fr", "pt", "de", "es", "ru", "ja", "hi", "zh", "it", "nl", "pl")
FORMATS = {"nt": "N-Triples", "ttl": "Turtle", "json": "Wikidata JSON"}
PER_ENTITY = 63
"""Triples of one entity, about; they are counted as they are written."""
AREAS = 20


def entities(number: int) -> Iterator[dict[str, Any]]:
    """A country, its areas, and then entities: one in ten a leader, one in ten a park, the others nothing that is asked for."""
    yield _entity("Q1", "Exland", [("P297", "XA"), ("P1906", "Q2")])
    yield _entity("Q3", "kind of area", [("P279", "Q10864048")])
    for n in range(AREAS):
        yield _entity(f"Q{10 + n}", f"Area {n}", [("P31", "Q3"), ("P17", "Q1"), ("P300", f"XA-{n:02d}")])
    for n in range(number):
        q, kind = f"Q{1000 + n}", n % 10
        noise = [(f"P{5000 + k}", f"Q{1000 + (n * 7 + k) % number}") for k in range(6)]
        if kind == 0:
            noise += [("P31", "Q5"), ("P39", "Q2"), ("P569", 1200 + n % 800)]
        elif kind == 1:
            noise += [("P31", "Q46169"), ("P17", "Q1"), ("P131", f"Q{10 + n % AREAS}")]
        else:
            noise += [("P31", "Q4"), ("P17", "Q9"), ("P569", 1200 + n % 800)]
        yield _entity(q, f"Entity {n}", noise)


def _entity(q: str, name: str, claims: list[tuple[str, Any]]) -> dict[str, Any]:
    labels = {lang: {"language": lang, "value": f"{name} ({lang})"} for lang in LANGS}
    made: dict[str, list[Any]] = {}
    for n, (prop, value) in enumerate(claims):
        snak = {"snaktype": "value", "property": prop, "datavalue": _data(value)}
        made.setdefault(prop, []).append({"mainsnak": snak, "type": "statement", "id": f"{q}${n:04X}", "rank": "normal"})
    return {"type": "item", "id": q, "labels": labels, "claims": made}


def _data(value: Any) -> dict[str, Any]:
    if isinstance(value, int):
        time_of = {"time": f"+{value}-00-00T00:00:00Z", "precision": 9, "calendarmodel": f"{ENTITY}Q1985727"}
        return {"type": "time", "value": time_of}
    if value[0] == "Q":
        return {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": value}}
    return {"type": "string", "value": value}


def triples(entity: dict[str, Any]) -> Iterator[str]:
    """The triples of an entity, as a line of N-Triples each."""
    subject = f"<{ENTITY}{entity['id']}>"
    for label in entity["labels"].values():
        yield f'{subject} <http://www.w3.org/2000/01/rdf-schema#label> "{label["value"]}"@{label["language"]} .'
        yield f'{subject} <http://schema.org/description> "that which is called {label["value"]}"@{label["language"]} .'
    for prop, claims in entity["claims"].items():
        for claim in claims:
            node, data = f"<{ENTITY}statement/{claim['id'].replace('$', '-')}>", claim["mainsnak"]["datavalue"]
            value = _term(data)
            yield f"{subject} <{PROP}{prop}> {node} ."
            yield f"{node} <http://wikiba.se/ontology#rank> <http://wikiba.se/ontology#NormalRank> ."
            yield f"{node} <{PROP}statement/{prop}> {value} ."
            yield f"{subject} <{PROP}direct/{prop}> {value} ."
            if data["type"] == "time":
                inner = f"<http://www.wikidata.org/value/{data['value']['time'][1:5]}>"
                yield f"{node} <{PROP}statement/value/{prop}> {inner} ."
                yield f"{inner} <http://wikiba.se/ontology#timeValue> {value} ."
                yield f'{inner} <http://wikiba.se/ontology#timePrecision> "9"^^<http://www.w3.org/2001/XMLSchema#integer> .'
                yield f"{inner} <http://wikiba.se/ontology#timeCalendarModel> <{ENTITY}Q1985727> ."


def _term(data: dict[str, Any]) -> str:
    if data["type"] == "wikibase-entityid":
        return f"<{ENTITY}{data['value']['id']}>"
    if data["type"] == "string":
        return f'"{data["value"]}"'
    return f'"{data["value"]["time"][1:5]}-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def write(path: Path, kind: str, wanted: int) -> int:
    """Write a dump of at least so many triples; returns how many (JSON: as many as its RDF would have)."""
    count, number = 0, wanted // PER_ENTITY
    with path.open("w", encoding="utf-8") as out:
        for n, entity in enumerate(entities(number)):
            lines = list(triples(entity))
            count += len(lines)
            _write(out, kind, entity, lines, n)
        if kind == "json":
            out.write("\n]\n")
    return count


def _write(out: IO[str], kind: str, entity: dict[str, Any], lines: list[str], n: int) -> None:
    if kind == "json":
        out.write(("[\n" if n == 0 else ",\n") + json.dumps(entity, separators=(",", ":")))
    elif kind == "nt":
        out.write("\n".join(lines) + "\n")
    else:
        pairs = (line.removesuffix(" .").split(" ", 1) for line in lines)
        out.write("\n".join(f"{subject}\n  {rest} ." for subject, rest in pairs) + "\n")


def mine(path: Path) -> int:
    from endonym.build.dump import dump

    return sum(1 for _ in dump(file=path, countries=("XA",), domains=("leader", "park"), langs=("en", "fr")))


def measured(path: Path) -> tuple[int, float, float, float]:
    """Facts, wall and CPU seconds, MB at the peak, of a process of its own."""
    out = subprocess.run([sys.executable, __file__, "--mine", str(path)], capture_output=True, text=True)
    if out.returncode:
        raise SystemExit(out.stderr[-2000:])
    return tuple(json.loads(out.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--triples", type=int, default=5_000_000)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=list(FORMATS))
    parser.add_argument("--mine", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.mine:
        started = time.perf_counter()
        facts = mine(told.mine)
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps([facts, time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
        return
    print("| format | triples | file, MB | facts | wall, s | CPU, s | memory, MB |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for kind in told.formats:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"dump.{kind}"
            count = write(path, kind, told.triples)
            facts, wall, cpu, megabytes = measured(path)
            size = path.stat().st_size / 1e6
            print(f"| {FORMATS[kind]} | {count:,} | {size:.0f} | {facts:,} | {wall:.1f} | {cpu:.1f} | {megabytes:.0f} |", flush=True)


if __name__ == "__main__":
    main()
