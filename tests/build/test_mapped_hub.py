"""Data sets of the hub from a folder in the layout of its cache; the network is never asked."""

from pathlib import Path

import pytest

from endonym import benchmarks
from endonym.build.mapped_hub import pinned
from endonym.cli import run
from endonym.errors import InputError, Unavailable, UnknownName

pytest.importorskip("huggingface_hub")
OLD, NEW = "0123456789abcdef0123456789abcdef01234567", "89abcdef0123456789abcdef0123456789abcdef"
HEAD = "data_idx,question_idx,prompt_question,prompt_option_a,prompt_option_b,prompt_option_c,prompt_option_d,answer,country\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data set in two revisions, as huggingface_hub keeps it: blobs, and snapshots of links to them."""
    home = tmp_path / "hub/datasets--org--culture"
    for commit, answer in ((OLD, "A"), (NEW, "B")):
        blob = home / "blobs" / commit[::-1]
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_text(f"{HEAD}1,1,Q?,x,y,z,w,{answer},Spain\n")
        link = home / "snapshots" / commit / "CulturalBench-Easy.csv"
        link.parent.mkdir(parents=True)
        link.symlink_to(Path("../../blobs") / blob.name)
    for name, commit in (("main", NEW), ("v1", OLD)):
        ref = home / "refs" / name
        ref.parent.mkdir(exist_ok=True)
        ref.write_text(commit)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.chdir(tmp_path)
    return home / "snapshots"


@pytest.mark.parametrize("word, commit", [("", NEW), ("@main", NEW), ("@v1", OLD), (f"@{OLD}", OLD)])
def test_a_revision_is_pinned_to_its_commit(cache: Path, word: str, commit: str):
    assert pinned(f"hf:org/culture{word}") == (f"hf:org/culture@{commit}", cache / commit)
    inside = f"hf:org/culture{word}/CulturalBench-Easy.csv"
    assert pinned(inside) == (f"hf:org/culture@{commit}/CulturalBench-Easy.csv", cache / commit / "CulturalBench-Easy.csv")


def test_what_is_not_there(cache: Path):
    with pytest.raises(UnknownName, match="did you mean 'CulturalBench-Easy.csv'"):
        pinned(f"hf:org/culture@{OLD}/CulturalBench-Easi.csv")
    with pytest.raises(Unavailable, match=r"hf:org/none: the data set cannot be had: .*the network is forbidden by HF_HUB_OFFLINE"):
        pinned("hf:org/none")
    with pytest.raises(InputError, match="is not of the form hf:ORG/NAME@REVISION"):
        pinned("hf:culture")


def test_evaluated_at_the_commit_that_its_recipe_names(cache: Path, tmp_path: Path):
    found = benchmarks.find("culturalbench:hf:org/culture@v1")
    assert (found.name, found.path) == ("culture", f"hf:org/culture@{OLD}")
    words = ["evaluate", "culturalbench:hf:org/culture@v1", "--model", "parrot/a says=A", "--method", "generate", "--out", "w"]
    assert run(words) == 0
    plan = (tmp_path / "w/recipe.toml").read_text()
    assert f'path = "hf:org/culture@{OLD}"' in plan
    (cache.parent / "refs/v1").write_text(NEW)
    assert run(["run", "w"]) == 0 and (tmp_path / "w/recipe.toml").read_text() == plan
    assert '"gold":0' in (tmp_path / "w/tables/items.jsonl").read_text()
