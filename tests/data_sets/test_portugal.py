"""portugal-inside and portugal-blend: what their questions must be, and what the builder of such a file refuses."""

import re
import unicodedata
from collections import Counter
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest

from endonym import benchmarks
from endonym.build import portugal
from endonym.build.native import header, native
from endonym.errors import InputError, StorageError, TableError
from endonym.evaluate.folding import fold, lower
from endonym.evaluate.matching import contains, strict
from endonym.records import Accept

DATA = Path(str(files("endonym") / "data"))
ASKING = {
    "que", "quê", "quem", "qual", "quais", "quando", "onde", "porque", "enquanto", "embora", "como", "quanto", "quanta",
    "quantos", "quantas",
}  # fmt: skip
CAPITALS = {"Carnaval", "Páscoa", "Dia", "Mãe", "Criança", "Estado", "IRS"}
"""The capitals allowed within a question of inside: feasts, the State, a tax."""
COUNTED = {
    "portugal-inside": {
        "casa": 19, "mesa": 37, "escola": 22, "brincadeiras": 26, "canções e televisão": 23, "maneiras": 11, "provérbios": 23,
        "expressões": 34, "festas": 31, "rua": 25, "praia": 16, "saúde": 17, "papéis": 22, "dinheiro": 15, "futebol": 15, "tempo": 12,
        "objetos": 11, "trabalho": 10,
    },
    "portugal-blend": {
        "comida": 28, "desporto": 13, "família": 14, "educação": 14, "feriados e lazer": 20, "vida de trabalho": 11, "dia a dia": 15,
    },
}  # fmt: skip
SMALL = """
name = "small"
version = "1"
canary = "small canary 1"
licence = "CC-BY-4.0"
languages = ["pt-PT"]
title = "small"
origin = "here"
maker = "here"
place = "PT"
subset = "inside"
"""
QUESTION = {"entity": '"rua.talho"', "topic": '"rua"', "stem": '"Onde se compra carne?"', "accept": '["talho"]'}


@pytest.fixture(scope="module", params=portugal.NAMES)
def folder(request):
    return DATA / request.param


@pytest.fixture(scope="module")
def items(folder):
    return list(portugal.portugal(folder))


@pytest.fixture(scope="module")
def inside():
    return list(portugal.portugal(DATA / "portugal-inside"))


@pytest.fixture
def small(tmp_path):
    """Write a folder of some questions: QUESTION with the changes given, a field that is None left out."""

    def write(*changes, head=SMALL):
        blocks = [QUESTION | change for change in changes]
        text = "".join("\n[[question]]\n" + "".join(f"{k} = {v}\n" for k, v in block.items() if v is not None) for block in blocks)
        (tmp_path / "questions.toml").write_text(head + text, encoding="utf-8")
        return tmp_path

    return write


def test_counts_by_domain(folder, items):
    assert Counter(item.topic for item in items) == COUNTED[folder.name]
    assert len(COUNTED["portugal-inside"]) >= 10
    assert len(items) == {"portugal-inside": 369, "portugal-blend": 115}[folder.name]


def test_labels(folder, items):
    told = {(item.kind, item.lang, item.place, item.subset, item.maker) for item in items}
    assert told == {("open", "pt-PT", "PT", folder.name.partition("-")[2], "endonym authors")}
    assert len({item.id for item in items}) == len({item.stem for item in items}) == len({item.entity for item in items}) == len(items)
    assert all(re.fullmatch(r"[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*", item.entity) for item in items)


def test_form_of_a_question(items):
    for item in items:
        assert item.stem.endswith("?") and item.stem[0].isupper() and len(item.stem.split()) <= 20, item.stem
        texts = [item.stem, *(a.text for a in item.accept)]
        assert all(t == unicodedata.normalize("NFC", t) == t.strip() and "  " not in t for t in texts), item.stem
        assert all(unicodedata.category(c) not in ("Cf", "Cc", "Zs") or c == " " for c in "".join(texts)), item.stem


def test_one_question_word_hence_no_subordinate_clause(items):
    for item in items:
        assert len([w for w in re.findall(r"\w+", item.stem.lower()) if w in ASKING]) == 1, item.stem


def test_inside_names_neither_the_culture_nor_people_nor_places(inside):
    for item in inside:
        assert not re.search(r"portug|\blus[ao]|lusit|brasil|angol|nacional|no nosso país|\bcá\b", item.stem.lower()), item.stem
        assert set(re.findall(r"\b[A-ZÀ-Ý]\w*", item.stem)[1:]) <= CAPITALS, item.stem


def test_blend_names_the_culture():
    for item in portugal.portugal(DATA / "portugal-blend"):
        assert re.search(r"Portugal|portugu[eê]s", item.stem), item.stem


def test_the_checks_of_the_guidelines_tell_the_two_sets_apart(folder, items):
    from endonym.validate.writing import findings

    broken = [(j.criterion, item.stem) for item in items for j in findings(item, lang="pt-PT", culture="PT") if j.value == "error"]
    if folder.name == "portugal-inside":
        assert broken == []
    else:
        assert {stem for criterion, stem in broken if criterion == "own-name"} == {item.stem for item in items}


