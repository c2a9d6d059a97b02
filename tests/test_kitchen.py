"""A workspace is brought up to date by key: only what changed is made again, and only a new model is asked."""

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from endonym import recipe, store
from endonym.errors import IntegrityError, RecipeError, Unsupported, Waiting
from endonym.kitchen import Kitchen, file_name
from endonym.records import Model, Response, Score


def workspace(benchmark: Path, *models: Model, responses: str = "", **choosing: object) -> tuple[Path, recipe.Recipe]:
    folder = benchmark.parent / "work"
    reading = recipe.Stage(do="build.read", makes="items", settings={"reader": "endonym", "path": "../capitals.jsonl"})
    choosing_stage = recipe.Stage(do="evaluate.choose", makes="scores", models=models, responses=responses, settings=choosing)
    return folder, recipe.Recipe(name="capitals", stages=(reading, choosing_stage))


def cook(folder: Path, what: recipe.Recipe, **how: object) -> dict[str, str]:
    told: dict[str, str] = {}
    Kitchen(folder, notify=lambda table, state: told.update({table: state}), **how).cook(what)  # type: ignore[arg-type]
    return told


PARROT = Model(name="parrot/x")


def test_the_second_time_there_is_nothing_to_do(benchmark: Path):
    folder, what = workspace(benchmark, PARROT)
    tables = ["items", "scores/prompts", "scores/parrot--x", "scores"]
    assert cook(folder, what) == dict.fromkeys(tables, "done")
    assert cook(folder, what) == dict.fromkeys(tables, "fresh")
    assert store.verify(folder / "tables") == 4


def test_the_same_inputs_make_the_same_bytes(benchmark: Path):
    folder, what = workspace(benchmark, PARROT, orders="shuffle", seed=3)
    cook(folder, what)
    before = {p.name: p.read_bytes() for p in folder.rglob("*.json*")}
    shutil.rmtree(folder)
    cook(folder, what)
    assert before == {p.name: p.read_bytes() for p in folder.rglob("*.json*")}


def test_adding_a_model_asks_only_that_model(benchmark: Path):
    folder, what = workspace(benchmark, PARROT)
    cook(folder, what)
    folder, what = workspace(benchmark, PARROT, Model(name="parrot/y", params={"says": "B"}))
    told = cook(folder, what)
    assert told["scores/parrot--x"] == "fresh"
    assert [t for t, s in told.items() if s == "done"] == [f"scores/{file_name(what.stages[1].models[1].id)}", "scores"]


def test_a_changed_source_makes_the_rest_stale(benchmark: Path):
    folder, what = workspace(benchmark, PARROT)
    cook(folder, what)
    benchmark.write_bytes(b"".join(benchmark.read_bytes().splitlines(keepends=True)[:4]))
    states = {s.table: s.state for s in Kitchen(folder).survey(what)}
    assert states == {"items": "stale", "scores/prompts": "stale", "scores/parrot--x": "stale", "scores": "stale"}
    cook(folder, what)
    assert len(store.read(folder / "tables/scores.jsonl", Score)) == 4


def test_the_cache_may_be_deleted(benchmark: Path):
    folder, what = workspace(benchmark, PARROT)
    cook(folder, what)
    (folder / "cache.db").unlink()
    assert set(cook(folder, what).values()) == {"fresh"}


def test_retry_asks_the_failed_rows_only(benchmark: Path):
    flaky = Model(name="parrot/x", params={"fails": ["Portugal"]})
    folder, what = workspace(benchmark, flaky)
    cook(folder, what)
    table = folder / f"tables/scores/{file_name(flaky.id)}.jsonl"
    assert store.vouched(table).statuses == {"failed": 1}
    assert [s.failed for s in Kitchen(folder).survey(what)] == [0, 0, 1, 0]
    assert cook(folder, what)[f"scores/{table.stem}"] == "fresh"
    assert cook(folder, what, retry=True)[f"scores/{table.stem}"] == "done"
    assert [r.error for r in store.read(table, Response)].count("the parrot would not") == 1


def test_a_table_changed_by_hand_is_not_built_upon(benchmark: Path):
    folder, what = workspace(benchmark, PARROT)
    cook(folder, what)
    items = folder / "tables/items.jsonl"
    items.write_bytes(items.read_bytes().replace(b"Lisbon", b"Porto"))
    with pytest.raises(IntegrityError, match=r"items\.jsonl: changed since"):
        cook(folder, what)
    assert "changed" in {s.state for s in Kitchen(folder).survey(what)}


def test_people_are_waited_for_and_the_others_are_asked(benchmark: Path):
    sheet = benchmark.parent / "ane.csv"
    ane = Model(name="people/ane", params={"sheet": str(sheet)})
    folder, what = workspace(benchmark, ane, PARROT, method="generate")
    with pytest.raises(Waiting, match="6 of 6 rows wait"):
        cook(folder, what)
    states = {s.table.split("-")[0]: (s.state, s.waiting) for s in Kitchen(folder).survey(what)}
    assert states["scores/people"] == ("waiting", 6)
    assert states["scores/parrot"] == ("fresh", 0)
    sheet.write_text(sheet.read_text(encoding="utf-8-sig").replace(',\n', ',A\n'), encoding="utf-8")
    cook(folder, what)
    said = [s.position for s in store.read(folder / "tables/scores.jsonl", Score) if s.model.startswith("people")]
    assert said == [0] * 6


