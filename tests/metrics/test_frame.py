"""Scores in columns: strict, whole, and grouped by any dimension."""

import pytest

from endonym.errors import InputError, StorageError, TableError, UnknownName
from endonym.metrics import dimension, frame, groups, statuses
from endonym.records import Score, canonical


def score(**fields):
    return Score(**{"item": "i", "prompt": "p", "model": "m", "status": "answered", **fields})


def write(path, rows):
    path.write_bytes(b"".join(canonical(row) + b"\n" for row in rows))
    return path


def test_a_file_and_its_records_give_the_same_table_with_defaults_and_meta(tmp_path):
    rows = [score(right=True, position=0, meta={"region": "Bretagne"}), score(shots=3, meta={"tier": "hard"})]
    table = frame(write(tmp_path / "scores.jsonl", rows))
    assert table.equals(frame(rows))
    assert table["right"].to_list() == [True, False]
    assert table["position"].to_list() == [0, None]
    assert table["style"].to_list() == ["plain", "plain"]
    assert table["region"].to_list() == ["Bretagne", ""]
    assert table["tier"].to_list() == ["", "hard"]


def test_a_meta_key_that_is_also_a_field_does_not_hide_the_field():
    table = frame([score(lang="fr", meta={"lang": "French"})])
    assert table["lang"].to_list() == ["fr"]
    assert table["meta.lang"].to_list() == ["French"]


def test_what_scorers_said_has_columns_of_its_own_and_is_no_dimension():
    table = frame([score(marks={"strict": 1.0}, meta={"mark.strict": "x"}), score(status="failed")])
    assert table["mark.strict"].to_list() == [1.0, None]
    assert table["meta.mark.strict"].to_list() == ["x", ""]


def test_a_key_that_first_comes_after_many_rows_is_not_lost(tmp_path):
    rows = [score(item=str(i)) for i in range(20_005)] + [score(item="last", meta={"region": "Alsace"})]
    table = frame(write(tmp_path / "scores.jsonl", rows))
    assert len(table) == 20_006
    assert table["region"].to_list()[-2:] == ["", "Alsace"]


@pytest.mark.parametrize(
    ("line", "word"),
    [(b'{"item":1,"prompt":"p","model":"m","status":"answered"}', "item"), (b"{not json", "JSON"), (b'{"item":"i"}', "prompt"),
     (b'{"item":"i","prompt":"p","model":"m","status":"wrong"}', "status")],
)  # fmt: skip
def test_a_bad_row_is_named_by_file_line_and_field(tmp_path, line, word):
    path = write(tmp_path / "scores.jsonl", [score()] * 3)
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(TableError, match=rf"scores\.jsonl:4: .*{word}"):
        frame(path)


def test_a_missing_file_is_said_plainly(tmp_path):
    with pytest.raises(StorageError, match="no such file"):
        frame(tmp_path / "none.jsonl")


def test_no_scores_is_an_empty_table_with_every_column():
    assert frame([]).shape == (0, len(Score.__struct_fields__) - 2)


def test_an_unknown_dimension_says_what_was_meant():
    table = frame([score(meta={"region": "x"})])
    with pytest.raises(UnknownName, match="did you mean 'region'"):
        dimension(table, "regoin")


def test_the_papers_words_find_fields_unless_a_column_bears_them():
    assert dimension(frame([score()]), "domain") == "topic"
    assert dimension(frame([score()]), "country") == "place"
    assert dimension(frame([score(meta={"domain": "war"})]), "domain") == "domain"


def test_groups_are_sorted_by_value_not_by_spelling():
    table = frame([score(shots=10), score(shots=3), score(shots=0)])
    assert [group for group, _ in groups(table, ["shots"])] == [{"shots": "0"}, {"shots": "3"}, {"shots": "10"}]


def test_a_dimension_twice_is_refused():
    with pytest.raises(InputError, match="twice"):
        list(groups(frame([score()]), ["lang", "lang"]))


def test_statuses_are_counted_for_each_group_with_zeros():
    table = frame([score(lang="en"), score(lang="en", status="failed"), score(lang="de", status="refused")])
    counted = statuses(table, ["lang"]).to_dicts()
    assert counted == [
        {"lang": "de", "answered": 0, "abstained": 0, "unparsed": 0, "truncated": 0, "refused": 1, "failed": 0, "prompts": 1},
        {"lang": "en", "answered": 1, "abstained": 0, "unparsed": 0, "truncated": 0, "refused": 0, "failed": 1, "prompts": 2},
    ]
    assert statuses(table, []).to_dicts()[0]["prompts"] == 3
