"""Total and Smooth Coverage: by hand, and against a plain computation with sets on random data."""

import random

import pytest

from endonym.errors import InputError, UnknownName
from endonym.metrics import covered, frame, pairwise, pretrained, smooth_coverage, total_coverage

from .rows import entities

# a is known in both; b in en alone (2 of 4 in de is not known); c in neither.
HAND = {
    "a": {"en": "1110", "de": "1111"},
    "b": {"en": "1111", "de": "1100"},
    "c": {"en": "0100", "de": "0000"},
}


def value(metric, rows, **how):
    (found,) = metric.estimate(frame(rows), draws=50, **how)
    return found.value


def test_by_hand():
    """|{a}| / |{a, b}|; (3/4 / 1 + 2/4 / 1 + 0 / (1/4)) / 3."""
    rows = entities(HAND)
    assert value(total_coverage, rows) == 0.5
    assert value(smooth_coverage(eps=0.0), rows) == pytest.approx((0.75 + 0.5 + 0) / 3)
    assert value(smooth_coverage(eps=0.25), rows) == pytest.approx((0.75 / 1.25 + 0.5 / 1.25 + 0) / 3)
    assert value(total_coverage(known=0.5), rows) == 1.0
    assert value(total_coverage(known=1.0), rows) == 0.0


def test_nothing_known_is_no_number_and_one_language_is_one():
    (none,) = total_coverage.estimate(frame(entities({"a": {"en": "1000", "de": "0000"}})))
    assert (none.value, none.n, none.note) == (None, 1, "nothing is known in any language: 0 of 0")
    assert value(smooth_coverage, entities({"a": {"en": "0000", "de": "0000"}})) == 0.0
    assert value(total_coverage(langs=("en",)), entities(HAND)) == 1.0
    assert value(smooth_coverage(langs=("en",), eps=0.0), entities(HAND)) == 1.0


def test_an_entity_without_a_reply_in_a_language_is_left_out_and_counted():
    rows = entities({**HAND, "d": {"en": "1111", "de": "ffff"}, "e": {"en": "1111"}})
    (found,) = total_coverage.estimate(frame(rows), draws=50)
    assert (found.value, found.n) == (0.5, 3)
    assert "2 of 5 entities left out: without a reply in each of de, en" in found.note
    # Of three replies all right, one call failed: known.
    assert value(total_coverage, entities({"a": {"en": "111f", "de": "1111"}})) == 1.0
    (nowhere,) = total_coverage(langs=("en", "xx")).estimate(frame(rows))
    assert (nowhere.value, nowhere.n) == (None, 0)


def test_one_question_an_entity_is_known_if_it_is_right():
    """As GPT-4 was asked in the paper."""
    assert value(total_coverage, entities({"a": {"en": "1", "de": "1"}, "b": {"en": "1", "de": "0"}, "c": {"en": "0", "de": "0"}})) == 0.5


def test_models_are_never_taken_for_one():
    rows = [*entities(HAND, model="x"), *entities({"a": {"en": "0000", "de": "1111"}}, model="y")]
    found = {e.group["model"]: e.value for e in total_coverage.estimate(frame(rows), by=("model",), draws=50)}
    assert found == {"x": 0.5, "y": 0.0}
    assert value(total_coverage, rows) == pytest.approx(1 / 3)


def plain(rows, langs, known):
    """The paper's formulas with sets and lists, of one model: (TC or None, SC)."""
    answers = {}
    for row in rows:
        if row.status != "failed":
            answers.setdefault(row.entity, {}).setdefault(row.lang, []).append(row.right)
    whole = {entity: said for entity, said in answers.items() if all(lang in said for lang in langs)}
    sets = [{entity for entity, said in whole.items() if sum(said[lang]) >= known * len(said[lang])} for lang in langs]
    union, common = set.union(*sets), set.intersection(*sets)
    smooth = []
    for said in whole.values():
        members = [sum(said[lang]) / len(said[lang]) for lang in langs]
        smooth.append(min(members) / (max(members) + 1e-6))
    return (len(common) / len(union) if union else None), (sum(smooth) / len(smooth) if smooth else None)


