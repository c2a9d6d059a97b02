"""W against NW, and regions compared: against scipy and statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import chi2_contingency, wilcoxon
from statsmodels.stats.proportion import proportions_ztest

from endonym.errors import InputError, UnknownName
from endonym.metrics import frame
from endonym.metrics.contrasts import contrast_languages, two_proportions
from endonym.metrics.regions import cluster_means, compare_regions

from .rows import entities, score


def random_entities(n=60, seed=2):
    rng = np.random.default_rng(seed)
    knows = {}
    for e in range(n):
        able = rng.random()
        knows[f"e{e:02}"] = {
            lang: "".join("01"[int(rng.random() < able * share)] for _ in range(4))
            for lang, share in (("en", 1.0), ("de", 0.9), ("hi", 0.7), ("zh", 0.8))
        }
    return knows


def test_a_contrast_by_hand():
    """a: W (1 + 1/2) / 2, NW 0; b: 1/2 and 1/2; c lacks NW."""
    rows = entities({"a": {"en": "11", "de": "10", "hi": "00"}, "b": {"en": "10", "hi": "01"}, "c": {"en": "11", "hi": "ff"}})
    (found,) = contrast_languages(frame(rows), a="W", b="NW", by=())
    assert (found.entities, found.score_a, found.score_b, found.difference) == (2, 0.625, 0.25, 0.375)
    assert found.questions == (8, 4)
    assert found.permutation == 1.0  # one entity differs: both turns are as far


def test_the_three_tests_are_those_of_scipy_and_statsmodels():
    knows = random_entities()
    scores = frame(entities(knows))
    (found,) = contrast_languages(scores, a=("en", "de"), b=("hi", "zh"), by=())
    share = lambda said: said.count("1") / 4  # noqa: E731
    d = np.array([(share(k["en"]) + share(k["de"])) / 2 - (share(k["hi"]) + share(k["zh"])) / 2 for k in knows.values()])
    assert found.difference == pytest.approx(d.mean())
    assert found.wilcoxon == pytest.approx(wilcoxon(d, zero_method="pratt", method="asymptotic").pvalue)
    hits = [sum(k[x].count("1") for k in knows.values() for x in langs) for langs in (("en", "de"), ("hi", "zh"))]
    z, p = proportions_ztest(hits, [480, 480])
    assert (found.unpaired_z, found.unpaired) == (pytest.approx(z), pytest.approx(p))
    table = [[hits[0], 480 - hits[0]], [hits[1], 480 - hits[1]]]
    assert found.unpaired == pytest.approx(chi2_contingency(table, correction=False).pvalue)
    assert (found.a, found.b) == ("en,de", "hi,zh")


def test_what_cannot_be_contrasted_is_said():
    (found,) = contrast_languages(frame(entities({"a": {"en": "11"}})), by=())
    assert (found.entities, found.permutation, found.note) == (0, None, "no entity with a reply in W and in NW")
    (same,) = contrast_languages(frame(entities({"a": {"en": "11", "hi": "11"}})), by=())
    assert (same.permutation, same.wilcoxon, same.unpaired, same.note) == (1.0, None, None, "no entity differs")
    assert two_proportions(0, 0, 3, 1) == (None, None)
    with pytest.raises(UnknownName):
        contrast_languages(frame(entities({"a": {"en": "11"}})), a="West")


def clustered(seed=0, gap=0.0, sizes=(30, 40, 50), together=0.3):
    """Rows: (region, entity, right), 4 questions an entity, entities differing in ability."""
    rng = np.random.default_rng(seed)
    rows = []
    for r, n in enumerate(sizes):
        for e in range(n):
            able = np.clip(0.5 + gap * r + rng.normal() * together, 0, 1)
            rows += [
                score(bool(rng.random() < able), item=f"{r}.{e}.{q}", entity=f"{r}.{e}", place=f"R{r}") for q in range(4)
            ]  # fmt: skip
    return rows


def test_the_linear_model_with_clustered_errors_is_that_of_statsmodels():
    rows = clustered(gap=0.08)
    found = compare_regions(frame(rows), draws=200)
    place = np.array([int(r.place[1]) for r in rows])
    codes = {e: n for n, e in enumerate(dict.fromkeys(r.entity for r in rows))}
    groups = np.array([codes[r.entity] for r in rows])
    right = np.array([float(r.right) for r in rows])
    fitted = sm.OLS(right, np.eye(3)[place]).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    assert [r.accuracy for r in found.regions] == pytest.approx(fitted.params)
    assert [r.error for r in found.regions] == pytest.approx(fitted.bse)
    wald = fitted.f_test(np.array([[-1, 1, 0], [-1, 0, 1]]))
    assert (found.wald_f, found.p_wald) == (pytest.approx(float(wald.fvalue)), pytest.approx(float(wald.pvalue)))
    assert found.df == (2, 119)
    away = fitted.t_test(np.eye(3) - 1 / 3)
    assert [r.distance for r in found.regions] == pytest.approx(away.effect)
    assert [r.distance_error for r in found.regions] == pytest.approx(away.sd)
    assert [r.p for r in found.regions] == pytest.approx(away.pvalue)


def test_cluster_means_by_hand():
    """One region, clusters (1, 1) and (0, 1): mean 3/4, sums of residuals .5 and −.5: 2/1 · 3/3 · .5 / 16."""
    means, covariance = cluster_means(np.array([1.0, 1, 0, 1]), np.zeros(4, int), np.array([0, 0, 1, 1]))
    assert means.tolist() == [0.75]
    assert covariance[0, 0] == pytest.approx(2 * 0.5 / 16)


def test_the_permutation_keeps_its_level_and_finds_a_gap():
    p = [compare_regions(frame(clustered(seed=s, sizes=(20, 20, 20))), draws=99).p_permutation for s in range(40)]
    assert 0 <= np.mean(np.array(p) < 0.1) <= 0.25
    assert compare_regions(frame(clustered(gap=0.2)), draws=199).p_permutation == 1 / 200


def test_a_region_that_is_all_right_has_no_wald_test_and_a_permutation_all_the_same():
    rows = [score(r == "A" or n % 2, item=f"{r}{n}", place=r) for r in "AB" for n in range(12)]
    found = compare_regions(frame(rows), draws=200)
    assert (found.p_wald, found.note) == (None, "in some regions the answers do not vary: no Wald test")
    assert found.p_permutation < 0.05
    assert [r.accuracy for r in found.regions] == [1.0, 0.5]


def test_what_cannot_be_compared_is_said():
    with pytest.raises(InputError, match="one model at a time"):
        compare_regions(frame([score(1, model="a"), score(1, model="b")]))
    with pytest.raises(InputError, match="at least two"):
        compare_regions(frame([score(1, place="A"), score(1, place="")]))
    spanning = [score(n % 2, item=f"{e}{p}{n}", entity=f"e{e}", place=p) for e in range(5) for p in "AB" for n in range(3)]
    found = compare_regions(frame(spanning), draws=50)
    assert found.p_permutation is None
    assert found.note.endswith("clusters span regions: no permutation")
