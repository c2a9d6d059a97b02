"""Rules over judgments: what stays, what is left out, and for which reason."""

import pytest

from endonym.errors import InputError, UnknownName
from endonym.validate.keep import Rule, keep, left_out

from .things import item, judged

ONE, TWO, THREE = item(1), item(2), item(3)
ALL = (ONE, TWO, THREE)
FOUR = Rule(criteria=("GC", "LN"), least=4)


def scored(of, *values: str, criterion: str = "GC"):
    """Judges j0, j1, … gave these values; "" is a reply that could not be read."""
    return [judged(of, f"m/j{n}", criterion, v, "answered" if v else "unparsed") for n, v in enumerate(values)]


def kept(judgments, *rules: Rule, items=ALL) -> list[int]:
    """The numbers of the items that stay; what stays and what is left out are all there is."""
    stay = list(keep(items, judgments, rules=rules))
    out = {j.item for j in left_out(items, judgments, rules=rules)}
    assert [i for i in items if i.id not in out] == stay
    return [items.index(i) for i in stay]


def test_at_least_four_from_every_judge_on_every_criterion():
    said = [*scored(ONE, "4", "5"), *scored(TWO, "4", "3"), *scored(THREE, "5", "5")]
    said += [*scored(ONE, "5", "4", criterion="LN"), *scored(TWO, "5", "5", criterion="LN"), *scored(THREE, "5", "2", criterion="LN")]
    assert kept(said, FOUR) == [0]
    told = list(left_out(ALL, said, rules=(FOUR,)))
    assert [(j.item, j.judge, j.criterion, j.value) for j in told] == [(TWO.id, "keep", "GC", "low"), (THREE.id, "keep", "LN", "low")]
    assert told[0].note == "m/j0: 4; m/j1: 3; asked: at least 4 from every judge"


def test_a_judge_that_cannot_be_read_has_not_agreed():
    said = [*scored(ONE, "5", ""), *scored(TWO, "5"), *scored(THREE, "5", "5")]
    rule = Rule(criteria=("GC",), least=4)
    assert kept(said, rule) == [2]
    told = list(left_out(ALL, said, rules=(rule,)))
    assert [j.value for j in told] == ["missing", "missing"]
    assert "1 of 2 readings: m/j1: unparsed" in told[0].note
    assert "1 of 2 readings: no judgment" in told[1].note
    assert kept(said, Rule(criteria=("GC",), least=4, judges=1)) == [0, 1, 2]
    assert kept(said, Rule(criteria=("GC",), least=4, missing="keep")) == [0, 1, 2]


def test_a_low_score_is_low_even_beside_a_missing_one():
    assert [j.value for j in left_out([ONE], scored(ONE, "2", ""), rules=(Rule(criteria=("GC",), least=4),))] == ["low"]


@pytest.mark.parametrize(
    "rule, stay",
    [
        ({"of": "every", "least": 4}, [2]),
        ({"of": "most", "least": 4}, [0, 2]),
        ({"of": "any", "least": 4}, [0, 1, 2]),
        ({"of": "mean", "least": 4}, [0, 2]),
        ({"of": "mean", "least": 3}, [0, 1, 2]),
        ({"most": 4}, []),
        ({"least": 1, "most": 5}, [0, 1, 2]),
        ({"among": ("4", "5")}, [2]),
    ],
)
def test_how_many_must_agree(rule: dict, stay: list[int]):
    said = [*scored(ONE, "5", "5", "2"), *scored(TWO, "5", "2", "2"), *scored(THREE, "5", "4", "4")]
    assert kept(said, Rule(criteria=("GC",), **rule)) == stay


def test_no_finding_of_severity_error_is_the_rule_if_none_is_given():
    said = [
        judged(ONE, "check/options", "options", "error"),
        judged(TWO, "check/length", "length", "warning"),
        judged(THREE, "m/j", "GC", "1"),
    ]
    assert list(keep(ALL, said)) == [TWO, THREE]
    assert list(keep(ALL, [])) == list(ALL)
    told = list(left_out(ALL, said))
    assert [(j.item, j.criterion, j.value) for j in told] == [(ONE.id, "options", "low")]


