"""Wrong answers that are wrong: areas in areas, years in dispute, bounds of one's own; and 10,000 random facts."""

import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from endonym.build.distractors import Area, Atlas, TooFew, elsewhere, near
from endonym.build.templates import templates
from endonym.records import Item, Source, canonical


def table(*rows: str) -> dict[str, Area]:
    """``code name parent…``; the name in one language."""
    split = [row.split() for row in rows]
    return {code: Area(code=code, place="XA", labels={"en": name}, parents=tuple(up)) for code, name, *up in split}


LAND = table("N North", "S South", "N1 Dale N", "N2 Fen N", "S1 Moor S", "S2 Wood S", "S2a Glade S2", "E East")


def drawn(true: list[str], count: int, areas: dict[str, Area] = LAND) -> set[str]:
    """All codes that any of 200 draws gives."""
    return {code for seed in range(200) for code in elsewhere(areas[true[0]], true, areas, count, random.Random(seed))}


def test_neither_parents_nor_children_of_a_true_area_are_wrong():
    assert drawn(["N1"], 1) == {"S", "N2", "S1", "S2", "S2a", "E"}
    assert drawn(["S"], 1) == {"N", "N1", "N2", "E"}
    assert drawn(["S2a"], 1) == {"N", "N1", "N2", "S1", "E"}  # the grandparent too
    assert drawn(["N1", "S2"], 1) == {"N2", "S1", "E"}


def test_no_distractor_lies_in_another():
    for seed in range(200):
        codes = elsewhere(LAND["E"], ["E"], LAND, 3, random.Random(seed))
        assert not [(a, b) for a in codes for b in codes if b in Atlas(LAND).above(a)]


def test_parents_that_stand_in_no_table_and_parents_in_a_circle():
    areas = table("A1 Dale A", "B1 Fen B", "C Moor D", "D Wood C")
    assert drawn(["A1"], 1, areas) == {"B1", "C", "D"} and drawn(["C"], 1, areas) == {"A1", "B1"}
    assert Atlas(areas).above("C") == {"C", "D"}


def test_areas_without_a_name_in_a_language_of_the_file_are_no_options():
    areas = {**table("A Dale", "B Fen", "C Moor"), "D": Area(code="D", place="XA", labels={"en": "Wood", "fr": "Bois"})}
    areas["A"] = Area(code="A", place="XA", labels={"en": "Dale", "fr": "Val"})
    assert elsewhere(areas["A"], ["A"], areas, 1, random.Random(0), langs=("en", "fr")) == ["D"]
    with pytest.raises(TooFew):
        elsewhere(areas["A"], ["A"], areas, 2, random.Random(0), langs=("en", "fr"))


def test_bounds_of_ones_own():
    """20 to 22 years away: six years."""
    assert sorted(near(1900, 6, 2025, random.Random(0), bounds=(20, 22))) == [1878, 1879, 1880, 1920, 1921, 1922]
    assert sorted(near(1900, 2, 2025, random.Random(0), bounds=(1, 1))) == [1899, 1901]


def test_years_in_dispute_are_no_distractors_nor_their_neighbours():
    """Gold 1900, also held true: 1907. Possible were 1890 to 1895 and 1905 to 1910; 1905 to 1910 are less than 5 years from 1907."""
    assert sorted(near(1900, 6, 2025, random.Random(0), true=(1907,))) == [1890, 1891, 1892, 1893, 1894, 1895]
    with pytest.raises(TooFew):
        near(1900, 7, 2025, random.Random(0), true=(1907,))


LANGS = ("en", "ru")
TOML = """
languages = ["en", "ru"]
[domains.war]
slot = "year"
kind = "year"
templates.en = ["When was {entity}?", "{country}, {entity}: which year?"]
templates.ru = ["Когда {entity}?", "{country}, {entity}: какой год?"]
[domains.park]
slot = "area"
kind = "area"
templates.en = ["Where is {entity}?", "{country}, {entity}: which area?"]
templates.ru = ["Где {entity}?", "{country}, {entity}: какой край?"]
[countries]
"""


def country(code: str) -> str:
    forms = "".join(f'\nforms.{lang} = {{ country = "{code} in {lang}" }}' for lang in LANGS)
    return f'[countries.{code}]\nname = "{code}"{forms}\n'


def world(rng: random.Random) -> list[Area]:
    """Five countries of 40 areas each: regions, districts in them, parts of those; names are sometimes parts of each other."""
    made = []
    for place in ("XA", "XB", "XC", "XD", "XE"):
        seen: set[str] = set()  # each name is another one, so that an option tells its area
        for n in range(40):
            names = {lang: name(rng, seen, n) for lang in LANGS}
            parents = () if n < 16 else (f"{place}-{rng.randrange(16):02d}",) if n < 32 else (f"{place}-{rng.randrange(16, 32):02d}",)
            made.append(Area(code=f"{place}-{n:02d}", place=place, labels=names, parents=parents))
    return made


