"""``endonym new`` makes a workspace that runs, from a recipe, a language and a country."""

import json
import tomllib
from pathlib import Path

import pytest

from endonym.cli import new, run
from endonym.stages import STAGES


def made(folder: Path, *words: str) -> dict:
    assert run(["new", str(folder), *words]) == 0
    return tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8"))


def models(recipe: dict) -> dict[str, list]:
    return {stage["makes"]: stage["models"] for stage in recipe["stage"] if "models" in stage}


def test_the_recipes_that_come_with_the_package():
    assert set(new.recipes()) == {"carte", "carte-es", "tuguesice", "xnationqa"}


@pytest.mark.parametrize("words, lang, country, documents", [
    (["--recipe", "carte", "--lang", "fr", "--places", "FR"], "fr", "FR", 7),
    ([], "fr", "FR", 7),
    (["--recipe", "carte", "--lang", "es", "--places", "ES"], "es", "ES", 4),
    (["--recipe", "carte-es"], "es", "ES", 4),
    (["--lang", "en", "--places", "ES"], "en", "ES", 0),
])  # fmt: skip
def test_a_workspace_has_everything_that_may_be_changed(tmp_path: Path, words: list[str], lang: str, country: str, documents: int):
    recipe = made(tmp_path / "mine", *words)
    folder = tmp_path / "mine"
    assert recipe["name"] == "mine"
    assert tomllib.loads((folder / "compose.toml").read_text())["lang"] == lang
    assert tomllib.loads((folder / "places.toml").read_text())["country"] == country
    assert len(list((folder / "sources").glob("*.md"))) == documents
    assert (folder / "sources/sources.csv").read_text().startswith("file,title,lang,place,topic,licence,")
    assert recipe["stage"][0]["lang"] == lang
    assert tomllib.loads((folder / "guidelines/document.toml").read_text())["form"]["lang"] == lang
    assert [g["criterion"] for g in tomllib.loads((folder / "guidelines/judges.toml").read_text())["guideline"]] == ["GC", "LN", "RA", "AC"]
    assert "@" not in json.dumps(recipe)


def test_both_recipes_are_the_same_stages(tmp_path: Path):
    """Another country in another language is one TOML and its lists, no Python."""
    french, spanish = made(tmp_path / "x/mine"), made(tmp_path / "y/mine", "--recipe", "carte-es")
    french["stage"][0]["lang"] = "es"
    for recipe in (french, spanish):
        recipe["stage"][2]["models"] = []
    assert french == spanish


def test_everybody_has_a_place(tmp_path: Path):
    recipe = made(
        tmp_path / "w", "--model", "parrot/a says=B", "--judge", "parrot/b", "--judge", "parrot/c", "--panel", "parrot/d", "--method",
        "generate", "--reviewer", "people/ane", "--reviewer", "people/jon",
    )  # fmt: skip
    who = models(recipe)
    assert who["plain"] == who["variation"] == [{"name": "parrot/a", "params": {"says": "B"}}]
    assert (who["judged"], who["scores"]) == (["parrot/b", "parrot/c"], ["parrot/d"])
    assert [m["name"] for m in who["reviews"]] == ["people/ane", "people/jon"]
    assert [m["params"]["sheet"] for m in who["reviews"]] == ["review-ane.csv", "review-jon.csv"]
    said = {s["makes"]: s["said"] for s in recipe["stage"] if "said" in s}
    assert said["rejected"] == "plain/*"
    assert next(s for s in recipe["stage"] if s["makes"] == "scores")["method"] == "generate"


def test_a_schema_goes_to_the_writer_only(tmp_path: Path):
    who = models(made(tmp_path / "w", "--schema", "--model", "openai/m"))
    told = who["plain"][0]["params"]["extra_body"]["response_format"]
    assert told["type"] == "json_schema" and told["json_schema"]["strict"]
    assert who["judged"] == who["scores"] == ["openai/m"]


