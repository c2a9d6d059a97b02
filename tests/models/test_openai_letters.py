"""Log-likelihoods of letters, by hand; and the many shapes in which servers say the same."""

import math

import msgspec
import pytest

from endonym.models import wire
from endonym.models.letters import echoed, scores, tops_of
from endonym.models.wire import Logprobs

LN = math.log


def test_blanks_before_a_letter_make_no_other_option() -> None:
    tops = [("A", LN(0.2)), ("A", LN(0.3)), ("B", LN(0.1))]
    values, lengths = scores(["A", "B"], tops)
    assert values == pytest.approx((LN(0.5), LN(0.1))) and lengths == (1, 1)


def test_what_is_not_shown_is_less_than_everything_shown() -> None:
    values, lengths = scores([" A", " B", " C"], [("A", -0.1), ("x", -7.0), ("B", -9.0)])
    assert values[2] < -9.0 and values[2] == pytest.approx(-9.0, abs=1e-3)
    assert lengths == (1, 1, 0)


@pytest.mark.parametrize(
    ("continuations", "tops"),
    [
        (["A", "B"], [("Sure", -0.1), ("The", -2.0)]),
        (["A", "B"], []),
        (["Paris", "Pristina"], [("Paris", -0.1), ("Pr", -1.0)]),  # the second begins with a token: it has several
        (["ক", "খ"], [("ক", -0.1), ("\udce0\udca6", -1.0)]),  # two bytes of three
        (["ক", "খ"], [("ক", -0.1), ("\ufffd", -1.0)]),
    ],
)
def test_no_answer_where_it_cannot_be_known(continuations: list[str], tops: list[tuple[str, float]]) -> None:
    assert scores(continuations, tops) == ((), ())


def test_half_a_latin_character_is_no_beginning_of_an_ascii_letter() -> None:
    assert scores(["A", "B"], [("A", -0.1), ("\ufffd", -1.0)])[1] == (1, 0)


def _tops(value: object) -> list[tuple[str, float]]:
    return tops_of(msgspec.json.decode(msgspec.json.encode(value), type=Logprobs))


def test_the_shape_of_chat() -> None:
    tops = [{"token": "A", "logprob": -0.5, "bytes": [65]}, {"token": "▁B", "logprob": -1}, {"token": "ĠC", "logprob": -2}, {"token": "D"}]
    assert _tops({"content": [{"token": "A", "logprob": -0.5, "top_logprobs": tops}, {"top_logprobs": []}]}) == [
        ("A", -0.5), ("B", -1.0), ("C", -2.0),
    ]  # fmt: skip


def test_the_shape_of_completions() -> None:
    assert _tops({"tokens": [" A"], "token_logprobs": [-0.5], "top_logprobs": [{" A": -0.5, "\n": -3, "Ġ": -4}]}) == [
        ("A", -0.5), ("", -3.0), ("Ġ", -4.0),
    ]  # fmt: skip


def test_bytes_speak_where_the_text_cannot() -> None:
    half = {"token": "bytes:\\xe0\\xa6", "logprob": -1, "bytes": [0xE0, 0xA6]}
    whole = {"token": "\ufffd", "logprob": -2, "bytes": [0xE0, 0xA6, 0x95]}
    blind = {"token": "\ufffd", "logprob": -3, "bytes": None}
    assert _tops({"content": [{"top_logprobs": [half, whole, blind]}]}) == [("\udce0\udca6", -1.0), ("ক", -2.0), ("\ufffd", -3.0)]


@pytest.mark.parametrize(
    "nothing", [{}, {"content": None}, {"content": []}, {"content": [{}]}, {"top_logprobs": [None]}, {"top_logprobs": []}]
)
def test_servers_that_say_nothing(nothing: dict) -> None:
    assert _tops(nothing) == [] and tops_of(None) == []


@pytest.mark.parametrize(
    ("tokens", "continuation", "expected"),
    [
        (["<s>", "Rome", " is", " big", "!"], " is big", (-3.0, 2)),
        (["Rome", " is", " big", "!"], " big", (-1.5, 1)),
        (["Rome i", "s", "!"], " is", None),  # a token that stands on both sides
        (["Rome", "!"], "Rome", None),  # nothing before it: the first token has no likelihood
        ([], "x", None),
    ],
)
def test_an_echo_is_summed_over_the_continuation_alone(tokens: list[str], continuation: str, expected: tuple | None) -> None:
    values = [None, *[-1.5] * (len(tokens) - 1)] if tokens else []
    assert echoed(continuation, Logprobs(tokens=tokens, token_logprobs=values)) == expected


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ({"message": {"content": "B"}, "finish_reason": "stop"}, ("B", "stop")),
        ({"message": {"content": None, "reasoning_content": "A?"}, "finish_reason": "length"}, ("", "length")),
        ({"message": {"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "B"}]}}, ("B", "")),
        ({"message": {"content": "", "refusal": "No."}, "finish_reason": "stop"}, ("No.", "refusal")),
        ({"text": " B", "finish_reason": "stop"}, (" B", "stop")),
        ({}, ("", "")),
    ],
)
def test_the_text_of_an_answer(choice: dict, text: tuple[str, str]) -> None:
    assert wire.text_of(msgspec.convert(choice, wire.Choice)) == text


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (None, ("", "", 0)),
        ("busy", ("busy", "", 0)),
        ({"message": "busy", "code": 502}, ("busy", "502", 502)),
        ({"message": "busy", "type": "overloaded"}, ("busy", "overloaded", 0)),
        ({"detail": [{"loc": ["body"], "msg": "no"}]}, ('[{"loc":["body"],"msg":"no"}]', "", 0)),
    ],
)
def test_the_shapes_of_an_error(error: object, expected: tuple) -> None:
    assert wire.error_of(error) == expected


def test_a_blank_at_the_end_of_a_raw_cue_belongs_to_the_letter():
    """field-faults: a cue with and without its final blank scores the same token, so both are the same request."""
    from endonym.models.account import read_settings
    from endonym.models.wire import Bodies
    from endonym.records import Message, Model, Prompt

    bodies = Bodies("m", read_settings(Model(name="openai/m")))
    made = [
        bodies(Prompt(item="i", messages=(Message(role="user", content=text),), continuations=letters))
        for text, letters in (("Answer: ", ("A", "B")), ("Answer:", (" A", " B")))
    ]
    assert made[0] == made[1]
    assert b'"prompt":"Answer:"' in made[0][0]
