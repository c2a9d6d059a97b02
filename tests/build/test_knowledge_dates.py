"""Dates by hand: precisions, eras, and the days of two calendars, against the tables of the Julian and Gregorian calendars."""

import datetime

import pytest

from endonym.build.knowledge_dates import JULIAN, NoYear, gregorian, julian, rdf_time, year

GREGORIAN = "http://www.wikidata.org/entity/Q1985727"


@pytest.mark.parametrize(
    ("time", "precision", "said"),
    [
        ("1866-06-14T00:00:00Z", 11, "1866"),
        ("1866-06-01T00:00:00Z", 10, "1866"),
        ("1866-01-01T00:00:00Z", 9, "1866"),
        ("-0043-03-15T00:00:00Z", 11, "-44"),  # XSD 1.1: the year -43 is 44 BCE
        ("0000-01-01T00:00:00Z", 9, "-1"),
        ("0001-01-01T00:00:00Z", 9, "1"),
        ("+1866-00-00T00:00:00Z", 9, "1866"),
    ],
)
def test_a_year(time: str, precision: int, said: str):
    assert year(time, precision, GREGORIAN) == said


@pytest.mark.parametrize(
    ("time", "precision", "said"),
    [
        ("1640-01-01T00:00:00Z", 8, r"decade only \(about 1640\)"),
        ("1700-01-01T00:00:00Z", 7, r"century only \(about 1700\)"),
        ("-0999-01-01T00:00:00Z", 6, r"millennium only \(about 1000 BCE\)"),
        ("-9999-01-01T00:00:00Z", 4, "thousands of years"),
        ("yesterday", 11, "is no time"),
    ],
)
def test_what_is_no_year(time: str, precision: int, said: str):
    with pytest.raises(NoYear, match=said):
        year(time, precision)


@pytest.mark.parametrize(
    ("in_julian", "in_gregorian"),
    [
        ((1582, 10, 4), (1582, 10, 14)),  # the last Julian day in Rome: the next was 15 October
        ((1752, 9, 2), (1752, 9, 13)),  # the last one in London
        ((1917, 10, 25), (1917, 11, 7)),  # the October revolution
        ((1500, 12, 28), (1501, 1, 7)),
        ((1700, 2, 29), (1700, 3, 11)),  # a leap day that only the Julian calendar has
        ((-43, 3, 15), (-43, 3, 13)),  # the Ides of March
    ],
)
def test_days_of_two_calendars(in_julian: tuple[int, int, int], in_gregorian: tuple[int, int, int]):
    assert gregorian(*in_julian) == in_gregorian
    assert julian(*in_gregorian) == in_julian


def test_the_year_is_the_one_that_people_wrote():
    """Born on 28 December 1500 in the Julian calendar: RDF has 7 January 1501, and a question asks for 1500."""
    assert year("1501-01-07T00:00:00Z", 11, JULIAN) == "1500"
    assert year("1501-01-07T00:00:00Z", 11, GREGORIAN) == "1501"
    assert year("1501-01-01T00:00:00Z", 9, JULIAN) == "1501"  # without a day nothing was turned


@pytest.mark.parametrize(
    ("time", "precision", "calendar", "said"),
    [
        ("+1500-12-28T00:00:00Z", 11, JULIAN, "1501-01-07T00:00:00Z"),
        ("-0044-03-15T00:00:00Z", 11, JULIAN, "-0043-03-13T00:00:00Z"),
        ("-0044-00-00T00:00:00Z", 9, JULIAN, "-0043-01-01T00:00:00Z"),
        ("-0001-00-00T00:00:00Z", 9, GREGORIAN, "0000-01-01T00:00:00Z"),
        ("+1866-06-00T00:00:00Z", 10, GREGORIAN, "1866-06-01T00:00:00Z"),
    ],
)
def test_from_json_to_rdf(time: str, precision: int, calendar: str, said: str):
    assert rdf_time(time, precision, calendar) == said


def test_every_day_of_four_centuries_goes_there_and_back():
    day = datetime.date(1500, 1, 1)
    for n in range(0, 146_097, 97):
        there = day + datetime.timedelta(n)
        parts = (there.year, there.month, there.day)
        assert gregorian(*julian(*parts)) == parts
