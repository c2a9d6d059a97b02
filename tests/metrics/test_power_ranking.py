"""Minimum detectable differences, ranks: against statsmodels and simulation."""

import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.power import normal_power

from endonym.errors import InputError
from endonym.metrics import frame
from endonym.metrics.power import design_effect, detectable, minimum_detectable, minimum_detectable_paired
from endonym.metrics.ranking import ranking
from endonym.metrics.tests import mcnemar

from .rows import score


def test_the_unpaired_difference_has_the_power_by_statsmodels():
    """1,000 questions a side at 50 %: (1.959964 + 0.841621) √(2 · .25 / 1000) = .06265."""
    found = minimum_detectable(1000)
    assert found == pytest.approx(2.801585 * (0.5 / 1000) ** 0.5, rel=1e-5)
    assert normal_power(found / 0.5, 1000 / 2, 0.05) == pytest.approx(0.8, abs=1e-4)
    assert minimum_detectable(1000, design_effect=4) == pytest.approx(2 * found)
    assert minimum_detectable(2) is None


def test_the_paired_difference_solves_connors_equation():
    d, n = 0.2, 500
    found = minimum_detectable_paired(n, d)
    left = 1.959964 * d**0.5 + 0.841621 * (d - found**2) ** 0.5
    assert left == pytest.approx(found * n**0.5, rel=1e-6)
    assert minimum_detectable_paired(5, 0.1) is None
    assert minimum_detectable_paired(100, 0.0) is None
    with pytest.raises(InputError, match="power"):
        minimum_detectable_paired(100, 0.1, power=1.0)


def test_mcnemars_test_has_that_power():
    """2,000 questions, 20 % discordant: at the difference that is found the exact test says so in about 80 % of samples."""
    n, d = 2000, 0.2
    delta = minimum_detectable_paired(n, d)
    power = 0.0
    for discordant in range(300, 500):
        k = np.arange(discordant + 1)
        rejects = mcnemar(k, discordant - k) < 0.05
        power += binom.pmf(discordant, n, d) * binom.pmf(k, discordant, (d + delta) / 2 / d)[rejects].sum()
    assert power == pytest.approx(0.8, abs=0.03)


def test_pairing_shows_smaller_differences():
    assert minimum_detectable_paired(1000, 0.1) < minimum_detectable(1000) / 2


def test_design_effect_by_hand():
    """Pairs that always agree: the variance of the mean doubles (with the small-sample factors 40/39 and 79/80)."""
    values = np.repeat(np.tile([0.0, 1.0], 20), 2)
    clusters = np.repeat(np.arange(40), 2)
    assert design_effect(values, clusters) == pytest.approx(2 * (40 / 39) / (80 / 79))
    assert design_effect(values, np.arange(80)) == pytest.approx(1.0)
    assert design_effect(np.ones(4), np.arange(4)) == 1.0


def test_what_the_questions_at_hand_can_show():
    rows = [
        score((n + shift) % 4 < 2, item=f"{e}.{n}", entity=f"e{e}", model=m) for m, shift in (("a", 0), ("b", 1)) for e in range(50)
        for n in range(4)
    ]  # fmt: skip
    found = detectable(frame(rows), "a", "b")
    assert (found.n, found.discordant, found.design_effect) == (200, 0.5, 1.0)
    assert found.paired == minimum_detectable_paired(200, 0.5)
    assert found.unpaired == minimum_detectable(200, share=0.5)
    with pytest.raises(InputError, match="share no question"):
        detectable(frame([score(1, item="x", model="a"), score(1, item="y", model="b")]), "a", "b")


def test_ranks_by_hand():
    """c leads clearly, a and b are the same on every question: they share places 2 and 3 in every draw."""
    rows = [score(n < k, item=f"{n:02}", model=m) for m, k in (("a", 10), ("b", 10), ("c", 38)) for n in range(40)]
    found = ranking(frame(rows), draws=500)
    assert [(r.name, r.rank, r.low, r.high, r.n) for r in found] == [("c", 1, 1, 1, 40), ("a", 2.5, 2.5, 2.5, 40), ("b", 2.5, 2.5, 2.5, 40)]
    assert [r.best for r in found] == [1.0, 0.0, 0.0]


def test_two_models_of_one_ability_may_hold_either_place():
    rng = np.random.default_rng(1)
    rows = [score(bool(rng.random() < 0.5), item=f"{n}", model=m) for m in "ab" for n in range(100)]
    first, second = ranking(frame(rows), draws=1000)
    assert (first.low, first.high) == (second.low, second.high) == (1, 2)
    assert first.best + second.best == pytest.approx(1)
    assert first.best > second.best


def test_only_shared_questions_rank():
    said = [(1, "x", "a"), ("failed", "x", "b"), (0, "y", "a"), (1, "y", "b")]
    rows = [score(right, item=item, model=model) for right, item, model in said]
    assert [(r.name, r.value, r.n) for r in ranking(frame(rows), draws=100)] == [("b", 1.0, 1), ("a", 0.0, 1)]
    assert ranking(frame(rows[:2]), draws=100) == []
