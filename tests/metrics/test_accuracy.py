"""Accuracy and the shares around it, worked out by hand."""

import pytest

from endonym.errors import UnknownName
from endonym.metrics import abstention, accuracy, chance, frame, scored, share
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


# Three open answers and a failed call; "strict" is the scorer that was chosen.
OPEN = [
    Score(item="1", prompt="1", model="m", status="answered", right=True, marks={"strict": 1.0, "contains": 1.0, "votes": 0.75}),
    Score(item="2", prompt="2", model="m", status="unparsed", marks={"strict": 0.0, "contains": 1.0, "votes": 0.25}),
    Score(item="3", prompt="3", model="m", status="answered", marks={"strict": 0.0, "contains": 0.0, "votes": 0.0}),
    Score(item="4", prompt="4", model="m", status="failed"),
]


def test_scorers_of_open_answers_stand_side_by_side():
    assert value(accuracy, OPEN) == (pytest.approx(1 / 3), 3)
    assert value(scored, OPEN) == (pytest.approx(1 / 3), 3)
    assert value(scored(scorer="contains"), OPEN) == (pytest.approx(2 / 3), 3)
    assert value(scored(scorer="votes"), OPEN) == (pytest.approx(1 / 3), 3)


def test_an_unknown_scorer_says_what_there_is():
    with pytest.raises(UnknownName, match="contains, strict, votes"):
        value(scored(scorer="lenient"), OPEN)
    assert value(scored, ROWS) == (None, 0)
