"""A metric is a value, and an estimate says how sure it is and how it was made."""

import random
import statistics

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from endonym.errors import InputError, UnknownName
from endonym.metrics import METRICS, accuracy, frame, parse, position_bias, share
from endonym.metrics.interval import Plan, effective, wilson
from endonym.records import Score


def score(**fields):
    return Score(**{"item": "i", "prompt": "p", "model": "m", "status": "answered", **fields})


def many(clusters=40, each=5, seed=7):
    """Clusters that differ in ability, so that clustering matters."""
    rng = random.Random(seed)
    rows = []
    for c in range(clusters):
        able = rng.random()
        rows += [score(item=f"{c}.{i}", entity=f"e{c:03}", right=rng.random() < able, lang=rng.choice(["en", "de"])) for i in range(each)]
    return rows


@pytest.mark.parametrize("metric", [*METRICS.values(), accuracy(over="answered"), share(status="failed")])
def test_a_metric_reads_as_it_prints(metric):
    assert parse(repr(metric)) == metric
    assert hash(parse(repr(metric))) == hash(metric)


def test_a_metric_prints_as_it_is_typed_and_compares_by_what_it_is():
    assert repr(accuracy) == "accuracy"
    assert repr(accuracy(over="answered")) == "accuracy(over='answered')"
    assert accuracy(over="answered")(over="all") == accuracy
    assert accuracy != accuracy(over="answered")
    assert accuracy != position_bias


@pytest.mark.parametrize("text", ["accuracy(", "accuracy('all')", "1", "a.b", "accuracy(**x)", "accuracy(over=f())", ""])
def test_what_is_no_metric_is_the_users_fault(text):
    with pytest.raises(InputError):
        parse(text)


def test_wrong_names_and_values_are_said():
    with pytest.raises(UnknownName, match="accuracy"):
        parse("acuracy")
    with pytest.raises(UnknownName, match="over"):
        accuracy(ovr="all")
    with pytest.raises(InputError, match="over"):
        accuracy(over="some")
    with pytest.raises(UnknownName, match="did you mean 'lang'"):
        accuracy.estimate(frame([score()]), by=["lnag"])
    with pytest.raises(UnknownName):
        accuracy.estimate(frame([score()]), cluster="entiti")
    with pytest.raises(InputError, match="level"):
        accuracy.estimate(frame([score()]), level=95)


def test_the_signature_names_every_parameter_and_fact():
    (estimate,) = accuracy.estimate(frame(many()), context={"benchmark": "abc|d", "orders": "asis"})
    assert estimate.signature == (
        "accuracy|over:all|cluster:entity|ci:bootstrap/1000|seed:0|level:0.95|benchmark:abc%7Cd|orders:asis|endonym:0.1.0"
    )
    (other,) = accuracy(over="answered").estimate(frame(many()), draws=200, seed=3, level=0.9, cluster="item")
    assert other.signature == "accuracy|over:answered|cluster:item|ci:bootstrap/200|seed:3|level:0.9|endonym:0.1.0"


def test_a_fact_named_like_a_parameter_hides_nothing():
    (estimate,) = accuracy.estimate(frame(many()), seed=1, context={"seed": 7, "over": "x"})
    assert "|over:all|" in estimate.signature
    assert "|seed:1|level:0.95|context.seed:7|context.over:x|" in estimate.signature


