"""Facts, templates and areas into items: arithmetic by hand, faults by name, and what holds for any facts at all."""

import random
import tempfile
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from endonym.build.distractors import Area, TooFew, areas, elsewhere, near
from endonym.build.templates import templates
from endonym.errors import InputError, StorageError, TableError, UnknownName
from endonym.records import Item, Source, canonical

WORDING = """
languages = ["en", "fr"]
[domains.war]
slot = "year"
kind = "year"
[domains.war.templates]
en = ["When did {entity} begin?", "{Country}: when did {entity} start?"]
fr = ["Quand a commencé « {entity} » ?", "{Country} : en quelle année « {entity} » ?"]
[domains.lake]
slot = "area"
kind = "area"
[domains.lake.templates]
en = ["Where is {entity}?", "{entity} of {country}: where?"]
fr = ["Où se trouve {entity} ?", "{entity}, {country} : où ?"]
[countries.XA]
name = "Exland"
[countries.XA.forms]
en = { country = "the Exland" }
fr = { country = "l'Exlande" }
"""
NAMES = {
    "XA-1": ("North Hill", "Mont-Nord"), "XA-2": ("Hill", "Colline"), "XA-3": ("Dale", "Val"), "XA-4": ("Fen", "Marais"),
    "XA-5": ("Moor", "Lande"), "XA-6": ("Wood", "Valois"), "XB-1": ("Abroad", "Ailleurs"),
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "templates.toml"
    path.write_text(WORDING, encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return written(tmp_path / "areas.jsonl", NAMES)


def written(path: Path, names: dict[str, tuple[str, str]]) -> Path:
    rows = [Area(code=code, place=code[:2], labels=dict(zip(("en", "fr"), both, strict=True))) for code, both in names.items()]
    path.write_bytes(b"".join(canonical(row) + b"\n" for row in rows))
    return path


def war(name: str = "w1", year: str = "1866") -> Source:
    return Source(id=name, fact={"year": year}, labels={"entity": {"en": f"War {name}", "fr": f"Guerre {name}"}}, place="XA", topic="war")


def lake(name: str = "l1", area: str = "XA-3") -> Source:
    return Source(id=name, fact={"area": area}, labels={"entity": {"en": f"Lake {name}", "fr": f"Lac {name}"}}, place="XA", topic="lake")


def test_one_fact_makes_a_question_of_each_template_in_each_language(file: Path, table: Path):
    items = list(templates([war()], file=file, areas=table))
    assert [(item.template, item.lang, item.stem) for item in items] == [
        ("1", "en", "When did War w1 begin?"), ("1", "fr", "Quand a commencé « Guerre w1 » ?"),
        ("2", "en", "The Exland: when did War w1 start?"), ("2", "fr", "L'Exlande : en quelle année « Guerre w1 » ?"),
    ]  # fmt: skip
    assert {(i.entity, i.source, i.topic, i.place, i.maker) for i in items} == {("w1", "w1", "war", "XA", "endonym/templates")}
    assert items[0].meta == {"domain": "war", "country": "Exland"}
    assert [item.parallel for item in items] == ["w1/1", "w1/1", "w1/2", "w1/2"]


def test_options_are_areas_in_the_items_own_language(file: Path, table: Path):
    """Hill lies within North Hill, Val within Valois: where the gold is XA-3 (Val), XA-6 (Valois) is never a distractor."""
    for seed in range(20):
        items = list(templates([lake()], file=file, areas=table, seed=seed))
        for english, french in (items[:2], items[2:]):
            codes = [next(c for c, both in NAMES.items() if both[0] == option) for option in english.options]
            assert french.options == tuple(NAMES[code][1] for code in codes)
            assert english.gold == french.gold == codes.index("XA-3")
            assert not {"XB-1", "XA-6"} & set(codes) and not {"XA-1", "XA-2"} <= set(codes)


def test_all_areas_of_a_fact_are_true_and_the_first_is_gold(file: Path, table: Path):
    for seed in range(20):
        item = next(templates([lake(area="XA-4 XA-5")], file=file, areas=table, seed=seed, distractors=2))
        assert item.options[item.gold or 0] == "Fen" and "Moor" not in item.options


def test_an_area_within_another_true_one_is_no_distractor(file: Path, table: Path):
    """The lake lies in Moor and in North Hill; Hill is a part of the name of the second, which is no option."""
    for seed in range(20):
        item = next(templates([lake(area="XA-5 XA-1")], file=file, areas=table, seed=seed, distractors=2))
        assert not {"Hill", "North Hill"} & set(item.options)


def test_years_are_five_to_ten_away_and_not_after_the_latest(file: Path, table: Path):
    """2020 with latest 2025: 2010 to 2015 and 2025 are possible, seven in all; with latest 2024 six."""
    item = next(templates([war(year="2020")], file=file, areas=table, distractors=7))
    assert sorted(item.options) == ["2010", "2011", "2012", "2013", "2014", "2015", "2020", "2025"]
    item = next(templates([war(year="2020")], file=file, areas=table, distractors=6, latest=2024))
    assert sorted(item.options) == ["2010", "2011", "2012", "2013", "2014", "2015", "2020"]


def test_every_possible_year_is_drawn_alike():
    """12 candidates, 3 drawn: each in a quarter of 2,000 draws, 500; its standard deviation is √(2000·¼·¾) = 19.4, five of them 97."""
    drawn = Counter(year for seed in range(2000) for year in near(1866, 3, 2025, random.Random(seed)))
    assert sorted(drawn) == [*range(1856, 1862), *range(1871, 1877)]
    assert all(abs(count - 500) < 97 for count in drawn.values())


def test_the_right_year_is_no_middle_year_more_often_than_by_chance():
    """How many of 3 wrong years lie before: 0, 1, 2, 3 alike; 500 of 2,000 each, five standard deviations are 97."""
    before = Counter(sum(year < 1866 for year in near(1866, 3, 2025, random.Random(seed))) for seed in range(2000))
    assert sorted(before) == [0, 1, 2, 3] and all(abs(count - 500) < 97 for count in before.values())


def test_wrong_years_have_as_many_digits_as_the_right_one():
    """Of 1003 ± 5 to 10, 993 to 998 have three digits: only 1008 to 1013 are left, six; of 1005, 1000 too."""
    assert sorted(near(1003, 6, 2025, random.Random(0))) == [1008, 1009, 1010, 1011, 1012, 1013]
    assert sorted(near(1005, 7, 2025, random.Random(0))) == [1000, 1010, 1011, 1012, 1013, 1014, 1015]
    with pytest.raises(TooFew, match="only 6 possible distractors, 7 are asked for"):
        near(1003, 7, 2025, random.Random(0))


def test_the_languages_asked_for_change_nothing_else(file: Path, table: Path):
    sources = [war(), lake(), war("w2", "1900"), lake("l2", "XA-4")]
    both = list(templates(sources, file=file, areas=table))
    one = list(templates(sources, file=file, areas=table, langs=("fr",)))
    assert one == [item for item in both if item.lang == "fr"]


def test_another_source_before_it_changes_no_distractor(file: Path, table: Path):
    alone = list(templates([lake()], file=file, areas=table))
    after = [item for item in templates([war(), war("w2"), lake()], file=file, areas=table) if item.topic == "lake"]
    assert [(i.stem, set(i.options)) for i in alone] == [(i.stem, set(i.options)) for i in after]


def test_each_source_and_each_template_has_a_draw_of_its_own(file: Path, table: Path):
    """220 sets of 3 out of 12 years: 40 draws over 20 sources and 2 templates leave far more than 20 different ones."""
    sources = [war(f"w{n}") for n in range(20)]
    draws = [(i.source, i.template, frozenset(i.options)) for i in templates(sources, file=file, areas=table, langs=("en",))]
    assert len({years for _, _, years in draws}) > 20
    assert len({years for _, template, years in draws if template == "1"}) > 10


def test_the_seed_is_what_makes_the_difference(file: Path, table: Path):
    sources = [war(f"w{n}", str(1800 + n)) for n in range(10)]
    again = [[canonical(i) for i in templates(sources, file=file, areas=table, seed=seed)] for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (Source(id="s", fact={"year": "1866"}, labels={"entity": {"en": "War"}}, place="XA", topic="war"), ["s: entity", "language 'fr'"]),
        (Source(id="s", fact={"year": "1866"}, place="XA", topic="war"), ["s: entity", "language 'en'"]),
        (lake("s", "XA-9"), ["s: area", "'XA-9'", "did you mean"]),
        (lake("s", "XA-1 XA-0"), ["s: area", "'XA-0'"]),
        (lake("s", "XB-1"), ["s: area", "'XB-1' lies in XB"]),
        (war("s", "2100"), ["s: year", "only 0", "en, fr"]),
        (war("s", "c. 1866"), ["s: year", "'c.' is no year"]),
        (war("s", "-44"), ["s: year", "'-44' is no year"]),
        (war("s", "１８６６"), ["s: year", "is no year"]),
        (war("s", ""), ["s: year", "no value"]),
        (Source(id="s", fact={"place": "x"}, labels=war().labels, place="XA", topic="war"), ["s: year", "no value"]),
    ],
)
def test_what_is_wrong_with_a_fact_is_said_with_source_slot_and_language(source: Source, said: list[str], file: Path, table: Path):
    with pytest.raises(InputError) as error:
        list(templates([source], file=file, areas=table))
    assert not [part for part in said if part not in str(error.value)], str(error.value)


def test_too_few_areas(file: Path, table: Path):
    """Of six areas, for Dale (Val) neither itself nor Wood (Valois) can be wrong, and Hill and North Hill not both: three are left."""
    assert len(next(templates([lake()], file=file, areas=table, distractors=3)).options) == 4
    with pytest.raises(InputError, match=r"^l1: area: only 4 possible distractors, .*; 4 are asked for"):
        list(templates([lake()], file=file, areas=table, distractors=4))


def test_an_area_without_a_label_in_a_language(file: Path, tmp_path: Path):
    rows = [Area(code=c, place="XA", labels={"en": e} if c == "XA-3" else {"en": e, "fr": f}) for c, (e, f) in NAMES.items() if c[1] == "A"]
    path = tmp_path / "areas.jsonl"
    path.write_bytes(b"".join(canonical(row) + b"\n" for row in rows))
    with pytest.raises(InputError, match=r"^l1: area: the area 'XA-3' has no label in the language 'fr'"):
        list(templates([lake()], file=file, areas=path))


def test_templates_that_are_equal_once_filled(file: Path, table: Path):
    file.write_text(WORDING.replace('"{entity}, {country} : où ?"', '"Où se trouve {Entity} ?"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"^l1: area: templates 1 and 2 of 'lake' are equal in the language 'fr'"):
        list(templates([lake()], file=file, areas=table))


def test_names_that_no_file_knows(file: Path, table: Path):
    with pytest.raises(UnknownName, match=r"'it'.*en, fr"):
        list(templates([war()], file=file, areas=table, langs=("it",)))
    with pytest.raises(UnknownName, match="topic of s.*'wars'.*did you mean 'war'"):
        list(templates([Source(id="s", topic="wars", place="XA")], file=file, areas=table))
    with pytest.raises(UnknownName, match="place of s.*'XX'"):
        list(templates([Source(id="s", topic="war", place="XX")], file=file, areas=table))


def test_a_source_that_stands_twice_and_no_distractors(file: Path, table: Path):
    with pytest.raises(InputError, match="^w1: id: stands twice"):
        list(templates([war(), war()], file=file, areas=table))
    with pytest.raises(InputError, match="^distractors: 0"):
        list(templates([war()], file=file, areas=table, distractors=0))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('fr = ["Où se trouve {entity} ?", "{entity}, {country} : où ?"]', 'fr = ["Où ?"]', "domains.lake.templates.fr: has 1 .* has 2"),
        ('fr = ["Où se trouve {entity} ?", "{entity}, {country} : où ?"]', "", "domains.lake.templates.fr: has 0 .* has 2"),
        ('kind = "area"', 'kind = "village"', "domains.*kind: .*'village'"),
        ('name = "Exland"', "", "countries.*name.* is missing"),
        ('languages = ["en", "fr"]', "languages = [", "templates.toml: "),
    ],
)
def test_a_bad_file_of_templates(file: Path, table: Path, old: str, new: str, said: str):
    assert old in WORDING
    file.write_text(WORDING.replace(old, new), encoding="utf-8")
    with pytest.raises(TableError, match=said) as error:
        list(templates([war()], file=file, areas=table))
    assert str(error.value).startswith(str(file))


def test_a_bad_table_of_areas(tmp_path: Path):
    path = tmp_path / "areas.jsonl"
    with pytest.raises(StorageError, match="no such file"):
        areas(path)
    path.write_text('{"code":"XA-1","place":"XA","labels":{}}\n{"code":"XA-1","place":"XA","labels":{}}\n')
    with pytest.raises(TableError, match=r"areas.jsonl:2: code: 'XA-1' stands twice"):
        areas(path)


def test_a_choice_is_found_where_the_first_one_met_blocks_it():
    """"a" is part of all others, so it can never be among two: whatever the order, the other two are found."""
    table = {f"X-{n}": Area(code=f"X-{n}", place="X", labels={"en": name}) for n, name in enumerate(["gold", "a", "ab", "ac"])}
    for seed in range(10):
        assert set(elsewhere(table["X-0"], ["X-0"], table, 2, random.Random(seed))) == {"X-2", "X-3"}
    with pytest.raises(TooFew):
        elsewhere(table["X-0"], ["X-0"], table, 3, random.Random(0))


NAME = st.text(alphabet="abcdefg", min_size=3, max_size=4)
NAMED = st.lists(st.tuples(NAME, NAME), min_size=20, max_size=20, unique_by=(lambda n: n[0], lambda n: n[1]))
CODES = st.lists(st.integers(0, 19), min_size=1, max_size=3, unique=True)
FACTS = st.lists(st.one_of(st.integers(11, 2025), CODES), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=FACTS, names=NAMED, seed=st.integers(0, 2**32), distractors=st.integers(1, 4))
def test_whatever_the_facts(facts: list, names: list[tuple[str, str]], seed: int, distractors: int):
    codes = [f"XA-{n}" for n in range(20)]
    sources = [war(f"s{n}", str(f)) if isinstance(f, int) else lake(f"s{n}", " ".join(codes[i] for i in f)) for n, f in enumerate(facts)]
    with tempfile.TemporaryDirectory() as folder:
        file, table = Path(folder) / "t.toml", written(Path(folder) / "a.jsonl", dict(zip(codes, names, strict=True)))
        file.write_text(WORDING, encoding="utf-8")
        try:
            items, again = ([*templates(sources, file=file, areas=table, seed=seed, distractors=distractors)] for _ in range(2))
        except InputError as error:
            assert "possible distractors" in str(error)
            return
    assert [canonical(i) for i in items] == [canonical(i) for i in again]
    check(items, {s.id: s for s in sources}, names, distractors)


def check(items: list[Item], sources: dict[str, Source], names: list[tuple[str, str]], distractors: int) -> None:
    """No true answer among the distractors, all parallel, no option within another, gold positions balanced within 1."""
    groups = defaultdict(list)
    for item in items:
        groups[item.parallel].append(item)
        assert len(item.options) == distractors + 1
        assert not [p for p in combinations(item.options, 2) if p[0] in p[1] or p[1] in p[0]]
    assert len(groups) == 2 * len(sources)
    for english, french in groups.values():
        fact = sources[english.source].fact
        assert (english.lang, french.lang, english.gold) == ("en", "fr", french.gold)
        if "year" in fact:
            assert english.options == french.options and english.options[english.gold] == fact["year"]
            continue
        true = [names[int(code[3:])] for code in fact["area"].split()]
        options = list(zip(english.options, french.options, strict=True))
        assert options[english.gold] == true[0] and set(options) <= set(names)
        assert not set(true) & {option for n, option in enumerate(options) if n != english.gold}
    counts = [Counter(item.gold for item in items if item.lang == "en")[n] for n in range(distractors + 1)]
    assert max(counts) - min(counts) <= 1
