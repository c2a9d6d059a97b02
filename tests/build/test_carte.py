"""The reader of CARTE: every way of writing choices and answers, the regions, the subset, the faults."""

import json

import pytest

from endonym.build.carte import REGIONS, carte, choices, key, place
from endonym.build.lines import Fault
from endonym.errors import InputError, TableError
from endonym.records import Score

TEXTS = ["Le kouign-amann", "La bouillabaisse", "Le cassoulet", "La potée", "Je ne sais pas"]
LETTERED = [f"{letter}. {text}" for letter, text in zip("ABCDE", TEXTS, strict=True)]


def row(**changes):
    given = {"question": "Quel gâteau vient de Douarnenez ?", "choices": LETTERED, "answer": "A", "region": "Bretagne"}
    return given | {"domain": "Gastronomie", "is_carte_lv": False} | changes


@pytest.fixture
def read(tmp_path):
    def of(*rows, skipped=None):
        path = tmp_path / "carte.jsonl"
        path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in rows), encoding="utf-8")
        return list(carte(path, skipped=skipped))

    return of


def test_a_row_becomes_an_item(read):
    (item,) = read(row(is_carte_lv=True, difficulty="hard", year=1865, checked=True, sources=["a", "é"], note=None))
    assert item.stem == "Quel gâteau vient de Douarnenez ?"
    assert item.options == tuple(TEXTS)
    assert (item.gold, item.abstain, item.lang, item.place, item.topic, item.subset) == (0, 4, "fr", "FR-BRE", "Gastronomie", "LV")
    assert (item.source, item.maker, item.prompt) == ("carte.jsonl:1", "carte", "")
    assert item.meta == {
        "region": "Bretagne", "domain": "Gastronomie", "difficulty": "hard", "year": "1865", "checked": "true", "sources": '["a", "é"]',
    }  # fmt: skip


def test_keys_that_items_or_scores_use_are_set_apart(read):
    (item,) = read(row(id=7, model="m", source="livre", status="ok"))
    assert {"published_id": "7", "published_model": "m", "published_source": "livre", "published_status": "ok"}.items() <= item.meta.items()
    assert not set(item.meta) & set(Score.__struct_fields__)


SAME = [
    TEXTS,
    LETTERED,
    [*LETTERED[:4], "Je ne sais pas"],
    [f"{letter}) {text}" for letter, text in zip("ABCDE", TEXTS, strict=True)],
    [f"{letter} - {text}" for letter, text in zip("abcde", TEXTS, strict=True)],
    [f"{letter}: {text}" for letter, text in zip("ABCDE", TEXTS, strict=True)],
    [f"({letter}) {text} " for letter, text in zip("ABCDE", TEXTS, strict=True)],
    dict(zip("ABCDE", TEXTS, strict=True)),
    dict(zip("EDCBA", reversed(TEXTS), strict=True)),
    dict(zip("abcde", LETTERED, strict=True)),
]


@pytest.mark.parametrize("given", SAME, ids=[str(given)[:30] for given in SAME])
def test_one_question_however_its_choices_are_written(read, given):
    (item,) = read(row(choices=given))
    assert item.id == read(row())[0].id


@pytest.mark.parametrize("given", [["A. Dumas", "Hugo"], ["A-t-on", "B-Boy"], ["A", "B"], ["Paris: nord", "Paris: sud"]])
def test_letters_stay_where_not_every_choice_has_its_own(given):
    assert choices(given) == tuple(given)


@pytest.mark.parametrize(
    "answer",
    ["C", "c", " C ", "C.", "C)", "(C)", "c:", "Le cassoulet", "le Cassoulet", " Le cassoulet ", "C. Le cassoulet", "C - Le cassoulet",
     "c) le cassoulet", ["C"], ["Le cassoulet"], 2],
)  # fmt: skip
def test_one_gold_however_the_answer_is_written(read, answer):
    assert read(row(answer=answer))[0].gold == 2


def test_answers_in_decomposed_letters_are_the_same():
    assert key("La pote\u0301e", choices(TEXTS)) == 3


def test_years_are_texts_before_they_are_indices():
    assert key(1893, ("1886", "1893")) == 1
    assert key("1886", ("1886", "1893")) == 0
    assert key("C. difficile", ("E. coli", "C. difficile", "autre")) == 1


ANSWERS = [
    (["A", "C"], "two golds, expected one letter, text or index, found"),
    ("A, C", 'two golds, "A, C"'),
    ("A et C", 'two golds, "A et C"'),
    ("B. Le cassoulet", "names 'La bouillabaisse' and 'Le cassoulet'"),
    ("F", "names none of the 5 options"),
    ("F. Le cassoulet", "has a letter that is no option"),
    ("B. Le far", "has a text that is no option"),
    ("Le far", "names none of the 5 options"),
    (5, "5 names none of the 5 options"),
    (-1, "-1 names none of the 5 options"),
    (True, "expected one letter, text or index, found true"),
    (None, "expected one letter, text or index, found null"),
    ("", 'expected one letter, text or index, found ""'),
    ([], "expected one letter, text or index, found []"),
]


@pytest.mark.parametrize("answer, said", ANSWERS, ids=[str(answer) for answer, _ in ANSWERS])
def test_an_answer_that_names_none_or_two_is_a_fault(answer, said):
    with pytest.raises(Fault) as error:
        key(answer, tuple(TEXTS))
    assert str(error.value).startswith("answer: ") and said in str(error.value)


@pytest.mark.parametrize("answer, options", [("A", ("B", "A", "C")), (2, ("3", "2", "1", "0")), ("LA MARCHE", ("la Marche", "La marche"))])
def test_two_readings_that_differ_are_two_golds(answer, options):
    with pytest.raises(Fault, match="two golds"):
        key(answer, options)


