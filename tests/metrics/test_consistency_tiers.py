"""Consistency, difficulty, and what is left unread: worked out by hand."""

import pytest

from endonym.errors import InputError
from endonym.metrics import accuracy, consistency, difficulty, frame, unparsed

from .rows import entities, score


def value(metric, rows):
    (found,) = metric.estimate(frame(rows), draws=50)
    return found.value, found.n


def test_templates_agree_within_entity_and_language():
    """a/en all right, a/de mixed, b/en all wrong, b/de has one reply left: 2 of 3."""
    rows = entities({"a": {"en": "1111", "de": "1011"}, "b": {"en": "0000", "de": "1fff"}})
    assert value(consistency, rows) == (pytest.approx(2 / 3), 3)
    assert consistency.estimate(frame(rows), draws=50)[0].note.endswith("1 of 4 units left out: fewer than two replies")


def test_orders_agree_on_the_choice_or_on_rightness():
    """One item in three orders, chosen 1, 2, 2, all wrong; another right twice: of rightness both agree, of choice one."""
    rows = [score(0, item="x", prompt=f"x{n}", choice=c) for n, c in enumerate((1, 2, 2))]
    rows += [score(1, item="y", prompt=f"y{n}", choice=3) for n in range(2)]
    assert value(consistency(over="order"), rows) == (1.0, 2)
    assert value(consistency(over="order", of="choice"), rows) == (0.5, 2)


def test_what_is_no_choice_agrees_with_its_like():
    rows = [score(s, item="x", prompt="x", draw=n) for n, s in enumerate(("abstained", "abstained"))]
    rows += [score(s, item="y", prompt="y", draw=n) for n, s in enumerate(("abstained", "unparsed"))]
    assert value(consistency(over="draw", of="choice"), rows) == (0.5, 2)


def test_languages_agree_on_a_question():
    """Template 1 of a is right in both languages, template 2 in one."""
    assert value(consistency(over="lang"), entities({"a": {"en": "11", "de": "10"}})) == (0.5, 2)


def several(shares, models=6):
    """An item for each number of models that are right."""
    return [score(m < k, item=f"i{k}", model=f"m{m}") for k in shares for m in range(models)]


def test_tiers_are_shares_of_models():
    """0, 2, 3, 4, 6 of 6 models with thirds: Hard, Hard, Medium, Easy, Easy."""
    table = difficulty.items(frame(several([0, 2, 3, 4, 6]))).sort("share")
    assert table.select("models", "share", "tier").rows() == [
        (6, 0.0, "Hard"), (6, pytest.approx(1 / 3), "Hard"), (6, 0.5, "Medium"), (6, pytest.approx(2 / 3), "Easy"), (6, 1.0, "Easy"),
    ]  # fmt: skip
    rows = several([0, 2, 3, 4, 6])
    assert value(difficulty, rows) == (pytest.approx(0.5), 5)
    assert value(difficulty(tier="Hard"), rows) == (0.4, 5)
    assert value(difficulty(tier="Easy", easy=0.9), rows) == (0.2, 5)
    assert value(difficulty(tier="Medium", easy=0.9), rows) == (0.4, 5)


def test_accuracy_by_tier_and_tiers_made_of_other_scores():
    scores = frame(several([0, 3, 6]))
    found = {e.group["tier"]: e.value for e in accuracy.estimate(difficulty.tiers(scores), by=("tier",), draws=50)}
    assert found == {"Easy": 1.0, "Hard": 0.0, "Medium": 0.5}
    made = difficulty.tiers(scores, of=scores.filter(item="i3"))
    assert set(made.select("item", "tier").unique().rows()) == {("i0", ""), ("i3", "Medium"), ("i6", "")}
    with pytest.raises(InputError, match="tier"):
        difficulty.tiers(made)


def test_a_failed_model_is_not_a_wrong_one():
    rows = [score(1, model="a"), score("failed", model="b"), score("unparsed", model="c")]
    assert difficulty.items(frame(rows)).row(0, named=True) == {"item": "i", "models": 2, "share": 0.5, "tier": "Medium"}


def test_thresholds_that_cross_are_said():
    with pytest.raises(InputError, match="hard"):
        difficulty(easy=0.3, hard=0.5)


def test_unparsed_has_accuracys_denominator():
    rows = [score(s, item=str(n)) for n, s in enumerate((1, 0, "unparsed", "truncated", "failed"))]
    assert value(unparsed, rows) == (0.25, 4)
    assert value(unparsed(cut=True), rows) == (0.5, 4)
