"""Prompts in the item's language: every table is whole, every page is laid out by hand here, every fault names its place."""

import pytest

from endonym.errors import InputError, TableError, UnknownName
from endonym.evaluate.wording import LATIN, alphabet, ask_choice, ask_open, languages, oracle, place_name, system, wording
from endonym.records import Accept, Item

ASKED = ["fr", "en", "es", "de", "pt-PT", "pt-BR", "it", "ru", "hi", "ja", "zh", "ar", "ko", "eu", "tr", "el", "bn"]
ITEM = Item(stem="Où est le château ?", options=("Rennes", "Brest", "Nantes"), gold=0, lang="fr")


def test_every_language_that_was_asked_for_has_words():
    assert set(ASKED) <= set(languages())


@pytest.mark.parametrize("lang", languages())
def test_a_table_is_whole(lang):
    words = wording(lang)
    assert words.lang == lang
    assert words.letters == LATIN
    assert len(words.native) == len(set(words.native)) == 10
    assert all(len(letter) == 1 for letter in words.native)
    assert words.styles["oracle"].count("{place}") == 1
    for text in (words.question, words.answer, words.choose, words.short, words.unknown, words.styles["oracle"]):
        assert text == text.strip() != ""
    assert words.question[-1] == words.answer[-1] and words.answer[-1] in ":："


@pytest.mark.parametrize("lang", languages())
def test_the_gap_is_a_blank_but_where_the_script_has_none(lang):
    assert wording(lang).gap == ("" if lang[:2] in ("zh", "ja") else " ")


@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize("letters", ["latin", "native"])
def test_every_option_line_starts_with_its_letter_and_the_page_ends_with_the_cue(lang, letters):
    words = wording(lang)
    lines = ask_choice(ITEM, (2, 0, 1), wording=words, letters=letters, instruct=True).split("\n")
    marks = (words.letters if letters == "latin" else words.native)[:3]
    assert lines[0] == words.question + words.gap + ITEM.stem
    assert [line[0] for line in lines[1:4]] == list(marks)
    assert [line.endswith(text) for line, text in zip(lines[1:4], ("Nantes", "Rennes", "Brest"), strict=True)] == [True] * 3
    assert lines[4:] == [words.choose, words.answer]


def test_a_french_page():
    expected = "Question : Où est le château ?\nA. Brest\nB. Nantes\nC. Rennes\nRéponse :"
    assert ask_choice(ITEM, (1, 2, 0), wording=wording("fr")) == expected


def test_a_chinese_page_has_no_blank_after_its_cues():
    item = Item(stem="城堡在哪里？", options=("萨克森", "巴伐利亚"), gold=1, lang="zh")
    assert ask_choice(item, (0, 1), wording=wording("zh")) == "问题：城堡在哪里？\nA. 萨克森\nB. 巴伐利亚\n答案："


def test_an_arabic_page_with_letters_of_its_own():
    item = Item(stem="أين القلعة؟", options=("ساكسونيا", "بافاريا"), gold=1, lang="ar")
    assert ask_choice(item, (1, 0), wording=wording("ar"), letters="native") == "السؤال: أين القلعة؟\nأ. بافاريا\nب. ساكسونيا\nالإجابة:"


def test_braces_in_a_question_stay_as_they_are():
    item = Item(stem="What is {x}?", options=("{0}", "{}"), gold=0, lang="en")
    assert ask_choice(item, (0, 1), wording=wording("en")) == "Question: What is {x}?\nA. {0}\nB. {}\nAnswer:"


def test_an_open_question_in_three_forms():
    item = Item(kind="open", stem="Onde fica a torre?", accept=(Accept(text="Belém"),), lang="pt-PT")
    words = wording("pt-PT")
    assert ask_open(item, words) == "Pergunta: Onde fica a torre?\nResposta:"
    assert ask_open(item, words, cues=False) == "Onde fica a torre?"
    assert ask_open(item, words, cues=False, instruct=True) == f"Onde fica a torre?\n{words.short}"


@pytest.mark.parametrize(
    ("tag", "found"),
    [("pt", "pt-PT"), ("pt-AO", "pt-PT"), ("pt_br", "pt-BR"), ("fr-CA", "fr"), ("zh-TW", "zh-Hant"), ("zh-Hant-HK", "zh-Hant"),
     ("zh-Hans-CN", "zh"), ("zh-CN", "zh"), ("EN-gb", "en"), ("el-GR", "el")],
)  # fmt: skip
def test_a_tag_falls_back_to_what_stands_before_its_hyphen(tag, found):
    assert wording(tag).lang == found


