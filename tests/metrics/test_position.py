"""Positional bias (CARTE, appendix E), by hand."""

import math
import random

import pytest

from endonym.metrics import frame, position_bias, positions
from endonym.records import Score


def chosen(counts, options=None, *, entities=0, model="m", start=0):
    rows = []
    for position, count in enumerate(counts):
        for _ in range(count):
            n = start + len(rows)
            entity = str(n % entities) if entities else ""
            rows.append(Score(item=str(n), prompt=str(n), model=model, status="answered", position=position, gold_position=0,
                              options=options or len(counts), entity=entity))  # fmt: skip
    return rows


def bias(rows):
    (estimate,) = position_bias.estimate(frame(rows), draws=200)
    return estimate


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([25, 25, 25, 25], 0.0),
        ([0, 100, 0, 0], 1.0),
        ([50, 50, 0, 0], 0.5),  # 1 bit of 2
        ([50, 25, 25, 0], 0.25),  # 1.5 bits of 2
        ([20, 20, 20, 20, 20], 0.0),
        ([40, 40, 0, 0, 0], 1 - 1 / math.log2(5)),
        ([7, 2, 1], 1 - 1.1567796494470395 / 1.584962500721156),  # 0.7·0.5146 + 0.2·2.3219 + 0.1·3.3219 = 1.15678 bits
    ],
)
def test_bias_of_known_distributions(counts, expected):
    assert bias(chosen(counts)).value == pytest.approx(expected, abs=1e-12)


def test_a_model_that_always_says_b_has_bias_one_with_an_honest_interval():
    """30 of 30 at B: Wilson's bound on B's share is 0.8865; the rest spread over three: H = 0.5102 + 0.1135 · log2 3 = 0.690."""
    estimate = bias(chosen([0, 30, 0, 0]))
    share = 1 / (1 + 1.959964**2 / 30)
    rest = (1 - share) / 3
    entropy = -share * math.log2(share) - 3 * rest * math.log2(rest)
    assert (estimate.value, estimate.high) == (1.0, 1.0)
    assert estimate.low == pytest.approx(1 - entropy / 2, abs=1e-6)
    assert "|ci:wilson/effective|" in estimate.signature


def test_dont_know_is_a_position_too_and_an_unread_reply_is_none():
    rows = chosen([10, 10, 0, 0])
    rows += [Score(item=f"a{n}", prompt="p", model="m", status="abstained", position=3, options=4) for n in range(20)]
    rows += [Score(item=f"u{n}", prompt="p", model="m", status="unparsed", options=4) for n in range(9)]
    estimate = bias(rows)
    assert (estimate.value, estimate.n) == (pytest.approx(0.25), 40)


def test_items_that_differ_in_options_are_weighed_by_prompts():
    """60 prompts of 2 options, all at A (0 of 1 bit); 20 of 4 options, spread (2 of 2 bits): 1 − 20·2 / (60·1 + 20·2) = 0.6."""
    rows = chosen([60, 0]) + chosen([5, 5, 5, 5], start=60)
    assert bias(rows).value == pytest.approx(0.6)


def test_open_items_have_no_bias():
    estimate = bias([Score(item="1", prompt="p", model="m", status="answered", right=True)])
    assert (estimate.value, estimate.n, estimate.note) == (None, 0, "no score counts: 1 answered")


def test_one_entity_gives_no_interval_rather_than_a_false_one():
    estimate = bias(chosen([5, 3, 2, 0], entities=1))
    assert estimate.value is not None
    assert (estimate.low, estimate.high, estimate.note) == (None, None, "one cluster: no interval")


def test_the_interval_of_a_model_without_lean_holds_zero():
    """Percentiles of a plain bootstrap all lie above an entropy's estimate here; 20 seeds, at most 3 may miss."""
    held = 0
    for seed in range(20):
        rng = random.Random(seed)
        positions_chosen = [rng.randrange(4) for _ in range(300)]
        estimate = bias(chosen([positions_chosen.count(p) for p in range(4)]))
        assert estimate.low <= estimate.value <= estimate.high
        assert "|ci:bootstrap-centred/200|" in estimate.signature
        held += estimate.low == 0.0
    assert held >= 17


def test_positions_are_counted_with_zeros_and_with_the_golds_places():
    rows = chosen([3, 0, 1]) + [Score(item="u", prompt="p", model="m", status="unparsed", options=3)]
    table = positions(frame(rows)).to_dicts()
    assert table == [
        {"model": "m", "options": 3, "position": 0, "count": 3, "share": 0.75, "gold": 1.0},
        {"model": "m", "options": 3, "position": 1, "count": 0, "share": 0.0, "gold": 0.0},
        {"model": "m", "options": 3, "position": 2, "count": 1, "share": 0.25, "gold": 0.0},
    ]
    assert positions(frame([])).is_empty()
