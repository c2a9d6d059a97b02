"""Positional bias free of where the gold options stand."""

import pytest

from endonym.metrics import frame, parse, position_bias

from .rows import score


def value(metric, rows):
    (found,) = metric.estimate(frame(rows), draws=50)
    return found.value, found.n, found.note


def perfect(golds):
    """A model that is always right: it chooses where the gold stands."""
    return [score(1, item=str(n), position=g, gold_position=g) for n, g in enumerate(golds)]


def test_a_perfect_model_on_an_uneven_key():
    """Gold at A thrice as often as elsewhere: by the paper's formula a lean, balanced none. Two gold positions only: half of log2 4."""
    rows = perfect([0] * 9 + [1, 2, 3] * 3)
    assert value(position_bias, rows)[0] == pytest.approx(1 - (-(0.5 * -1) + 3 * (1 / 6) * 2.584963) / 2, abs=1e-6)
    assert value(position_bias(gold="balanced"), rows)[0] == 0.0
    assert value(position_bias(gold="balanced"), perfect([0, 0, 0, 1]))[0] == pytest.approx(0.5)


def test_a_model_that_always_says_b_is_biased_however_the_gold_stands():
    rows = [score(g == 1, item=str(n), position=1, gold_position=g) for n, g in enumerate([0, 0, 1, 2, 3])]
    assert value(position_bias(gold="balanced"), rows)[:2] == (1.0, 5)


def test_balanced_by_hand():
    """Gold at 0 (4 prompts): A 3, B 1. Gold at 1 (1 prompt): B. Mean of (3/4, 1/4) and (0, 1): A 3/8, B 5/8, of N = 2."""
    rows = [score(1, item=str(n), options=2, position=p, gold_position=g) for n, (g, p) in enumerate([(0, 0)] * 3 + [(0, 1), (1, 1)])]
    assert value(position_bias(gold="balanced"), rows)[0] == pytest.approx(1 - 0.954434, abs=1e-6)


def test_rotated_takes_items_shown_in_every_turn_only():
    """One item in all four turns, always A; another in two; a third with "don't know" last in four of five."""
    turns = [score(g == 0, item="whole", prompt=f"w{g}", position=0, gold_position=g) for g in range(4)]
    some = [score(0, item="part", prompt=f"p{g}", position=2, gold_position=g) for g in range(2)]
    assert value(position_bias(gold="rotated"), turns + some) == (1.0, 4, "1 of 2 items left out: not shown in every turn")
    five = [score(1, item="e", prompt=f"e{g}", position=g, gold_position=g, options=5) for g in range(4)]
    assert value(position_bias(gold="rotated"), five)[:2] == (pytest.approx(1 - 2 / 2.321928, abs=1e-6), 4)
    assert value(position_bias(gold="rotated"), some)[:2] == (None, 0)
    again = [*turns, score(1, item="whole", prompt="w0b", position=0, gold_position=0)]
    assert value(position_bias(gold="rotated"), again)[1] == 0


@pytest.mark.parametrize("gold", ["as shown", "balanced", "rotated"])
def test_prints_as_it_is_typed(gold):
    assert parse(repr(position_bias(gold=gold))) == position_bias(gold=gold)
