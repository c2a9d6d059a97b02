"""The reader of our own benchmark files, and the faults of lines that every reader shares."""

import json

import pytest

from endonym.build.native import Header, header, native
from endonym.errors import InputError, StorageError, TableError
from endonym.records import Item, canonical

GOOD = Item(stem="Which river runs through the town of Elbemünde?", options=("Elbe", "Oder", "Isar"), gold=0, lang="en", place="DE")
OPEN = {"stem": "Who wrote it?", "kind": "open", "accept": [{"text": "Ana"}], "lang": "pt"}


def row(**changes):
    return {"stem": "Where is it?", "options": ["North", "South"], "gold": 1} | changes


@pytest.fixture
def write(tmp_path):
    def to(*lines, name="benchmark.jsonl", end=b"\n"):
        path = tmp_path / name
        path.write_bytes(end.join(line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode() for line in lines))
        return path

    return to


def test_items_come_back_as_they_were_written(write):
    path = write(canonical(GOOD), OPEN)
    first, second = native(path)
    assert first == GOOD and first.id == GOOD.id
    assert (second.kind, second.accept[0].text, second.lang) == ("open", "Ana", "pt")


@pytest.mark.parametrize(
    "line, name",
    [({"canary": "c 1", "name": "n", "languages": ["en"]}, "n"), ({"benchmark": "n", "canary": "c 1"}, "n"),
     ({"benchmark": {"name": "n", "canary": "c 1", "licence": "CC0-1.0"}}, "n"), ({"canary": "c 1"}, "")],
)  # fmt: skip
def test_a_header_is_read_apart(write, line, name):
    path = write(b"", line, row())
    assert [item.options[1] for item in native(path)] == ["South"]
    read = header(path)
    assert read is not None and (read.name, read.canary) == (name, "c 1")


def test_no_header_is_none_and_an_item_may_speak_of_a_canary(write):
    path = write(row(stem='Is "canary" a bird?', meta={"canary": "x"}))
    assert header(path) is None
    assert len(list(native(path))) == 1
    assert header(write(b"", name="empty.jsonl")) is None


def test_header_fields_are_strict(write):
    with pytest.raises(TableError, match=r"benchmark.jsonl:1: vesion: is no field of this record; did you mean 'version'\?"):
        header(write({"canary": "c", "vesion": "1"}))
    with pytest.raises(TableError, match=r":1: benchmark: expected a name or an object, found 3"):
        list(native(write({"benchmark": 3})))
    assert Header().canary == ""


def test_a_header_in_the_middle_is_told(write):
    with pytest.raises(TableError, match=r"benchmark.jsonl:2: is a header; it may stand in the first line only"):
        list(native(write(row(), {"canary": "c"}, row())))


def test_byte_order_mark_crlf_and_blank_lines_mean_nothing(write):
    plain = write(row(), row(gold=0))
    odd = write(b"\xef\xbb\xbf" + json.dumps(row()).encode(), b"", b"  ", row(gold=0), b"", name="odd.jsonl", end=b"\r\n")
    assert list(native(odd)) == list(native(plain))


def test_a_line_separator_inside_a_text_is_no_end_of_line(write):
    (item,) = native(write(row(stem="One\u2028two\u0085three?")))
    assert item.stem == "One\u2028two\u0085three?"


FAULTS = [
    ({"options": ["North", "South"], "gold": 0}, "stem: is missing"),
    (row(stem=" "), "stem: is empty"),
    (row(options=[]), "options: a choice needs at least two, this has 0"),
    ({"stem": "Where?"}, "options: a choice needs at least two, this has 0"),
    (row(options=["North", "South", ""]), "options[2]: is empty"),
    (row(options=["North", 3]), "options[1]: expected text, found a whole number"),
    (row(options=["X", "Y", "X ", "Z"]), "options: 'X' stands twice"),
    (row(gold=2), "gold: 2 is no index into 2 options"),
    (row(gold=-1), "gold: -1 is no index into 2 options"),
    (row(gold=[0, 1]), "gold: expected a whole number or null, found a list"),
    (row(gold="B"), "gold: expected a whole number or null, found text"),
    ({"stem": "Where?", "options": ["a", "b"]}, "gold: None is no index into 2 options"),
    (row(kind="open"), "options: an open item has accepted answers, not options and gold"),
    (OPEN | {"accept": [{"text": ""}]}, "accept[0]: is empty, and an empty answer matches anything"),
    (OPEN | {"accept": [{"txt": "a"}]}, "accept[0].txt: is no field of this record"),
    (row(abstain=1), "abstain: 1 is no index of an option other than gold"),
    (row(place=None), "place: expected text, found null"),
    (row(meta={"region": None}), "meta[...]: expected text, found null"),
    (row(option=["a"]), "option: is no field of this record; did you mean 'options'?"),
    (["a"], "expected an object, found a list"),
    (b'{"stem": "Where?", "options": ["a", "b"', "the JSON is cut off at the end of the line"),
    (b'{"stem": "Where?", "options": ["a", "b",], "gold": 0}', "column 41: no JSON, "),
    (b'{"stem": "a"rating": 4}', "column 13: no JSON, "),
    (b'{"stem": "\\q"}', "column 1"),
    (b'{"stem": "caf\xe9"}', "column 14: is no UTF-8, found the byte 0xe9"),
]


@pytest.mark.parametrize("bad, said", FAULTS, ids=[said for _, said in FAULTS])
def test_a_fault_names_file_line_and_field_and_can_be_skipped(write, bad, said):
    path = write(row(), b"", bad, row(gold=0))
    with pytest.raises(TableError) as error:
        list(native(path))
    assert str(error.value).startswith(f"{path}:3: {said}")
    skipped = []
    assert [item.gold for item in native(path, skipped=skipped)] == [1, 0]
    assert len(skipped) == 1 and skipped[0].startswith(f"{path}:3: {said}")


def test_a_published_prompt_may_have_equal_options(write):
    (item,) = native(write(row(options=["X", "Y", "X"], prompt="As published")))
    assert item.options == ("X", "Y", "X")


def test_paths(tmp_path, write):
    write(row())
    with pytest.raises(StorageError, match=r"no such file or folder; did you mean 'benchmark.jsonl'\?"):
        list(native(tmp_path / "benchmrk.jsonl"))
    with pytest.raises(StorageError, match="there is no folder"):
        list(native(tmp_path / "nowhere" / "b.jsonl"))
    with pytest.raises(InputError, match="is a folder; expected a file"):
        list(native(tmp_path))
    assert list(native(write(name="nothing.jsonl"))) == []
