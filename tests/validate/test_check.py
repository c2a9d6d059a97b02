"""Every check by the examples of its language's file, what a user sees, and what a user may change."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from endonym.errors import TableError, UnknownName
from endonym.records import Accept, Item, Judgment
from endonym.validate.check import CHECKS, NO_LISTS, OF_SET, WHOLE, check
from endonym.validate.check_rules import SHIPPED, Example, Shelf

LANGUAGES = sorted(p.stem for p in SHIPPED.glob("*.toml"))


def made(example: Example, base: Example, lang: str) -> list[Item]:
    """The items of an example; what it leaves out is that of the file's own example, and no options means all of its options."""
    options, abstain = (example.options, example.abstain) if example.options else (base.options, base.abstain)
    stems = example.stems or tuple(example.stem or base.stem for _ in example.golds or (0,))
    golds = example.golds or tuple(example.gold for _ in stems)
    return [
        Item(stem=stem, options=options, gold=gold, abstain=abstain, lang=lang, subset=example.subset, place=example.place)
        for stem, gold in zip(stems, golds, strict=True)
    ]


def examples(kind: str) -> Iterator[object]:
    shelf = Shelf()
    for lang in LANGUAGES:
        lists = shelf.rules(lang).lists
        for name, rule in lists.checks.items():
            for n, example in enumerate(getattr(rule, kind)):
                yield pytest.param(name, made(example, lists.example, lang), id=f"{lang}-{name}-{n}")


@pytest.mark.parametrize("name, items", examples("bad"))
def test_a_bad_example_is_found(name: str, items: list[Item]):
    assert [j.criterion for j in check(items, only=(name,))]


@pytest.mark.parametrize("name, items", examples("good"))
def test_a_good_example_is_let_pass(name: str, items: list[Item]):
    assert [j.note for j in check(items, only=(name,))] == []


@pytest.mark.parametrize("name, items", examples("good"))
def test_a_good_example_of_one_item_passes_every_check(name: str, items: list[Item]):
    """The default options go with every stem, so that only checks of the wording are asked."""
    if len(items) == 1 and name not in OF_SET:
        assert [(j.criterion, j.note) for j in check(items, skip=("answer-in-question",))] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_language_says_what_every_check_says_and_shows_it(lang: str):
    checks = Shelf().rules(lang).lists.checks
    assert list(checks) == list(CHECKS)
    for name, rule in checks.items():
        assert rule.good and rule.bad, f"{lang}: {name}"
        assert "{what}" in rule.message


def item(**changes: object) -> Item:
    base = Item(
        stem="Quelle ville bretonne est la préfecture du Finistère ?", options=("Quimper", "Brest", "Morlaix", "Vannes", "Je ne sais pas"),
        gold=0, abstain=4, lang="fr", place="FR-BRE",
    )  # fmt: skip
    return msgspec.structs.replace(base, **changes)


def test_a_finding_is_a_judgment_that_teaches_and_a_sane_item_has_none():
    bad = item(stem="Selon le document, quelle ville bretonne est la préfecture du Finistère ?")
    assert list(check([item()])) == []
    assert list(check([bad])) == [
        Judgment(
            item=bad.id, judge="check/document-reference", criterion="document-reference", value="error", guideline="checks/fr",
            note="« selon le document » renvoie à un document que le lecteur n'a pas : posez la question comme une connaissance générale.",
        )
    ]  # fmt: skip


def test_of_two_items_that_are_the_same_the_later_is_named():
    first, second = item(), item(stem="Quelle est la préfecture du département breton du Finistère ?")
    found = list(check([first, second], only=("near-duplicate",)))
    assert [(j.item, j.value) for j in found] == [(second.id, "error")]
    assert first.id in found[0].note


def test_the_same_question_with_another_gold_is_found():
    found = list(check([item(), item(gold=1)], only=("near-duplicate",)))
    assert [j.item for j in found] == [item(gold=1).id]


@pytest.mark.parametrize("changes", [{"parallel": "p"}, {"entity": "e"}])
def test_items_made_to_go_together_are_no_duplicates(changes: dict[str, str]):
    stem = "Quelle est la préfecture du Finistère, en Bretagne ?"
    first, second = item(template="1", **changes), item(template="2", stem=stem, **changes)
    assert list(check([first, second], only=("near-duplicate",))) == []


def test_two_facts_in_one_template_are_no_duplicates():
    cathedrals = [
        item(stem=f"Dans quelle région voit-on la cathédrale gothique du XIIIe siècle de {town} ?", entity=town, template="1")
        for town in ("Reims", "Sens")
    ]
    assert list(check(cathedrals, only=("near-duplicate",))) == []
    without = [msgspec.structs.replace(c, template="") for c in cathedrals]
    assert [j.item for j in check(without, only=("near-duplicate",))] == [without[1].id]


