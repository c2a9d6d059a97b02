"""The larger starter benchmark: complete, parallel, balanced, in the right scripts, and made again to the byte."""

import re
import unicodedata
from collections import Counter, defaultdict
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest

from endonym.build import starter
from endonym.build.distractors import Area, areas
from endonym.build.native import header, native
from endonym.build.templates import read_wording
from endonym.records import Item, Source

DATA = Path(str(files("endonym") / "data"))
FOLDER = DATA / "nations"
LANGUAGES = ("en", "de", "es", "fr", "hi", "ja", "pt", "ru", "zh")
NATIONS = {
    "CN": "China", "DE": "Germany", "ES": "Spain", "FR": "France", "GB": "United Kingdom", "IN": "India", "JP": "Japan", "MX": "Mexico",
    "PT": "Portugal", "RU": "Russia", "US": "United States",
}  # fmt: skip
SCRIPTS = {
    "en": r"[ -~À-ɏ’“”–]+", "de": r"[ -~À-ɏ„“–]+", "es": r"[ -~À-ɏ¿«»–]+", "fr": r"[ -~À-ɏ«»]+", "hi": r"[ऀ-ॿ0-9 ,.?“”-]+",
    "ja": r"[぀-ヿ一-鿿0-9F、。・＝「」]+", "pt": r"[ -~À-ɏ«»]+", "ru": r"[А-яЁё0-9 ,.?:«»—-]+", "zh": r"[一-鿿0-9？。，·“”-]+",
}  # fmt: skip
OWN = {"hi": r"[ऀ-ॿ]", "ja": r"[぀-ヿ一-鿿]", "ru": r"[А-яЁё]", "zh": r"[一-鿿]"}
CATEGORIES = (
    "(地域圏|自治区|大区|边疆区|共和国|地方|諸島|群岛|[州県省县都邦郡区])$"
    "|^(oblast|óblast|krai|kraï|république|república|région|region|región|região|округ|республика) (des? |d')?"
)
"""What says of what kind an area is, and is left off where a name is looked for in another."""
INVISIBLE = {"Cf", "Cc", "Co", "Cn"}


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return list(native(FOLDER / "benchmark.jsonl"))


@pytest.fixture(scope="module")
def sources() -> dict[str, Source]:
    return {source.id: source for source in starter.facts(FOLDER / "facts.jsonl")}


@pytest.fixture(scope="module")
def table() -> dict[str, Area]:
    return areas(FOLDER / "areas.jsonl")


def texts(items: list[Item]) -> set[tuple[str, str]]:
    return {(item.lang, text) for item in items for text in (item.stem, *(() if item.options[0].isdecimal() else item.options))}


def test_made_again_it_has_the_same_bytes():
    assert starter.whole(FOLDER) == (FOLDER / "benchmark.jsonl").read_bytes()


def test_the_header_says_what_it_is():
    head = header(FOLDER / "benchmark.jsonl")
    assert head is not None
    assert (head.name, head.version, head.licence, head.languages) == ("nations", "1", "CC-BY-4.0", LANGUAGES)
    guid = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert re.search(guid, head.canary)
    assert starter.header(FOLDER / "facts.jsonl").canary == head.canary
    assert head.canary in (FOLDER / "card.md").read_text(encoding="utf-8")
    small = header(DATA / "nations-mini" / "benchmark.jsonl")
    assert small is not None and small.canary != head.canary


def test_counts(items: list[Item], sources: dict[str, Source]):
    """11 nations × 4 domains × 7 entities = 308; × 4 templates × 9 languages = 11,088. One British park is a site instead."""
    cells = Counter((source.place, source.topic) for source in sources.values())
    assert cells == {(place, topic): 7 for place in NATIONS for topic in ("leader", "war", "park", "heritage")} | {
        ("GB", "park"): 6,
        ("GB", "heritage"): 8,
    }
    assert Counter(item.lang for item in items) == dict.fromkeys(LANGUAGES, 1232)
    assert Counter(item.template for item in items) == dict.fromkeys("1234", 2772)
    assert len({item.id for item in items}) == len(items) == 11088


def test_every_item_says_where_it_belongs(items: list[Item], sources: dict[str, Source]):
    for item in items:
        source = sources[item.source]
        assert item.meta == {"domain": item.topic, "country": NATIONS[item.place]}
        assert (item.topic, item.place, item.entity) == (source.topic, source.place, source.id)
        assert (item.maker, item.parallel) == ("endonym/templates", f"{source.id}/{item.template}")