@pytest.mark.parametrize("seed", range(250))
def test_random_data_agree_with_a_plain_computation(seed):
    """Edge cases come by themselves and are made sure of: one language, nothing known, everything known, missing replies."""
    rng = random.Random(seed)
    langs = ["en", "de", "hi", "zh"][: rng.choice([1, 2, 3, 4])]
    skill = rng.choice([0.0, 0.1, 0.5, 0.8, 1.0])
    signs = lambda: "".join(  # noqa: E731
        "f" if rng.random() < 0.05 else "1" if rng.random() < skill else "0" for _ in range(rng.choice([1, 4, 4, 4]))
    )
    knows = {f"e{n}": {lang: signs() for lang in langs if rng.random() < 0.97} for n in range(rng.choice([1, 5, 30]))}
    rows = entities(knows)
    rng.shuffle(rows)
    if not rows:
        return
    known = rng.choice([0.5, 0.75, 1.0])
    chosen = tuple(langs)
    tc, sc = plain(rows, chosen, known)
    assert value(total_coverage(langs=chosen, known=known), rows) == (None if tc is None else pytest.approx(tc))
    assert value(smooth_coverage(langs=chosen), rows) == (None if sc is None else pytest.approx(sc))


def test_the_random_data_hold_the_edge_cases():
    """The generator above does make an empty union, one language, and values between."""
    found = [plain(entities({f"e{n}": {"en": "10"[n % 2] * 4, "de": "10"[n % 3 > 0] * 4} for n in range(6)}), ("en", "de"), 0.75)[0]]
    found.append(plain(entities({"a": {"en": "0000"}}), ("en",), 0.75)[0])
    assert found == [pytest.approx(1 / 4), None]


def test_pairs_of_languages_are_coverages_of_two():
    rows = [*entities({"a": {"en": "1111", "de": "1111", "hi": "0000"}, "b": {"en": "1111", "de": "0000", "hi": "1111"}})]
    found = {(e.group["lang.a"], e.group["lang.b"]): e for e in pairwise(frame(rows), by=("model",), draws=50)}
    assert {pair: e.value for pair, e in found.items()} == {("de", "en"): 0.5, ("de", "hi"): 0.0, ("en", "hi"): 0.5}
    for (a, b), e in found.items():
        (alone,) = total_coverage(langs=(a, b)).estimate(frame(rows), by=("model",), draws=50)
        assert (e.value, e.low, e.high, e.n, e.signature, e.metric) == (
            alone.value, alone.low, alone.high, alone.n, alone.signature, alone.metric,
        )  # fmt: skip
    with pytest.raises(InputError, match="lang"):
        pairwise(frame(rows), by=("lang",))


def test_named_groups_are_the_papers():
    (found,) = total_coverage(langs="Eng-NW").estimate(frame(entities(HAND)))
    assert "|languages:en,hi,ja,zh|" in found.signature
    with pytest.raises(UnknownName, match="Eng-NW"):
        total_coverage(langs="west").estimate(frame(entities(HAND)))
    assert pretrained("Llama-2-7-b-chat-hf") == ("en", "de", "es", "ru", "ja", "zh")
    assert pretrained("Mixtral-8x7B") == pretrained("mistralai/Mistral-7B-Instruct") == ("en", "de", "es")
    assert pretrained("openai/some-other") is None


def test_which_entities_are_covered_where():
    table = covered(frame(entities(HAND)))
    assert table.select("entity", "de", "en").rows() == [("a", True, True), ("b", False, True), ("c", False, False)]


def test_the_interval_draws_entities():
    rows = entities({f"e{n:02}": {"en": "1111", "de": "1111" if n % 2 else "0000"} for n in range(40)})
    (found,) = total_coverage.estimate(frame(rows), draws=2000)
    assert found.value == 0.5
    # 40 independent entities: about 0.5 ± 1.96 · √(.25 / 40)
    assert (found.low, found.high) == (pytest.approx(0.345, abs=0.03), pytest.approx(0.655, abs=0.03))