def test_people_give_no_likelihoods(benchmark: Path):
    folder, what = workspace(benchmark, Model(name="people/ane", params={"sheet": "x.csv"}))
    with pytest.raises(Unsupported, match="people give no log-likelihoods"):
        cook(folder, what)


def test_a_setting_that_does_not_fit_is_named(benchmark: Path):
    folder, what = workspace(benchmark, PARROT, orders="sideways")
    with pytest.raises(RecipeError, match="sideways"):
        cook(folder, what)


def outputs(folder: Path, rows: list[dict[str, str]]) -> str:
    (folder / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "../out.jsonl"


def test_outputs_made_elsewhere_are_scored(benchmark: Path, items: list):
    rows = [{"item": i.id, "model": "elsewhere/m", "text": "ABCD"[i.gold]} for i in items[:5]]
    folder, what = workspace(benchmark, responses=outputs(benchmark.parent, rows), method="generate")
    cook(folder, what)
    scores = list(store.read(folder / "tables/scores.jsonl", Score))
    assert [(s.status, s.right) for s in scores] == [("answered", True)] * 5 + [("failed", False)]


@pytest.mark.parametrize(
    "row, what",
    [
        ({"item": "nobody", "model": "m", "text": "A"}, r"out\.jsonl:2: item: 'nobody' is not in the benchmark"),
        ({"item": "", "model": "m", "text": "A"}, r"out\.jsonl:2: item: is missing"),
        ({"item": "x", "model": "m", "txt": "A"}, r"out\.jsonl:2: not an output: .*txt"),
    ],
)
def test_outputs_that_do_not_fit_are_named_with_their_line(benchmark: Path, items: list, row: dict[str, str], what: str):
    rows = [{"item": items[0].id, "model": "m", "text": "A"}, row]
    folder, cooked = workspace(benchmark, responses=outputs(benchmark.parent, rows), method="generate")
    with pytest.raises(Exception, match=what):
        cook(folder, cooked)


def test_two_outputs_for_one_question_are_refused(benchmark: Path, items: list):
    rows = [{"item": items[0].id, "model": "m", "text": "A"}] * 2
    folder, cooked = workspace(benchmark, responses=outputs(benchmark.parent, rows), method="generate")
    with pytest.raises(Exception, match=r"out\.jsonl:2: item: .* has an output already"):
        cook(folder, cooked)


def test_a_persons_sheet_lies_in_the_workspace_wherever_the_command_is_called(
    benchmark: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):  # fmt: skip
    folder, what = workspace(benchmark, Model(name="people/ane", params={"sheet": "ane.csv"}), method="generate")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(Waiting):
        Kitchen(folder).cook(what)
    assert (folder / "ane.csv").is_file() and not list((tmp_path / "elsewhere").iterdir())


def test_all_replies_of_a_stage_have_one_name_in_later_stages(benchmark: Path):
    folder, what = workspace(benchmark, Model(name="parrot/a"), Model(name="parrot/b", params={"says": "B"}))
    again = recipe.Stage(do="validate.dropped", makes="dropped", settings={"items": "items", "scores": "scores", "said": "scores/*"})
    whole = msgspec.structs.replace(what, stages=(*what.stages, again))
    assert [s.state for s in Kitchen(folder).survey(whole)] == ["missing"] * 3  # what waits for a table that is not there yet is one line
    Kitchen(folder).cook(whole)
    found = store.manifest(folder / "tables/dropped.jsonl")
    named = {f"scores/{file_name(m.id)}" for m in what.stages[1].models}
    assert found and {table for key, table in store.parts(found) if key == "said"} == named and len(named) == 2
    lost = msgspec.structs.replace(again, settings={**again.settings, "said": "score/*"})
    with pytest.raises(RecipeError, match="did you mean 'scores'"):
        Kitchen(folder).cook(msgspec.structs.replace(what, stages=(*what.stages, lost)))


def test_a_list_that_comes_with_the_package_is_part_of_the_key(benchmark: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    from endonym.validate import check

    folder, what = workspace(benchmark, PARROT)
    checking = recipe.Stage(do="validate.check", makes="checked", settings={"items": "items"})
    what = msgspec.structs.replace(what, stages=(what.stages[0], checking))
    assert cook(folder, what)["checked"] == "done" and cook(folder, what)["checked"] == "fresh"
    shutil.copytree(check.SHIPPED, tmp_path / "lists")
    (tmp_path / "lists/fr.toml").write_text((tmp_path / "lists/fr.toml").read_text(encoding="utf-8") + "\n", encoding="utf-8")
    monkeypatch.setitem(check.check.__kwdefaults__, "rules", tmp_path / "lists")
    assert cook(folder, what)["checked"] == "done"
