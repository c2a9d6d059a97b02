"""Raw rows: fields of two types, ids that collide, entries with several right answers; invented facts in the published shapes."""

import json

import pytest

from endonym.build.faults import faults
from endonym.errors import UnknownName
from endonym.validate.audit_hits import kinds

OPTIONS = "A. Isle\nB. North\nC. West\nD. South"


def entry(number, answer="West", **more):
    return {"id": f"uk_{number}", "entity": f"Grey Park {number}", "answer": answer,
            "prompts": {"English": [f"Question: Where is Grey Park {number}?\n{OPTIONS}\nAnswer: "]}} | more  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        for name, entries in files.items():
            (tmp_path / f"{name}.json").write_text(entries if isinstance(entries, str) else json.dumps(entries))
        return tmp_path

    return write


def told(path, reader="xnationqa"):
    return [(row.criterion, row.item, row.value) for row in faults(reader=reader, path=path)]


def test_what_is_right_is_let_pass(folder):
    assert told(folder(national_park_qa_uk=[entry(0), entry(1)])) == []


def test_types_of_a_field_are_held_to_the_usual_one(folder):
    path = folder(national_park_qa_uk=[entry(0), entry(1, ["West"]), entry(2), entry(3, None)])
    assert told(path) == [("raw_types", "national_park_qa_uk.json#uk_1", "warning")]
    (row,) = faults(reader="xnationqa", path=path)
    assert row.note == "answer is a list here, and text in 2 of 3 entries"
    assert (row.judge, row.guideline, row.status) == ("check/raw_types", "raw_types", "answered")


def test_fields_that_some_lack(folder):
    assert told(folder(national_park_qa_uk=[entry(0), entry(1, link="x"), entry(2)])) == [
        ("raw_fields", "national_park_qa_uk.json#uk_0", "note"), ("raw_fields", "national_park_qa_uk.json#uk_2", "note"),
    ]  # fmt: skip


def test_ids_that_collide(folder):
    path = folder(national_park_qa_uk=[entry(0), entry(1), entry(1)], war_qa_uk=[entry(1), entry(2, id=1), entry(3, id="1")])
    assert [row for row in told(path) if row[0].startswith("id")] == [
        ("id_across", "national_park_qa_uk.json#uk_1", "warning"), ("id_twice", "national_park_qa_uk.json#uk_1", "error"),
        ("id_across", "national_park_qa_uk.json#uk_1", "warning"), ("id_across", "war_qa_uk.json#uk_1", "warning"),
        ("id_twice", "war_qa_uk.json#1", "error"),
    ]  # fmt: skip


def test_several_right_answers_among_the_options(folder):
    path = folder(national_park_qa_uk=[entry(0, ["West", "Isle"]), entry(1, ["West", "East"])])
    assert told(path) == [("several_true", "national_park_qa_uk.json#uk_0", "error")]


def test_what_cannot_be_read_is_the_readers_to_tell(folder):
    broken = entry(1, ["West", "Isle"], prompts={"English": ["no options"]})
    path = folder(war_qa_uk="[{", war_qa_us="{}", national_park_qa_uk=[broken, ["x"]], leader_qa_uk=[])
    assert told(path) == []


def test_lines_are_named_by_their_number_as_their_items_are(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [
        '{"canary": "x", "id": 1}', '{"id": "1", "answer": "A"}', "", '{"id": 2, "answer": ["A"]}', '{"answer',
        '{"id": 1, "answer": "B"}',
    ]  # fmt: skip
    path.write_text("\n".join(lines))
    assert told(path, "carte") == [
        ("raw_types", "a.jsonl:2", "warning"), ("raw_types", "a.jsonl:4", "warning"), ("id_twice", "a.jsonl:6", "error"),
    ]  # fmt: skip


def test_our_own_rows_may_lack_what_has_a_default(tmp_path):
    path = tmp_path / "benchmark.jsonl"
    path.write_text('{"stem": "a", "gold": 0}\n{"stem": "b", "gold": 0, "topic": "c"}\n')
    assert told(path, "endonym") == []
    assert [kind for kind, *_ in told(path, "carte")] == ["raw_fields"]


def test_other_formats_have_columns_with_types(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,x\n")
    assert told(tmp_path / "a.csv", "carte") == []


def test_an_unknown_reader():
    with pytest.raises(UnknownName, match="no reader 'xnation'"):
        list(faults(reader="xnation", path=__file__))


def test_every_criterion_is_a_kind_of_the_audit():
    assert {"raw_types", "raw_fields", "id_twice", "id_across", "several_true"} <= set(kinds())
