"""The recipe of CARTE from documents to items, against a server process that answers in known numbers: every count of the funnel."""

import contextlib
import csv
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from endonym import recipe, store
from endonym.build import provenance
from endonym.cli import run
from endonym.cli.new import inline
from endonym.errors import Waiting
from endonym.kitchen import Kitchen
from endonym.records import Item, Judgment, Score, Source
from endonym.stages import STAGES

SERVER = Path(__file__).parent / "scripted_carte.py"
CHECKED = {"validate.check", "build.balance"} <= STAGES.keys()
"""Whether the stages that come after the questions are there."""
REJECTED_DOCUMENT = "canal-du-midi.md"


class Remote:
    """The server process as the test sees it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process, self.url = process, process.stdout.readline().strip()

    def counts(self, query: str = "") -> dict[str, Any]:
        with urlopen(self.url.removesuffix("/v1") + f"/counts{query}", timeout=10) as reply:
            return json.load(reply)


@contextlib.contextmanager
def serving() -> Iterator[Remote]:
    process = subprocess.Popen([sys.executable, str(SERVER)], stdout=subprocess.PIPE, text=True)
    try:
        yield Remote(process)
    finally:
        process.kill()
        process.wait(10)
        assert process.stdout is not None
        process.stdout.close()


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "endonym", *map(str, args)]


def endonym(*args: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OPENAI_API_KEY": "x"}
    return subprocess.run(command(*args), capture_output=True, text=True, timeout=120, env=environment)


def made(folder: Path, url: str) -> None:
    """A new workspace in which house-1 writes, two models judge and answer, and everybody is on the scripted server."""
    one, two = (f"openai/{name} base_url={url} concurrency=1" for name in ("house-1", "house-2"))
    done = endonym(
        "new", folder, "--recipe", "carte", "--lang", "fr", "--places", "FR", "--model", one, "--judge", one, "--judge", two,
        "--panel", one, "--panel", two, "--method", "generate", "--schema",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if not CHECKED:
        plan = folder / "recipe.toml"
        plan.write_text(plan.read_text(encoding="utf-8").partition("# ---- Checks")[0], encoding="utf-8")


def review(folder: Path, accept: str = "accepter") -> None:
    """Fill the sheet: the one document that is bad is rejected."""
    sheet = folder / "review.csv"
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["prompt", "question", "answer"])
        writer.writeheader()
        for row in rows:
            answer = "refuser faits : une date est douteuse" if REJECTED_DOCUMENT in row["question"] else accept
            writer.writerow({**row, "answer": answer})


def rows(folder: Path, table: str, record: type) -> list[Any]:
    return list(store.read(folder / "tables" / f"{table}.jsonl", record))


STOPS = (2, 20, 50) if CHECKED else (2, 6)
"""After 2 calls it is writing, after 20 judges are reading, after 50 the panel is answering."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The recipe run to its end: it waits for people, is killed in the middle of each step that asks, and is started again."""
    folder = tmp_path_factory.mktemp("carte") / "regions"
    with serving() as server:
        made(folder, server.url)
        waiting = endonym("run", folder)
        assert waiting.returncode == 3
        assert "7 of 7 rows wait for an answer" in waiting.stderr
        assert not server.counts()["calls"]
        review(folder)
        for stop in STOPS:
            killed(folder, server, stop)
        server.counts("?stop=0")
        done = endonym("run", folder)
        assert done.returncode == 0, done.stderr
        yield folder, server.counts()


def killed(folder: Path, server: Remote, stop: int) -> None:
    """Run until the server has answered ``stop`` calls in all and holds the next one; then kill."""
    server.counts(f"?stop={stop}")
    running = subprocess.Popen(command("run", folder), stderr=subprocess.DEVNULL, env={**os.environ, "OPENAI_API_KEY": "x"})
    try:
        until = time.monotonic() + 60
        while not server.counts()["faults"]["held"]:
            assert time.monotonic() < until and running.poll() is None
            time.sleep(0.05)
    finally:
        running.kill()
        running.wait(10)
    assert sum(server.counts()["answered"].values()) == stop


