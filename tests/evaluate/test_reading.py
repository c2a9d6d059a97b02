"""Replies written by hand (``replies/*.toml``), each with what a careful person reads in it, and what holds of all replies."""

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endonym.evaluate.grammar import native, words
from endonym.evaluate.reading import FILTERED, Reading, read_choice, read_xnationqa_paper
from endonym.evaluate.wording import LATIN, languages, wording

FOLDER = Path(__file__).with_name("replies")
LIMITS = tomllib.loads(Path(__file__).with_name("limits.toml").read_text(encoding="utf-8"))["replies"]
OPTIONS = ["Hamburg", "Saxony", "Bavaria", "Hesse"]


def load():
    for file in sorted(FOLDER.glob("*.toml")):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        for number, reply in enumerate(table["replies"], 1):
            yield pytest.param({"options": table["options"], **reply}, id=f"{file.stem}-{number}-{reply['lang']}")


PIECES = (" or ", " not ", "Saxony", "Hesse", "Answer: ", "I don't know", "<think>", "</think>", "क", "ب", "。", "İ", "ß", "e\u0301")
REPLIES = [case.values[0] for case in load()]


def read(reply):
    alphabets = {"latin": (LATIN,), "native": (native(reply["lang"]), LATIN)}
    letters = {"letters": alphabets[reply["letters"]]} if "letters" in reply else {}
    return read_choice(
        reply["text"],
        options=reply["options"],
        lang=reply["lang"],
        finish_reason=reply.get("finish", ""),
        abstain=reply.get("abstain"),
        **letters,
    )


def seen(found):
    return LATIN[found.position] if found.status == "answered" and found.position is not None else found.status


@pytest.mark.parametrize("reply", list(load()))
def test_a_reply_is_read_as_a_careful_person_reads_it(reply):
    found = read(reply)
    assert seen(found) == reply["is"], f"{reply['text']!r} by {found.rule}"


@pytest.mark.parametrize("reply", LIMITS, ids=lambda reply: reply["text"][:30])
def test_known_faults_are_these_and_no_worse(reply):
    assert seen(read(reply)) == reply["reads"] != reply["is"]


def test_the_replies_are_many_and_of_many_languages():
    assert len(REPLIES) >= 150 + 32
    assert len({reply["lang"].partition("-")[0] for reply in REPLIES}) >= 40
    assert len({repr(sorted(reply.items())) for reply in REPLIES}) == len(REPLIES)


@pytest.mark.parametrize("lang", languages())
def test_the_words_of_a_prompt_are_read_back(lang):
    """What the prompt's own table says ("Answer:", "I don't know", its letters) is what a model most likely repeats."""
    table = wording(lang)
    for letters in (table.letters, table.native):
        for position in range(4):
            alphabets = (letters, table.letters)
            reply = f"{table.answer}{table.gap}{letters[position]}"
            found = read_choice(reply, options=OPTIONS, lang=lang, letters=alphabets)
            assert (found.position, found.status) == (position, "answered"), reply
    assert read_choice(table.unknown, options=OPTIONS, lang=lang).status == "abstained"
    options = [*OPTIONS, table.unknown]
    assert read_choice(f"E. {table.unknown}", options=options, lang=lang, abstain=4) == Reading(4, "abstained", "line")
    assert read_choice(table.unknown, options=options, lang=lang, abstain=4) == Reading(4, "abstained", "whole")


def test_every_language_of_the_prompts_has_words_for_reading():
    for lang in languages():
        table = words(lang)
        assert all((table.cue, table.or_, table.unknown, table.refuse, table.before or table.after, table.question)), lang


@pytest.mark.parametrize("reason", sorted(FILTERED))
def test_what_a_filter_stopped_is_refused_whatever_it_says(reason):
    assert read_choice("C", options=OPTIONS, lang="en", finish_reason=reason) == Reading(None, "refused", "finish_reason")