def test_files_of_ones_own_are_taken(tmp_path: Path):
    (tmp_path / "br.toml").write_text((new.benchmarks.data() / "compose/fr.toml").read_text().replace('lang = "fr"', 'lang = "br"'))
    recipe = made(tmp_path / "w", "--lang", str(tmp_path / "br.toml"))
    assert recipe["stage"][0]["lang"] == "br"


@pytest.mark.parametrize("words, message", [
    (["--recipe", "carta"], "no recipe 'carta'; did you mean 'carte'"),
    (["--lang", "xx"], "no language 'xx'"),
    (["--places", "FRA"], "no country 'FRA'; did you mean 'FR'"),
    (["--lang", "mine.toml"], "mine.toml: no such file"),
    (["--model", "parot/x"], "no provider 'parot'; did you mean 'parrot'"),
    (["--schema", "--model", "parrot/x"], "--schema: parrot/x is no server that enforces schemas"),
])  # fmt: skip
def test_what_is_not_there_is_said_and_nothing_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str):
    assert run(["new", str(tmp_path / "w"), *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "w").exists()


def test_a_workspace_is_never_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    made(tmp_path / "w")
    before = {p: p.read_bytes() for p in (tmp_path / "w").rglob("*") if p.is_file()}
    assert run(["new", str(tmp_path / "w")]) == 2
    assert "recipe.toml: is there already" in capsys.readouterr().err
    assert before == {p: p.read_bytes() for p in (tmp_path / "w").rglob("*") if p.is_file()}


def test_json_says_where_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    made(tmp_path / "w", "--json")
    assert json.loads(capsys.readouterr().out) == {"out": str(tmp_path / "w"), "recipe": "carte", "documents": True}


def test_a_recipe_names_stages_that_exist(tmp_path: Path):
    later = {"validate.check", "build.balance"}
    assert {s["do"] for s in made(tmp_path / "w")["stage"]} <= STAGES.keys() | later


def test_a_parallel_benchmark_has_several_languages_and_countries(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    who = ["--model", "parrot/t", "--judge", "parrot/b", "--panel", "parrot/c"]
    recipe = made(tmp_path / "w", "--recipe", "xnationqa", "--lang", "en,de,br", "--places", "PT,BR", *who)
    assert "templates.toml has no forms of the names of BR" in capsys.readouterr().err
    by = {stage["makes"]: stage for stage in recipe["stage"]}
    assert by["mined"]["countries"] == by["areas"]["countries"] == ["PT", "BR"] and by["mined"]["langs"] == ["en", "de", "br"]
    assert by["questions"]["langs"] == ["en"] and by["parallel"]["langs"] == ["de", "br"] and by["cosines"]["pivot"] == "en"
    assert (by["parallel"]["models"], by["back"]["models"], by["scores"]["models"]) == (["parrot/t"], ["parrot/b"], ["parrot/c"])
    assert by["parallel"]["form"] == "json" and by["ratings"]["models"][0]["params"]["sheet"] == "review.csv"
    files = {"recipe.toml", "templates.toml", "translate.toml", "translation.toml", "by-hand.csv"}
    assert {p.name for p in (tmp_path / "w").rglob("*.*")} == files
    assert "@" not in json.dumps(recipe) and {s["do"] for s in recipe["stage"]} <= STAGES.keys()
    engine = made(tmp_path / "e", "--recipe", "xnationqa", "--model", "mt/folder", "--panel", "parrot/c", "--judge", "parrot/b")
    assert {s["makes"]: s for s in engine["stage"]}["parallel"]["form"] == "text"


@pytest.mark.parametrize("words, message", [
    (["--lang", "en"], "--lang en: name the language of the templates and those that they are translated into"),
    (["--lang", "en,Deutsch"], "--lang en,Deutsch: name the language"),
    (["--lang", "eu,en"], "no language with templates (the first of --lang) 'eu'"),
    (["--places", "Portugal"], "--places Portugal: name countries (ISO 3166-1)"),
    (["--schema", "--model", "openai/m"], "--schema: in this recipe no model writes questions"),
])  # fmt: skip
def test_what_a_parallel_benchmark_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str):
    assert run(["new", str(tmp_path / "w"), "--recipe", "xnationqa", "--panel", "parrot/x", *words]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "w").exists()
