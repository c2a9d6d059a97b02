"""The recipe of Tuguesice from a sheet of questions to scores, plain and oracle: what is kept, what is left out and why."""

import json
from collections import Counter
from pathlib import Path

import pytest

from endonym import recipe, store
from endonym.cli import run
from endonym.kitchen import Kitchen
from endonym.records import Item, Judgment, Manifest, Score

PANEL = ("--panel", "parrot/tuned says='É o cravo vermelho.'", "--panel", "parrot/base says='Não sei.'")


def made(folder: Path, *words: str) -> Path:
    assert run(["new", str(folder), "--recipe", "tuguesice", "--model", "parrot/x", *PANEL, *words]) == 0
    return folder


def cook(folder: Path) -> None:
    Kitchen(folder).cook(recipe.load(folder))


def rows(folder: Path, table: str, record: type) -> list:
    return list(store.read(folder / "tables" / f"{table}.jsonl", record))


def test_a_workspace_says_by_itself_what_is_done(tmp_path: Path):
    folder = made(tmp_path / "ours")
    assert {p.name for p in folder.iterdir()} == {
        "recipe.toml", "questions.csv", "questions.toml", "culture.toml", "guidelines.toml", "web.toml",
    }  # fmt: skip
    for name in ("recipe.toml", "questions.toml", "web.toml"):
        assert '"@' not in "".join(line for line in (folder / name).read_text().splitlines() if not line.startswith("#"))
    assert 'place = "PT"' in (folder / "web.toml").read_text() and 'lang = "pt-PT"' in (folder / "questions.toml").read_text()


def test_from_a_sheet_to_scores(tmp_path: Path):
    """Of seven examples one names the country and one asks for a taste; one of five answers is the tuned parrot's."""
    folder = made(tmp_path / "ours")
    cook(folder)
    questions, kept = rows(folder, "questions", Item), rows(folder, "benchmark", Item)
    assert (len(questions), len(kept)) == (7, 5)
    assert {i.place for i in kept} == {"PT"} and {i.lang for i in kept} == {"pt-PT"}
    left = {i.id: i.stem for i in questions}.keys() - {i.id for i in kept}
    broken = {criterion for j in rows(folder, "left-out", Judgment) if j.item in left for criterion in [j.criterion]}
    assert {"own-name", "opinion"} <= broken and len(left) == 2
    scores = rows(folder, "scores", Score)
    assert Counter((s.model.split("#")[0], s.style, s.right) for s in scores if s.right) == {
        ("parrot/tuned", "plain", True): 1, ("parrot/tuned", "oracle", True): 1,
    }  # fmt: skip
    assert len(scores) == 5 * 2 * 2
    assert {s.status for s in scores if s.model.startswith("parrot/base")} == {"abstained"}
    assert {j.criterion for j in rows(folder, "probed", Judgment)} >= {"probe/plain", "probe/oracle"}


def test_a_row_without_an_answer_is_listed(tmp_path: Path):
    folder = made(tmp_path / "ours")
    with (folder / "questions.csv").open("a", encoding="utf-8") as sheet:
        sheet.write("Que peixe se seca ao sol na praia?,,comida,ane\n")
    cook(folder)
    assert "questions.csv:9: answers: holds no accepted answer" in (folder / "tables/questions.skipped.txt").read_text()
    assert len(rows(folder, "benchmark", Item)) == 5


def test_another_culture_is_files_and_no_python(tmp_path: Path):
    folder = made(tmp_path / "theirs", "--lang", "fr", "--places", "BE")
    assert (folder / "questions.csv").read_text() == "question,answers,topic,author\n"
    culture = (folder / "culture.toml").read_text()
    assert 'place = "BE"' in culture and 'own = ["Belgique", "Belgium"]' in culture
    (folder / "questions.csv").write_text(
        "question,answers,topic,author\nQuel jour chôme-t-on en juillet ?,21;le 21 juillet,fêtes,ane\n"
        "Quelle bière boit-on en Belgique ?,la pils,table,ane\n", encoding="utf-8",
    )  # fmt: skip
    cook(folder)
    assert [i.stem for i in rows(folder, "benchmark", Item)] == ["Quel jour chôme-t-on en juillet ?"]
    assert [j.criterion for j in rows(folder, "left-out", Judgment)] == ["own-name"]


def test_from_the_tables_of_the_web_pages(tmp_path: Path):
    """The pages write items and judgments; the recipe without its first stage goes on from there."""
    folder = made(tmp_path / "ours")
    cook(folder)
    items = rows(folder, "questions", Item)
    store.write(folder / "tables/items.jsonl", items, Manifest(stage="web.export", inputs={"file:database": "0" * 64}))
    plan = (folder / "recipe.toml").read_text(encoding="utf-8")
    head, _, rest = plan.partition("[[stage]]")
    later = "[[stage]]" + rest.partition("[[stage]]")[2].replace('"questions"', '"items"')
    (folder / "recipe.toml").write_text(head + later, encoding="utf-8")
    before = rows(folder, "benchmark", Item)
    cook(folder)
    assert rows(folder, "benchmark", Item) == before
    assert store.manifest(folder / "tables/benchmark.jsonl").inputs.keys() == {"items:items", "judgments:checked"}


def test_two_workspaces_give_the_contrast_of_the_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """An inside set and one that names its country: the gap of the tuned parrot over its base, plain, is 1 of 5 and 0 of 1."""
    inside, blend = made(tmp_path / "inside"), made(tmp_path / "blend")
    (blend / "questions.csv").write_text(
        "question,answers,topic,author\nQue peixe se come no Natal em Portugal?,bacalhau,comida,ane\n", encoding="utf-8"
    )
    plan = (blend / "recipe.toml").read_text(encoding="utf-8")
    (blend / "recipe.toml").write_text(
        plan.replace('culture = "culture.toml"', 'culture = "culture.toml"\nskip = ["own-name"]'), encoding="utf-8"
    )
    for folder in (inside, blend):
        cook(folder)
    capsys.readouterr()
    models = sorted({s.model for s in rows(inside, "scores", Score)})
    pair = f"{models[1]}={models[0]}"
    assert run(["compare", str(inside), str(blend), "--specialised", pair, "--draws", "100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["benchmarks"]
    gaps = {b["name"]: {g["estimate"]["group"]["style"]: g["estimate"]["value"] for g in b["contrast"]["gaps"]} for b in found}
    assert gaps == {"inside": {"plain": 0.2, "oracle": 0.2}, "blend": {"plain": 0.0, "oracle": 0.0}}