def test_positions_are_those_of_the_prompt():
    assert read_choice("Bavaria", options=["Bavaria", "Hesse"], lang="en").position == 0
    assert read_choice("Bavaria", options=["Hesse", "Bavaria"], lang="en").position == 1


def test_two_options_of_the_same_text_cannot_be_told_apart_by_it():
    options = ["Saxony", "Saxony", "Hesse"]
    assert read_choice("Saxony", options=options, lang="en").status == "unparsed"
    assert read_choice("B. Saxony", options=options, lang="en").position == 1


def test_an_option_that_is_itself_a_letter_of_another_position_is_no_answer():
    assert read_choice("A", options=["B", "A", "C"], lang="en").status == "unparsed"
    assert read_choice("C", options=["B", "A", "C"], lang="en").position == 2


def test_the_first_alphabet_is_the_one_that_was_shown():
    assert read_choice("B", options=OPTIONS, lang="ru", letters=(native("ru"), LATIN)).position == 2
    assert read_choice("B", options=OPTIONS, lang="ru", letters=(LATIN, native("ru"))).position == 1
    assert read_choice("ب", options=OPTIONS, lang="ar", letters=(LATIN,)).status == "unparsed"


def test_a_language_without_a_table_is_read_with_what_english_and_colons_give():
    assert read_choice("Balasan: B", options=OPTIONS, lang="qu").position == 1
    assert read_choice("The answer is B", options=OPTIONS, lang="").position == 1


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([*"ABCDabcd .,:()*\n\"'{}<>/\\$", *PIECES]), max_size=40).map("".join),
    st.sampled_from(["en", "de", "tr", "ja", "ar", "hi", "zz"]),
    st.sampled_from(["", "stop", "length"]),
)  # fmt: skip
def test_any_text_is_read_and_a_position_comes_with_an_answer_only(text, lang, finish):
    found = read_choice(text, options=OPTIONS, lang=lang, finish_reason=finish)
    assert (found.position is None) == (found.status != "answered")
    assert found.position is None or 0 <= found.position < 4
    assert finish == "length" or found.status != "truncated"


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([reply for reply in REPLIES if reply["is"] == "C"]),
    st.sampled_from(["**{}**", "<think>B or D?</think>{}", "\u200f{}", "{}\n", "  {}"]),
)
def test_marks_and_thoughts_around_a_reply_do_not_change_it(reply, frame):
    assert read({**reply, "text": frame.format(reply["text"])}).position == 2


def test_reading_is_fast():
    """100,000 replies in 10 s; here a tenth of them, every one with options of its own, within a bound that a busy machine keeps."""
    for reply in REPLIES:
        read(reply)
    begun = time.process_time()
    for number in range(10_000):
        reply = REPLIES[number % len(REPLIES)]
        read({**reply, "options": [*reply["options"][:-1], f"{reply['options'][-1]} {number}"]})
    assert time.process_time() - begun < 3


# -- the paper's rule ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "position"),
    [("The answer is 1893.", 2), ("C. 1893", 2), ("C.", 2), ("I choose B. or C.", 1), ("1887 or 1893", 3), ("Not 1886.", 0), ("A. 1893", 2),
     ("18860", 0)],
)  # fmt: skip
def test_the_papers_rule_takes_the_first_text_and_then_the_first_letter(text, position):
    rule = "text" if "18" in text else "letter"
    assert read_xnationqa_paper(text, options=["1886", "1901", "1893", "1887"]) == Reading(position, "answered", rule)


@pytest.mark.parametrize("text", ["", "C", "The answer is (C)", "E.", "c."])
def test_the_papers_rule_finds_nothing_elsewhere(text):
    assert read_xnationqa_paper(text, options=["1886", "1901", "1893", "1887"]) == Reading(None, "unparsed", "none")


def test_the_papers_rule_takes_a_part_of_another_option():
    assert read_xnationqa_paper("Saxony-Anhalt", options=["Saxony", "Saxony-Anhalt"]).position == 0
