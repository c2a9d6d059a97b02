"""Open answers: the paper's containment, whole words and equal numbers, and annotators' votes, each decided by hand."""

import tomllib
import unicodedata
from pathlib import Path

import pytest

from endonym.errors import InputError
from endonym.evaluate.matching import Votes, contains, strict, strip_thinking, votes
from endonym.records import Accept

NFD = unicodedata.normalize("NFD", "São João")
ANSWERS = tomllib.loads(Path(__file__).with_name("answers.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("lang", "gold", "reply"), ANSWERS["right"])
def test_strict_takes_two_spellings_of_one_answer(lang, gold, reply):
    assert strict(reply, [Accept(text=gold)], lang)


@pytest.mark.parametrize(("lang", "gold", "reply"), ANSWERS["wrong"])
def test_strict_takes_no_part_of_another_word_or_number(lang, gold, reply):
    assert not strict(reply, [Accept(text=gold)], lang)


@pytest.mark.parametrize(
    ("gold", "reply"), [("5", "25"), ("2", "12 people"), ("tea", "steak"), ("Saxony", "saxony-anhalt"), ("LISBOA", "lisboa")]
)
def test_the_papers_rule_is_containment_and_nothing_else(gold, reply):
    assert contains(reply, [Accept(text=gold)])


@pytest.mark.parametrize(("gold", "reply"), [("1989", "１９８９"), ("São João", NFD), ("the Alps", "Alps"), ("1000", "1,000")])
def test_the_papers_rule_folds_nothing(gold, reply):
    assert not contains(reply, [Accept(text=gold)])


def test_any_of_several_accepted_answers_will_do():
    accept = [Accept(text="coffee"), Accept(text="tea")]
    assert contains("Tea, please", accept) and strict("Tea, please", accept, "en")
    assert not contains("water", accept) and not strict("water", accept, "en")
    assert not strict("water", [], "en")


@pytest.mark.parametrize("score", [contains, strict, votes])
@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_an_empty_accepted_answer_is_refused(score, text):
    with pytest.raises(InputError, match="empty answer matches anything"):
        score("tea", [Accept(text="tea"), Accept(text=text)])


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("rice", Votes(True, 1.0)), ("bread", Votes(True, 0.5)), ("bread and soup", Votes(True, 0.5)), ("rice or bread", Votes(True, 1.0)),
     ("soup", Votes(True, 0.25)), ("meat", Votes(False, 0.0)), ("licorice", Votes(False, 0.0))],
)  # fmt: skip
def test_votes_are_those_of_the_best_answer_found_over_the_most(reply, expected):
    accept = [Accept(text="rice", weight=4), Accept(text="bread", weight=2), Accept(text="soup", weight=1)]
    assert votes(reply, accept, "en") == expected


def test_votes_without_weights_or_answers():
    assert votes("tea", [Accept(text="tea", weight=0)], "en") == Votes(True, 0.0)
    assert votes("tea", [], "en") == Votes(False, 0.0)


@pytest.mark.parametrize(
    ("text", "left"),
    [("<think>maybe tea</think>coffee", "coffee"), ("<think>tea", ""), ("tea</think>coffee", "coffee"),
     ("[THINK]tea[/THINK]coffee", "coffee"),
     ("◁think▷tea◁/think▷coffee", "coffee"), ("coffee", "coffee"), ("a < b", "a < b"), ("<thinking>\ntea\n</thinking>coffee", "coffee"),
     ("<|channel|>analysis<|message|>tea<|end|><|start|>assistant<|channel|>final<|message|>coffee", "coffee"),
     ("<think>tea</think>coffee<think>milk</think>", "coffee")],
)  # fmt: skip
def test_thoughts_are_left_out(text, left):
    assert strip_thinking(text) == left


@pytest.mark.parametrize(
    "said, gold, lang, right",
    [
        ("It is 1.4.", "1.4", "en", True), ("It is 1.4.", "14", "en", False), ("É 9,5.", "9,5", "pt-PT", True),
        ("Nine in 9.5. No more.", "9.5", "en", True), ("It was the U.S.A.", "USA", "en", True), ("Foi a C.P.", "CP", "pt-PT", True),
    ],
)  # fmt: skip
def test_a_decimal_at_the_end_of_a_sentence_is_no_abbreviation(said: str, gold: str, lang: str, right: bool):
    assert strict(said, [gold], lang) is right
