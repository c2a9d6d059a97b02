"""Mapping files: what they lack, what they may be like, and which columns they name."""

from pathlib import Path

import pytest

from endonym.build import MAPPINGS
from endonym.build.mapped_toml import joined_columns, named_columns, read_mapping
from endonym.errors import TableError

GOOD = '[columns]\nstem = "q"\noptions = ["a", "b"]\nanswer = "k"\n[fixed]\nlang = "pt"\n'
WRONG = [
    (GOOD.replace("stem", "stm"), "columns.stm: is no field of this record; did you mean 'stem'?"),
    (GOOD.replace('stem = "q"\n', ""), "columns.stem: is missing"),
    (GOOD.replace('lang = "pt"', ""), "fixed.lang: is missing"),
    (GOOD.replace('answer = "k"\n', ""), "columns: a choice needs options and answer"),
    ('kind = "open"\n' + GOOD, "accept.column: is missing"),
    ('kind = "opn"\n' + GOOD, "kind: Invalid enum value 'opn'"),
    ('answers = "index"\n' + GOOD, "answers: Invalid enum value 'index'"),
    ('like = "blnd"\n' + GOOD, "like: no shipped mapping 'blnd'; did you mean 'blend'?"),
    (GOOD + "[values.places]\nx = 'PT'", "values: no dimension 'places'; did you mean 'place'?"),
    (GOOD + "[meta]\nstatus = 's'", "meta.status: is a name that items and scores use"),
    (GOOD + "[[invalid]]\nwhy = 'x'", "invalid: a rule names either the columns of a sum or one that is empty"),
    (GOOD + "[[invalid]]\nempty = 'x'", "invalid[0].why: is missing"),
    (GOOD + "[[versions]]\n[[versions]]\nkind = 'open'", "version 2: accept.column: is missing"),
    ("versions = []\n" + GOOD, "versions: is empty"),
    (GOOD + "x = ", "Invalid value"),
]


@pytest.mark.parametrize("text, said", WRONG, ids=[said for _, said in WRONG])
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str):
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(TableError) as error:
        read_mapping(path)
    assert str(error.value).startswith(f"{path}: ") and said in str(error.value)


def test_one_like_another(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('like = "blend"\nkey = "qid"\n[columns]\nid = "qid"\n')
    local, english = read_mapping(path)
    shipped = read_mapping(MAPPINGS["blend"])
    assert (local.name, local.key, local.columns.id, local.columns.stem) == ("mine", "qid", "qid", "question")
    assert local.values == shipped[0].values and local.invalid == shipped[0].invalid
    assert (english.columns.stem, english.fixed.lang, english.columns.lang) == ("en_question", "en", "")


def test_columns_that_are_named():
    local, _ = read_mapping(MAPPINGS["blend"])
    assert set(named_columns(local).values()) == {
        "ID", "question", "annotations", "idks.no-answer", "idks.not-applicable", "idks.idk"
    }  # fmt: skip
    assert joined_columns(local) == ["join.Source", "join.Topic"]
