"""Guidelines as files: one or several, in any language, with faults that name where."""

from pathlib import Path

import pytest

from endonym.errors import TableError, UnknownName
from endonym.validate import guidelines

ONE = 'id = "x/1"\ncriterion = "right"\nquestion = "Is it right?"\nanswers = ["yes", "no"]\n'
_EACH = '[[guideline]]\nid = "{}"\ncriterion = "{}"\nquestion = "?"\nscale = {}\n'
TWO = _EACH.format("a", "A", "[1, 5]") + _EACH.format("b", "B", "[0, 10]")


def read(tmp_path: Path, text: str, **variables: str) -> guidelines.Guidelines:
    path = tmp_path / "g.toml"
    path.write_text(text, encoding="utf-8")
    return guidelines.read(path, variables)


def test_one_and_several(tmp_path: Path):
    assert [g.id for g in read(tmp_path, ONE).guidelines] == ["x/1"]
    assert [(g.id, g.scale) for g in read(tmp_path, TWO).guidelines] == [("a", (1, 5)), ("b", (0, 10))]
    assert [g.id for g in read(tmp_path, TWO).only(("B",)).guidelines] == ["b"]
    with pytest.raises(UnknownName, match="no criterion 'C'"):
        read(tmp_path, TWO).only(("C",))


@pytest.mark.parametrize(
    "text, what",
    [
        (ONE.replace("criterion", "criterium"), r"g\.toml: no field 'criterium'; did you mean 'criterion'"),
        (ONE.replace('["yes", "no"]', '["yes"]'), "answers: needs at least two"),
        (ONE.replace('["yes", "no"]', '["yes", "Yes "]'), "answers: needs at least two, all different"),
        (ONE + "scale = [1, 5]\n", "scale: a guideline has answers or a scale"),
        (TWO.replace("[0, 10]", "[10, 0]"), r"guideline 2: scale: 10 is not below 0"),
        (TWO.replace('"b"', '"a"'), "guideline 2: id: 'a' stands twice"),
        (TWO.replace("[1, 5]", '"1-5"'), r"guideline 1: Expected `array \| null`, got `str` - at `\$\.scale`"),
        (TWO + "[froms]\n", "no key 'froms'|no field 'froms'"),
        (TWO + '[form]\nscores = "x"\n', "form: no field 'scores'; did you mean 'score'"),
        (ONE.replace('"Is it right?"', '" "'), "question: is empty"),
        (ONE + "x", "not a file of guidelines"),
    ],
)
def test_a_fault_names_its_place(tmp_path: Path, text: str, what: str):
    with pytest.raises(TableError, match=what):
        read(tmp_path, text)


def test_no_such_file(tmp_path: Path):
    with pytest.raises(TableError, match="no such file"):
        guidelines.read(tmp_path / "none.toml")
    with pytest.raises(UnknownName, match=r"did you mean 'lv\.fr'"):
        guidelines.shipped("lv.rf")


def test_variables(tmp_path: Path):
    text = ONE.replace("Is it right?", "Would {people} say it?") + '[variables]\npeople = "the Bretons"\n'
    assert read(tmp_path, text).guidelines[0].question == "Would the Bretons say it?"
    assert read(tmp_path, text, people="the Basques").guidelines[0].question == "Would the Basques say it?"
    with pytest.raises(TableError, match="no variable 'poeple'; did you mean 'people'"):
        read(tmp_path, text.replace("{people}", "{poeple}"))
    assert read(tmp_path, ONE.replace("it right?", "{it} right?")).guidelines[0].question == "Is {it} right?"


@pytest.mark.parametrize("name, lang", [("lv.fr", "fr"), ("lv.en", "en")])
def test_the_four_criteria_of_linguistic_variation(name: str, lang: str):
    found = guidelines.read(guidelines.shipped(name))
    assert [g.criterion for g in found.guidelines] == ["GC", "LN", "RA", "AC"]
    assert {g.scale for g in found.guidelines} == {(1, 5)}
    assert found.form.lang == lang
    for told in found.guidelines:
        assert all(f"{n}" in told.advice for n in range(1, 6))
        assert told.good[0].rstrip('")»').find("→ 5") > 0
        assert any(f"→ {n}" in told.bad[0] for n in (1, 2))


def test_a_high_score_of_contamination_means_that_there_is_none():
    for name, word in (("lv.fr", "Note haute = aucun indice"), ("lv.en", "A high score = no cue")):
        told = guidelines.read(guidelines.shipped(name)).only(("AC",)).guidelines[0]
        assert word in told.question
        assert told.advice.strip().startswith(("Attention au sens de l'échelle : 5", "Mind the direction of the scale: 5"))


def test_every_shipped_file_can_be_read():
    names = [p.name.removesuffix(".toml") for p in guidelines.FOLDER.glob("*.toml")]
    assert {"answer", "lv.fr", "lv.en"} <= set(names)
    assert all(guidelines.read(guidelines.shipped(name)).guidelines for name in names)
