"""Recipes are read strictly, and written so that the same is read again."""

from pathlib import Path

import pytest

from endonym import recipe
from endonym.errors import RecipeError
from endonym.records import Model


def written(folder: Path, text: str) -> Path:
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    return folder


GOOD = """
name = "capitals"
[[stage]]
do = "build.read"
makes = "items"
reader = "endonym"
path = "capitals.jsonl"
where = ["lang=en"]
[[stage]]
do = "evaluate.choose"
makes = "scores"
orders = "rotate"
models = ["parrot/x", {name = "parrot/y", params = {says = ["A", "B"]}}]
"""


def test_a_recipe_is_read(tmp_path: Path):
    found = recipe.load(written(tmp_path, GOOD))
    assert (found.name, [s.do for s in found.stages]) == ("capitals", ["build.read", "evaluate.choose"])
    assert found.stages[1].models == (Model(name="parrot/x"), Model(name="parrot/y", params={"says": ["A", "B"]}))
    assert (found.stages[0].asks, found.stages[1].asks) == (False, True)


def test_a_recipe_that_is_written_is_read_the_same(tmp_path: Path):
    found = recipe.load(written(tmp_path, GOOD))
    assert recipe.load(written(tmp_path, recipe.dump(found))) == found


def test_text_that_toml_must_quote_comes_back(tmp_path: Path):
    stage = recipe.Stage(do="build.read", makes="items", settings={"reader": "carte", "path": 'a "b" \\ é\n.jsonl'})
    whole = recipe.Recipe(name="x", stages=(stage,))
    assert recipe.load(written(tmp_path, recipe.dump(whole))) == whole


@pytest.mark.parametrize(
    "text, what",
    [
        ("[[stage]]\nmakes = 'items'\n", "stage 1: do: is missing"),
        ("[[stage]]\ndo = 'build.reed'\nmakes = 'items'\n", "stage 1: no stage 'build.reed'; did you mean 'build.read'"),
        ("[[stage]]\ndo = 'build.read'\nmakes = 'items'\nraeder = 'carte'\n", "no setting of build.read 'raeder'; did you mean 'reader'"),
        ("nmae = 'x'\n", "no key 'nmae'; did you mean 'name'"),
        ("[[stage]\n", "recipe.toml"),
        ("[[stage]]\ndo = 'build.read'\nmakes = 'items'\nmodels = ['parrot/x']\n", "build.read asks nobody"),
        ("[[stage]]\ndo = 'evaluate.choose'\nmakes = 'scores'\nmodels = [{nom = 'parrot/x'}]\n", "stage 1: models: .*nom"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, what: str):
    with pytest.raises(RecipeError, match=what):
        recipe.load(written(tmp_path, text))


def test_a_folder_without_a_recipe(tmp_path: Path):
    with pytest.raises(RecipeError, match="no such file"):
        recipe.load(tmp_path)


def test_a_file_is_no_workspace(tmp_path: Path):
    (tmp_path / "items.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(RecipeError, match=r"items\.jsonl is no workspace"):
        recipe.load(tmp_path / "items.jsonl")
