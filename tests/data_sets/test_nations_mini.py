"""The starter benchmark: complete, parallel, balanced, in the right scripts, and made again to the byte."""

import re
import unicodedata
from collections import Counter, defaultdict
from importlib.resources import files
from itertools import combinations, groupby
from pathlib import Path

import pytest

from endonym.build import starter
from endonym.build.distractors import areas
from endonym.build.native import header, native
from endonym.records import Item, Source

FOLDER = Path(str(files("endonym") / "data" / "nations-mini"))
LANGUAGES = ("en", "de", "es", "hi", "ja", "ru", "zh")
NATIONS = {
    "CN": "China", "DE": "Germany", "ES": "Spain", "GB": "United Kingdom", "IN": "India", "JP": "Japan", "MX": "Mexico", "RU": "Russia",
    "US": "United States",
}  # fmt: skip
SCRIPTS = {
    "en": r"[ -~À-ɏ’“”–]+", "de": r"[ -~À-ɏ„“–]+", "es": r"[ -~À-ɏ¿«»–]+", "hi": r"[ऀ-ॿ0-9 ,.?“”-]+",
    "ja": r"[぀-ヿ一-鿿0-9F、。・＝「」]+", "ru": r"[А-яЁё0-9 ,.?:«»—-]+", "zh": r"[一-鿿0-9？。，·“”-]+",
}  # fmt: skip
OWN = {"hi": r"[ऀ-ॿ]", "ja": r"[぀-ヿ一-鿿]", "ru": r"[А-яЁё]", "zh": r"[一-鿿]"}
INVISIBLE = {"Cf", "Cc", "Co", "Cn"}


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return list(native(FOLDER / "benchmark.jsonl"))


@pytest.fixture(scope="module")
def sources() -> dict[str, Source]:
    return {source.id: source for source in starter.facts(FOLDER / "facts.jsonl")}


def parallels(items: list[Item]) -> list[list[Item]]:
    found = defaultdict(list)
    for item in items:
        found[item.parallel].append(item)
    return list(found.values())


def texts(items: list[Item]) -> list[tuple[str, str]]:
    return [(item.lang, text) for item in items for text in (item.stem, *(() if item.options[0].isascii() else item.options))]


def test_made_again_it_has_the_same_bytes():
    assert starter.whole(FOLDER) == (FOLDER / "benchmark.jsonl").read_bytes()


def test_the_header_says_what_it_is():
    head = header(FOLDER / "benchmark.jsonl")
    assert head is not None
    assert (head.name, head.version, head.licence, head.languages) == ("nations-mini", "1", "CC-BY-4.0", LANGUAGES)
    guid = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert re.search(guid, head.canary)
    assert starter.header(FOLDER / "facts.jsonl").canary == head.canary
    assert head.canary in (FOLDER / "card.md").read_text(encoding="utf-8")


def test_counts(items: list[Item], sources: dict[str, Source]):
    """9 nations × 4 domains × 3 entities = 108; × 4 templates × 7 languages = 3,024."""
    cells = Counter((source.place, source.topic) for source in sources.values())
    assert cells == {(place, topic): 3 for place in NATIONS for topic in ("leader", "war", "park", "heritage")}
    assert Counter(item.lang for item in items) == dict.fromkeys(LANGUAGES, 432)
    assert Counter(item.template for item in items) == dict.fromkeys("1234", 756)
    assert len({item.id for item in items}) == len(items) == 3024


def test_every_item_says_where_it_belongs(items: list[Item], sources: dict[str, Source]):
    for item in items:
        source = sources[item.source]
        assert item.meta == {"domain": item.topic, "country": NATIONS[item.place]}
        assert (item.topic, item.place, item.entity) == (source.topic, source.place, source.id)
        assert (item.maker, item.parallel) == ("endonym/templates", f"{source.id}/{item.template}")


def test_no_entity_stands_twice(sources: dict[str, Source]):
    for lang in LANGUAGES:
        names = Counter(source.labels["entity"][lang] for source in sources.values())
        assert not [name for name, count in names.items() if count > 1], lang


def test_each_country_has_enough_areas():
    table = areas(FOLDER / "areas.jsonl")
    assert all(set(area.labels) == set(LANGUAGES) and area.code.startswith(area.place + "-") for area in table.values())
    assert min(Counter(area.place for area in table.values()).values()) >= 8
    assert {area.place for area in table.values() if "x:" in area.code} == {"GB"}