def test_documents_that_people_reject_are_listed(workspace: tuple[Path, Any]):
    folder, _ = workspace
    assert len(rows(folder, "documents", Source)) == 7
    assert rows(folder, "screened", Judgment) == []
    assert Counter(j.value for j in rows(folder, "reviews", Judgment)) == {"accept": 6, "reject": 1}
    assert [s.id for s in rows(folder, "sources", Source)].count(REJECTED_DOCUMENT) == 0
    assert len(rows(folder, "sources", Source)) == 6
    listed = (folder / "tables/accepted.skipped.txt").read_text()
    assert listed.startswith(f"{REJECTED_DOCUMENT}: rejected by people/reviewer") and "une date est douteuse" in listed


def test_every_candidate_is_an_item_or_has_a_reason(workspace: tuple[Path, Any]):
    folder, counts = workspace
    plain, rejected = rows(folder, "plain", Item), rows(folder, "rejected", Judgment)
    sources = {"alsace-moselle.md": 5, "bassin-minier.md": 3, "lyon-et-alpes.md": 3, "mots-du-quotidien.md": 2}
    assert Counter(i.source for i in plain) == sources
    assert Counter(j.criterion for j in rejected) == {
        "truncated": 5, "malformed": 5, "evidence": 1, "options": 1, "region": 1, "duplicate": 1, "answer": 1, "topic": 1, "missing": 1,
    }  # fmt: skip
    assert len(plain) + len(rejected) == 6 * 5
    varied, no_variation = rows(folder, "variation", Item), rows(folder, "rejected-variation", Judgment)
    assert (len(varied), {i.subset for i in varied}) == (4, {"LV"})
    assert [j.criterion for j in no_variation] == ["fields"]
    assert len(varied) + len(no_variation) == 5
    assert counts["faults"]["written"] == counts["faults"]["schema"] == 7


def test_an_item_says_where_it_comes_from(workspace: tuple[Path, Any]):
    folder, _ = workspace
    item = next(i for i in rows(folder, "plain", Item) if "Neustadt" in i.options[0])
    assert (item.place, item.topic, item.source, item.lang) == ("FR-GES", "Histoire & patrimoine", "alsace-moselle.md", "fr")
    assert item.options[item.abstain or 0] == "Je ne sais pas" and item.abstain == 4
    assert item.maker.startswith("openai/house-1")
    assert item.meta["evidence"].startswith("en 2017")


@pytest.mark.skipif(not CHECKED, reason="the stages after the questions are not there yet")
def test_checks_judges_and_the_panel_leave_what_they_should(workspace: tuple[Path, Any]):
    folder, counts = workspace
    flagged = {i.id: i.stem for i in rows(folder, "plain", Item)}
    gone = flagged.keys() - {i.id for i in rows(folder, "sound", Item)}
    assert sorted(flagged[i][:16] for i in gone) == ["In which year di", "Selon le documen", "À Marseille, que"]
    assert len(rows(folder, "sound", Item)) == 14
    assert Counter((j.criterion, j.value) for j in rows(folder, "judged", Judgment) if j.value != "5") == {("RA", "2"): 2}
    assert len(rows(folder, "judged", Judgment)) == 4 * 4 * 2
    assert len(rows(folder, "approved", Item)) == len(rows(folder, "balanced", Item)) == 13
    assert sorted(Counter(i.gold for i in rows(folder, "balanced", Item)).values()) == [3, 3, 3, 4]
    assert len(rows(folder, "scores", Score)) == 26
    kept = rows(folder, "items", Item)
    assert len(kept) == 12 and not any("Oignies" in " ".join(i.options) for i in kept)
    strasbourg = sum("Strasbourg" in i.stem + "".join(i.options) for i in kept)
    assert Counter(i.meta["difficulty"] for i in kept) == {"Easy": strasbourg, "Medium": 12 - strasbourg}
    assert counts["faults"]["judged"] == 32 and counts["faults"]["answered"] == 26


def test_killed_and_started_again_it_repeats_no_call(workspace: tuple[Path, Any]):
    _, counts = workspace
    asked = 7 + 32 + 26 if CHECKED else 7
    assert sum(counts["calls"].values()) == sum(counts["answered"].values()) == asked
    assert counts["faults"]["written"] == 7
    assert max(counts["answered"].values()) <= 2  # judges and panel are two models, and see the same


