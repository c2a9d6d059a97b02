"""Files as rows: the line of each, JSON that breaks off, separators, large cells, what JSON calls a number and is none."""

from pathlib import Path

import polars as pl
import pytest

from endonym.build.lines import Fault
from endonym.build.mapped_file import BATCH, csv_rows, json_rows, jsonl_rows, parquet_rows
from endonym.errors import TableError


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def csv(path: Path, text: str, delimiter: str = "") -> list:
    return list(csv_rows(written(path, text), lambda head: None, delimiter))


@pytest.mark.parametrize("text", ["\ufeffa,b\r\n1,2\r\n", "a;b\n1;2\n", "a\tb\n1\t2\n", '"a";"b"\n"1";2', "a,b\n1,2"])
def test_a_byte_order_mark_line_ends_and_separators_mean_nothing(tmp_path: Path, text: str):
    assert csv(tmp_path / "t.csv", text) == [(2, {"a": "1", "b": "2"})]


def test_cells_are_text_and_rows_begin_in_their_line(tmp_path: Path):
    rows = csv(tmp_path / "t.csv", 'id,text\n007,"one\ntwo"\n\n1e3,\u2028\n')
    assert rows == [(2, {"id": "007", "text": "one\ntwo"}), (5, {"id": "1e3", "text": "\u2028"})]


def test_a_separator_may_be_named(tmp_path: Path):
    assert csv(tmp_path / "t.csv", "a|b;c\n1|2\n", "|") == [(2, {"a": "1", "b;c": "2"})]


def test_a_column_that_stands_twice(tmp_path: Path):
    with pytest.raises(TableError, match="t.csv:1: the column 'a' stands twice"):
        csv(tmp_path / "t.csv", "a,b,a\n1,2,3\n")


LIST = '[\n {"a": 1},\n\n {"a": [2,\n 3]}, {"a": "é"}\n]\n'


def test_rows_of_a_list_with_their_lines(tmp_path: Path):
    assert list(json_rows(written(tmp_path / "t.json", LIST))) == [(2, {"a": 1}), (4, {"a": [2, 3]}), (5, {"a": "é"})]


def test_rows_that_are_values_of_an_object_and_rows_within(tmp_path: Path):
    path = written(tmp_path / "t.json", '{"version": {"x": [1]},\n "data": {"rows": {\n  "q1": {"a": 1},\n  "q2": {"a": 2, "id": "own"}}}}')
    assert list(json_rows(path, "data.rows", "id")) == [(3, {"id": "q1", "a": 1}), (4, {"id": "own", "a": 2})]
    for at, key, said in [("data.row", "id", "row: is missing"), ("data.rows", "", "is an object, expected a list of rows")]:
        ((_, fault),) = json_rows(path, at, key)
        assert isinstance(fault, Fault) and str(fault).startswith(said)


BROKEN = [
    ('[\n{"a": 1},\n{"a": ', 1, 3, "column 7: no JSON, Expecting value; nothing after it was read"),
    ('[\n{"a": 1}\n{"a": 2}]', 1, 3, "column 1: no JSON, expected ,; nothing after it was read"),
    ('[\n{"a": 1},\n7,\n{"a": 2}]', 2, 3, "expected an object {…} as a row, found 7"),
    ('[\n{"a": 1},\n{"a": 1, "a": 2}]', 1, 3, "a: stands twice in the row"),
    ("[" * 100_000, 0, 1, "the JSON is nested too deeply"),
    ("", 0, 1, "column 1: no JSON, expected [ or {"),
]


@pytest.mark.parametrize("text, good, line, said", BROKEN, ids=[said for *_, said in BROKEN])
def test_where_a_json_file_is_broken(tmp_path: Path, text: str, good: int, line: int, said: str):
    rows = list(json_rows(written(tmp_path / "t.json", text)))
    faults = [(n, str(row)) for n, row in rows if isinstance(row, Fault)]
    assert len(rows) - len(faults) == good
    assert len(faults) == 1 and faults[0][0] == line and faults[0][1].startswith(said)


def test_an_id_that_stands_twice_in_an_object(tmp_path: Path):
    *_, (_, fault) = json_rows(written(tmp_path / "t.json", '{"q1": {}, "q1": {}}'), "", "id")
    assert "q1: stands twice" in str(fault)


def test_nan_is_no_value(tmp_path: Path):
    rows = list(jsonl_rows(written(tmp_path / "t.jsonl", '\ufeff{"a": NaN, "b": -Infinity}\r\n\r\n{"a": 0}')))
    assert rows == [(1, {"a": None, "b": None}), (3, {"a": 0})]


def test_parquet_in_batches_and_only_what_is_asked_for(tmp_path: Path):
    n = 2 * BATCH + 3
    pl.DataFrame({"a": range(n), "b": ["x"] * n, "s": [{"in": [1]}] * n}).write_parquet(tmp_path / "t.parquet")
    heads: list[list[str]] = []
    rows = list(parquet_rows(tmp_path / "t.parquet", lambda head: heads.append(list(head)), ["a", "s", "s.in"]))
    assert [number for number, _ in rows] == list(range(1, n + 1)) and heads == [["a", "b", "s"]]
    assert rows[-1] == (n, {"a": n - 1, "s": {"in": [1]}})