def test_the_gold_is_the_fact_and_no_distractor_is_true(items: list[Item], sources: dict[str, Source]):
    table = areas(FOLDER / "areas.jsonl")
    for item in items:
        fact = sources[item.source].fact
        true = fact["area"].split() if "area" in fact else [fact["year"]]
        words = [table[code].labels[item.lang] for code in true] if "area" in fact else true
        assert item.gold is not None and item.options[item.gold] == words[0]
        assert not set(words) & {option for n, option in enumerate(item.options) if n != item.gold}


def test_wrong_areas_lie_in_the_same_country(items: list[Item]):
    table = areas(FOLDER / "areas.jsonl")
    names = defaultdict(set)
    for area in table.values():
        for lang, label in area.labels.items():
            names[area.place, lang].add(label)
    for item in items:
        if item.topic in ("park", "heritage"):
            assert set(item.options) <= names[item.place, item.lang]


def test_wrong_years_are_five_to_ten_away(items: list[Item]):
    for item in items:
        if item.topic in ("leader", "war"):
            assert item.gold is not None
            years = [int(option) for option in item.options]
            away = sorted(abs(year - years[item.gold]) for year in years)
            assert away[0] == 0 and away[1] >= 5 and away[-1] <= 10 and max(years) <= 2025


def test_parallel_items_are_parallel(items: list[Item]):
    table = areas(FOLDER / "areas.jsonl")
    code = {(area.place, lang, label): area.code for area in table.values() for lang, label in area.labels.items()}
    groups = parallels(items)
    assert len(groups) == 432
    for group in groups:
        assert tuple(item.lang for item in group) == LANGUAGES
        assert len({item.gold for item in group}) == 1
        assert len({tuple(code.get((item.place, item.lang, option), option) for option in item.options) for item in group}) == 1


def test_gold_positions_are_balanced(items: list[Item]):
    for lang in LANGUAGES:
        counts = Counter(item.gold for item in items if item.lang == lang)
        assert set(counts) == {0, 1, 2, 3} and max(counts.values()) - min(counts.values()) <= 1


def test_where_the_gold_stands_among_the_sorted_years_is_no_cue(items: list[Item]):
    """216 questions, 54 for each of 4 ranks by chance; the standard deviation is √(216·¼·¾) = 6.4, four of them 25."""
    ranks = Counter(sorted(i.options).index(i.options[i.gold or 0]) for i in items if i.lang == "en" and i.topic in ("leader", "war"))
    assert sum(ranks.values()) == 216 and all(abs(ranks[rank] - 54) <= 25 for rank in range(4)), ranks


def test_no_option_is_part_of_another(items: list[Item]):
    for item in items:
        folded = [option.casefold() for option in item.options]
        assert not [pair for pair in combinations(folded, 2) if pair[0] in pair[1] or pair[1] in pair[0]], item


def test_no_question_says_its_answer(items: list[Item]):
    leaks = [(item.lang, item.stem, option) for item in items for option in item.options if option.casefold() in item.stem.casefold()]
    assert not leaks


def test_the_four_templates_differ(items: list[Item]):
    for (_, lang), group in groupby(sorted(items, key=lambda i: (i.entity, i.lang)), key=lambda i: (i.entity, i.lang)):
        assert len({item.stem for item in group}) == 4, lang


def test_text_is_clean(items: list[Item]):
    for lang, text in texts(items):
        assert text == unicodedata.normalize("NFC", text).strip() and "  " not in text, (lang, text)
        assert not [c for c in text if unicodedata.category(c) in INVISIBLE], (lang, text)
        assert "{" not in text and "}" not in text


def test_text_is_in_the_script_of_its_language(items: list[Item]):
    for lang, text in texts(items):
        assert re.fullmatch(SCRIPTS[lang], text), (lang, text)
        assert re.search(OWN.get(lang, "[A-Za-z]"), text), (lang, text)


def test_labels_of_areas_are_clean_and_in_their_script():
    for area in areas(FOLDER / "areas.jsonl").values():
        for lang, label in area.labels.items():
            assert label == unicodedata.normalize("NFC", label).strip() and re.fullmatch(SCRIPTS[lang], label), (lang, label)


def test_the_card_has_the_counts_and_no_answers(sources: dict[str, Source]):
    card = (FOLDER / "card.md").read_text(encoding="utf-8")
    for count in ("3,024", "108", "432"):
        assert count in card
    for source in sources.values():
        assert source.labels["entity"]["en"] not in card or not any(answer in card for answer in source.fact.values()), source.id
