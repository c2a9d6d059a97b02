"""Workspaces side by side: what may meet in one table, and the numbers by hand."""

import json

import msgspec
import pytest

from endonym import store
from endonym.cli import run
from endonym.cli.tables import Table, csv, latex, markdown, p_value, percent, signed
from endonym.compare import How, compare
from endonym.errors import InputError, IntegrityError, UnknownName
from endonym.records import Item, Manifest, Score


def items(n, word="stem"):
    return [Item(stem=f"{word} {k}?", options=("A", "B"), gold=0, entity=f"{word}{k}") for k in range(n)]


@pytest.fixture
def work(tmp_path):
    """Write a workspace: model → style → how many of its items are right, from the first."""

    def write(folder, scores, made, name="bench", source="v1"):
        tables = tmp_path / folder / "tables"
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "recipe.toml").write_text(f'name = "{name}"\n')
        read = Manifest(stage="build.read", inputs={"file:path": source * 20})
        held = store.write(tables / "items.jsonl", made, read).sha256
        rows = [
            Score(item=item.id, prompt=f"{item.id}{style}", model=model, status="answered", right=k < right, options=2, method="letters",
                  style=style, entity=item.entity, gold_position=0)
            for model, styles in scores.items() for style, right in styles.items() for k, item in enumerate(made)
        ]  # fmt: skip
        store.write(tables / "scores.jsonl", rows, Manifest(stage="evaluate.choose.read", inputs={"items:items": held}))
        return tmp_path / folder

    return write


def test_models_of_two_workspaces_meet_on_the_items_that_both_answered(work):
    """100 and 80 items; on the 80 the first has 60 right, the second 50, nested: 10 discordant, p = 2 / 2^10."""
    a = work("a", {"x": {"plain": 60}}, items(100))
    b = work("b", {"y": {"plain": 50}}, items(80))
    (found,) = compare([a, b], How(draws=100))
    (way,) = found.ways
    assert (way.items, way.left_out, way.way) == (80, 20, {"method": "letters", "style": "plain", "shots": "0"})
    assert [(e.group["model"], e.value, e.n) for e in way.accuracy] == [("x", 0.75, 80), ("y", 0.625, 80)]
    (pair,) = way.pairs
    assert (pair.a_only, pair.b_only, pair.n) == (10, 0, 80)
    assert pair.mcnemar == pytest.approx(2 / 2**10)
    assert (way.headroom.value, way.separation.separated, way.separation.items) == (0.25, 1, 80)
    assert [r.name for r in way.ranks] == ["x", "y"]
    assert "benchmark:bench@v1v1v1v1v1v1|" in way.accuracy[0].signature


def test_three_models_are_adjusted_over_three_pairs(work):
    a = work("a", {"x": {"plain": 60}, "y": {"plain": 50}, "z": {"plain": 50}}, items(100))
    (found,) = compare([a], How(draws=100))
    assert [p.mcnemar_adjusted for p in found.ways[0].pairs] == pytest.approx([3 * 2 / 2**10, 3 * 2 / 2**10, 1.0])
    (loose,) = compare([a], How(draws=100, correction="none"))
    assert [p.mcnemar_adjusted for p in loose.ways[0].pairs] == pytest.approx([2 / 2**10, 2 / 2**10, 1.0])


def test_a_model_asked_in_two_workspaces_is_two(work):
    a, b = work("a", {"x": {"plain": 60}}, items(100)), work("b", {"x": {"plain": 50}}, items(100))
    (found,) = compare([a, b], How(draws=100))
    assert [r.name for r in found.ways[0].ranks] == [f"x @ {a}", f"x @ {b}"]


def test_two_benchmarks_on_the_same_models(work):
    """Tuguesice's contrast: Δ and gaps in one, hardly any in the other."""
    own = work("own", {"tuned": {"plain": 60, "oracle": 90}, "base": {"plain": 30, "oracle": 80}}, items(100))
    other = work("other", {"tuned": {"plain": 52, "oracle": 53}, "base": {"plain": 51, "oracle": 53}}, items(100, "word"), "blend", "v7")
    found = compare([own, other], How(draws=100, specialised={"tuned": "base"}))
    assert [b.name for b in found] == ["bench", "blend"]
    deltas = [{d.estimate.group["model"]: d.estimate.value for d in b.contrast.deltas} for b in found]
    assert deltas == [
        {"base": pytest.approx(0.5), "tuned": pytest.approx(0.3)}, {"base": pytest.approx(0.02), "tuned": pytest.approx(0.01)},
    ]  # fmt: skip
    gaps = [{d.estimate.group["style"]: d.estimate.value for d in b.contrast.gaps} for b in found]
    assert gaps == [
        {"plain": pytest.approx(0.3), "oracle": pytest.approx(0.1)}, {"plain": pytest.approx(0.01), "oracle": pytest.approx(0.0)},
    ]  # fmt: skip
    tests = {d.estimate.group["model"]: d.test for d in found[0].contrast.deltas}
    assert tests["tuned"].mcnemar_adjusted == pytest.approx(2 / 2**30)
    assert [[w.separation.separated for w in b.ways] for b in found] == [[1, 1], [0, 0]]


