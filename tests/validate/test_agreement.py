"""Agreement, held to published values, to other libraries and to sums by hand."""

import numpy as np
import pytest
from scipy import stats

from endonym.errors import InputError
from endonym.records import Estimate, Judgment
from endonym.validate.agreement import ALIKE, APART, agreement
from endonym.validate.coefficients import kappa

N = None
# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C: four observers, twelve units, missing cells.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]


def said(*rows: list, names: tuple[str, ...] = (), criterion: str = "LN") -> list[Judgment]:
    """One row a judge; None is a judgment that could not be read."""
    return [
        Judgment(
            item=f"i{n:02d}",
            judge=(names or "abcdef")[k],
            criterion=criterion,
            value="" if v is None else str(v),
            status="unparsed" if v is None else "answered",
        )
        for k, row in enumerate(rows)
        for n, v in enumerate(row)
    ]


def found(judgments: list[Judgment], metric: str, judges: str = "all", **how) -> Estimate:
    rows = [e for e in agreement(judgments, draws=how.pop("draws", 20), **how) if e.metric == metric and e.group["judges"] == judges]
    assert len(rows) == 1
    return rows[0]


@pytest.mark.parametrize("level, value", [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_as_published(level: str, value: float):
    assert found(said(*KRIPPENDORFF), "alpha", level=level).value == pytest.approx(value, abs=5e-4)


def test_scores_are_ordinal_and_labels_nominal_if_nothing_is_said():
    assert "level:ordinal" in found(said(*KRIPPENDORFF), "alpha").signature
    words = said(["yes", "no", "yes"], ["yes", "no", "no"])
    assert "level:nominal" in found(words, "alpha").signature
    with pytest.raises(InputError, match="ordinal needs numbers, and LN has 'no'"):
        list(agreement(words, level="ordinal"))


# Two raters, 50 things, yes and no: 20 both yes, 15 both no, 5 and 10 apart. Observed .7, by chance .5, so kappa is .4.
TWO = ([1] * 20 + [1] * 5 + [0] * 10 + [0] * 15, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15)


def test_kappa_by_hand():
    assert found(said(*TWO), "kappa", "a × b", weights="").value == pytest.approx(0.4)
    assert found(said(*TWO), "percent", "a × b").value == pytest.approx(0.7)
    assert found(said(*TWO), "percent").value == pytest.approx(0.7)


def test_quadratic_kappa_is_the_concordance_coefficient():
    """With squared differences, weighted kappa is Lin's concordance of the scores (Fleiss and Cohen, 1973)."""
    rng = np.random.default_rng(5)
    x = rng.integers(1, 6, 80)
    y = np.clip(x + rng.integers(-1, 2, 80), 1, 5)
    lin = 2 * np.cov(x, y, bias=True)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    got = found(said(x.tolist(), y.tolist()), "kappa", "a × b")
    assert got.value == pytest.approx(lin)
    assert got.value != pytest.approx(stats.pearsonr(x, y).statistic)


def test_a_value_that_nobody_gave_leaves_the_distances_of_the_others():
    """Scores 1, 2, 5: a rater who says 5 for 2 is three steps away, not one."""
    x, y = [1, 1, 2, 2, 5, 5, 2, 1], [1, 2, 2, 5, 5, 2, 1, 1]
    a, b = np.array(x, float), np.array(y, float)
    lin = 2 * np.cov(a, b, bias=True)[0, 1] / (a.var() + b.var() + (a.mean() - b.mean()) ** 2)
    assert found(said(x, y), "kappa", "a × b").value == pytest.approx(lin)


def test_linear_kappa_by_hand():
    # Places: (1,1) twice, (1,2), (3,3). Observed distance 1/4. Expected, of rows (3,0,1)/4 and columns (2,1,1)/4:
    # |1-2|·3/4·1/4 + |1-3|·3/4·1/4 + |3-1|·1/4·2/4 + |3-2|·1/4·1/4 = 3/16 + 6/16 + 4/16 + 1/16 = 14/16.
    assert found(said([1, 1, 1, 3], [1, 1, 2, 3]), "kappa", "a × b", weights="linear").value == pytest.approx(1 - (1 / 4) / (14 / 16))


def test_all_ratings_equal_is_said_and_is_no_number():
    same = said([4, 4, 4], [4, 4, 4])
    for metric, judges in (("alpha", "all"), ("kappa", "a × b")):
        got = found(same, metric, judges)
        assert (got.value, got.low, got.n, got.note) == (None, None, 3, ALIKE)
        assert got.note.startswith("n/a")
    assert found(same, "percent").value == 1


def test_nothing_rated_by_two_is_said():
    apart = said([4, 4, N, N], [N, N, 5, 5])
    for metric, judges in (("alpha", "all"), ("percent", "all"), ("kappa", "a × b")):
        got = found(apart, metric, judges)
        assert (got.value, got.n, got.note) == (None, 0, APART)


def test_missing_cells_are_no_values():
    full, holes = said([1, 2, 3, 4], [1, 2, 3, 5]), said([1, 2, 3, 4, 5, N], [1, 2, 3, 5, N, 2])
    for metric, judges in (("alpha", "all"), ("kappa", "a × b"), ("percent", "a × b")):
        assert found(holes, metric, judges).value == pytest.approx(found(full, metric, judges).value)
        assert found(holes, metric, judges).n == 4


def test_models_and_people_apart_and_together():
    names = ("openai/x", "openai/y", "people/ane", "people/bo", "people/cat")
    rows = [[5, 4, 3, 2], [5, 4, 3, 3], [5, 4, 2, 2], [5, 3, 2, 1], [4, 3, 2, 2]]
    got = {(e.metric, e.group["judges"]): e for e in agreement(said(*rows, names=names), draws=20)}
    assert {j for m, j in got if m == "alpha"} == {"all", "models", "people"}
    assert ("kappa", "openai/x × people") in got
    # The lower medians of the three people are 5, 3, 2, 2: openai/x says the same of the first and the last.
    assert got["percent", "openai/x × people"].value == pytest.approx(0.5)
    assert ("kappa", "people/ane × people") not in got
    assert got["percent", "people/ane × people/bo"].value == pytest.approx(0.5)


def test_most_of_the_people_where_values_are_names():
    names = ("m/x", "people/ane", "people/bo", "people/cat")
    rows = [["yes", "no", "yes"], ["yes", "yes", "yes"], ["yes", "no", "no"], ["no", "no", N]]
    got = found(said(*rows, names=names), "percent", "m/x × people")
    assert (got.value, got.n) == (1.0, 2)  # of the third item two people said two things


def test_checks_and_stages_are_no_raters():
    rows = [*said([1, 2], [1, 2]), Judgment(item="i00", judge="check/x", criterion="LN", value="error")]
    rows.append(Judgment(item="i00", judge="keep", criterion="LN", value="low"))
    assert {e.group["judges"] for e in agreement(rows, draws=10)} == {"all", "a × b"}


def test_an_interval_holds_the_value_and_repeats():
    one, two = (found(said(*KRIPPENDORFF), "alpha", draws=200, seed=7) for _ in range(2))
    assert one == two
    assert one.value is not None and one.low is not None and one.high is not None
    assert one.low < one.value < one.high <= 1
    assert found(said(*KRIPPENDORFF), "alpha", draws=200, seed=8).low != one.low
    assert "bootstrap/200" in one.signature
    assert found(said([4], [5]), "percent").note == "one item: no interval"


def test_two_judges_of_one_value_each_are_at_chance():
    assert kappa(np.array([[0, 1], [0, 1]]), 2, "", None) == pytest.approx(0)


def test_criteria_are_kept_apart_and_may_be_chosen():
    rows = [*said([1, 2], [1, 2]), *said([1, 2], [2, 1], criterion="GC")]
    assert [e.group["criterion"] for e in agreement(rows, draws=10) if e.metric == "alpha"] == ["GC", "LN"]
    assert {e.group["criterion"] for e in agreement(rows, criteria=("GC",), draws=10)} == {"GC"}
