"""People as a provider: a sheet goes out and comes back, as CSV or as XLSX, and what is typed comes back as it was typed."""

import csv
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from endonym.errors import InputError, Unavailable, Unsupported, Waiting
from endonym.models import people_xlsx
from endonym.models.base import Need
from endonym.models.people import People
from endonym.records import Message, Model, Prompt

openpyxl = pytest.importorskip("openpyxl")

NASTY = ("=1+1", "+351 21", "-5 graus", "@home", "\tx", '=HYPERLINK("http://x","y")', "normal", "quebra\nde linha", "ação, «sim»; 'não'")


def prompts(*texts: str) -> list[Prompt]:
    return [Prompt(item=f"i{n}", messages=(Message(role="user", content=text),), chat=True) for n, text in enumerate(texts)]


def person(sheet: Path) -> People:
    return People(Model(name="people/ane", params={"sheet": str(sheet)}))


def out(sheet: Path, asked: list[Prompt]) -> None:
    with pytest.raises(Waiting, match=f"{len(asked)} of {len(asked)} rows wait"):
        list(person(sheet).answer(asked))


def fill(sheet: Path, values: list[Any]) -> None:
    """Write the third column, as a spreadsheet would."""
    if sheet.suffix == ".xlsx":
        book = openpyxl.load_workbook(sheet)
        for n, value in enumerate(values, 2):
            book.active.cell(row=n, column=3).value = value
        book.save(sheet)
        return
    rows = list(csv.reader(sheet.read_text(encoding="utf-8-sig").splitlines(keepends=True)))
    for row, value in zip(rows[1:], values, strict=True):
        row[2] = value
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture(params=["ane.csv", "ane.xlsx", "ane.XLSX"])
def sheet(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / request.param


def test_a_sheet_goes_out_and_comes_back(tmp_path: Path):
    for name in ("ane.csv", "ane.xlsx"):
        asked, path = prompts("Que peixe?", "Que dia?"), tmp_path / name
        assert person(path).waiting(asked) == 2
        out(path, asked)
        fill(path, ["bacalhau", ""])
        assert person(path).waiting(asked) == 1
        with pytest.raises(Waiting, match="1 of 2 rows wait"):
            list(person(path).answer(asked))
        fill(path, ["bacalhau", " 24 de dezembro "])
        found = list(person(path).answer(asked))
        assert [(r.prompt, r.model, r.text, r.finish_reason) for r in found] == [
            (asked[0].id, "people/ane", "bacalhau", "stop"), (asked[1].id, "people/ane", "24 de dezembro", "stop"),
        ]  # fmt: skip


def test_answers_that_are_there_stay_when_there_are_more_questions(sheet: Path):
    one = prompts("Que peixe?")
    out(sheet, one)
    if sheet.suffix == ".csv":
        fill(sheet, ["bacalhau"])
    else:
        book = openpyxl.load_workbook(sheet)
        book.active["C2"] = "bacalhau"
        book.save(sheet)
    more = [*one, *prompts("x", "Que dia?")[1:]]
    with pytest.raises(Waiting, match="1 of 2 rows wait"):
        list(person(sheet).answer(more))
    assert person(sheet).waiting(more) == 1 and person(sheet).waiting(one) == 0


def test_no_cell_of_a_csv_sheet_is_a_formula(tmp_path: Path):
    out(tmp_path / "a.csv", prompts(*NASTY))
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        shown = [row["question"] for row in csv.DictReader(file)]
    assert shown == [f"'{text}" if text[0] in "=+-@\t" else text for text in NASTY]


def test_no_cell_of_an_xlsx_sheet_is_a_formula(tmp_path: Path):
    """Every cell is text in the file itself: no <f> element, and the questions stand there word for word."""
    out(tmp_path / "a.xlsx", prompts(*NASTY))
    with zipfile.ZipFile(tmp_path / "a.xlsx") as book:
        page = book.read("xl/worksheets/sheet1.xml").decode()
        styles = book.read("xl/styles.xml").decode()
    assert "<f>" not in page and 't="str"' not in page
    assert 'quotePrefix="1"' in styles and 'numFmtId="49"' in styles
    found = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert [found.cell(row=n, column=2).value for n in range(2, 2 + len(NASTY))] == list(NASTY)
    assert {found.cell(row=n, column=2).data_type for n in range(2, 2 + len(NASTY))} == {"s"}


@pytest.mark.parametrize("typed, text", [
    (1974, "1974"),
    (1974.0, "1974"),
    (25.5, "25.5"),
    (-3, "-3"),
    (0.1 + 0.2, "0.3"),
    (10_000_000, "10000000"),
    (True, "true"),
    (date(1974, 4, 25), "1974-04-25"),
    (datetime(1974, 4, 25), "1974-04-25"),
    (datetime(1974, 4, 25, 14, 30), "1974-04-25 14:30"),
    (time(14, 30), "14:30"),
    (timedelta(hours=26, minutes=5), "26:05"),
    ("  =bacalhau", "=bacalhau"),
    ("007", "007"),
])  # fmt: skip
def test_what_a_spreadsheet_made_of_an_answer_comes_back_as_text(tmp_path: Path, typed: Any, text: str):
    asked, path = prompts("Em que ano?"), tmp_path / "a.xlsx"
    out(path, asked)
    book = openpyxl.load_workbook(path)
    book.active["C2"].value = typed
    if text == "=bacalhau":
        book.active["C2"].data_type = "s"
    book.save(path)
    (found,) = person(path).answer(asked)
    assert found.text == text


def test_a_share_keeps_its_sign():
    assert people_xlsx.plain(0.125, "0.0%") == "12.5%" and people_xlsx.plain(0.12, "0%") == "12%"


def test_an_error_in_a_cell_is_named(tmp_path: Path):
    asked, path = prompts("Em que ano?"), tmp_path / "a.xlsx"
    out(path, asked)
    fill(path, ["#N/A"])
    with pytest.raises(InputError, match=r"a\.xlsx: cell C2: holds the error #N/A"):
        list(person(path).answer(asked))


@pytest.mark.parametrize("name, content", [
    ("a.xlsx", b"prompt,question,answer\n"),
    ("a.xlsx", b""),
    ("a.xlsx", b"PK\x03\x04 cut off"),
])  # fmt: skip
def test_a_file_that_is_no_workbook_is_said(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=r"a\.xlsx: is no XLSX file"):
        person(tmp_path / name).waiting(prompts("?"))


def test_an_archive_of_another_kind_is_no_workbook(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as book:
        book.writestr("hello.txt", "x")
    with pytest.raises(InputError, match=r"a\.xlsx: is no XLSX file"):
        person(tmp_path / "a.xlsx").waiting(prompts("?"))


def test_a_missing_column_is_named(tmp_path: Path):
    (tmp_path / "a.csv").write_text("prompt,question\n")
    book = openpyxl.Workbook()
    book.active.append(["prompt", "question", "note"])
    book.save(tmp_path / "a.xlsx")
    for name in ("a.csv", "a.xlsx"):
        with pytest.raises(InputError, match=rf"{name}:1: answer: this column is missing"):
            person(tmp_path / name).waiting(prompts("?"))


def test_signs_that_xlsx_has_not_and_texts_that_do_not_fit(tmp_path: Path):
    out(tmp_path / "a.xlsx", prompts("antes\x00\x0bdepois", "x" * 40_000))
    page = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert page["B2"].value == "antesdepois"
    assert page["B3"].value == "x" * people_xlsx.LONGEST + " [… 8,000]"


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(Unavailable, match=r"endonym\[sheets\]"):
        list(person(tmp_path / "a.xlsx").answer(prompts("?")))


def test_a_person_needs_a_sheet_and_gives_no_likelihoods():
    with pytest.raises(InputError, match="people/ane: sheet: is missing; name the CSV or XLSX file"):
        People(Model(name="people/ane"))
    with pytest.raises(Unsupported, match="people give no log-likelihoods"):
        person(Path("a.csv")).check(Need(continuations=True))