def test_two_versions_of_one_benchmark_never_meet(work):
    a = work("a", {"x": {"plain": 6}}, items(10))
    b = work("b", {"y": {"plain": 6}}, items(10, "word"), source="v2")
    with pytest.raises(IntegrityError, match="two versions of one benchmark"):
        compare([a, b])
    # A changed name does not hide that nine of ten items are the same.
    changed = [*items(9), *items(1, "edited")]
    c = work("c", {"y": {"plain": 6}}, changed, name="bench-2", source="v3")
    with pytest.raises(IntegrityError, match="most of their items are the same"):
        compare([a, c])
    assert run(["compare", str(a), str(b)]) == 4


def test_tables_that_were_changed_are_refused(work):
    a = work("a", {"x": {"plain": 6}, "y": {"plain": 5}}, items(10))
    path = a / "tables" / "scores.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"model":"x"', b'"model":"z"'))
    with pytest.raises(IntegrityError, match="changed since"):
        compare([a])


def test_what_cannot_be_compared_is_said(work, tmp_path):
    a = work("a", {"model-x": {"plain": 6}}, items(10))
    with pytest.raises(InputError, match="nothing to compare it with"):
        compare([a])
    with pytest.raises(InputError, match="holds no scores"):
        compare([tmp_path / "none"])
    with pytest.raises(UnknownName, match="did you mean 'model-x'"):
        compare([a], How(specialised={"model-y": "model-x"}))


def test_the_command_prints_tables_json_and_files(work, tmp_path, capsys):
    a = work("a", {"x_1": {"plain": 60, "oracle": 70}, "y": {"plain": 50, "oracle": 75}}, items(100))
    b = work("b", {"x_1": {"plain": 20}, "y": {"plain": 20}}, items(30, "word"), name="other", source="v5")
    out = tmp_path / "out"
    assert run(["compare", str(a), str(b), "--specialised", "x_1=y", "--draws", "100", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "| x_1   | 60.00       | 70.00        | +10.00  | 66.67       | –            | –       |" in said
    assert "gap of x_1 over y, plain" in said
    assert "+10.00 (p .00" in said or "+10.00 (p .0" in said
    assert {p.suffix for p in out.iterdir()} == {".csv", ".tex", ".md"}
    assert r"x\_1 & 60.00 & 70.00 & +10.00 & 66.67 & -- & -- \\" in (out / "contrast.tex").read_text()
    assert run(["compare", str(a), str(b), "--json", "--draws", "100"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [x["name"] for x in found["benchmarks"]] == ["bench", "other"]
    assert run(["compare", str(a), "--specialised", "x_1"]) == 2
    assert "NAME=BASE" in capsys.readouterr().err


def test_shots_are_never_averaged_in_the_contrast(work):
    """0-shot and 3-shot scores of one workspace: two ways, and the contrast is of the 0-shot ones."""
    a = work("a", {"x": {"plain": 60}, "y": {"plain": 50}}, items(100))
    path = a / "tables" / "scores.jsonl"
    rows = [msgspec.json.decode(line, type=Score) for line in path.read_bytes().splitlines()]
    more = [msgspec.structs.replace(r, shots=3, right=True) for r in rows]
    store.write(path, [*rows, *more], store.manifest(path))
    (found,) = compare([a], How(draws=100))
    assert [w.way["shots"] for w in found.ways] == ["0", "3"]
    assert [e.value for e in found.contrast.plain] == [0.6, 0.5]
    assert found.contrast.way == {"method": "letters", "shots": "0"}


def test_cells_and_their_escapes():
    table = Table(stem="a b/c", title="T", head=("x", "y"), rows=[("a|b", "50 %"), ("−1", "Δ_1")], notes=("n",))
    assert table.stem == "a-b-c"
    assert "| a\\|b | 50 % |" in markdown(table)
    assert csv(table) == "x,y\na|b,50 %\n−1,Δ_1\n"
    assert r"a\textbar{}b & 50 \% \\" in latex(table)
    assert [p_value(p) for p in (None, 0.0004, 0.0123, 0.9999, 1.0)] == ["–", "< .001", ".012", "1", "1"]
    assert [signed(v) for v in (None, -0.0123, 0.5)] == ["–", "−1.23", "+50.00"]
    assert percent(0.5) == "50.00"