FAULTS = [
    (row(region=None), "region: expected text, found null"),
    (row(region=" "), "region: is empty"),
    (row(domain=3), "domain: expected text, found 3"),
    (row(question=""), "question: is empty"),
    (row(choices=None), "choices: expected a list of texts, or an object letter → text, found null"),
    (row(choices=[]), "choices: 0 options, expected at least two"),
    (row(choices=["Seul"]), "choices: 1 options, expected at least two"),
    (row(choices=["X", "Y", ""]), 'choices[2]: is empty, found ""'),
    (row(choices=["A. X", "B. Y", "C. "]), 'choices[2]: is empty, found "C. "'),
    (row(choices=["X", "Y", "X", "Z"]), "choices[2]: equals choices[0], 'X'"),
    (row(choices=["A. X", "B. X "]), "choices[1]: equals choices[0], 'X'"),
    (row(choices=["B. X", "A. Y"]), "choices: letters stand in the order B, A"),
    (row(choices={"A": "X", "C": "Y"}), "choices: letters A, C, expected A, B"),
    (row(choices={"A": "X", "B": None}), "choices[1]: expected text, found null"),
    (row(answer="E"), "answer: is 'Je ne sais pas', which is never right"),
    (row(is_carte_lv="oui"), 'is_carte_lv: expected true or false, found "oui"'),
    (row(is_carte_lv=2), "is_carte_lv: expected true or false, found 2"),
    (row(is_carte_lv=None), "is_carte_lv: expected true or false, found null"),
    ({k: v for k, v in row().items() if k != "answer"} | {"anwser": "A"}, "answer: is missing; the row has question, choices, region"),
    ([row()], "expected an object {…} on each line, found a list of 1"),
    ('{"question": "Q ?", "answer": "A", "answer": "B"}', "answer: stands twice in the row"),
    ("[" * 100_000, "the JSON is nested too deeply"),
    ('{"question": "Q ?", "choices": ["A. X"', "the JSON is cut off at the end of the line"),
    ('{"question": "Q ?", "choices": ["X", "Y",]}', "column 42: no JSON, "),
]


@pytest.mark.parametrize("bad, said", FAULTS, ids=[said for _, said in FAULTS])
def test_a_fault_names_file_line_and_field_and_can_be_skipped(read, tmp_path, bad, said):
    where = f"{tmp_path / 'carte.jsonl'}:2: {said}"
    with pytest.raises(TableError) as error:
        read(row(), bad, row(answer="B"))
    assert str(error.value).startswith(where)
    skipped = []
    assert [item.gold for item in read(row(), bad, row(answer="B"), skipped=skipped)] == [0, 1]
    assert len(skipped) == 1 and skipped[0].startswith(where)


def test_a_null_region_in_the_first_row_is_that_rows_fault_alone(read):
    skipped = []
    assert [item.place for item in read(row(region=None), row(region="Corse"), skipped=skipped)] == ["FR-20R"]
    assert skipped[0].endswith("carte.jsonl:1: region: expected text, found null")


def test_ids_of_two_types_are_told(read):
    with pytest.raises(TableError, match=r'carte.jsonl:3: id: "1" here and 1 in line 1 would be one id'):
        read(row(id=1), row(id=2), row(id="1"))
    assert len(read(row(id="1"), row(id="1"), row())) == 3


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        list(carte(tmp_path))


FLAGS = {"LV": (True, 1, "true", "True", "1"), "": (False, 0, "false", "False", "0")}


@pytest.mark.parametrize("flag, subset", [(flag, subset) for subset, flags in FLAGS.items() for flag in flags])
def test_the_subset_however_its_flag_is_written(read, flag, subset):
    assert read(row(is_carte_lv=flag))[0].subset == subset


def test_a_file_without_the_flag_has_no_subset(read):
    assert read({k: v for k, v in row().items() if k != "is_carte_lv"})[0].subset == ""


PLACES = {
    "FR-ARA": "auvergne rhone alpes", "FR-BFC": "Bourgogne - Franche-Comté", "FR-BRE": "BRETAGNE", "FR-20R": "COR",
    "FR-CVL": "Centre Val-de-Loire",
    "FR-GES": "GE", "FR-HDF": "HdF", "FR-IDF": "Ile de France", "FR-NAQ": "NA", "FR-NOR": "normandie", "FR-OCC": "OCC", "FR-PAC": "PACA",
    "FR-PDL": "Pays-de-la-Loire",
}  # fmt: skip


@pytest.mark.parametrize("code, region", PLACES.items())
def test_regions_by_name_and_abbreviation(code, region):
    assert place(region) == code


def test_region_codes_are_those_of_iso_3166_2():
    pycountry = pytest.importorskip("pycountry")
    published = {s.code for s in pycountry.subdivisions.get(country_code="FR") if s.type.startswith("Metropolitan region")}
    assert set(REGIONS) == published | {"FR-20R"}
    assert pycountry.subdivisions.get(code="FR-20R").name == "Corse"
    assert set(PLACES) == set(REGIONS)


@pytest.mark.parametrize("region", ["FR", "France", "Wallonie", "La Réunion"])
def test_another_region_is_kept_as_text(read, region):
    (item,) = read(row(region=region))
    assert (item.place, item.meta["region"]) == ("FR", region)


def test_apostrophes_and_composition_do_not_matter():
    written = ("Provence-Alpes-Côte d’Azur", "provence alpes cote d'azur", "Provence-Alpes-Co\u0302te d'Azur")
    assert {place(region) for region in written} == {"FR-PAC"}