def test_what_nations_mini_has_is_kept(sources: dict[str, Source], table: dict[str, Area]):
    for small in starter.facts(DATA / "nations-mini" / "facts.jsonl"):
        whole = sources[small.id]
        assert (whole.fact, whole.title, whole.place, whole.topic) == (small.fact, small.title, small.place, small.topic)
        names = whole.labels["entity"]
        assert small.labels["entity"].items() <= names.items()
    for code, small in areas(DATA / "nations-mini" / "areas.jsonl").items():
        assert small.labels.items() <= table[code].labels.items()


def test_no_entity_stands_twice(sources: dict[str, Source]):
    for lang in LANGUAGES:
        names = Counter(source.labels["entity"][lang].casefold() for source in sources.values())
        assert not [name for name, count in names.items() if count > 1], lang


def test_each_country_has_enough_areas(table: dict[str, Area]):
    assert all(set(area.labels) == set(LANGUAGES) and area.code.startswith(area.place + "-") for area in table.values())
    assert min(Counter(area.place for area in table.values()).values()) >= 12
    assert {area.place for area in table.values() if "x:" in area.code} == {"GB"}
    for lang in LANGUAGES:
        assert len({(area.place, area.labels[lang]) for area in table.values()}) == len(table), lang


def test_codes_of_areas_are_those_of_iso_3166_2(table: dict[str, Area]):
    pycountry = pytest.importorskip("pycountry")
    known = {subdivision.code for subdivision in pycountry.subdivisions}
    assert {code for code in table if "x:" not in code} <= known
    assert {code for code in table if code.startswith("PT-")} == {code for code in known if code.startswith("PT-")}


def test_the_gold_is_the_fact_and_no_distractor_is_true(items: list[Item], sources: dict[str, Source], table: dict[str, Area]):
    for item in items:
        fact = sources[item.source].fact
        true = fact["area"].split() if "area" in fact else [fact["year"]]
        words = [table[code].labels[item.lang] for code in true] if "area" in fact else true
        assert item.gold is not None and item.options[item.gold] == words[0]
        assert not set(words) & {option for n, option in enumerate(item.options) if n != item.gold}


def test_no_area_is_the_answer_of_most_questions_of_a_cell(sources: dict[str, Source]):
    """Four of seven French national parks lie in one region, and the card says so; no other answer has more than two of seven."""
    golds = Counter((s.place, s.topic, s.fact["area"].split()[0]) for s in sources.values() if "area" in s.fact)
    assert [(cell, count) for cell, count in golds.items() if count > 2] == [(("FR", "park", "FR-PAC"), 4)]


def test_wrong_years_are_five_to_ten_away(items: list[Item]):
    for item in items:
        if item.topic in ("leader", "war"):
            assert item.gold is not None
            years = [int(option) for option in item.options]
            away = sorted(abs(year - years[item.gold]) for year in years)
            assert away[0] == 0 and away[1] >= 5 and away[-1] <= 10 and max(years) <= 2025
            assert len({len(option) for option in item.options}) == 1


def test_parallel_items_are_parallel(items: list[Item], table: dict[str, Area]):
    """Also holds every wrong area to the item's own country: a name of another country has no code here."""
    code = {(area.place, lang, label): area.code for area in table.values() for lang, label in area.labels.items()}
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[item.parallel].append(item)
    assert len(groups) == 1232
    for group in groups.values():
        assert tuple(item.lang for item in group) == LANGUAGES
        assert len({item.gold for item in group}) == 1
        years = group[0].topic in ("leader", "war")
        chosen = {tuple(o if years else code[item.place, item.lang, o] for o in item.options) for item in group}
        assert len(chosen) == 1 and len(set(chosen.pop())) == 4


def test_gold_positions_are_balanced(items: list[Item]):
    for lang in LANGUAGES:
        assert Counter(item.gold for item in items if item.lang == lang) == dict.fromkeys(range(4), 308)


def test_where_the_gold_stands_among_the_sorted_years_is_no_cue(items: list[Item]):
    """616 questions, 154 for each of 4 ranks by chance; the standard deviation is √(616·¼·¾) = 10.7, four of them 43."""
    ranks = Counter(sorted(i.options).index(i.options[i.gold or 0]) for i in items if i.lang == "en" and i.topic in ("leader", "war"))
    assert sum(ranks.values()) == 616 and all(abs(ranks[rank] - 154) <= 43 for rank in range(4)), ranks


def test_no_option_is_part_of_another(items: list[Item]):
    for options in {item.options for item in items}:
        folded = [option.casefold() for option in options]
        assert not [pair for pair in combinations(folded, 2) if pair[0] in pair[1] or pair[1] in pair[0]], options


