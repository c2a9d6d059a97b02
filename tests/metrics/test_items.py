"""Item analysis, item response theory and discriminative power: by hand, against scipy, and on simulated data."""

import numpy as np
import pytest
from scipy.stats import pointbiserialr, spearmanr

from endonym.errors import InputError
from endonym.metrics import frame
from endonym.metrics.irt import fit
from endonym.metrics.items import analyse, discrimination, kr20
from endonym.metrics.matrix import matrix
from endonym.metrics.separation import separated, separation, subset

from .rows import score

# Four models, three items.
HAND = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=float)


def rows_of(right):
    return [score(r, item=f"i{j:03}", model=f"m{i:02}") for i, line in enumerate(right) for j, r in enumerate(line)]


def rasch(models, items, seed, a=1.2):
    rng = np.random.default_rng(seed)
    theta, b = rng.normal(size=models), rng.normal(size=items)
    disc = np.exp(rng.normal(size=items) * 0.3) * a
    return theta, b, disc, (rng.random((models, items)) < 1 / (1 + np.exp(-disc * (theta[:, None] - b)))).astype(float)


def test_kr20_by_hand():
    """p = 3/4, 1/2, 1/4: Σ pq = 3/16 + 4/16 + 3/16; sums 3, 2, 1, 0 have variance 5/4: 3/2 (1 − (10/16) / (5/4)) = 3/4."""
    assert kr20(HAND) == pytest.approx(0.75)
    assert kr20(np.ones((3, 4))) is None
    assert kr20(HAND[:, :1]) is None


def test_discrimination_is_the_point_biserial_with_the_rest():
    found = discrimination(HAND)
    for j in range(3):
        assert found[j] == pytest.approx(pointbiserialr(HAND[:, j], HAND.sum(axis=1) - HAND[:, j]).statistic)
    assert np.isnan(discrimination(np.column_stack([HAND, np.ones(4)]))[3])


def test_the_table_of_items():
    rows = [*rows_of(HAND), score("failed", item="i999", model="m00"), score(1, item="i999", model="m01")]
    found = analyse(frame(rows))
    assert (found.models, found.items, found.dropped, found.kr20) == (4, 3, 1, pytest.approx(0.75))
    assert found.table["item"].to_list() == ["i002", "i001", "i000"]
    assert found.table["difficulty"].to_list() == [0.25, 0.5, 0.75]
    alone = analyse(frame(rows_of(HAND[:1])))
    assert alone.kr20 is None
    assert alone.table["discrimination"].null_count() == 3


def test_2pl_finds_the_parameters_again():
    """1,000 simulated takers × 30 items."""
    theta, b, disc, right = rasch(1000, 30, 5)
    found = fit(right)
    assert found.converged
    assert np.corrcoef(found.difficulty, b)[0, 1] > 0.99
    assert np.abs(found.difficulty - b).mean() < 0.12
    assert np.abs(np.log(found.discrimination) - np.log(disc)).mean() < 0.15
    assert np.corrcoef(found.ability, theta)[0, 1] > 0.9
    inside = np.abs(found.ability - theta) < 1.96 * found.ability_error
    assert 0.9 < inside.mean() < 0.98


def test_2pl_orders_few_models_on_many_items():
    theta, b, _, right = rasch(20, 400, 8)
    found = fit(right)
    assert spearmanr(found.ability, theta).statistic > 0.97
    assert spearmanr(found.difficulty, b).statistic > 0.8
    assert np.isfinite(found.discrimination).all()


def test_2pl_takes_gaps_and_equal_patterns():
    right = np.array([[1, 1, 1, np.nan], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]], dtype=float)
    found = fit(right)
    assert found.difficulty[0] == found.difficulty[1]
    assert found.ability[3] > found.ability[1] > found.ability[2]
    with pytest.raises(InputError, match="two models"):
        fit(np.ones((1, 5)))


def steps(gaps, items=200):
    """Models of which each is right on the first so many items."""
    return np.array([[n < k for n in range(items)] for k in gaps], dtype=float)


def test_pairs_that_are_separated_by_hand():
    """100, 105 and 130 of 200 right, nested: discordant 0/5 (p .0625), 0/25, 0/30: two of three pairs at .05."""
    scores = frame(rows_of(steps([100, 105, 130])))
    found = separation(scores, draws=10)
    assert (found.models, found.items, found.pairs, found.separated, found.per_item) == (3, 200, 3, 2, 0.01)
    assert separated(matrix(scores), alpha=0.05, correction="holm").tolist() == [0, -1, -1]
    assert separation(scores, alpha=0.07, correction="none", draws=1).separated == 3
    assert separation(scores, test="permutation", draws=1).separated == 2


def test_the_number_per_100_items_does_not_grow_with_the_benchmark():
    small = frame(rows_of(steps([60, 70, 90], 120)))
    large = frame(rows_of(np.tile(steps([60, 70, 90], 120), 4)))
    a, b = separation(small, draws=60), separation(large, draws=60)
    assert b.separated >= a.separated
    assert b.per_100 == pytest.approx(a.per_100, abs=0.35)
    assert separation(frame(rows_of(steps([5, 9], 20)))).per_100 is None


def test_a_small_subset_keeps_every_separated_pair():
    """Of 300 items 240 tell nobody apart; what is left needs no more than the exact test does: 6 discordant for one pair at .05."""
    right = np.zeros((2, 300))
    right[0, :60] = 1
    scores = frame(rows_of(right))
    found = subset(scores, correction="none")
    assert (found.kept, found.separated, len(found.items)) == (1, 1, 6)  # 2 / 2^6 = .031, 2 / 2^5 = .0625
    assert all(int(i[1:]) < 60 for i in found.items)


def test_a_subset_of_simulated_models_is_smaller_and_keeps_all():
    _, _, _, right = rasch(8, 300, 3)
    scores = frame(rows_of(right))
    found = subset(scores)
    assert found.kept == found.separated > 5
    assert len(found.items) < 150
    kept = matrix(scores.filter(scores["item"].is_in(found.items)))
    whole, some = separated(matrix(scores), alpha=0.05, correction="holm"), separated(kept, alpha=0.05, correction="holm")
    assert (some[whole != 0] == whole[whole != 0]).all()


def test_nothing_to_separate():
    found = subset(frame(rows_of(np.ones((3, 10)))))
    assert (found.items, found.kept, found.separated) == ((), 0, 0)
    one = separation(frame(rows_of(np.ones((1, 10)))))
    assert (one.pairs, one.separated) == (0, 0)