def test_an_unknown_language_names_those_that_are_there():
    with pytest.raises(UnknownName, match="'xx'.*ar, bn, de"):
        wording("xx")


def test_portugal_and_brazil_are_not_asked_alike():
    portugal, brazil = wording("pt-PT"), wording("pt-BR")
    assert portugal.choose != brazil.choose and portugal.styles != brazil.styles


def test_more_options_than_letters_is_the_users_fault():
    with pytest.raises(InputError, match="11 options.*10 latin"):
        alphabet(wording("en"), 11)


# -- styles --------------------------------------------------------------------------------------------------------------


def test_plain_is_no_system_prompt():
    assert system(wording("fr"), "plain", "FR") == ""


@pytest.mark.parametrize(
    ("lang", "place", "name"),
    [("fr", "DE", "Allemagne"), ("de", "DE", "Deutschland"), ("ja", "DE", "ドイツ"),
     ("pt-BR", "DE", "Alemanha"), ("ar", "DE", "ألمانيا"), ("zh-Hant", "DE", "德國")],
)  # fmt: skip
def test_the_oracle_names_the_place_in_the_language(lang, place, name):
    words = wording(lang)
    assert oracle(words, place) == words.styles["oracle"].replace("{place}", name)


def test_a_region_takes_its_name_from_the_item_or_the_caller():
    assert place_name("fr", "FR-BRE", meta={"region": "Bretagne"}) == "Bretagne"
    assert place_name("fr", "FR-BRE", meta={"region": "BRE", "place_name": "la Bretagne"}) == "la Bretagne"
    assert place_name("fr", "FR-BRE", name="Breizh", meta={"place_name": "la Bretagne"}) == "Breizh"
    assert place_name("fr", "Bretagne") == "Bretagne"


@pytest.mark.parametrize("place", ["FR-BRE", "XQ", "", "  "])
def test_a_place_without_a_name_is_an_error_that_says_what_to_give(place):
    with pytest.raises(InputError, match="place_name"):
        oracle(wording("fr"), place)


def test_a_style_that_no_table_has():
    with pytest.raises(UnknownName, match="did you mean 'oracle'"):
        system(wording("fr"), "oracel", "FR")


# -- a user's own table --------------------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    def write(text):
        file = tmp_path / "wording.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_a_users_file_is_laid_over_ours_field_by_field(table):
    file = table('[fr]\nanswer = "La réponse est"\noption = "({letter}) {text}"\nstyles.elder = "Vous êtes un ancien de {place}."\n')
    words = wording("fr-CA", file)
    assert ask_choice(ITEM, (0, 1, 2), wording=words).endswith("(A) Rennes\n(B) Brest\n(C) Nantes\nLa réponse est")
    assert system(words, "elder", "CA") == "Vous êtes un ancien de Canada."
    assert words.styles["oracle"] == wording("fr").styles["oracle"]
    assert wording("fr").answer == "Réponse :"


def test_a_users_file_may_bring_a_language(table):
    fields = {"name": "Breton", "question": "Goulenn:", "answer": "Respont:", "gap": " ", "choose": "x", "short": "x", "unknown": "x"}
    file = table("[br]\n" + "".join(f'{key} = "{text}"\n' for key, text in fields.items()) + 'native = ["A", "B"]\n')
    assert ask_open(ITEM, wording("br", file)) == "Goulenn: Où est le château ?\nRespont:"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [('[fr]\nanser = "x"\n', UnknownName, "wording.toml.*'anser'.*did you mean 'answer'"),
     ('[fr]\nanswer = 3\n', TableError, r"wording.toml: \[fr\].*answer"),
     ('[br]\nname = "Breton"\n', TableError, r"wording.toml: \[br\].*question"),
     ('[fr]\ngap = "  "\n', TableError, r"wording.toml: \[fr\].*gap"),
     ('[fr\n', TableError, "wording.toml.*line 1")],
)  # fmt: skip
def test_a_fault_in_a_users_file_names_the_file_and_the_field(table, text, error, message):
    with pytest.raises(error, match=message):
        wording("br" if "[br]" in text else "fr", table(text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(TableError, match="none.toml"):
        wording("fr", tmp_path / "none.toml")


def test_a_template_with_a_word_in_braces_that_does_not_exist(table):
    words = wording("fr", table('[fr]\noption = "{lettre}. {text}"\n'))
    with pytest.raises(InputError, match="option.*lettre.*{letter}, {text}"):
        ask_choice(ITEM, (0, 1, 2), wording=words)
