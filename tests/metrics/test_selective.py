"""Risk and coverage, by hand."""

import math

import polars as pl
import pytest

from endonym.metrics import frame
from endonym.metrics.selective import area, confidence, risk_coverage
from endonym.records import Response

from .rows import score


def test_confidence_is_the_probability_of_the_choice():
    said = [
        Response(prompt="p", model="m", loglikelihoods=(math.log(0.2), math.log(0.6)), lengths=(1, 2)),
        Response(prompt="q", model="m", error="HTTP 500"), Response(prompt="r", model="m", text="B"),
    ]  # fmt: skip
    assert confidence(said).rows() == [("p", "m", pytest.approx(0.75))]
    per_token = math.sqrt(0.6) / (0.2 + math.sqrt(0.6))
    assert confidence(said, per_token=True).rows() == [("p", "m", pytest.approx(per_token))]


def test_the_curve_by_hand():
    """Sure to unsure: right .9; wrong .8 and right .8 (one point); wrong .5. One more reply abstained, one call failed."""
    rows = [score(r, item=i, prompt=i) for i, r in zip("abcdef", (1, 0, 1, 0, "abstained", "failed"), strict=True)]
    sure = pl.DataFrame({"prompt": list("abcde"), "model": ["m"] * 5, "confidence": [0.9, 0.8, 0.8, 0.5, 0.99]})
    curve = risk_coverage(frame(rows), sure)
    assert curve.rows() == [
        ("m", 0.2, 0.0, 0.9, 1), ("m", pytest.approx(0.6), pytest.approx(1 / 3), 0.8, 3), ("m", 0.8, 0.5, 0.5, 4),
    ]  # fmt: skip
    assert area(curve) == pytest.approx((0.2 * 0 + 0.4 / 3 + 0.2 * 0.5) / 0.8)


def test_without_confidence_there_is_one_point_by_abstention():
    rows = [score(r, item=i, prompt=i) for i, r in zip("abcd", (1, 0, "abstained", "unparsed"), strict=True)]
    curve = risk_coverage(frame(rows))
    assert curve.rows() == [("m", 0.5, 0.5, None, 2)]
    assert area(curve) is None
    assert risk_coverage(frame([score("abstained")])).rows() == []