def test_the_answer_is_not_in_the_question_nor_in_its_name(items):
    for item in items:
        named = _bare(item.entity.partition(".")[2])
        for answer in item.accept:
            assert not contains(item.stem, [answer]) and not strict(item.stem, [answer], item.lang), (item.stem, answer.text)
            assert answer.text.isdigit() or _bare(answer.text) not in named, (item.entity, answer.text)


def _bare(text):
    return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c)).replace("-", " ")


def test_variants_are_distinct_short_and_found_by_both_scorers(items):
    for item in items:
        folded = [lower(fold(a.text)) for a in item.accept]
        assert len(set(folded)) == len(folded), item.stem
        assert max(len(text.split()) for text in folded) <= 4, item.stem
        for answer in item.accept:
            reply = f"Diz-se {answer.text} por cá."
            assert contains(reply, [answer]) and strict(reply, [answer], item.lang), answer.text


def test_weights(folder, items):
    weights = {a.weight for item in items for a in item.accept}
    assert weights == {1.0} if folder.name == "portugal-inside" else (0 < min(weights) < max(weights) == 1.0)
    assert all(item.accept[0].weight == 1.0 for item in items)


def test_no_two_questions_are_alike(inside):
    fuzz = pytest.importorskip("rapidfuzz").fuzz
    both = [item.stem.lower() for item in (*inside, *portugal.portugal(DATA / "portugal-blend"))]
    alike = [(a, b) for a, b in combinations(both, 2) if fuzz.token_sort_ratio(a, b, score_cutoff=85)]
    assert alike == []


def test_the_shipped_file_is_what_the_builder_writes(folder, items):
    assert (folder / "benchmark.jsonl").read_bytes() == portugal.whole(folder) == portugal.whole(folder)
    assert list(native(folder / "benchmark.jsonl")) == items
    assert folder.name in set(benchmarks.shipped())


def test_one_canary_of_its_own(folder):
    head = header(folder / "benchmark.jsonl")
    assert head is not None and head.name == folder.name and head.licence == "CC-BY-4.0" and head.languages == ("pt-PT",)
    assert re.fullmatch(rf"{folder.name} canary [0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}: .+", head.canary)
    assert (folder / "questions.toml").read_text(encoding="utf-8").splitlines()[0] == f"# {head.canary}"
    assert head.canary in (folder / "card.md").read_text(encoding="utf-8")
    others = [header(DATA / name / "benchmark.jsonl") for name in benchmarks.shipped() if name != folder.name]
    assert head.canary not in [other.canary for other in others if other]


def test_the_card_counts_what_is_there_and_tells_no_answer(folder, items):
    text = (folder / "card.md").read_text(encoding="utf-8")
    assert portugal.card(text, items) == text
    for domain, n in COUNTED[folder.name].items():
        assert f"| {domain} | {n} |" in text
    assert f"| all | {len(items)} |" in text and "**No Portuguese adjudicator has seen it yet.**" in text and "endonym web" in text
    assert not strict(text, [a for item in items for a in item.accept if not a.text.isdigit()], "pt-PT")


def test_an_item_by_hand(small):
    folder = small({"accept": '["talho", { text = "açougue", weight = 0.2 }]', "check": '"a região"'})
    (item,) = portugal.portugal(folder)
    assert item.accept == (Accept(text="talho"), Accept(text="açougue", weight=0.2))
    assert (item.kind, item.lang, item.place, item.topic, item.subset, item.entity) == ("open", "pt-PT", "PT", "rua", "inside", "rua.talho")
    assert item.meta == {"review": "a região"} and portugal.review([item]) == "`rua.talho`\n"
    assert portugal.counts([item, item]) == "| domain | questions |\n|---|--:|\n| rua | 2 |\n| all | 2 |\n"
    assert portugal.review([]) == "none\n"


@pytest.mark.parametrize(
    "changes, said",
    [([{"accept": "[]"}], "rua.talho: accept: an open item needs at least one"),
     ([{"accept": '[" "]'}], r"rua.talho: accept\[0\]: is empty"),
     ([{"stem": '" "'}], "rua.talho: stem: is empty"),
     ([{}, {"entity": '"rua.x"'}], "stem: 'Onde se compra carne\\?' stands twice"),
     ([{}, {"stem": '"Quem vende carne?"'}], "entity: 'rua.talho' stands twice"),
     ([{"acept": '["x"]'}], "acept"), ([{"topic": None}], "topic"), ([{"stem": "Onde"}], "questions.toml")],
)  # fmt: skip
def test_a_bad_question_is_a_fault_with_its_file(small, changes, said):
    with pytest.raises(TableError, match=said) as caught:
        list(portugal.portugal(small(*changes)))
    assert "questions.toml" in str(caught.value)


def test_faults_of_the_folder(tmp_path):
    with pytest.raises(StorageError, match="questions.toml: cannot be read"):
        portugal.sheet(tmp_path)
    with pytest.raises(InputError, match="card.md: the marks <!-- counts --> and <!-- /counts --> are missing"):
        portugal.card("# small\n", [])
