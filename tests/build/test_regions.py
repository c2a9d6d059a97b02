"""france-regions: what its questions must be, and what the builder of such a benchmark refuses."""

import re
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from endonym import benchmarks
from endonym.build import regions
from endonym.build.carte import REGIONS
from endonym.build.native import header, native
from endonym.errors import InputError, StorageError, TableError, UnknownName

FOLDER = Path(str(files("endonym") / "data")) / "france-regions"
ABOUT = """
name = "small"
version = "1"
canary = "small canary 1"
licence = "CC-BY-4.0"
languages = ["fr"]
title = "small"
origin = "here"
maker = "here"
seed = 3
abstain = "Je ne sais pas"
[sources]
ign = { title = "IGN", url = "https://www.geoportail.gouv.fr" }
"""
QUESTION = {
    "entity": '"bre.odet"', "topic": '"Territoire & aménagement"', "stem": '"Quel fleuve traverse Quimper ?"', "right": '"L\'Odet"',
    "wrong": '["L\'Aulne", "La Rance", "Le Blavet"]', "source": '"ign"', "skill": '"space"', "level": '"easy"',
}  # fmt: skip


@pytest.fixture(scope="module")
def items():
    return list(regions.regions(FOLDER))


@pytest.fixture
def small(tmp_path):
    """Write a folder of one region: its questions are QUESTION with the changes given, a field that is None left out."""

    def write(*changes, place="FR-BRE", name="FR-BRE.toml", about=ABOUT):
        (tmp_path / "questions").mkdir(exist_ok=True)
        (tmp_path / "about.toml").write_text(about, encoding="utf-8")
        blocks = [QUESTION | {"stem": f'"Quel fleuve n° {n} traverse Quimper ?"'} | change for n, change in enumerate(changes)]
        text = "".join("\n[[question]]\n" + "".join(f"{k} = {v}\n" for k, v in b.items() if v is not None) for b in blocks)
        (tmp_path / "questions" / name).write_text(f'place = "{place}"\n{text}', encoding="utf-8")
        return tmp_path

    return write


def test_every_region_has_24_questions_on_all_14_topics_and_5_on_variation(items):
    assert Counter(item.place for item in items) == dict.fromkeys(REGIONS, 24)
    assert Counter(item.place for item in items if item.subset == "LV") == dict.fromkeys(REGIONS, 5)
    assert {item.subset for item in items} == {"", "LV"}
    assert len(regions.TOPICS) == 14
    for place in REGIONS:
        assert {item.topic for item in items if item.place == place} == set(regions.TOPICS)
    assert {item.topic for item in items if item.subset} == {"Langue & sciences du langage"}


def test_the_right_answer_stands_at_each_position_six_times_in_a_region(items):
    for place in REGIONS:
        assert Counter(item.gold for item in items if item.place == place) == {0: 6, 1: 6, 2: 6, 3: 6}


def test_four_distinct_answers_none_within_another_then_dont_know(items):
    for item in items:
        assert item.options[4:] == ("Je ne sais pas",) and item.abstain == 4 and item.lang == "fr"
        bare = [re.sub(r"^(le|la|les|l'|du|de la|des|de|d'|un|une|à|au) ?", "", option.casefold()) for option in item.options]
        assert not [(a, b) for a in bare for b in bare if a is not b and a in b], item.entity


def test_length_does_not_give_the_answer_away(items):
    lengths = [(len(item.options[item.gold]), [len(o) for n, o in enumerate(item.options[:4]) if n != item.gold]) for item in items]
    assert sum(gold > max(wrong) for gold, wrong in lengths) < 0.3 * len(items)
    assert sum(gold < min(wrong) for gold, wrong in lengths) < 0.3 * len(items)


def test_questions_differ_name_their_reference_and_begin_in_many_ways(items):
    assert len({item.stem for item in items}) == len({item.id for item in items}) == 312
    assert Counter(Counter(item.entity for item in items).values()) == {1: 304, 2: 4}
    assert all(item.stem.endswith((" ?", "…")) and item.meta["origin"] and item.source for item in items)
    first = Counter(item.stem.split()[0] for item in items)
    assert first.most_common(1)[0][1] < 0.25 * len(items)
    assert set(Counter(item.meta["skill"] for item in items)) == {"recall", "comparison", "cause", "consequence", "space"}


def test_the_answer_is_not_in_the_question(items):
    for item in items:
        assert item.options[item.gold].casefold() not in item.stem.casefold(), item.entity


def test_the_files_carry_one_canary():
    canary = header(FOLDER / "benchmark.jsonl").canary
    assert re.fullmatch(r"france-regions canary [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}: .+", canary)
    for path in (FOLDER / "about.toml", *(FOLDER / "questions").glob("*.toml")):
        assert path.read_text(encoding="utf-8").splitlines()[0] == f"# {canary}"
    assert canary in (FOLDER / "card.md").read_text(encoding="utf-8")


def test_files_are_named_for_their_region_and_every_reference_is_used():
    used = set()
    for path in (FOLDER / "questions").glob("*.toml"):
        sheet = tomllib.loads(path.read_text(encoding="utf-8"))
        assert sheet["place"] == path.stem
        used |= {question["source"] for question in sheet["question"]}
    assert used == set(regions.about(FOLDER).sources)


