"""``endonym release``: from a workspace that was run to a folder, and back from a sealed one."""

import json
from pathlib import Path

import pytest

from endonym.build.native import header, native
from endonym.cli import run
from endonym.records import Item


def call(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = run([str(a) for a in args])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.fixture
def work(benchmark: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A workspace with a panel of two parrots, which get the items right whose answer is A or B."""
    folder = benchmark.parent / "work"
    folder.mkdir()
    stages = [
        '[[stage]]\ndo = "build.read"\nmakes = "items"\nreader = "endonym"\npath = "../capitals.jsonl"',
        '[[stage]]\ndo = "evaluate.choose"\nmakes = "scores"\nmodels = ["parrot/a", { name = "parrot/b", params = { says = "B" } }]',
        '[[stage]]\ndo = "validate.panel"\nmakes = "panelled"',
        '[[stage]]\ndo = "validate.dropped"\nmakes = "dropped"\nsaid = ["scores/parrot--a"]',
        '[[stage]]\ndo = "validate.difficulty"\nmakes = "tiered"\nitems = "panelled"\neasy = 0.9',
        '[[stage]]\ndo = "validate.balance"\nmakes = "balanced"\nitems = "tiered"\nmost = 2\nby = "lang"',
        '[[stage]]\ndo = "validate.surplus"\nmakes = "surplus"\nitems = "tiered"\nmost = 2\nby = "lang"',
    ]
    (folder / "recipe.toml").write_text('name = "capitals"\n' + "\n".join(stages) + "\n")
    assert call(capsys, "run", folder, "surplus")[0] == 0
    return folder


def test_a_public_release(work: Path, capsys: pytest.CaptureFixture[str], items: list[Item]):
    code, out, err = call(capsys, "release", work, "--licence", "CC-BY-4.0")
    assert (code, out, err) == (0, f"public: 4 items of 10 tables → {work / 'release'}\n", "")
    released = list(native(work / "release/benchmark.jsonl"))
    assert [i.stem for i in released] == [items[n].stem for n in (0, 1, 4, 5)]
    assert {i.meta["difficulty"] for i in released} == {"Medium"}
    card = (work / "release/card.md").read_text(encoding="utf-8")
    assert "| panelled | validate.panel | items | 6 | 4 | dropped 2 |" in card
    assert card.startswith("# capitals\n")
    head = header(work / "release/benchmark.jsonl")
    assert head is not None
    assert head.canary.startswith("capitals canary ")


def test_a_released_folder_is_a_benchmark(work: Path, capsys: pytest.CaptureFixture[str]):
    call(capsys, "release", work)
    code, out, _ = call(capsys, "show", work / "release")
    assert (code, "4 items (4 distinct)" in out) == (0, True)


def test_no_licence_is_told(work: Path, capsys: pytest.CaptureFixture[str]):
    _, _, err = call(capsys, "release", work)
    assert "no licence is stated" in err
    assert "**not stated yet" in (work / "release/card.md").read_text(encoding="utf-8")


def test_json(work: Path, capsys: pytest.CaptureFixture[str]):
    code, out, _ = call(capsys, "release", work, "--gated", "--json", "--out", work.parent / "gated", "--held-out", "0.25", "--seed", 2)
    told = json.loads(out)
    assert code == 0
    assert (told["items"], told["held_out"], told["out"]) == (3, 1, str(work.parent / "gated"))
    assert (work.parent / "gated.held-out/held-out.jsonl").exists()
    assert sorted(p.name for p in (work.parent / "gated").iterdir()) == ["benchmark.jsonl", "card.md", "gate.md", "release.json"]


def test_sealed_and_opened(work: Path, capsys: pytest.CaptureFixture[str]):
    sealed = work.parent / "sealed"
    code, _, err = call(capsys, "release", work, "--sealed", "--out", sealed)
    key = work.parent / "sealed.key"
    assert (code, str(key) in err) == (0, True)
    assert not list(sealed.glob("*key*")) and not (sealed / "benchmark.jsonl").exists()
    assert "AGE-SECRET-KEY" not in err
    code, out, _ = call(capsys, "release", sealed, "--open", "--key", key)
    assert (code, out) == (0, f"opened: {work.parent / 'sealed.opened/benchmark.jsonl'}\n")
    call(capsys, "release", work, "--out", work.parent / "public")
    assert (work.parent / "sealed.opened/benchmark.jsonl").read_bytes() == (work.parent / "public/benchmark.jsonl").read_bytes()


def test_sealed_for_a_public_key_writes_no_key(work: Path, capsys: pytest.CaptureFixture[str]):
    from endonym.build import seal

    public = seal.new_key(work.parent / "mine")
    code, _, _ = call(capsys, "release", work, "--sealed", "--recipient", public, "--out", work.parent / "s")
    assert (code, (work.parent / "s.key").exists()) == (0, False)
    assert call(capsys, "release", work.parent / "s", "--open", "--key", work.parent / "mine", "--out", work.parent / "o")[0] == 0


def test_a_release_that_fails_leaves_no_key(work: Path, capsys: pytest.CaptureFixture[str]):
    code, _, err = call(capsys, "release", work, "--sealed", "--table", "tierd", "--out", work.parent / "s")
    assert (code, "did you mean 'tiered'" in err, (work.parent / "s.key").exists()) == (2, True, False)


@pytest.mark.parametrize(
    "more, what",
    [
        (["--recipient", "age1x"], "are for --sealed"),
        (["--open"], "needs --key FILE"),
        (["--held-out", "2"], "is not a share"),
        (["--sealed", "--recipient", "age1x"], "is no public key"),
        (["--open", "--key", "nokey"], "only a sealed release is opened"),
    ],
)
def test_words_that_mean_nothing_end_in_2(work: Path, capsys: pytest.CaptureFixture[str], more: list[str], what: str):
    code, _, err = call(capsys, "release", work, *more)
    assert (code, what in err, "Traceback" in err) == (2, True, False), err


def test_a_table_that_was_changed_ends_in_4(work: Path, capsys: pytest.CaptureFixture[str]):
    path = work / "tables/balanced.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Portugal", b"Portugol"))
    code, _, err = call(capsys, "release", work)
    assert (code, "changed since it was written" in err) == (4, True)


def test_no_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, _, err = call(capsys, "release", tmp_path / "none")
    assert (code, "none" in err) == (2, True), err
