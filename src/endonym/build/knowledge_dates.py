"""Dates of a knowledge base in, years out: precision, calendar, eras before Christ, and values that nobody knows.

In: a time as Wikibase's RDF writes it, its precision (9 year, 10 month, 11 day) and calendar. Out: a year as text, ``-44`` for 44 BCE.
The one thing to know: RDF writes XSD 1.1, where the year 0 is 1 BCE, and has turned Julian days into Gregorian ones; both are undone,
for a person born on 28 December 1500 in the Julian calendar was born in 1500. Wikibase's JSON has neither change.
"""

import re

YEAR, DAY = 9, 11
"""Wikibase's precisions: less than YEAR is no year."""
JULIAN = "http://www.wikidata.org/entity/Q1985786"
_TIME = re.compile(r"([+-]?)(\d+)-(\d\d)-(\d\d)T")
_COARSE = {8: "decade", 7: "century", 6: "millennium"}


class NoYear(ValueError):
    """A time that is no year; says what it is."""


def year(time: str, precision: int, calendar: str = "") -> str:
    """The year of a time in RDF. Raises ``NoYear`` where it is known to less than a year, or is no time at all."""
    match = _TIME.match(time)
    if not match:
        raise NoYear(f"{time!r} is no time")
    y, month, day = int(match[1] + match[2]), int(match[3]), int(match[4])
    if precision < YEAR:
        raise NoYear(f"is known to the {_COARSE.get(precision, 'thousands of years')} only ({_spoken(y)})")
    if calendar == JULIAN and precision >= DAY and month and day:
        y = julian(y, month, day)[0]
    return _era(y)


def _era(y: int) -> str:
    return str(y) if y > 0 else str(y - 1)


def _spoken(y: int) -> str:
    return f"about {y}" if y > 0 else f"about {1 - y} BCE"


def rdf_time(time: str, precision: int, calendar: str) -> str:
    """A time of Wikibase's JSON as its RDF has it: ``-0044-03-15`` → ``-0043-03-13`` if Julian. Raises ``NoYear``."""
    match = _TIME.match(time)
    if not match:
        raise NoYear(f"{time!r} is no time")
    y, month, day = int(match[1] + match[2]), int(match[3]), int(match[4])
    y = y + 1 if y < 0 else y
    if calendar == JULIAN and precision >= DAY and month and day:
        y, month, day = gregorian(y, month, day)
    sign = "-" if y < 0 else ""
    return f"{sign}{abs(y):04d}-{max(month, 1):02d}-{max(day, 1):02d}T00:00:00Z"


def gregorian(y: int, month: int, day: int) -> tuple[int, int, int]:
    """A day of the Julian calendar in the Gregorian (astronomical years)."""
    return _from_number(_number(y, month, day, gregorian=False), gregorian=True)


def julian(y: int, month: int, day: int) -> tuple[int, int, int]:
    """A day of the Gregorian calendar in the Julian (astronomical years)."""
    return _from_number(_number(y, month, day, gregorian=True), gregorian=False)


def _number(y: int, month: int, day: int, *, gregorian: bool) -> int:
    """The Julian day number; integer arithmetic of years that begin in March (Richards, Explanatory Supplement, 15.11)."""
    early = (14 - month) // 12
    y, m = y + 4800 - early, month + 12 * early - 3
    number = day + (153 * m + 2) // 5 + 365 * y + y // 4
    return number - y // 100 + y // 400 - 32045 if gregorian else number - 32083


def _from_number(number: int, *, gregorian: bool) -> tuple[int, int, int]:
    if gregorian:
        a = number + 32044
        b = (4 * a + 3) // 146097
        c = a - 146097 * b // 4
    else:
        b, c = 0, number + 32082
    d = (4 * c + 3) // 1461
    e = c - 1461 * d // 4
    m = (5 * e + 2) // 153
    return 100 * b + d - 4800 + m // 10, m + 3 - 12 * (m // 10), e - (153 * m + 2) // 5 + 1