def test_the_release_tells_the_funnel(workspace: tuple[Path, Any], tmp_path: Path):
    if not CHECKED:
        pytest.skip("the stages after the questions are not there yet")
    steps = {s.table: s for s in provenance.funnel(provenance.Workspace(workspace[0] / "tables"), ["items"])}
    numbers = {name: (s.before, s.after) for name, s in steps.items()}
    assert numbers == {
        "documents": (7, 7), "accepted": (7, 6), "sources": (6, 6), "plain": (30, 13), "variation": (5, 4), "sound": (17, 14),
        "approved": (14, 13), "balanced": (13, 13), "solved": (13, 12), "items": (12, 12),
    }  # fmt: skip
    assert steps["plain"].left["truncated"] == 5 and steps["variation"].left == {"fields": 1}


SPANISH = {
    "variación lingüística": (
        "En la parada de Las Palmas, en Canarias, Nira dice: «Ahí viene la guagua». ¿A qué espera?",
        ["Al autobús", "Al tranvía", "Al camión", "Al taxi"], "Lengua y lingüística", "ES-CN", "espera la «guagua» y no el autobús",
    ),
    "marismas, olivos": (
        "¿En qué provincia andaluza se rompió en abril de 1998 la balsa de la mina de Aznalcóllar?", ["Sevilla", "Huelva", "Jaén", "Cádiz"],
        "Medio ambiente y biodiversidad", "Andalucía", "la balsa de residuos de la mina de\nAznalcóllar, en la provincia de Sevilla",
    ),
    "volcanes, viento": (
        "¿En qué isla canaria funciona desde 2014 la central hidroeólica de Gorona del Viento?",
        ["El Hierro", "La Gomera", "Lanzarote", "La Palma"], "Infraestructuras y redes", "Canarias",
        "En El Hierro funciona desde 2014 la central hidroeólica",
    ),
    "fueros, hierro": (
        "¿Qué territorio vasco conservó el concierto económico en 1937, cuando fue abolido en los demás?",
        ["Álava", "Bizkaia", "Gipuzkoa", "Navarra"], "Instituciones y gobierno", "ES-PV", "pero se mantuvo en Álava",
    ),
}  # fmt: skip


def spanish() -> dict[str, str]:
    """What the writer writes where a part of the prompt is met: one question of the five."""
    names = ("question", "options", "topic", "region", "evidence")
    found = {part: dict(zip(names, fields, strict=True)) | {"answer": "A"} for part, fields in SPANISH.items()}
    return {part: json.dumps({"questions": [raw]}, ensure_ascii=False) for part, raw in found.items()}


@pytest.mark.skipif(not CHECKED, reason="the stages after the questions are not there yet")
def test_another_country_in_another_language_is_no_python(tmp_path: Path):
    folder = tmp_path / "comunidades"
    panel = [f"--panel=parrot/{letter} says={letter}" for letter in "ABCD"]
    writer = f"--model=parrot/escritor says={inline(spanish())}"
    assert run(["new", str(folder), "--recipe", "carte-es", writer, "--judge", "parrot/juez says='Nota: 5'", *panel]) == 0
    cooked = recipe.load(folder)
    with pytest.raises(Waiting, match="4 of 4 rows wait"):
        Kitchen(folder).cook(cooked)
    review(folder, "aceptar")
    Kitchen(folder).cook(cooked)
    assert Counter(j.criterion for j in rows(folder, "rejected", Judgment)) == {"missing": 12, "malformed": 5}
    assert [j for j in rows(folder, "checked", Judgment) if j.value == "error" and j.item != "benchmark"] == []
    kept = rows(folder, "items", Item)
    assert sorted((i.place, i.lang, i.options[4]) for i in kept) == [
        ("ES-AN", "es", "No lo sé"), ("ES-CN", "es", "No lo sé"), ("ES-CN", "es", "No lo sé"), ("ES-PV", "es", "No lo sé"),
    ]  # fmt: skip
    assert sorted(i.gold for i in kept) == [0, 1, 2, 3] and {i.meta["difficulty"] for i in kept} == {"Hard"}