def test_no_question_says_its_answer(items: list[Item]):
    leaks = [(item.lang, item.stem, option) for item in items for option in item.options if option.casefold() in item.stem.casefold()]
    assert not leaks


def test_no_name_holds_its_answer_even_without_the_word_for_its_kind(sources: dict[str, Source], table: dict[str, Area]):
    for source in sources.values():
        for lang, name in source.labels["entity"].items():
            if "year" in source.fact:
                assert not re.search(r"\d{3}", name), (source.id, lang)
                continue
            for code in source.fact["area"].split():
                assert re.sub(CATEGORIES, "", table[code].labels[lang].casefold()) not in name.casefold(), (source.id, lang)


def test_the_four_templates_differ(items: list[Item]):
    stems: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        stems[item.entity, item.lang].add(item.stem)
    assert len(stems) == 308 * 9 and all(len(four) == 4 for four in stems.values())
    assert len({(item.lang, item.stem) for item in items}) == len(items)


def test_text_is_clean(items: list[Item]):
    for lang, text in texts(items):
        assert text == unicodedata.normalize("NFC", text).strip() and "  " not in text, (lang, text)
        assert not [c for c in text if unicodedata.category(c) in INVISIBLE], (lang, text)
        assert "{" not in text and "}" not in text


def test_text_is_in_the_script_of_its_language(items: list[Item]):
    for lang, text in texts(items):
        assert re.fullmatch(SCRIPTS[lang], text), (lang, text)
        assert re.search(OWN.get(lang, "[A-Za-z]"), text), (lang, text)


def test_labels_of_areas_are_clean_and_in_their_script(table: dict[str, Area]):
    for area in table.values():
        for lang, label in area.labels.items():
            assert label == unicodedata.normalize("NFC", label).strip() and re.fullmatch(SCRIPTS[lang], label), (lang, label)


def test_articles_and_prepositions_are_joined_to_what_follows(items: list[Item]):
    """French elides, French, Portuguese and Spanish contract; a name within the question keeps its own words."""
    faults = {
        "fr": r"\b([dl]e|la|que) (?!Oliveira)[aeiouyéêîôâAEIOUÉÊÎÔÂ]|\b(de|à) les? |[^ ][?»]|« ?« ", "pt": r"\b(de|em|por|a) (o|a|os|as) ",
        "es": r"\b(de|a) el ", "en": r"\b[Tt]he the\b|\bis located in the\b",
    }  # fmt: skip
    for item in items:
        assert not re.search(faults.get(item.lang, "$^"), item.stem), (item.lang, item.stem)


def test_names_fit_the_gender_and_case_that_their_sentences_have(sources: dict[str, Source]):
    """Parks are masculine after their article; Hindi wars are masculine and hold no postposition that a following one would inflect."""
    parks = {"de": r"\S+-Nationalpark|National(wald)?park .+|Naturpark .+", "es": "parque n.+", "fr": "parc .+", "pt": "Parque .+"}
    for source in sources.values():
        names = source.labels["entity"]
        if source.topic == "park":
            assert not [lang for lang, pattern in parks.items() if not re.fullmatch(pattern, names[lang])], source.id
        if source.topic == "war":
            assert re.search(r"(युद्ध|संग्राम|विद्रोह|अभियान)$", names["hi"]) and " का " not in names["hi"], source.id


def test_portuguese_parks_are_called_what_they_are(items: list[Item]):
    """The one Portuguese national park is left out: the seven are natural parks, in each language."""
    words = {
        "en": "Natural Park", "de": "Naturpark", "es": "parque natural", "fr": "parc naturel", "hi": "प्राकृतिक उद्यान", "ja": "自然公園",
        "pt": "Parque Natural", "ru": "природный парк", "zh": "自然公园",
    }  # fmt: skip
    for item in items:
        if item.topic == "park":
            assert (words[item.lang] in item.stem) == (item.place == "PT"), item.stem


def test_each_language_has_the_same_forms_for_every_country():
    for lang in LANGUAGES:
        assert len({frozenset(country.forms[lang]) for country in read_wording(FOLDER / "templates.toml").countries.values()}) == 1, lang


def test_the_card_has_the_counts_and_no_answers(sources: dict[str, Source]):
    card = (FOLDER / "card.md").read_text(encoding="utf-8")
    for count in ("11,088", "308", "1,232", "180"):
        assert count in card
    for source in sources.values():
        assert source.labels["entity"]["en"] not in card or not any(answer in card for answer in source.fact.values()), source.id
