"""The fifteen guidelines of open questions: the same in both languages, complete, and anybody's by variables."""

import re
import tomllib
import unicodedata

import pytest

from endonym.records import Accept, Item
from endonym.validate import guidelines, judge
from endonym.validate.rating import rating

LANGUAGES = ("en", "pt")
IDS = ["L1", "L2", "L3", "L4", "L5", "L6", "L7", "E1", "E2", "E3", "E4", "E5", "D1", "D2", "D3"]
NAMES = ("people", "place", "variety", "sisters")
BRAZIL = {"people": "PEOPLE", "place": "PLACE", "variety": "VARIETY", "sisters": "SISTERS"}
VARIABLES = guidelines.FOLDER.parent / "cultures" / "variables"


def load(lang: str, **variables: str) -> guidelines.Guidelines:
    return guidelines.read(guidelines.shipped(f"tuguesice.{lang}"), variables)


def texts(lang: str, **variables: str) -> list[str]:
    return [text for g in load(lang, **variables).guidelines for text in (g.question, g.advice, *g.answers, *g.good, *g.bad)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_fifteen_in_their_order_and_complete(lang: str):
    held = load(lang)
    assert [g.id for g in held.guidelines] == IDS == [g.criterion for g in held.guidelines]
    assert held.form.lang == lang
    for told in held.guidelines:
        assert told.question.endswith("?") and len(told.answers) == 2 and told.scale is None, told.id
        assert 100 < len(told.advice) < 600, told.id
        assert len(told.good) == len(told.bad) == 2 and not set(told.good) & set(told.bad), told.id
        assert all(re.fullmatch(r"[^?]+\? (\([^()]+\) )?→ .+", e) for e in (*told.good, *told.bad)), told.id


@pytest.mark.parametrize("lang", LANGUAGES)
def test_texts_are_clean_and_said_once(lang: str):
    said = texts(lang)
    assert all(unicodedata.is_normalized("NFC", text) and "  " not in text and "\n" not in text for text in said)
    assert not [text for text in said if re.search(r"[{}]", text)]
    examples = [e for g in load(lang).guidelines for e in (*g.good, *g.bad)]
    assert len(set(examples)) == 60


@pytest.mark.parametrize("lang", LANGUAGES)
def test_variables_make_it_another_culture(lang: str):
    path = guidelines.shipped(f"tuguesice.{lang}")
    assert set(re.findall(r"\{(\w+)\}", path.read_text("utf-8"))) - {"low", "high", "answers"} == set(NAMES)
    own, said = tomllib.loads(path.read_text("utf-8"))["variables"], "\n".join(texts(lang, **BRAZIL))
    assert set(own) == set(NAMES)
    for name in NAMES:
        assert BRAZIL[name] in said, name
    advice = "\n".join(t for g in load(lang, **BRAZIL).guidelines for t in (g.question, g.advice))
    assert not re.search(r"portug", advice, re.IGNORECASE)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_table_of_the_culture_says_the_same(lang: str):
    table = tomllib.loads((VARIABLES / "PT.toml").read_text("utf-8"))["variables"][lang]
    assert texts(lang) == texts(lang, **table)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_judge_is_asked_and_its_words_are_read(lang: str):
    held = load(lang)
    item = Item(kind="open", lang="pt", stem="Que flor representa a revolução?", accept=(Accept(text="o cravo"),))
    for told in held.guidelines:
        page = judge.page(told, item, held.form)
        assert told.question in page and told.bad[1] in page and "o cravo" in page and not re.search(r"[{}]", page)
        for answer in told.answers:
            assert rating(answer.capitalize() + ".", told, lang=lang).value == answer
