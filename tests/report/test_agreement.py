"""Agreement of judges, against Krippendorff's published example and by hand."""

import pytest

from endonym.records import Judgment
from endonym.report.agreement import ALIKE, APART, agreements, alpha, kappa

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers, twelve units, nominal α = 0.743.
ROWS = [row.split() for row in ("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")]


def judged(judge, *values, status="answered"):
    return [
        Judgment(item=f"r{n}", judge=judge, criterion="right", value=v, status=status if v else "unparsed") for n, v in enumerate(values)
    ]


def test_alpha_is_what_krippendorff_printed():
    units = [[row[u] for row in ROWS if row[u] != "."] for u in range(12)]
    found = alpha(units)
    assert found.value == pytest.approx(0.743, abs=5e-4)
    assert found.n == 11  # the twelfth unit has one rating only


def test_kappa_by_hand():
    """50 replies: both right 20, both wrong 15, 5 and 10 apart: same .7, chance .5·.6 + .5·.4 = .5, κ = .4."""
    a = {f"r{n}": "right" if n < 25 else "wrong" for n in range(50)}
    b = {f"r{n}": "right" if n < 20 or 25 <= n < 35 else "wrong" for n in range(50)}
    found = kappa(a, b)
    assert (found.value, found.same, found.n) == (pytest.approx(0.4), 0.7, 50)


def test_when_all_ratings_are_equal_there_is_no_number_and_that_is_said():
    assert alpha([["right", "right"], ["right", "right"]]).note == ALIKE
    found = kappa({"a": "right"}, {"a": "right"})
    assert (found.value, found.same, found.note) == (None, 1.0, ALIKE)


def test_judges_who_judged_nothing_together_have_no_number():
    assert alpha([["right"], ["wrong"]]).note == APART
    assert kappa({"a": "right"}, {"b": "right"}).value is None


def test_a_verdict_that_could_not_be_read_is_missing_not_a_value():
    (found,) = agreements([*judged("m/a", "right", "wrong", "right", ""), *judged("people/b", "right", "wrong", "", "wrong")])
    assert found.values == {"m/a": {"right": 2, "unparsed": 1, "wrong": 1}, "people/b": {"right": 1, "unparsed": 1, "wrong": 2}}
    assert found.pairs["m/a", "people/b"].n == 2
    assert found.pairs["m/a", "people/b"].value == 1.0
    assert found.alpha.value == 1.0
