"""The checks of open questions: on labelled questions, one example for each check and language, and what a writer sees."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from endonym.errors import InputError, TableError, UnknownName
from endonym.records import Accept, Item
from endonym.validate import writing_words
from endonym.validate.writing import CODED, FOLDER, REPEATS, SHIPPED, Culture, Extra, findings, writing

from .writing_figures import HARD, LABELLED, UNSEEN, figures, rows

PLACES = {"pt": ("pt-PT", "PT"), "en": ("en-GB", "GB"), "fr": ("fr-FR", "FR")}
OF_MODELS = ("known", "same-there")
EXAMPLES = tomllib.loads(Path(__file__).with_name("writing_examples.toml").read_text(encoding="utf-8"))


def question(stem: str, answer: str = "", *more: str, lang: str = "pt-PT", place: str = "PT") -> Item:
    accept = tuple(Accept(text=text) for text in (answer or "zzz", *more))
    return Item(kind="open", stem=stem, accept=accept, lang=lang, place=place)


def found(stem: str, answer: str = "", lang: str = "pt", **more: object) -> dict[str, str]:
    """The checks that find something, and how grave it is."""
    tag, place = PLACES[lang]
    said = findings(question(stem, answer, lang=tag, place=place), lang=tag, culture=place, extra=Extra(year=2026), **more)  # type: ignore[arg-type]
    return {j.criterion: j.value for j in said}


def test_the_labelled_questions_are_what_they_are_said_to_be():
    held = rows(LABELLED)
    assert len(held) == 300 and len({(r["lang"], r["stem"], r["answer"]) for r in held}) == 300
    assert Counter((r["lang"][:2], bool(r["breaks"])) for r in held) == {
        ("pt", False): 70, ("pt", True): 70, ("en", False): 40, ("en", True): 40, ("fr", False): 40, ("fr", True): 40,
    }  # fmt: skip
    unseen = Counter((r["lang"][:2], bool(r["breaks"])) for r in rows(UNSEEN))
    assert unseen == {(lang, bad): 10 for lang in PLACES for bad in (True, False)}


def test_the_targets_hold_on_the_labelled_questions():
    """The issue's: recall of the hard rules at least 0.9, at most 10 % false alarms on good questions (of any kind, not only blocking)."""
    told = figures(LABELLED)
    assert told.recall(told.blocked, HARD) >= 0.9
    assert all(told.found[g] >= 0.9 * told.broken[g] for g in HARD)
    assert told.flagged <= 0.1 * told.good


def test_on_questions_that_the_checks_were_not_tuned_on_they_find_most_and_rarely_cry_wolf():
    """Measured once, after tuning: 20 of 27 hard ones found, 2 of 30 good ones flagged. Lists find less in what nobody tuned them on."""
    told = figures(UNSEEN)
    assert told.recall(told.found, HARD) >= 0.74
    assert told.flagged <= 0.1 * told.good