def test_the_interval_is_that_of_a_plain_bootstrap_of_clusters():
    """Against a loop over lists with Python's own generator: the same quantiles, within their simulation error."""
    rows = many(clusters=60)
    clusters = {}
    for row in rows:
        clusters.setdefault(row.entity, []).append(row.right)
    drawn, rng = [], random.Random(11)
    for _ in range(10_000):
        sample = [right for cluster in rng.choices(list(clusters.values()), k=60) for right in cluster]
        drawn.append(sum(sample) / len(sample))
    cuts = statistics.quantiles(drawn, n=40)
    (estimate,) = accuracy.estimate(frame(rows), draws=10_000)
    assert estimate.value == pytest.approx(sum(r.right for r in rows) / 300)
    assert estimate.low == pytest.approx(cuts[0], abs=0.007)
    assert estimate.high == pytest.approx(cuts[-1], abs=0.007)
    # Rows drawn one by one would be surer than they may be: the interval of clusters is the wider one.
    (naive,) = accuracy.estimate(frame(rows), cluster="item", draws=4000)
    assert estimate.high - estimate.low > 1.3 * (naive.high - naive.low)


def test_the_normal_standard_error_of_a_ratio_of_cluster_sums_agrees():
    """Cochran (1977), section 6.3: the linearised standard error of a ratio; here 40 clusters of unequal size."""
    rng = np.random.default_rng(5)
    sizes = rng.integers(3, 9, size=200)
    right = rng.binomial(sizes, 0.6)
    rows = [score(item=f"{c}.{i}", entity=f"e{c}", right=bool(i < right[c])) for c in range(200) for i in range(sizes[c])]
    p = right.sum() / sizes.sum()
    se = np.sqrt(200 / 199 * ((right - p * sizes) ** 2).sum()) / sizes.sum()
    (estimate,) = accuracy.estimate(frame(rows), draws=4000)
    assert (estimate.high - estimate.low) / 2 == pytest.approx(1.96 * se, rel=0.08)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (3, 10), (1, 1), (7, 19)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_is_that_of_statsmodels(k, n, level):
    assert wilson(k / n, n, level) == pytest.approx(proportion_confint(k, n, alpha=1 - level, method="wilson"), abs=1e-12)


def test_unanimous_clusters_get_wilson_on_their_number_not_a_point():
    """30 entities × 4 rows, all right: 30 of 30, by hand 1 / (1 + 1.96²/30) = 0.8865."""
    rows = [score(item=f"{e}.{i}", entity=str(e), right=True) for e in range(30) for i in range(4)]
    (estimate,) = accuracy.estimate(frame(rows))
    assert (estimate.value, estimate.high, estimate.n) == (1.0, 1.0, 120)
    assert estimate.low == pytest.approx(1 / (1 + 1.959964**2 / 30), abs=1e-6)
    assert "|ci:wilson/effective|level:0.95|" in estimate.signature
    (none,) = accuracy.estimate(frame([score(item=r.item, entity=r.entity) for r in rows]))
    assert (none.value, none.low, none.high) == (0.0, 0.0, pytest.approx(1 - estimate.low))


def test_one_cluster_counts_as_one_question():
    rows = [score(item=str(i), entity="Louvre", right=i < 6) for i in range(8)]
    (estimate,) = accuracy.estimate(frame(rows))
    assert (estimate.value, estimate.n) == (0.75, 8)
    low, high = proportion_confint(0.75, 1, method="wilson")
    assert (estimate.low, estimate.high) == (pytest.approx(low), pytest.approx(high))


def test_few_independent_rows_get_wilson_with_students_quantile():
    """Ten items, 3 right: variance 3 × 7 / (9 × 100), Student's 0.975 quantile with 9 degrees 2.262157."""
    rows, right = np.ones(10), np.array([1.0] * 3 + [0.0] * 7)
    worth = 0.21 / (10 / 9 * 2.1 / 100) * (1.959964 / 2.262157) ** 2
    # Korn and Graubard's number is below Kish's here, and Kish's is the least.
    assert worth == pytest.approx(6.756, abs=1e-3)
    assert effective(rows, right, 0.95) == 10
    (estimate,) = accuracy.estimate(frame([score(item=str(i), right=i < 3) for i in range(10)]))
    assert (estimate.low, estimate.high) == pytest.approx(proportion_confint(3, 10, method="wilson"))


