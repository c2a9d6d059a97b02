"""Many answers to one question: which are the same, and how many people gave each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endonym.build.votes import apart, same, tally

PT = ("o", "a", "os", "as", "um", "uma")
FR = ("le", "la", "l'", "de la", "de l'", "du")


@pytest.mark.parametrize("one, other, articles", [
    ("Bacalhau", "bacalhau.", PT),
    ("o bacalhau", "  BACALHAU ", PT),
    ("São João", "Sa\u0303o Joa\u0303o", PT),
    ("bolo-rei", "bolo‑rei", PT),
    ("«bolo rei»", "bolo  rei", PT),
    ("l'Alsace", "Alsace", FR),
    ("L’Alsace", "alsace", FR),
    ("de la choucroute", "choucroute", FR),
    ("1989", "１９８９", ()),
    ("1889", "१८८९", ()),
    ("1989", "١٩٨٩", ()),
])  # fmt: skip
def test_what_is_one_answer(one: str, other: str, articles: tuple[str, ...]):
    assert same(one, articles) == same(other, articles) != ""


@pytest.mark.parametrize("one, other", [
    ("avó", "avô"),
    ("pais", "país"),
    ("castanha", "castanhas"),
    ("5", "25"),
    ("1,5", "15"),
    ("①", "1"),
    ("x²", "x2"),
])  # fmt: skip
def test_what_are_two(one: str, other: str):
    assert same(one, PT) != same(other, PT)


def test_an_article_alone_is_an_answer():
    assert (same("A", PT), same("o.", PT), same("Oporto", PT)) == ("a", "o", "oporto")


def test_answers_of_a_cell_are_apart_by_semicolons_strokes_and_lines():
    assert apart("bacalhau; polvo |peru\n cabrito ;; ") == ["bacalhau", "polvo", "peru", "cabrito"]
    assert apart("1,5 kg") == ["1,5 kg"]
    assert apart(" ; .\n") == []


def test_votes_are_people():
    """Five people: three say cod (one of them twice, in two spellings), two octopus, one turkey; by hand 3, 2, 1."""
    said = [
        ("ane", ["o bacalhau", "Bacalhau"]), ("bia", ["bacalhau", "polvo"]), ("caio", ["bacalhau"]), ("duda", ["Polvo."]),
        ("eva", ["peru", "?!"]),
    ]  # fmt: skip
    assert [(a.text, a.weight) for a in tally(said, PT)] == [("bacalhau", 3.0), ("polvo", 2.0), ("peru", 1.0)]


def test_the_commonest_spelling_stands_then_the_first():
    assert tally([("a", ["Porto"]), ("b", ["porto"]), ("c", ["porto"])])[0].text == "porto"
    assert tally([("a", ["Porto"]), ("b", ["porto"])])[0].text == "Porto"


def test_nothing_is_no_answer():
    assert tally([("a", ["", " . "]), ("b", [])]) == ()


@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.lists(st.sampled_from(["sim", "Sim", "o sim", "não", "NÃO", ""]), max_size=4)), max_size=8
    )
)
def test_an_answer_has_as_many_votes_as_people_gave_it(said: list[tuple[str, list[str]]]):
    expected = {word: {p for p, answers in said if any(word == a.lower().removeprefix("o ") for a in answers)} for word in ("sim", "não")}
    found = {same(a.text, PT): a.weight for a in tally(said, PT)}
    assert found == {word: len(people) for word, people in expected.items() if people}
