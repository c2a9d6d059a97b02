"""Sheets filled in by hand: separators, what Excel does, cells that say nothing, faults with their line."""

import csv
import io
from pathlib import Path

import pytest

from endonym.build.sheet import blank, sheet, slug
from endonym.errors import StorageError, TableError
from endonym.records import Source


def read(tmp_path: Path, text: str | bytes, **told: object) -> list[Source]:
    path = tmp_path / "by-hand.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(sheet(file=path, **told))  # type: ignore[arg-type]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_row_is_a_fact(separator: str, tmp_path: Path):
    text = "place,topic,item,year,entity:en,entity:pt,note,decides\nPT,leader,Q77,1843,Teófilo Braga,Teófilo Braga,seen in an archive,yes\n"
    (source,) = read(tmp_path, text.replace(",", separator), licence="CC-BY-4.0")
    assert source == Source(
        id="PT.leader.Q77", place="PT", topic="leader", title="Teófilo Braga", fact={"year": "1843", "item": "Q77"},
        labels={"entity": {"en": "Teófilo Braga", "pt": "Teófilo Braga"}},
        origin={"note": "seen in an archive", "licence": "CC-BY-4.0", "url": "by-hand.csv:2", "decides": "yes"},
    )  # fmt: skip


def test_what_spreadsheets_write(tmp_path: Path):
    """A byte order mark, CRLF, quoted cells with line breaks, blank rows at the end, letters decomposed."""
    text = '\ufeffplace,topic,title,area,note\r\nPT,park,"Gere\u0302s","PT-03\nPT-16","two\nlines"\r\n\r\n,,,,\r\nPT,park,B,,\r\n'
    first, second = read(tmp_path, text)
    assert (first.fact, first.title, first.id) == ({"area": "PT-03 PT-16"}, "Gerês", "PT.park.geres")
    assert (second.fact, second.origin) == ({}, {"url": "by-hand.csv:7"})


def test_an_id_says_place_and_topic(tmp_path: Path):
    (source,) = read(tmp_path, "id,year\nFR.war.Q9,1870\n")
    assert (source.id, source.place, source.topic) == ("FR.war.Q9", "FR", "war")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("place,topic,yaer\n", "by-hand.csv:1: no column 'yaer'; did you mean 'year'"),
        ("place,topic,year,year\n", "by-hand.csv:1: the column 'year' stands twice"),
        ("title,year\n", "by-hand.csv:1: has neither"),
        ("", "by-hand.csv:1: has neither"),
        ("place,topic,title\nPT,park\n", "by-hand.csv:2: has 2 cells, the first row 3"),
        ("place,topic,title\nPT,,x\n", "by-hand.csv:2: topic: is missing"),
        ("place,topic,title\nPT,park,\n", "by-hand.csv:2: id, item or title: is missing"),
        ('place,topic,title\nPT,park,"a\nb"\nPT,park,a b\n', r"by-hand.csv:4: id: 'PT.park.a-b' stands in line 2 too"),
        ('place,topic,title\nPT,park,"a"b\n', "by-hand.csv:2: "),
        (b"place,topic,title\nPT,park,\xe9\n", "by-hand.csv: line 2, column 9: is no UTF-8"),
    ],
)
def test_faults_name_their_line(text: str | bytes, said: str, tmp_path: Path):
    with pytest.raises(TableError, match=said):
        read(tmp_path, text)


def test_a_sheet_that_is_not_there(tmp_path: Path):
    with pytest.raises(StorageError, match="no such file"):
        next(sheet(file=tmp_path / "none.csv"))


def test_a_name_as_a_part_of_an_id():
    assert [slug(t) for t in ("Torre de Belém", "Écrins (park)", "屋久島", "योग")] == ["torre-de-belem", "ecrins-park", "屋久島", "योग"]


def test_a_sheet_of_what_is_lacking_can_be_filled_in_and_read(tmp_path: Path):
    """Whole facts are no part of it; a gap, a dispute and a missing name are, with what there is."""
    names = {"entity": {"en": "A", "pt": "B"}}
    sources = [
        Source(id="PT.leader.Q1", topic="leader", place="PT", fact={"year": "1900", "item": "Q1"}, labels=names),
        Source(id="PT.leader.Q2", topic="leader", place="PT", fact={"item": "Q2"}, labels=names, origin={"note": "year: unknown"}),
        Source(id="PT.leader.Q3", topic="leader", place="PT", fact={"year": "1 2"}, labels=names, origin={"disputed": "year"}),
        Source(id="PT.park.Q4", topic="park", place="PT", fact={"area": "PT-03"}, labels={"entity": {"en": 'Park, "the"'}}),
    ]
    text = blank(sources, {"leader": "year", "park": "area"}, ("en", "pt"))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["id"] for row in rows] == ["PT.leader.Q2", "PT.leader.Q3", "PT.park.Q4"]
    assert (rows[0]["note"], rows[1]["year"], rows[2]["entity:en"], rows[2]["entity:pt"]) == ("year: unknown", "1 2", 'Park, "the"', "")
    assert [s.fact for s in read(tmp_path, text)] == [{"item": "Q2"}, {"year": "1 2"}, {"area": "PT-03"}]
