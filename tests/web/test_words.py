"""The languages of the pages say the same things, and the pages say nothing that has no words."""

import re
import string
import tomllib
from pathlib import Path

import pytest

from endonym.errors import UnknownName
from endonym.web import app, words
from endonym.web.training import FOLDER, exercises

HOME = Path(app.__file__).parent
OTHERS = [lang for lang in words.languages() if lang != "en"]


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_there_are_three_languages_english_first():
    assert words.languages() == ("en", "fr", "pt")


@pytest.mark.parametrize("lang", OTHERS)
def test_every_key_is_in_every_language_with_the_same_placeholders(lang):
    english, other = words.catalogue("en"), words.catalogue(lang)
    assert english.keys() == other.keys()
    for key, text in english.items():
        assert other[key].strip(), key
        assert names(other[key]) == names(text) or key.endswith(".one"), key


@pytest.mark.parametrize("lang", OTHERS)
def test_sentences_are_translated(lang):
    english, other = words.catalogue("en"), words.catalogue(lang)
    same = [key for key, text in english.items() if other[key] == text and len(text.split()) > 2]
    assert same == []


def test_every_key_that_a_page_uses_exists_and_every_key_is_used():
    templates = "".join(p.read_text(encoding="utf-8") for p in (HOME / "template").glob("*.html"))
    code = "".join(p.read_text(encoding="utf-8") for p in HOME.rglob("*.py"))
    table = words.catalogue("en")
    fixed = set(re.findall(r'\bt\("([^"]+)"[,)]', templates + code)) | set(re.findall(r'\bto\("[^"]+", "([^"]+)"', templates))
    assert fixed <= table.keys(), fixed - table.keys()
    stems = tuple(re.findall(r'\bt\("([^"]+)" ~', templates))
    stems += ("error.", "notice.", "finding.", "guideline.", "field.", "status.", "role.", "domain.")
    quoted = set(re.findall(r'"([a-z][\w.-]+)"', code))
    unused = [k for k in table if k not in fixed | quoted and not k.startswith(stems) and not k.endswith(".one") and k != "pseudonyms"]
    assert unused == []


def test_notices_and_statuses_have_words():
    code = "".join(p.read_text(encoding="utf-8") for p in (HOME / "pages").glob("*.py"))
    for done in set(re.findall(r'done="(\w+)"', code)):
        assert f"notice.{done}" in words.catalogue("en"), done


def test_one_is_one_in_english_and_zero_too_in_french():
    assert words.speaker("en")("export.rows", n=1) == "1 row" and words.speaker("en")("export.rows", n=0) == "0 rows"
    assert words.speaker("fr")("export.rows", n=0) == "0 ligne" and words.speaker("fr")("export.rows", n=2) == "2 lignes"


@pytest.mark.parametrize(
    ("wishes", "lang"),
    [
        (("", "", "pt-BR,pt;q=0.9,en;q=0.8"), "pt"), (("", "fr", "pt"), "fr"), (("pt", "fr"), "pt"), (("", "", "de,ja"), "en"),
        (("", ""), "en"), (("xx", "../en"), "en"),
    ],
)
def test_the_first_wish_that_can_be_met_is_taken(wishes, lang):
    assert words.choose(*wishes) == lang


def test_an_unknown_language_is_named():
    with pytest.raises(UnknownName, match="en, fr, pt"):
        words.catalogue("de")


@pytest.mark.parametrize("lang", words.languages())
def test_practice_is_in_every_language_and_names_guidelines_that_exist(lang, tmp_path):
    from endonym.web.guides import IDS

    mine = exercises(tmp_path, lang)
    assert [e.id for e in mine] == [e.id for e in exercises(tmp_path, "en")]
    assert [e.breaks for e in mine] == [e.breaks for e in exercises(tmp_path, "en")]
    assert all(set(e.breaks) <= set(IDS) for e in mine) and any(not e.breaks for e in mine)


def test_the_files_of_words_are_the_files_of_practice():
    assert {p.stem for p in FOLDER.glob("*.toml")} == set(words.languages())
    for path in words.FOLDER.glob("*.toml"):
        assert all(isinstance(v, str) for v in tomllib.loads(path.read_text(encoding="utf-8")).values())


def test_pages_speak_the_chosen_language(people):
    ane = people.join("annotator")
    assert '<html lang="en">' in ane.get("/write").text
    ane.submit("/language", {"lang": "pt", "next": "/write"})
    page = ane.get("/write").text
    assert '<html lang="pt">' in page and "Escrever uma pergunta" in page
    assert ane.submit("/language", {"lang": "xx"}).status_code == 422
    stranger = people.anonymous()
    assert "Se connecter" in stranger.get("/sign-in", headers={"accept-language": "fr-CA"}).text


def test_domains_have_names_on_the_pages_and_a_groups_own_keep_theirs(people):
    import msgspec

    from endonym.web.config import DOMAINS

    for lang in words.languages():
        assert {f"domain.{name}" for name in DOMAINS} <= words.catalogue(lang).keys()
    people.site.config = msgspec.structs.replace(people.site.config, domains=("food", "Vila <b>"))
    ane = people.join("annotator")
    ane.submit("/language", {"lang": "pt", "next": "/"})
    page = ane.get("/write").text
    assert '<option value="food">comida</option>' in page and '<option value="Vila &lt;b&gt;">Vila &lt;b&gt;</option>' in page


def test_a_page_says_once_that_a_draft_was_kept(people):
    from .conftest import write

    ane = people.join("annotator")
    number = write(ane, stem="Quem " + "e quem " * 45 + "veio?")
    page = ane.get(f"/questions/{number}/edit?blocked=1&done=blocked").text
    assert 'id="blocked"' in page and 'id="notice"' not in page and page.count("Saved as a draft") == 1