def name(rng: random.Random, seen: set[str], n: int) -> str:
    while (text := "".join(rng.choices("abcdef", k=rng.randint(2, 6))) + str(n % 10)) in seen:
        pass
    seen.add(text)
    return text


def facts(number: int, areas: list[Area], rng: random.Random) -> list[Source]:
    made = []
    for n in range(number):
        area, labels = rng.choice(areas), {lang: f"entity {n} in {lang}" for lang in LANGS}
        if n % 2:
            others = rng.sample([a.code for a in areas if a.place == area.place and a != area], rng.choice((0, 0, 1, 2)))
            fact, topic = {"area": " ".join([area.code, *others])}, "park"
        else:
            gold = rng.randint(1100, 2000)
            fact, topic = {"year": " ".join(map(str, [gold, *rng.choice(([], [], [gold + rng.randint(-12, 12)]))]))}, "war"
        made.append(Source(id=f"{area.place}.{topic}.{n}", fact=fact, labels={"entity": labels}, place=area.place, topic=topic))
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Area], list[Source], list[Item]]:
    rng, folder = random.Random(7), tmp_path_factory.mktemp("world")
    areas = world(rng)
    (folder / "areas.jsonl").write_bytes(b"".join(canonical(area) + b"\n" for area in areas))
    (folder / "templates.toml").write_text(TOML + "".join(map(country, ("XA", "XB", "XC", "XD", "XE"))), encoding="utf-8")
    sources = facts(10_000, areas, rng)
    return folder, areas, sources, items(folder, sources)


def items(folder: Path, sources: list[Source], seed: int = 0) -> list[Item]:
    return list(templates(sources, file=folder / "templates.toml", areas=folder / "areas.jsonl", seed=seed))


def test_ten_thousand_facts_have_no_true_answer_among_their_distractors(made: tuple[Path, list[Area], list[Source], list[Item]]):
    """Held to the facts by other code than the one that draws: by names in a language, by years as numbers."""
    _, areas, sources, all_items = made
    by_code, facts_of = {area.code: area for area in areas}, {source.id: source.fact for source in sources}
    code_of = {(a.place, lang, text): a.code for a in areas for lang, text in a.labels.items()}
    up = {a.code: {a.code, *a.parents, *(p for parent in a.parents for p in by_code[parent].parents)} for a in areas}
    assert len(all_items) == 10_000 * 2 * 2
    for item in all_items:
        values = (facts_of[item.source].get("year") or facts_of[item.source]["area"]).split()
        gold, wrong = item.options[item.gold or 0], [o for n, o in enumerate(item.options) if n != item.gold]
        if "year" in facts_of[item.source]:
            years = list(map(int, wrong))
            assert gold == values[0] and all(5 <= abs(year - int(values[0])) <= 10 for year in years) and len(set(years)) == 3
            assert all(abs(year - int(value)) >= 5 for year in years for value in values)
            continue
        assert gold == by_code[values[0]].labels[item.lang]
        for option in wrong:
            code = code_of[item.place, item.lang, option]
            assert not any(code in up[value] or value in up[code] for value in values)
            assert not any(option in by_code[v].labels[item.lang] or by_code[v].labels[item.lang] in option for v in values)
        assert not any(a != b and a in b for a in item.options for b in item.options)


def test_ten_thousand_facts_are_parallel_and_balanced(made: tuple[Path, list[Area], list[Source], list[Item]]):
    _, areas, _, all_items = made
    code_of = {(a.place, lang, text): a.code for a in areas for lang, text in a.labels.items()}
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in all_items:
        groups[item.parallel].append(item)
    assert len(groups) == 20_000
    for group in groups.values():
        assert [item.lang for item in group] == list(LANGS) and len({item.gold for item in group}) == 1
        assert len({tuple(code_of.get((item.place, item.lang, o), o) for o in item.options) for item in group}) == 1
    for lang in LANGS:
        counts = Counter(item.gold for item in all_items if item.lang == lang)
        assert max(counts.values()) - min(counts.values()) <= 1 and set(counts) == {0, 1, 2, 3}


def test_the_same_seed_gives_the_same_bytes(made: tuple[Path, list[Area], list[Source], list[Item]]):
    folder, _, sources, all_items = made
    assert b"".join(map(canonical, items(folder, sources))) == b"".join(map(canonical, all_items))
    assert items(folder, sources[:50], seed=1) != all_items[:200]