def test_effective_rows_lie_between_clusters_and_rows():
    """4 clusters × 10 rows with 4, 5, 5, 6 right: variance 4/3 × 2 / 1600, so more than 40 rows: they are worth 40 at most."""
    assert effective(np.full(4, 10.0), np.array([4.0, 5.0, 5.0, 6.0]), 0.95) == 40
    # 10, 0, 10, 0: every row of a cluster agrees, and 4 clusters are all there is.
    assert effective(np.full(4, 10.0), np.array([10.0, 0.0, 10.0, 0.0]), 0.95) == pytest.approx(4)
    # 2, 5, 5, 8 by hand: 0.25 / (4/3 × 18/1600) × (1.959964 / 3.182446)² = 16.6667 × 0.379287
    assert effective(np.full(4, 10.0), np.array([2.0, 5.0, 5.0, 8.0]), 0.95) == pytest.approx(6.3215, abs=1e-3)
    # Kish with unequal clusters: (9 + 1)² / (81 + 1)
    assert effective(np.array([9.0, 1.0]), np.array([9.0, 1.0]), 0.95) == pytest.approx(100 / 82)


def test_a_group_with_nothing_to_count_is_said_and_is_no_number():
    rows = [score(lang="en", right=True), score(lang="xx", status="failed"), score(lang="xx", status="failed")]
    en, xx = accuracy.estimate(frame(rows), by=["lang"])
    assert (xx.value, xx.low, xx.high, xx.n, xx.note) == (None, None, None, 0, "no score counts: 2 failed")
    assert "|ci:none|" in xx.signature
    assert en.value == 1.0
    (nothing,) = accuracy.estimate(frame([]))
    assert (nothing.value, nothing.n, nothing.note) == (None, 0, "no score")
    assert accuracy.estimate(frame([]), by=["lang"]) == []


def test_groups_named_all_or_nothing_are_groups_and_not_the_total():
    rows = [score(item="1", place="all", right=True), score(item="2", place=""), score(item="3", place="FR")]
    estimates = accuracy.estimate(frame(rows), by=["place"])
    assert [(e.group, e.n) for e in estimates] == [({"place": ""}, 1), ({"place": "FR"}, 1), ({"place": "all"}, 1)]
    (total,) = accuracy.estimate(frame(rows))
    assert (total.group, total.n) == ({}, 3)


def test_a_groups_numbers_do_not_depend_on_the_other_groups():
    rows = many()
    by_lang = {e.group["lang"]: e for e in accuracy.estimate(frame(rows), by=["lang"])}
    (alone,) = accuracy.estimate(frame([r for r in rows if r.lang == "de"]), by=["lang"])
    assert by_lang["de"] == alone


def test_the_order_of_rows_changes_nothing_and_the_seed_does():
    rows = many()
    shuffled = random.Random(1).sample(rows, len(rows))
    assert accuracy.estimate(frame(rows)) == accuracy.estimate(frame(shuffled))
    (a,), (b,) = accuracy.estimate(frame(rows), seed=1), accuracy.estimate(frame(rows), seed=2)
    assert a.value == b.value
    assert a.low != b.low


def test_rows_without_an_entity_are_clustered_by_item_and_the_signature_says_so():
    items = [score(item=str(i % 30), right=i % 3 == 0) for i in range(60)]
    (by_item,) = accuracy.estimate(frame(items))
    assert "|cluster:item|" in by_item.signature
    # An entity that is called like an item is another cluster.
    (mixed,) = accuracy.estimate(frame([*items, score(item="x", entity="3")]))
    assert "|cluster:entity+item|" in mixed.signature


def test_weights_in_blocks_are_the_weights_in_one(monkeypatch):
    from endonym.metrics import interval

    sums = np.random.default_rng(0).random((30, 3))
    whole = interval.draw(sums, Plan(draws=100))
    monkeypatch.setattr(interval, "_BLOCK", 90)
    assert np.allclose(interval.draw(sums, Plan(draws=100)), whole)
    assert whole.shape == (100, 3)
