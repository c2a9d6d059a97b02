"""Accuracy and the shares around it, worked out by hand."""

import pytest

from endonym.metrics import abstention, accuracy, chance, frame, share
from endonym.records import Score

# 10 prompts: 3 right, 2 wrong, and one of each other status but two failed.
ROWS = [
    Score(item=str(n), prompt=str(n), model="m", status=status, right=right, options=4 if n < 8 else 5)
    for n, (status, right) in enumerate(
        [("answered", True)] * 3
        + [("answered", False)] * 2
        + [(s, False) for s in ("abstained", "unparsed", "refused", "failed", "failed")]
    )
]


def value(metric, rows=ROWS):
    (estimate,) = metric.estimate(frame(rows), draws=100)
    return estimate.value, estimate.n


def test_a_failed_call_is_no_wrong_answer_and_an_unread_reply_is_no_right_one():
    assert value(accuracy) == (3 / 8, 8)


def test_over_answered_leaves_out_what_chose_nothing():
    assert value(accuracy(over="answered")) == (3 / 5, 5)


def test_shares_are_over_all_prompts_and_sum_to_one():
    assert value(share) == (0.5, 10)
    assert value(share(status="failed")) == (0.2, 10)
    assert value(share(status="truncated")) == (0.0, 10)
    total = sum(value(share(status=s))[0] for s in ("answered", "abstained", "unparsed", "truncated", "refused", "failed"))
    assert total == pytest.approx(1)


def test_abstention_has_accuracys_denominator():
    assert value(abstention) == (1 / 8, 8)


def test_chance_is_the_mean_of_one_over_options():
    assert value(chance) == (0.25, 8)
    mixed = [Score(item=str(n), prompt="p", model="m", status="answered", options=n) for n in (2, 4, 5, 0)]
    assert value(chance, mixed) == (pytest.approx((1 / 2 + 1 / 4 + 1 / 5) / 3), 3)


def test_chance_of_open_items_does_not_exist():
    assert value(chance, [Score(item="1", prompt="p", model="m", status="answered")]) == (None, 0)
