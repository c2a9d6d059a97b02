"""Table 1 of the Tuguesice paper, from workspaces that hold as many right answers as it reports: 327 questions and 232.

The counts are the paper's percentages times its numbers of questions; every percentage comes out as it is printed there.
"""

from pathlib import Path

import pytest

from endonym import store
from endonym.cli import run
from endonym.compare import How, compare
from endonym.records import Accept, Item, Manifest, Score

INSIDE = {
    "gemini-2.5-flash": (35.78, 77.68), "gervasio70b": (39.76, 60.86), "llama70b": (25.69, 63.30), "mistral24b": (15.60, 57.19),
    "gervasio8b": (11.31, 38.53), "llama8b": (9.79, 40.37), "sabia7b": (7.95, 27.83),
}  # fmt: skip
BLEND = {
    "gemini-2.5-flash": (55.17, 54.74), "gervasio70b": (51.72, 53.45), "llama70b": (50.00, 51.29), "mistral24b": (43.97, 46.98),
    "gervasio8b": (41.81, 42.67), "llama8b": (40.52, 43.97), "sabia7b": (19.83, 31.03),
}  # fmt: skip
SPECIALISED = {"gervasio70b": "llama70b", "gervasio8b": "llama8b"}


def workspace(folder: Path, name: str, size: int, table: dict[str, tuple[float, float]]) -> Path:
    """Scores of as many right answers as the percentages say, from the first item on."""
    items = [Item(stem=f"{name} {n}?", kind="open", accept=(Accept(text="x"),), entity=f"{name}{n}") for n in range(size)]
    folder.mkdir()
    (folder / "recipe.toml").write_text(f'name = "{name}"\n')
    held = store.write(folder / "tables/items.jsonl", items, Manifest(stage="build.read", inputs={"file:path": name * 9})).sha256
    rows = [
        Score(item=item.id, prompt=f"{item.id}{style}", model=model, status="answered", right=n < round(size * share / 100), method="open",
              style=style, entity=item.entity)
        for model, shares in table.items() for style, share in zip(("plain", "oracle"), shares, strict=True) for n, item in enumerate(items)
    ]  # fmt: skip
    store.write(folder / "tables/scores.jsonl", rows, Manifest(stage="evaluate.answer.read", inputs={"items:items": held}))
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    home = tmp_path_factory.mktemp("paper")
    return [workspace(home / "t", "Tuguesice-PT", 327, INSIDE), workspace(home / "b", "BLEnD-PT", 232, BLEND)]


def test_every_number_of_the_table(folders: list[Path]):
    inside, blend = compare(folders, How(draws=100, specialised=SPECIALISED))
    for found, table in ((inside, INSIDE), (blend, BLEND)):
        plain, oracle = (
            {e.group["model"]: round(100 * (e.value or 0), 2) for e in part} for part in (found.contrast.plain, found.contrast.oracle)
        )
        assert {model: (plain[model], oracle[model]) for model in table} == table
        deltas = {d.estimate.group["model"]: 100 * (d.estimate.value or 0) for d in found.contrast.deltas}
        assert deltas == pytest.approx({model: after - before for model, (before, after) in table.items()}, abs=0.011)
    rounded = {d.estimate.group["model"]: round(100 * (d.estimate.value or 0)) for d in inside.contrast.deltas}
    assert [rounded[model] for model in INSIDE] == [42, 21, 38, 42, 27, 31, 20]
    rounded = {d.estimate.group["model"]: round(100 * (d.estimate.value or 0)) for d in blend.contrast.deltas}
    assert [rounded[model] for model in BLEND] == [0, 2, 1, 3, 1, 3, 11]


def test_gaps_and_headroom_as_section_5_discusses_them(folders: list[Path]):
    """14.07 and 1.52 points for the two pairs under Tuguesice-PT, 1.72 and 1.29 under BLEnD-PT; the best has 39.76 and 55.17."""
    inside, blend = compare(folders, How(draws=100, specialised=SPECIALISED))
    gaps = [{d.test.a: round(100 * (d.estimate.value or 0), 2) for d in b.contrast.gaps if d.estimate.group["style"] == "plain"}
            for b in (inside, blend)]  # fmt: skip
    assert gaps[0] == pytest.approx({"gervasio70b": 14.07, "gervasio8b": 1.52}, abs=0.011)
    assert gaps[1] == pytest.approx({"gervasio70b": 1.72, "gervasio8b": 1.29}, abs=0.011)
    (above, there) = ({w.way["style"]: w for w in b.ways}["plain"] for b in (inside, blend))
    assert [round(100 * (w.headroom.value or 0), 2) for w in (above, there)] == [round(100 - 39.76, 2), round(100 - 55.17, 2)]
    assert above.separation.pairs == there.separation.pairs == 21
    assert above.separation.separated > there.separation.separated


def test_the_command_prints_it(folders: list[Path], capsys: pytest.CaptureFixture[str]):
    pairs = [word for pair in SPECIALISED.items() for word in ("--specialised", "=".join(pair))]
    assert run(["compare", *map(str, folders), *pairs, "--draws", "100"]) == 0
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "| gemini-2.5-flash | 35.78 | 77.68 | +41.90 | 55.17 | 54.74 | -0.43 |" in [line.replace("−", "-") for line in said]
    assert "| gap of gervasio70b over llama70b, plain | +14.07 (p < .001) | +1.72 (p .125) |" in said
    assert "| headroom | 60.24 | 44.83 |" in said
