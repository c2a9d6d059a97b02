"""The files of cultures: read by the real reader, without doubles, and with no word that flags what is rightly said there."""

import re
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from endonym.validate.check_text import Phrases, plain
from endonym.validate.writing_culture import SHIPPED, Culture, culture

FILES = sorted(SHIPPED.glob("*.toml"))
LISTS = ("own", "places", "people", "given", "names", "allowed", "slang")
NAMED = ("places", "people", "given", "names", "allowed")


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture
def held(path: Path) -> Culture:
    return culture(path)


def twice(words: list[str]) -> list[str]:
    return [word for word, n in Counter(words).items() if n > 1]


def test_texts_are_composed_and_trimmed(path: Path, held: Culture):
    assert unicodedata.is_normalized("NFC", path.read_text("utf-8"))
    assert path.stem == held.place.lower()
    for name in LISTS:
        assert all(word == " ".join(word.split()) for word in getattr(held, name)), name


def test_nothing_stands_twice(held: Culture):
    for name in LISTS:
        assert not twice(list(getattr(held, name))), name
    assert not twice([*held.sisters, held.place])


def test_names_have_their_capitals(held: Culture):
    for name in NAMED:
        for entry in getattr(held, name):
            assert any(word[0].isupper() for word in re.findall(r"\w+", entry)), entry
    assert not [word for word in held.slang if word != word.lower()]


def test_pairs_are_distinct(held: Culture):
    assert not twice([plain(pair.word) for pair in held.variety])
    assert not [pair for pair in held.variety if plain(pair.word.rstrip("*")) == plain(pair.use)]


def test_what_is_rightly_said_is_no_form_of_another_variety(held: Culture):
    sure = Phrases(pair.word for pair in held.variety if pair.sure)
    assert not [(pair.use, sure.first(pair.use)) for pair in held.variety if sure.first(pair.use)]


def portugal() -> Culture:
    return culture(SHIPPED / "pt.toml")


def test_portugal_is_covered():
    held, table = portugal(), tomllib.loads((SHIPPED / "variables" / "PT.toml").read_text("utf-8"))
    assert (held.place, held.lang) == (table["culture"]["place"], table["culture"]["variety"]) == ("PT", "pt-PT")
    assert not [name for name in LISTS if twice([plain(word) for word in getattr(held, name)])]
    assert len(held.places) >= 120 and len(held.given) >= 150 and len(held.people) >= 100 and len(held.slang) >= 50
    assert sum(pair.sure for pair in held.variety) >= 120
    assert {"Lisboa", "Porto", "Açores", "Tejo", "Serra da Estrela"} <= set(held.places)
    assert {"autocarro", "comboio", "pequeno-almoço", "telemóvel", "talho"} <= {pair.use for pair in held.variety}


def test_sisters_are_named_in_three_languages():
    table = tomllib.loads((SHIPPED / "variables" / "PT.toml").read_text("utf-8"))
    assert [sister["place"] for sister in table["sister"]] == list(portugal().sisters)
    for sister in table["sister"]:
        assert sister["variety"] == f"pt-{sister['place']}"
        for field in ("name", "person", "speakers"):
            assert set(sister[field]) == {"pt", "en", "fr"} and all(sister[field].values()), sister["place"]
    for lang, words in table["variables"].items():
        assert all(sister["name"][lang] in words["sisters"] for sister in table["sister"]), lang


@pytest.mark.parametrize("stem", [
    "Em que dia se comemora o Dia de Reis?", "O que se leva à missa no Domingo de Ramos?",
    "O que pedem as crianças no dia de Todos os Santos?", "Que grupo cantava na Terceira República?",
])  # fmt: skip
def test_feasts_are_no_people_and_no_places(stem: str):
    assert not Phrases((*portugal().people, *portugal().places)).first(stem)


@pytest.mark.parametrize("stem", [
    "De que cor são os autocarros da capital?", "Em que mês de maio ou junho se apanha o comboio?", "O bebé bebe leite de camelo?",
    "Irá o avô jogar ténis em género de prémio?", "Que vovó serve sumo de ananás?", "Quanto mede o relvado do lado da equipa da casa?",
    "Quem faz registos do património?", "De que fato de banho fala a crónica?", "Que polémica houve no metro da colónia?",
])  # fmt: skip
def test_words_of_here_are_let_pass(stem: str):
    assert not Phrases(pair.word for pair in portugal().variety).first(stem)


@pytest.mark.parametrize("stem, found", [
    ("Qual ônibus vai ao centro?", "onibus"), ("Quem são os usuários?", "usuarios"), ("Que times jogaram?", "times"),
    ("O que se come no café da manhã?", "cafe da manha"), ("Que goleira venceu?", "goleira"), ("Quando decolou o avião?", "decolou"),
    ("Quem tem o celular?", "o celular"), ("Quantos bilhões custou?", "bilhoes"),
])  # fmt: skip
def test_words_of_brazil_are_found(stem: str, found: str):
    assert Phrases(pair.word for pair in portugal().variety).first(stem) == found