@pytest.mark.parametrize("lang", PLACES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_each_check_finds_its_example(name: str, lang: str):
    example = EXAMPLES[name][lang]
    assert name in found(*([example] if isinstance(example, str) else example), lang=lang)


def test_there_is_an_example_of_every_check():
    assert {*EXAMPLES, *OF_MODELS, REPEATS} == set(writing_words.rules())
    assert set(CODED) | {REPEATS} <= set(writing_words.rules())


@pytest.mark.parametrize("lang", PLACES)
def test_each_language_teaches_about_every_check_and_shows_what_was_found(lang: str):
    told = writing_words.load(FOLDER / f"{lang}.toml")
    assert set(told.messages) == set(writing_words.rules())
    assert [name for name, text in told.messages.items() if "{what}" not in text] == ["mark", "parts", "why", "yes-no"]


def test_the_guidelines_are_those_of_the_paper():
    given = {rule.guideline for rule in writing_words.rules().values()} - {""}
    assert given == {"L1", "L2", "L3", "L4", "L5", "L6", "L7", "E1", "E2", "E3", "E4", "E5", "D1", "D2", "D3"}


def test_the_note_is_in_the_writers_language_and_nothing_is_left_unfilled():
    asked = question("Que peixe se come em Portugal?")
    for notes, word in (("", "cultura"), ("en", "culture"), ("fr", "culture"), ("de", "culture")):
        (said,) = findings(asked, lang="pt-PT", culture="PT", notes=notes, extra=Extra(year=2026))
        assert (said.judge, said.criterion, said.guideline, said.value) == ("check/own-name", "own-name", "D1", "error")
        assert "Portugal" in said.note and word in said.note and "{" not in said.note
    late = findings(question("Quem ganhou em 2024?"), lang="pt-PT", culture="PT", notes="en", extra=Extra(year=2026))
    assert [j.note for j in late] == ["2024 is too recent: ask only what was known by 2023."]


@pytest.mark.parametrize("year, flagged", [(2026, True), (2027, False)])
def test_three_years_are_counted_from_the_year_of_writing(year: int, flagged: bool):
    said = findings(question("Quem ganhou em 2024?"), lang="pt-PT", culture="PT", extra=Extra(year=year))
    assert ("recent" in {j.criterion for j in said}) is flagged


def test_half_a_question_is_not_held_against_its_writer():
    class Half:
        id, stem, accept = "x", "  ", ()

    assert findings(Half(), lang="pt-PT", culture="PT") == []
    Half.stem = "Que"
    assert {j.value for j in findings(Half(), lang="pt-PT", culture="PT")} == {"warning"}


def test_feasts_and_what_a_culture_allows_are_no_names():
    """Ramos is a surname, and Palm Sunday; the culture of the test says so, for people may mend the shipped one."""
    own = Culture(place="PT", lang="pt-PT", people=("Ramos",), allowed=("Domingo de Ramos",))

    def names(stem: str) -> dict[str, str]:
        return {j.criterion: j.value for j in findings(question(stem), lang="pt-PT", culture=own)}

    assert names("Que ramo se leva à missa no Domingo de Ramos?") == {}
    assert names("Que bolo se come no dia de Reis, na Páscoa e no Natal?") == {}
    assert names("Onde morava o Ramos?") == {"person-name": "error"}
    assert names("Quem fundou o Zorbo Clube?") == {"proper-name": "error"}
    assert names("Quem fundou o Zorbo?") == {"proper-name": "warning"}


def test_typing_without_capitals_hides_no_name():
    assert found("que peixe se come em portugal?")["own-name"] == "error"
    assert found("que rio passa em coimbra?")["place-name"] == "warning"


def test_a_word_that_means_something_else_here_is_a_warning_and_a_sure_one_blocks():
    assert found("Que se via na tela?")["variety"] == "warning"
    assert found("Que se via na tela do ônibus?")["variety"] == "error"


def test_a_name_of_two_words_with_a_comma_and_a_number_in_words_are_one_answer():
    assert "answer-list" not in found("Que canção passou na rádio?", "Grândola, Vila Morena")
    assert "answer-list" not in found("Quantos tostões eram?", "vinte e cinco")
    assert found("Que se come?", "pão e vinho")["answer-list"] == "warning"
    assert found("Que se come?", "pão, queijo e vinho")["answer-list"] == "error"
    assert "answer-list" not in found("Quanto era?", "1,5")


def test_variants_are_proposed_as_a_note_and_not_twice():
    (said,) = findings(question("Quantos são?", "12"), lang="pt-PT", culture="PT")
    assert (said.criterion, said.value) == ("variants", "note")
    assert said.note == "Também se pode escrever: doze. Junte às variantes o que estiver certo."
    assert findings(question("Quantos são?", "12", "Doze"), lang="pt-PT", culture="PT") == []
    proposals = {"doze": "12", "o galo": "galo", "bolo-rei": "bolo rei", "São João": "S. João", "5 de outubro": "cinco de outubro"}
    for answer, proposed in proposals.items():
        (said,) = findings(question("De que se trata?", answer), lang="pt-PT", culture="PT")
        assert proposed in said.note


def test_near_duplicates_by_words_by_answer_and_by_meaning():
    old = [question("Que peixe se assa nas festas de junho?", "sardinha")]
    assert found("Nas festas de junho, que peixe se assa?", "carapau", accepted=old)[REPEATS] == "error"
    assert REPEATS not in found("Que fruto se assa em novembro nas ruas?", "castanha", accepted=old)
    assert found("Que peixe se come nas festas populares de junho?", "sardinha", accepted=old)[REPEATS] == "warning"
    assert REPEATS not in found("Que peixe se come nas festas populares de junho?", "carapau", accepted=old)
    alike = Extra(alike=lambda stem, others: [0.95 for _ in others])
    said = findings(question("O que vai à brasa pelos santos?", "x"), lang="pt-PT", culture="PT", accepted=old, extra=alike)
    assert [(j.criterion, j.value) for j in said] == [(REPEATS, "warning")] and old[0].stem in said[0].note
    assert findings(old[0], lang="pt-PT", culture="PT", accepted=old) == []


def test_a_language_without_a_file_gets_the_checks_of_form_in_english():
    said = findings(question("Hvilken fisk spises i juni", "sild", lang="da", place="DK"), lang="da", culture="DK")
    assert [(j.criterion, j.note) for j in said] == [("mark", "End the question with a question mark.")]
    said = findings(question("Hvilken fisk spises i Danmark?", "sild", lang="da", place="DK"), lang="da", culture="DK")
    assert [j.criterion for j in said] == [] or [j.criterion for j in said] == ["own-name"]


def test_another_language_and_another_culture_are_files(tmp_path: Path):
    lists = ('lang = "da"', "[messages]", 'opinion = "Spørg ikke om smag: {what}"', "[patterns]", "opinion = ['bedste']")
    (tmp_path / "da.toml").write_text("\n".join(lists), encoding="utf-8")
    culture = tmp_path / "dk.toml"
    culture.write_text('place = "DK"\nlang = "da"\nown = ["Danmark", "dansk*"]\n')
    asked = question("Hvad er den bedste danske ret?", "x", lang="da", place="DK")
    said = findings(asked, lang="da", culture=str(culture), extra=Extra(folder=tmp_path))
    assert [(j.guideline, j.note) for j in said] == [("L3", "Spørg ikke om smag: bedste"), ("D1", "own-name")]
    assert [j.criterion for j in writing([asked], culture=culture, words=tmp_path)] == ["opinion", "own-name"]


def test_the_stage_looks_back_chooses_the_culture_by_place_and_leaves_proposals_out():
    items = [question("Que peixe se assa em Coimbra?", "12"), question("Em Coimbra, que peixe se assa?", "carapau")]
    said = [(j.item == items[1].id, j.criterion) for j in writing(items)]
    assert said == [(False, "place-name"), (True, "place-name"), (True, REPEATS)]
    assert [j.criterion for j in writing(items[1:], items[:1], skip=("place-name",))] == [REPEATS]
    assert [j.criterion for j in writing([question("Que peixe se come em Portugal?", place="PT-11")])] == ["own-name"]
    assert list(writing(items[:1], culture=SHIPPED / "fr.toml", skip=("proper-name", "variants"))) == []


def test_what_is_wrong_is_said_with_its_name(tmp_path: Path):
    with pytest.raises(InputError, match=r"kind: 'choice' has options; validate.check is for choices"):
        list(writing([Item(stem="a?", options=("b", "c"), gold=0, lang="pt")]))
    with pytest.raises(UnknownName, match="did you mean 'opinion'"):
        list(writing([question("a?")], skip=("opinions",)))
    bad = tmp_path / "pt.toml"
    bad.write_text('lang = "pt"\n[messages]\n[patterns]\nopinion = ["("]\n')
    with pytest.raises(TableError, match=r"pt.toml: patterns.opinion: '\('"):
        list(writing([question("a?")], words=tmp_path))
    bad.write_text('lang = "pt"\n[messages]\nopinon = "x"\n')
    with pytest.raises(TableError, match=r"messages.opinon: is no check"):
        writing_words.load(bad)
    bad.write_text('lang = "pt"\n')
    with pytest.raises(TableError, match=r"pt.toml: .*`messages`"):
        writing_words.load(bad)


def test_the_pages_hand_over_what_is_written_and_get_judgments():
    from endonym.web.seams import Written

    written = Written(stem="Que peixe se come em Portugal?", accept=(Accept(text="bacalhau"),), lang="pt-PT", place="PT")
    old = [question("Que peixe se come na ceia de Natal?", "bacalhau")]
    (said,) = findings(written, lang="pt-PT", culture="PT", accepted=old)
    assert (said.item, said.judge, said.value) == (written.id, "check/own-name", "error")
    assert findings(Written(lang="pt-PT"), lang="pt-PT", culture="PT", accepted=old) == []


def test_a_recipe_asks_for_the_stage_and_a_culture_of_its_own_is_among_the_inputs(tmp_path: Path):
    from endonym import recipe, store
    from endonym.kitchen import Kitchen
    from endonym.records import Judgment, Manifest

    asked, table = [question("Que peixe se come em Portugal?")], tmp_path / "tables" / "findings.jsonl"
    store.write(tmp_path / "tables" / "items.jsonl", asked, Manifest(stage="web.export"))
    (tmp_path / "mine.toml").write_text('place = "PT"\nlang = "pt-PT"\nown = ["Portugal"]\n', encoding="utf-8")
    stage = recipe.Stage(do="validate.writing", makes="findings", settings={"notes": "en", "culture": "mine.toml"})
    Kitchen(tmp_path).cook(recipe.Recipe(name="writing", stages=(stage,)))
    assert [j.criterion for j in store.read(table, Judgment)] == ["own-name"]
    assert set(store.vouched(table).inputs) == {"items:items", "file:culture", "file:words"}


@pytest.mark.parametrize("notes", ["en", "fr", "pt"])
def test_a_message_about_time_says_how_many_years(notes: str):
    item = Item(kind="open", stem="Quem é o treinador da equipa atualmente?", accept=(Accept(text="o mister"),), lang="pt-PT", place="PT")
    (found,) = [j for j in findings(item, lang="pt-PT", culture="PT", notes=notes) if j.criterion == "now"]
    assert "3" in found.note and "{" not in found.note