def test_the_shipped_file_is_what_the_builder_writes(items):
    assert (FOLDER / "benchmark.jsonl").read_bytes() == regions.whole(FOLDER)
    assert list(native(FOLDER / "benchmark.jsonl")) == items
    assert "france-regions" in set(benchmarks.shipped())


def test_the_card_holds_the_counts_of_the_items(items):
    text = (FOLDER / "card.md").read_text(encoding="utf-8")
    assert regions.card(text, items) == text
    assert "| items | 312: 13 regions × 24; 247 of general knowledge, 65 on linguistic variation" in text
    assert "| Langue & sciences du langage | 5 | 5 | 6 | 6 | 5 | 5 | 5 | 6 | 6 | 6 | 5 | 6 | 5 | 71 |" in text
    assert "no native speaker" in text.casefold()


def test_no_check_finds_anything(items):
    pytest.importorskip("py3langid")
    from endonym.validate.check import check

    assert [(j.criterion, j.note) for j in check(items)] == []


def test_counts_by_hand(small):
    folder = small({"subset": '"LV"', "topic": '"Langue & sciences du langage"'}, {}, {})
    lines = regions.counts(list(regions.regions(folder))).splitlines()
    assert lines[:2] == ["| topic | BRE | all |", "|---|--:|--:|"]
    assert "| Langue & sciences du langage | 1 | 1 |" in lines and "| Territoire & aménagement | 2 | 2 |" in lines
    assert lines[-2:] == ["| all | 3 | 3 |", "| of these, LV | 1 | 1 |"]


def test_an_item_says_where_its_fact_comes_from(small):
    (item,) = regions.regions(small({"where": '"Quimper"', "check": '"le mot"'}))
    assert (item.place, item.topic, item.entity, item.source) == ("FR-BRE", "Territoire & aménagement", "bre.odet", "ign")
    assert item.options[item.gold] == "L'Odet" and sorted(item.options[:4]) == ["L'Aulne", "L'Odet", "La Rance", "Le Blavet"]
    assert item.meta == {
        "region": "Bretagne", "origin": "IGN : Quimper", "url": "https://www.geoportail.gouv.fr", "level": "easy", "skill": "space",
        "review": "le mot",
    }  # fmt: skip
    assert regions.review([item]) == "- `bre.odet` (Bretagne): le mot\n"
    assert regions.review([]) == "- none\n"


@pytest.mark.parametrize("n, least, most", [(0, 0, 0), (1, 0, 1), (4, 1, 1), (7, 1, 2), (24, 6, 6)])
def test_positions_are_balanced_to_within_one(n, least, most):
    places = regions.positions(n, "seed")
    often = [places.count(place) for place in range(4)]
    assert (len(places), min(often), max(often)) == (n, least, most)
    assert places == regions.positions(n, "seed")


def test_another_seed_gives_another_order():
    assert regions.positions(24, "7/FR-BRE") != regions.positions(24, "8/FR-BRE")


@pytest.mark.parametrize(
    "change, said",
    [({"topic": '"Cuisine"'}, "bre.odet: topic: 'Cuisine' is none of the 14 topics"),
     ({"source": '"ing"'}, "bre.odet: source: 'ing' is no reference of about.toml"),
     ({"wrong": '["L\'Aulne", "La Rance"]'}, "bre.odet: wrong: has 2 answers, expected 3"),
     ({"wrong": '["L\'Aulne", "La Rance", "l\'odet "]'}, "an answer is empty or stands twice"),
     ({"wrong": '["L\'Aulne", "La Rance", " "]'}, "an answer is empty or stands twice"),
     ({"wrong": '["L\'Aulne", "La Rance", "Je ne sais pas"]'}, "an answer is empty or stands twice"),
     ({"skill": '"guess"'}, "guess"), ({"subset": '"lv"'}, "lv"), ({"right": None}, "right"), ({"rigth": '"x"'}, "rigth"),
     ({"stem": "Quimper"}, "FR-BRE.toml")],
)  # fmt: skip
def test_a_bad_question_is_a_fault_with_its_file_and_name(small, change, said):
    with pytest.raises(TableError, match=re.escape(said)) as caught:
        list(regions.regions(small(change)))
    assert "FR-BRE.toml" in str(caught.value)


def test_one_stem_twice_is_a_fault_that_names_the_other_file(small):
    small({"stem": '"Où ?"'})
    folder = small({"stem": '"Où ?"'}, name="FR-GES.toml", place="FR-GES")
    with pytest.raises(TableError, match=r"FR-GES.toml: bre.odet: stem: stands also in FR-BRE.toml"):
        list(regions.regions(folder))


def test_faults_of_the_folder(small, tmp_path):
    with pytest.raises(UnknownName, match=r"no region 'FR-BRT'; did you mean 'FR-BRE'\?"):
        list(regions.regions(small({}, place="FR-BRT")))
    with pytest.raises(TableError, match="about.toml"):
        list(regions.regions(small({}, about=ABOUT.replace("seed = 3", ""))))
    (tmp_path / "about.toml").unlink()
    with pytest.raises(StorageError, match="about.toml: cannot be read"):
        list(regions.regions(tmp_path))
    with pytest.raises(InputError, match="holds no .toml file"):
        list(regions.sheets(tmp_path / "questions"))
    with pytest.raises(InputError, match="card.md: the marks <!-- counts --> and <!-- /counts --> are missing"):
        regions.card("# small\n", [])
