"""What judges wrote, read: every reply was written by hand, with the score that a careful reader takes from it."""

import tomllib
from pathlib import Path

import pytest

from endonym.records import Guideline
from endonym.validate.rating import rating

REPLIES = tomllib.loads((Path(__file__).parent / "replies.toml").read_text(encoding="utf-8"))
CASES = [(lang, text, value) for lang, pairs in REPLIES.items() for text, value in pairs]
LN = Guideline(id="LN/1", criterion="LN", question="Natural?", scale=(1, 5))


def test_there_are_enough_replies():
    assert len(CASES) >= 60
    assert set(REPLIES) == {"en", "fr", "es", "pt", "de"}
    assert sum(not value for _, _, value in CASES) >= 40


@pytest.mark.parametrize("lang, text, value", CASES)
def test_a_score(lang: str, text: str, value: str):
    found = rating(text, LN, lang=lang)
    assert (found.value, found.status) == (value, "answered" if value else "unparsed"), found.note
    assert bool(found.note) != bool(value)


@pytest.mark.parametrize(
    "text, note",
    [
        ("7", "7 is not on the scale from 1 to 5"),
        ("Score: 8/10", "8/10 is not on the scale from 1 to 5"),
        ("3.5", "3.5 is no whole number"),
        ("3 or 4", "more than one score"),
        ("Fine", "gives no score"),
        ("", "is empty"),
        ("-4", "-4 is not on the scale"),
    ],
)
def test_why_there_is_none(text: str, note: str):
    assert note in rating(text, LN).note


def test_what_was_cut_off_or_filtered_is_told_apart():
    assert rating("The question is", LN, finish_reason="length").status == "truncated"
    assert rating("", LN, finish_reason="length").status == "truncated"
    assert rating("4", LN, finish_reason="content_filter").status == "refused"
    assert rating("4", LN, finish_reason="length").value == "4"


def test_another_scale_has_other_bounds():
    ten = Guideline(id="x", criterion="x", question="?", scale=(0, 10))
    assert [rating(t, ten).value for t in ("0", "10", "8/10", "4/5", "11", "seven")] == ["0", "10", "8", "", "", "7"]


@pytest.mark.parametrize(
    "text, value",
    [
        ("yes", "yes"),
        ("No.", "no"),
        ("Verdict: **yes**", "yes"),
        ("It is unclear: yes or no", ""),
        ("not yes", ""),
        ("", ""),
        ("Answer: no, because it is generic", "no"),
        ("yesterday", ""),
        ("I say yes, the question is clear", "yes"),
        ("Verdict: no. Verdict: yes", "yes"),
    ],
)
def test_a_label(text: str, value: str):
    told = Guideline(id="x", criterion="x", question="?", answers=("yes", "no"))
    assert rating(text, told).value == value


def test_a_label_in_another_language():
    told = Guideline(id="x", criterion="x", question="?", answers=("oui", "non"))
    assert [rating(t, told, lang="fr").value for t in ("Oui", "Réponse : non", "pas oui", "oui ou non")] == ["oui", "non", "", ""]