def test_vowel_signs_are_part_of_a_word():
    asked = [Item(stem=f"{name} किस नदी के किनारे है?", options=("गंगा", "यमुना"), gold=0, lang="hi") for name in ("कानपुर", "कन्नौज")]
    assert [j.criterion for j in check(asked, only=("near-duplicate",))] == ["no-lists"]


def test_a_country_that_the_lists_do_not_name_is_not_asked_for_a_territory():
    stem, options = "Quel fleuve arrose la capitale ?", ("Le Nil", "Le Niger", "Le Congo", "Le Sénégal", "Je ne sais pas")
    found = {place: [j.criterion for j in check([item(stem=stem, options=options, place=place)])] for place in ("ML", "FR")}
    assert found == {"ML": [], "FR": ["territory-missing"]}


def test_gold_positions_are_counted_over_all_items_of_a_language_and_say_how():
    always_b = [item(stem=f"En {year}, quelle ville bretonne était la préfecture du Finistère ?", gold=1) for year in range(1990, 2010)]
    (found,) = check(always_b, only=("gold-unbalanced",))
    assert (found.item, found.value) == (WHOLE, "error")
    assert "0-20-0-0" in found.note


def test_an_open_item_is_not_asked_for_options():
    opened = Item(stem="Quelle ville bretonne est la préfecture du Finistère ?", kind="open", accept=(Accept(text="Quimper"),), lang="fr")
    assert list(check([opened])) == []


def test_a_language_without_lists_says_so_once_and_gets_the_checks_of_form():
    hindi = [Item(stem=n, options=("पेरिस", "लंदन", "पेरिस", "रोम"), gold=1, lang="hi") for n in ("फ़्रांस की राजधानी क्या है?", "रोन नदी कहाँ है?")]
    found = list(check(hindi))
    assert [j.criterion for j in found if j.item == WHOLE] == [NO_LISTS]
    assert [j.criterion for j in found if j.item != WHOLE] == ["options-equal", "options-equal"]


def test_only_and_skip_choose_and_a_name_that_is_none_is_told():
    bad = item(stem="Aujourd'hui, quelle ville est la plus belle", place="")
    assert {j.criterion for j in check([bad])} == {"territory-missing", "vague-time", "question-mark"} - {"territory-missing"}
    assert {j.criterion for j in check([bad], only=("vague-time",))} == {"vague-time"}
    assert {j.criterion for j in check([bad], skip=("vague-time",))} == {"question-mark"}
    with pytest.raises(UnknownName, match="did you mean 'vague-time'"):
        list(check([bad], only=("vague-tim",)))


def test_a_users_file_is_laid_over_the_shipped_one(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'lang = "fr"\n[checks.options-count]\nlimits = { answers = 3 }\n[checks.negation]\nvalue = "error"\n'
        '[places]\nBE-WAL = ["Wallonie", "Namur"]\n', encoding="utf-8",
    )  # fmt: skip
    three = item(options=("Quimper", "Brest", "Morlaix", "Je ne sais pas"), abstain=3)
    rivers = ("La Sambre", "L'Ourthe", "La Lesse", "Je ne sais pas")
    namur = item(stem="Quelle rivière rejoint la Meuse à Namur ?", options=rivers, abstain=3)
    negated = item(stem="Laquelle de ces villes bretonnes n'est pas une préfecture ?", options=three.options, abstain=3)
    assert list(check([three, namur], rules=file)) == []
    assert [(j.criterion, j.value) for j in check([negated], rules=file)] == [("negation", "error")]
    assert [j.criterion for j in check([three], rules=tmp_path)] == []
    assert {j.criterion for j in check([three, namur])} == {"options-count"}


def test_another_language_is_a_file_and_no_python(tmp_path: Path):
    english = (SHIPPED / "en.toml").read_text(encoding="utf-8").replace('lang = "en"', 'lang = "pt"', 1)
    (tmp_path / "pt.toml").write_text(english.replace('"recently"', '"recentemente"'), encoding="utf-8")
    asked = Item(stem="Que cidade em Cornwall mudou recentemente?", options=("A", "B"), gold=0, lang="pt-BR")
    assert [j.criterion for j in check([asked], rules=tmp_path, only=("vague-time",))] == ["vague-time"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("[checks.negation]\nvalue = 3", "checks"), ('[patterns]\nnegated = ["("]', "patterns.negated"),
        ("lang = ", "mine.toml"), ("[oops]", "oops"),
    ],
)  # fmt: skip
def test_a_bad_file_is_named_with_its_field(tmp_path: Path, text: str, message: str):
    file = tmp_path / "mine.toml"
    file.write_text(text if text == "lang = " else f'lang = "fr"\n{text}', encoding="utf-8")
    with pytest.raises(TableError, match=message):
        list(check([item()], rules=file))


def test_the_same_items_give_the_same_judgments():
    items = [item(), item(gold=1), item(stem="Selon le texte, où est Brest ?")]
    assert list(check(items)) == list(check(iter(items)))
