"""The panel drops what nobody gets right, and nothing on the word of a call that failed."""

import pytest

from endonym.errors import InputError
from endonym.records import Response
from endonym.validate.difficulty import difficulty, tier
from endonym.validate.panel import dropped, panel

from .things import item, score

A, B, C = "m/a", "m/b", "m/c"


def test_an_item_that_no_model_gets_right_is_dropped_and_the_replies_are_listed():
    one, two = item(1), item(2)
    scores = [score(one, A), score(one, B, status="abstained"), score(two, A, right=True), score(two, B)]
    said = [Response(prompt=f"p-{one.id}", model=A, text="Je dirais c."), Response(prompt=f"p-{one.id}", model=B, text="Je ne sais pas")]
    assert list(panel([one, two], scores)) == [two]
    told = list(dropped([one, two], scores, said))
    assert [(j.item, j.judge, j.criterion, j.value) for j in told] == [(one.id, "panel", "panel", "dropped")]
    assert told[0].note == (
        "0 right of 2 models that answered, 2 asked; m/a: answered, 'c' ('Je dirais c.'); m/b: abstained, 'c' ('Je ne sais pas')"
    )


@pytest.mark.parametrize("status", ["failed", "unparsed", "truncated", "refused"])
def test_what_was_not_read_is_never_wrong(status: str):
    one = item(1)
    scores = [score(one, A), score(one, B), score(one, C, status=status)]
    kept = list(panel([one], scores))
    assert [k.id for k in kept] == [one.id]
    assert kept[0].meta == {"panel": "unsettled: 0 right of 2 models that answered, 3 asked"}
    assert [j.value for j in dropped([one], scores)] == ["unsettled"]
    assert list(panel([one], scores, answered=2)) == []
    assert [j.value for j in dropped([one], scores, answered=2)] == ["dropped"]


def test_a_model_that_was_never_asked_is_no_wrong_answer_either():
    one, two = item(1), item(2)
    scores = [score(one, A), score(two, A), score(two, B)]
    assert [i.id for i in panel([one, two], scores)] == [one.id]


def test_the_rule_is_settable():
    one = item(1)
    two_right = [score(one, A, right=True), score(one, B, right=True), score(one, C)]
    assert list(panel([one], two_right, least=3)) == []
    assert list(panel([one], two_right, least=2)) == [one]
    assert list(panel([one], two_right, most=1)) == []
    # One right and one silent: two right are still possible, three are not.
    open_ = [score(one, A, right=True), score(one, B, status="failed"), score(one, C)]
    assert len(list(panel([one], open_, least=2))) == 1
    assert list(panel([one], open_, least=3)) == []
    with pytest.raises(InputError, match="least: 2"):
        list(panel([one], two_right, least=2, most=1))
    with pytest.raises(InputError, match="answered: 0"):
        list(panel([one], two_right, answered=0))


def test_only_the_asked_shots_and_style_count():
    one = item(1)
    scores = [score(one, A), score(one, A, right=True, shots=3), score(one, A, right=True, style="oracle")]
    assert list(panel([one], scores)) == []
    assert list(panel([one], scores, shots=3)) == [one]
    with pytest.raises(InputError, match="none with shots 1, style plain; there are: shots 0, style oracle; shots 0, style plain; shots 3"):
        list(panel([one], scores, shots=1))


def test_a_model_asked_in_several_orders_is_right_if_half_of_its_readings_are():
    one = item(1)
    orders = [score(one, A, right=r, prompt=f"p{n}") for n, r in enumerate((True, False, False, True))]
    assert list(panel([one], orders)) == [one]
    assert list(panel([one], orders[1:3])) == []


def test_scores_of_another_version_are_a_fault():
    with pytest.raises(InputError, match="has no score"):
        list(panel([item(1)], [score(item(2), A)]))


def shares(*rights: int) -> list[tuple[str, str]]:
    """Three models: the number of them that are right, for each item."""
    items = [item(n) for n in range(len(rights))]
    scores = [score(i, m, right=k < right) for i, right in zip(items, rights, strict=True) for k, m in enumerate((A, B, C))]
    return [(i.meta["difficulty"], i.meta["difficulty_share"]) for i in difficulty(items, scores)]


def test_difficulty_is_the_share_of_models_right():
    assert shares(0, 1, 2, 3) == [("Hard", "0.000"), ("Hard", "0.333"), ("Easy", "0.667"), ("Easy", "1.000")]


def test_tiers_are_those_of_the_metric():
    """The shelf of metrics has the same limits, so that a report and an item never say two things."""
    from endonym.metrics import difficulty as metric
    from endonym.metrics import frame

    models = [f"m/{n}" for n in range(12)]
    items = [item(n) for n in range(13)]
    scores = [score(i, m, right=k < n) for n, i in enumerate(items) for k, m in enumerate(models)]
    theirs = {row["item"]: row["tier"] for row in metric.items(frame(scores)).to_dicts()}
    assert {i.id: i.meta["difficulty"] for i in difficulty(items, scores)} == theirs
    assert set(theirs.values()) == {"Easy", "Medium", "Hard"}


def test_limits_are_settable_and_in_order():
    assert [tier(s, 0.8, 0.2) for s in (0.2, 0.21, 0.79, 0.8, None)] == ["Hard", "Medium", "Medium", "Easy", "unknown"]
    with pytest.raises(InputError, match=r"hard: 0\.5 is not below easy, 0\.5"):
        list(difficulty([item(1)], [score(item(1), A)], easy=0.5, hard=0.5))


def test_what_was_not_read_is_left_out_of_the_share_unless_asked():
    one = item(1)
    scores = [score(one, A, right=True), score(one, B, status="unparsed"), score(one, C, status="failed")]
    made = next(iter(difficulty([one], scores)))
    assert (made.meta["difficulty_share"], made.meta["difficulty_n"], made.meta["difficulty"]) == ("1.000", "1", "Easy")
    made = next(iter(difficulty([one], scores, unread="wrong")))
    assert (made.meta["difficulty_share"], made.meta["difficulty_n"], made.meta["difficulty"]) == ("0.500", "2", "Medium")


def test_an_item_that_nobody_answered_has_no_tier():
    one = item(1, meta={"difficulty_share": "0.9"})
    made = next(iter(difficulty([one], [score(one, A, status="failed")])))
    assert made.meta["difficulty"] == "unknown"
    assert "difficulty_share" not in made.meta


def test_the_panel_signs_and_the_item_stays_the_same():
    one = item(1, meta={"region": "Bretagne"})
    made = next(iter(difficulty([one], [score(one, A), score(one, B)])))
    assert made.id == one.id
    assert made.meta["region"] == "Bretagne"
    assert made.meta["difficulty_panel"].startswith("2 models|shots:0|style:plain|models:")
    assert made.meta["difficulty_panel"].endswith("|easy:0.6667|hard:0.3333")
    other = next(iter(difficulty([one], [score(one, A), score(one, C)])))
    assert other.meta["difficulty_panel"] != made.meta["difficulty_panel"]


def test_nothing_left_to_ask_is_no_fault():
    assert list(panel([], [])) == [] and list(dropped([], [])) == []
