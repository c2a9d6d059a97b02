"""Paired tests against scipy, statsmodels and counts by hand."""

import random
from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest
from scipy.stats import permutation_test as scipy_permutation
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportions_ztest

from endonym.errors import InputError, UnknownName
from endonym.metrics import frame
from endonym.metrics.matrix import matrix
from endonym.metrics.tests import adjusted, benjamini_hochberg, compare, holm, mcnemar, sign_flip

from .rows import score


def pair(both, a_only, b_only, neither, **fields):
    """Two models with these counts of questions."""
    cells = [(1, 1)] * both + [(1, 0)] * a_only + [(0, 1)] * b_only + [(0, 0)] * neither
    return [score(r, item=f"q{n:03}", model=m, **fields) for n, rs in enumerate(cells) for m, r in zip("ab", rs, strict=True)]


def test_the_fault_that_users_report():
    """220 questions, 5 against 18 discordant: p ≈ .011; by hand 2 Σ_{k ≤ 5} C(23, k) / 2^23 = 2 · 44552 / 8388608."""
    (found,) = compare(frame(pair(100, 5, 18, 97)))
    assert (found.n, found.a_only, found.b_only) == (220, 5, 18)
    assert found.mcnemar == pytest.approx(2 * (1 + 23 + 253 + 1771 + 8855 + 33649) / 2**23)
    assert round(found.mcnemar, 3) == 0.011
    assert found.difference == pytest.approx(-13 / 220)
    # Questions are independent here, so turning signs is nearly the same test; the unpaired one is far off.
    assert found.permutation == pytest.approx(found.mcnemar, abs=0.004)
    assert proportions_ztest([105, 118], [220, 220])[1] > 0.2


@pytest.mark.parametrize(("a", "b"), [(5, 18), (0, 0), (0, 7), (1, 1), (40, 60), (3, 2)])
def test_mcnemar_is_that_of_statsmodels_and_scipy(a, b):
    assert mcnemar(a, b) == pytest.approx(their_mcnemar([[9, a], [b, 9]], exact=True).pvalue)
    if a + b:
        assert mcnemar(a, b) == pytest.approx(binomtest(a, a + b).pvalue)


def test_a_sign_flip_of_few_clusters_is_exact():
    """Differences 3, 1, −1 of three clusters: |sum| ≥ 3 for 4 of 8 turns: ±(3+1+1), ±(3+1−1), ±(3−1+1) are 6; ±(3−1−1) is 1."""
    assert sign_flip(np.array([[3.0, 1.0, -1.0]]))[0] == 6 / 8
    turned = [abs(3 * x + y - z) for x, y, z in product((1, -1), repeat=3)]
    assert sum(t >= 3 for t in turned) == 6
    assert sign_flip(np.zeros((2, 5))).tolist() == [1.0, 1.0]


def test_a_sign_flip_of_many_clusters_is_scipys():
    rng = np.random.default_rng(4)
    d = rng.integers(-3, 5, size=60).astype(float)
    theirs = scipy_permutation((d,), lambda x, axis: x.sum(axis=axis), permutation_type="samples", n_resamples=20_000, rng=1).pvalue
    assert sign_flip(d[None], draws=20_000)[0] == pytest.approx(theirs, abs=0.01)


def test_the_clustered_test_keeps_its_level_where_mcnemar_does_not():
    """8 questions an entity that stand or fall together, no difference between the models: McNemar finds one far too often."""
    rng, found = random.Random(3), []
    for _ in range(60):
        rows = []
        for e in range(40):
            a, b = rng.random() < 0.5, rng.random() < 0.5
            rows += [score(r, item=f"{e}.{n}", entity=f"e{e}", model=m) for n in range(8) for m, r in (("a", a), ("b", b))]
        (one,) = compare(frame(rows), draws=400)
        found.append((one.mcnemar < 0.05, one.permutation < 0.05))
    exact, flipped = np.mean(found, axis=0)
    assert exact > 0.3
    assert flipped < 0.15


@pytest.mark.parametrize("seed", range(5))
def test_holm_and_benjamini_hochberg_are_those_of_statsmodels(seed):
    p = np.random.default_rng(seed).random(12) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1])


def test_holm_by_hand_and_what_does_not_exist_stands_aside():
    assert adjusted([0.01, None, 0.04, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06)]
    assert adjusted([0.01, None, 0.04], "none") == [0.01, None, 0.04]
    assert adjusted([None]) == [None]


def test_all_pairs_share_their_questions_and_a_failed_call_is_not_counted():
    rows = [score(n < 6, item=str(n), model="a") for n in range(8)]
    rows += [score("failed" if n == 0 else n < 4, item=str(n), model="b") for n in range(8)]
    rows += [score("unparsed", item=str(n), model="c") for n in range(4, 8)]
    found = {(c.a, c.b): c for c in compare(frame(rows))}
    assert [(c.n, c.a_only, c.b_only) for c in found.values()] == [(7, 2, 0), (4, 2, 0), (4, 0, 0)]
    assert found["a", "b"].mcnemar == 0.5
    assert found["a", "b"].mcnemar_adjusted == 1.0
    assert found["b", "c"].permutation == 1.0


def test_styles_are_paired_by_item_and_order_and_prompts_may_differ():
    rows = [
        score(style == "oracle" or g == 0, item="x", prompt=f"{style}{g}", style=style, gold_position=g)
        for style in ("plain", "oracle") for g in range(4)
    ]  # fmt: skip
    (found,) = compare(frame(rows), over="style")
    assert (found.a, found.b, found.n, found.a_only, found.b_only) == ("oracle", "plain", 4, 3, 0)


def test_sides_that_never_meet_and_sides_that_are_not_there():
    rows = [score(1, item="x", model="a"), score(1, item="y", model="b")]
    (found,) = compare(frame(rows))
    assert (found.n, found.mcnemar, found.note) == (0, None, "no question that both replied to")
    with pytest.raises(UnknownName, match="did you mean"):
        compare(frame([score(1, model="model-a"), score(1, model="model-b")]), a="model-a", b="model-bb")
    with pytest.raises(InputError, match="no score"):
        compare(frame([]))


def test_the_matrix_says_who_and_what():
    said = [(1, "x", "b"), (0, "y", "b"), ("failed", "x", "a")]
    rows = [score(right, item=item, entity="e", model=model) for right, item, model in said]
    laid = matrix(frame(rows))
    assert laid.sides == ("a", "b")
    assert laid.items.tolist() == ["x", "y"]
    assert laid.clusters.tolist() == [0, 0]
    assert np.isnan(laid.right[0]).all()
    assert laid.right[1].tolist() == [1.0, 0.0]
    assert laid.shared.right.shape == (2, 0)