def test_a_rule_holds_for_the_items_that_it_is_about():
    lv = item(9, subset="LV")
    said = [*scored(ONE, "1"), *scored(lv, "1")]
    assert list(keep([ONE, lv], said, rules=(Rule(criteria=("GC",), least=4, where="subset=LV"),))) == [ONE]


def test_judges_are_chosen_by_a_pattern():
    said = [
        judged(ONE, "people/ane", "GC", "5"),
        judged(ONE, "m/j", "GC", "1"),
        judged(TWO, "people/ane", "GC", "2"),
        judged(TWO, "m/j", "GC", "5"),
    ]
    assert kept(said, Rule(criteria=("GC",), judge="people/*", least=4), items=(ONE, TWO)) == [0]


def pair(of, other, value: str = "error"):
    return judged(of, "check/near-duplicate", "near-duplicate", value, note=f"94 % like {other.id}; keep one of them")


@pytest.mark.parametrize("both", [True, False])
def test_one_of_near_duplicates_stays(both: bool):
    said = [pair(TWO, ONE), *([pair(ONE, TWO)] if both else [])]
    assert list(keep(ALL, said)) == [ONE, THREE]
    told = list(left_out(ALL, said))
    assert [(j.item, j.value) for j in told] == [(TWO.id, "duplicate")]
    assert f"of {ONE.id}, which stays" in told[0].note


def test_the_copy_stays_if_the_first_is_bad_itself():
    said = [pair(TWO, ONE), judged(ONE, "check/options", "options", "error")]
    assert list(keep(ALL, said)) == [TWO, THREE]


def test_a_chain_of_duplicates_loses_no_more_than_it_must():
    assert list(keep(ALL, [pair(TWO, ONE), pair(THREE, TWO)])) == [ONE, THREE]


def test_a_finding_about_duplicates_that_names_nobody_is_a_plain_one():
    assert list(keep(ALL, [judged(TWO, "check/near-duplicate", "near-duplicate", "error", note="like another")])) == [ONE, THREE]


@pytest.mark.parametrize(
    "rule, what",
    [
        (Rule(), "rule 1: says not one thing"),
        (Rule(least=4, never=("error",)), "says not one thing"),
        (Rule(among=("yes",), of="mean"), "a mean is of scores"),
        (Rule(least=4, judges=-1), "judges: is less than 0"),
        (Rule(criteria=("GC",), least=4, where="LV"), "is not of the form name=value"),
    ],
)
def test_a_rule_that_says_nothing(rule: Rule, what: str):
    with pytest.raises(InputError, match=what):
        list(keep(ALL, scored(ONE, "4"), rules=(rule,)))


def test_a_criterion_that_nobody_judged_and_a_score_that_is_none():
    with pytest.raises(UnknownName, match="did you mean 'GC'"):
        list(keep(ALL, scored(ONE, "4"), rules=(Rule(criteria=("CG",), least=4),)))
    with pytest.raises(InputError, match="'yes' .* is none; give among"):
        list(keep([ONE], scored(ONE, "yes"), rules=(Rule(criteria=("GC",), least=4),)))


def test_where_nobody_judged_anything_items_are_missing_their_judges_and_no_item_is_no_fault():
    assert kept([], FOUR) == []
    told = list(left_out(ALL, [], rules=(FOUR,)))
    assert {(j.criterion, j.value) for j in told} == {("GC", "missing"), ("LN", "missing")} and len(told) == 6
    assert list(keep([], [], rules=(FOUR,))) == [] and list(left_out([], [], rules=(FOUR,))) == []
    assert kept([], Rule(criteria=("GC",), least=4, where="subset=LV")) == [0, 1, 2]
