"""Every kind of finding, planted in small benchmarks of our own, and counted by hand; and what is right is let pass."""

import re
from itertools import cycle

import pytest

from endonym.errors import UnknownName
from endonym.records import Accept, Item, Judgment
from endonym.validate.audit import Audit, audit, examine
from endonym.validate.audit_hits import DATA, holds, kinds, number, same, year
from endonym.validate.audit_scripts import expected

TOWNS = ("Elm", "Oak", "Ash", "Yew")
NAMES = {"de": ("Ulme", "Eiche", "Esche", "Eibe"), "ru": ("Вяз", "Дуб", "Ясень", "Тис")}


def item(stem="Which tree stands in the square of Aldbury?", options=TOWNS, gold=1, lang="en", **more) -> Item:
    return Item(stem=stem, options=tuple(options), gold=gold, lang=lang, **more)


def open_item(*accepted, stem="Which river runs through Aldbury?", lang="en") -> Item:
    return Item(stem=stem, kind="open", accept=tuple(Accept(text=text) for text in accepted), lang=lang)


def found(*items: Item, **settings) -> dict[str, int]:
    """Kind → count."""
    return {finding.kind: finding.count for finding in examine(items, **settings).findings}


def two(n: int) -> str:
    """Two letters for a number."""
    return chr(97 + n // 26) + chr(97 + n % 26)


def clean(n=40) -> list[Item]:
    """Questions that nothing is wrong with: parallel in three languages, balanced, each with names of its own."""
    letters, made = cycle(range(4)), []
    for at, gold in zip(range(n), letters, strict=False):
        mark = two(at)
        english = [f"{name}{mark}" for name in TOWNS]
        german = [f"{name}{mark}" for name in NAMES["de"]]
        stems = {"en": f"Which tree is the one of Town{mark}?", "de": f"Welcher Baum ist der von Stadt{mark}?"}
        for lang, options in (("en", english), ("de", german)):
            made.append(item(stems[lang], options, gold, lang, entity=f"e{at}", parallel=f"p{at}", template="1", place="GB"))
    return made


def test_nothing_is_found_where_nothing_is_wrong():
    assert found(*clean()) == {}


def test_every_kind_has_its_words_and_is_planted_below():
    planted = {kind for _, expected in PLANTED for kind in expected} | {*BENCHMARK, *RAW}
    assert set(kinds()) == planted
    assert all(kind.title and kind.advice.endswith((".", ")")) for kind in kinds().values())


BENCHMARK = {"letters_unbalanced", "gold_rank", "gold_length", "name_varies", "parallel_meaning", "cue_blank", "cue_varies", "cue_missing",
             "prefix_missing", "option_count"}  # fmt: skip
"""Kinds that need many items; each has a test of its own."""
RAW = {"unreadable", "answer_missing", "id_twice", "id_across", "raw_types", "raw_fields"}
"""Kinds of rows; tests/build/test_faults.py and the test of skipped rows below."""

QUESTION = "When was the battle of Aldbury fought?"
TWO = {"entity": "e1", "topic": "war", "place": "GB"}
PAIR = {"parallel": "p", "template": "1"}
GERMAN = item("Welcher Baum steht auf dem Platz von Aldbury?", NAMES["de"], 1, "de", **PAIR)
PLANTED = [
    ([item(), item()], {"item_twice": 1}),
    ([item(entity="e", template="1"), item(entity="e", template="2"), item(entity="e", template="3")], {"copy": 2}),
    ([item(entity="e"), item("which tree stands in the square of  Aldbury", entity="e")], {"near_copy": 1, "blanks_double": 1}),
    ([item(QUESTION, meta={"entity_name": "Aldbury"}, **TWO),
      item("In which year was it?", meta={"entity_name": "aldbury "}, **{**TWO, "entity": "e2"})], {"entity_twice": 1, "label_blanks": 1}),
    ([item(**TWO), item(options=("Elm", "Oak", "Fir", "Box"), **{**TWO, "entity": "e2"})], {"entity_twice": 1}),
    ([item(QUESTION, meta={"entity_name": "A"}, **TWO), item("In which year was it?", meta={"entity_name": "A"}, place="FR", topic="war",
      entity="e2")], {"entity_places": 1}),
    ([item(), item(gold=2)], {"contradiction": 1, "several_true": 2}),
    ([item(QUESTION, ("1301", "1308", "1294"), 0), item(QUESTION, ("1401", "1408", "1394"), 0)], {"contradiction": 1}),
    ([item("Which of these is true?", ("Elms fly", "Oaks grow")), item("Which of these is true?", ("Cats bark", "Dogs bark"))], {}),
    ([item(options=("Elm", "Oak", "ELM ", "Yew"))], {"options_equal": 1, "blanks_edge": 1}),
    ([item(options=("Elm", "Oak", "oak", "Yew"))], {"options_equal": 1, "gold_twice": 1}),
    ([item("यह कब हुआ था?", ("1889", "१८८९", "1896"), 2, "hi")], {"options_equal": 1}),
    ([item(options=("Saxony", "Saxony-Anhalt", "Hesse", "Bavaria"), gold=0)], {"options_contain": 1}),
    ([item(options=("Oaks", "Oak", "Soak", "Yew"))], {}),
    ([item("在哪里？", ("萨克森", "萨克森-安哈尔特", "黑森"), 2, "zh")], {"options_contain": 1}),
    ([item("どこにありますか", ("イン", "インド", "チリ"), 2, "ja")], {}),
    ([item(options=("Elm", "Oak", "—", "Yew"))], {"option_blank": 1}),
    ([item(options=("A. Elm", "B. Oak", "C. Ash"))], {"option_letters": 1}),
    ([item("Where is the Oak Abbey?", TOWNS)], {"gold_in_stem": 1}),
    ([item("Is it Oak or Elm?", TOWNS), item("What are Oakland's trees?", TOWNS)], {}),
    ([item("周口店北京猿人遗址在哪里？", ("河北", "北京", "山东"), 1, "zh")], {"gold_in_stem": 1}),
    ([item(options=("Elm", "Oak that was planted by the mayor", "Ash"))], {"gold_long": 1}),
    ([item(QUESTION, ("1301", "1308", "1304"), 0)], {"year_near": 1}),
    ([item(QUESTION, ("1301", "1306", "1311"), 0)], {}),
    ([item(QUESTION, ("1301", "1308", "1312"), 0)], {"year_far": 1}),
    ([item(QUESTION, ("312 B.C.", "318 B.C.", "324 B.C."), 0)], {"year_far": 1}),
    ([item(QUESTION, ("2024", "2019", "2031"), 0)], {"year_future": 1}),
    ([item(**PAIR), GERMAN], {}),
    ([item(**PAIR), item(GERMAN.stem, NAMES["de"], 2, "de", **PAIR)], {"parallel_gold": 1}),
    ([item(**PAIR), item(GERMAN.stem, NAMES["de"][:3], 1, "de", **PAIR)], {"parallel_count": 1}),
    ([item(QUESTION, ("1301", "1308"), 0, **PAIR), item("Wann war die Schlacht?", ("1301", "1307"), 0, "de", **PAIR)],
     {"parallel_options": 1}),
    ([item(QUESTION, ("1301", "1308", "1294"), 0, **PAIR), item("Wann war die Schlacht?", ("1301", "1294", "1308"), 0, "de", **PAIR)],
     {"parallel_order": 1}),
    ([item(QUESTION, ("1301", "1308"), 0, **PAIR), item("यह युद्ध कब हुआ था?", ("१३०१", "१३०८"), 0, "hi", **PAIR)], {}),
    ([item(QUESTION, ("1301", "1308"), 0, **PAIR), item("Wann war die Schlacht?", ("1308", "1301"), 0, "de", **PAIR)],
     {"parallel_answer": 1, "parallel_order": 1}),
    ([item(**PAIR), GERMAN, item("Which tree is it in the square?", **PAIR)], {"parallel_twice": 1}),
    ([item(**PAIR), GERMAN, item("Which tree is it?", ("Fir", "Box"), parallel="q")], {"languages_missing": 1, "option_count": 0}),
    ([item("Which tree stands in the square?", NAMES["ru"], 1, "ru")], {"stem_script": 1}),
    ([item("Какое дерево стоит на площади?", ("Вяз", "Oak", "Ясень", "Тис"), 0, "ru")], {"option_script": 1}),
    ([item("Какое дерево стоит на площади?", TOWNS, 1, "ru")], {"options_untranslated": 1}),
    ([item("Какое дерево стоит в Aldbury?", NAMES["ru"], 1, "ru"), item("Где штаб NATO?", NAMES["ru"], 0, "ru")], {"stem_words": 1}),
    ([item("Какое дерево стоит на плoщади?", NAMES["ru"], 1, "ru")], {"script_mixed": 1}),
    ([item(**PAIR), item(lang="de", options=NAMES["de"], **PAIR)], {"untranslated": 1, "language": 1}),
    ([item("Which tree was planted by the mayor?", NAMES["de"], 1, "de")], {"language": 1}),
    ([item("中国首都的名字在何年被定为现名", ("東京", "大阪"), 0, "ja"),
      item("北京市の中心部は何区", ("河北", "山东"), 0, "zh")], {"language": 2}),
    ([item(lang="")], {"lang_missing": 1}),
    ([item(lang="qqq")], {"lang_unknown": 1}),
    ([item("Was ist Oak Hall wird übersetzt als Eichenhalle?", NAMES["de"], 1, "de")], {"translator_talk": 1}),
    ([item(prompt="Question: Which tree stands in the square of Aldbury?\nA. Elm\nB. Oak\nC. Ash\nD. Yew\nAntwort:")], {"cue_language": 1}),
    ([item("Which tr\u200bee is it?"), item("क्\u200dष कहाँ है?", ("उत्तर", "दक्षिण"), 0, "hi")], {"invisible": 1}),
    ([item("Which tree\x07 is it?"), item("Which tree is \ufffd?")], {"control": 2}),
    ([item("Wo liegt Mu\u0308nster?", NAMES["de"], 1, "de")], {"nfc": 1}),
    ([item("Wo liegt MÃ¼nster?", NAMES["de"], 1, "de"), item("Onde fica São João? SÃO, JOÃO", lang="pt")], {"mojibake": 1}),
    ([item("Which tree \u00a0is it?")], {"blanks_unusual": 1}),
    ([item("Which tree is <b>it</b>?"), item("Which tree is [[it]]?"), item("Is 3 < 4 and 5 > 4 true?")], {"markup": 2}),
    ([item("When was {leader} born?"), item("When was <PLACE> built?")], {"placeholder": 2}),
    ([open_item("Ald", "\u2060–")], {"accept_blank": 1, "invisible": 1}),
    ([open_item("A", "Ald"), open_item("Test", stem="Which river is it?")], {"accept_short": 1}),
    ([open_item("Ald", "ALD ")], {"accept_twice": 1, "blanks_edge": 1}),
    ([open_item("Ald", stem="Which river is the Ald?")], {"gold_in_stem": 1}),
]  # fmt: skip


@pytest.mark.parametrize("items, expected", PLANTED, ids=[" ".join(expected) or "right" for _, expected in PLANTED])
def test_what_is_planted_is_found_and_nothing_else(items, expected):
    assert found(*items, present=2026) == {kind: n for kind, n in expected.items() if n}


def test_letters_are_tested_by_entity():
    """X² of (30, 10, 10, 10) is 20 on 3 degrees of freedom, p = 0.0001697 (R: chisq.test)."""
    golds = [0] * 30 + [1] * 10 + [2] * 10 + [3] * 10
    items = [item(f"Which tree is the one of Town{two(n)}?", gold=gold, entity=f"e{n}") for n, gold in enumerate(golds)]
    again = [item(one.stem.replace("is the one", "stands in the square"), gold=one.gold, entity=one.entity) for one in items]
    test = next(t for t in examine([*items, *again]).tests if t.kind == "letters_unbalanced")
    assert (test.counts, test.n) == ((30, 10, 10, 10), 60)
    assert test.statistic == pytest.approx(20) and test.p == pytest.approx(0.0001697, rel=1e-3)
    assert found(*items) == {"letters_unbalanced": 1}
    assert found(*items[:15], *items[30:]) == {}  # (15, 10, 10, 10): X² = 1.67


def test_lengths_are_tested():
    """60 of 60 where chance is a quarter: p = 4 · 0.25⁶⁰ (two lengths, two tails)."""
    items = [item(f"Which is the tree of Town{two(n)}?", ["Elm", "Hazelnut", "Beech", "Alder"], n % 4)
             for n in range(60)]  # fmt: skip
    longest = [item(one.stem, [*(["Elm", "Beech", "Aspen"][: n % 4]), "Hazelnut", *(["Elm", "Beech", "Aspen"][n % 4 :])], n % 4)
               for n, one in enumerate(items)]  # fmt: skip
    assert found(*longest) == {"gold_length": 1}
    test = next(t for t in examine(longest).tests if t.kind == "gold_length")
    assert (test.counts, test.p) == ((60, 0), pytest.approx(4 * 0.25**60))
    assert found(*items) == {}


def test_the_rank_of_years_is_tested():
    """The answer always the second of four: X² of (0, 60, 0, 0) is 180."""
    items = [item(f"When was the battle of Town{two(n)}?", ("1301", "1307", "1308", "1311"), 1, entity=f"e{n}")
             for n in range(60)]  # fmt: skip
    test = next(t for t in examine(items).tests if t.kind == "gold_rank")
    assert (test.statistic, test.counts) == (pytest.approx(180), (0, 60, 0, 0))
    assert found(*items, rule=(1, 10)) == {"gold_rank": 1, "letters_unbalanced": 1}


def test_a_small_benchmark_is_not_tested():
    assert examine([item(f"Which tree is {n}?", gold=0) for n in range(19)]).tests == ()


def named(changes: dict[int, tuple[str, ...]]) -> list[Item]:
    made = []
    for n in range(8):
        letter = chr(97 + n)
        made.append(item(f"Which tree is the one of Town{letter}?", gold=n % 4, parallel=f"p{n}"))
        made.append(item(f"Welcher Baum ist der von Stadt{letter}?", changes.get(n, NAMES["de"]), n % 4, "de", parallel=f"p{n}"))
    return made


def test_names_are_held_to_their_usual_translation():
    elm, oak, ash, yew = NAMES["de"]
    assert found(*named({})) == {}
    assert found(*named({3: ("Rüster", oak, ash, yew)})) == {"name_varies": 1}
    assert found(*named({3: (elm, oak, yew, ash)})) == {"parallel_meaning": 1}


PROMPT = "{q}{stem}\nA. Elm\nB. Oak\nC. Ash\nD. Yew\n{a}"


def prompts(*odd: tuple[str, str]) -> list[Item]:
    said = [("Question: ", "Answer: ")] * 5 + list(odd)
    stems = [f"Which tree is the one of Town{chr(97 + n)}?" for n in range(len(said))]
    return [item(stem, prompt=PROMPT.format(q=q, a=a, stem=stem)) for stem, (q, a) in zip(stems, said, strict=True)]


@pytest.mark.parametrize("odd, kind", [
    (("Question: ", "Answer:"), "cue_blank"), (("Q: ", "Answer: "), "cue_varies"), (("Question: ", ""), "cue_missing"),
    (("", "Answer: "), "prefix_missing"), (("Frage: ", "Answer: "), "cue_language"), (("Question: ", "Ответ: "), "cue_language"),
    (("Question: ", "ኣ፡ "), "cue_language"),
])  # fmt: skip
def test_cues_are_held_to_their_language_and_to_each_other(odd, kind):
    assert found(*prompts()) == {}
    assert found(*prompts(odd)) == {kind: 1}


def test_a_language_without_a_file_is_held_to_its_own_prompts():
    stem = "Kuri igiti?"
    english, own = prompts(), [item(stem, lang="rw", prompt=PROMPT.format(q="Ikibazo: ", a=a, stem=stem)) for a in ("Igisubizo: ",) * 2]
    wrong = item("Kuri igiti kihe?", lang="rw", prompt=PROMPT.format(q="Ikibazo: ", a="Answer: ", stem="Kuri igiti kihe?"))
    assert found(*english, own[0], wrong) == {"cue_language": 1}


def test_an_odd_number_of_options():
    items = [item(f"Which tree is the one of Town{chr(97 + n)}?") for n in range(19)]
    assert found(*items, item("Which tree is it?", TOWNS[:3])) == {"option_count": 1}
    assert found(*items[:2], item("Which tree is it?", TOWNS[:3])) == {}


def test_skipped_rows_are_findings():
    said = ["b.jsonl:3: gold: 7 is no index into 4 options", "b.jsonl:4: the JSON is cut off at the end of the line",
            "x.json: entry 2 (id us_1): gold: two golds, prompt_ans keys A"]  # fmt: skip
    assert {f.kind: f.count for f in examine(clean(), (), said).findings} == {"answer_missing": 2, "unreadable": 1}


def test_faults_of_rows_find_their_items():
    fault = Judgment(item="f.json#1", judge="check/raw_types", criterion="raw_types", value="warning", note="answer is a list here")
    one, other = item(source="f.json#1"), item("Which tree is it?", source="f.json#2")
    finding = examine([one, other], [fault]).findings[0]
    assert (finding.kind, finding.count, finding.unit, finding.items) == ("raw_types", 1, "entry", (one.id,))


def test_a_finding_says_all_of_it():
    items = [item(f"Which tr\u200bee is the one of Town{chr(97 + n)}?") for n in range(9)]
    whole: Audit = examine(items, examples=2)
    finding = whole.findings[0]
    assert (finding.kind, finding.severity, finding.unit, finding.count, finding.langs) == ("invisible", "warning", "item", 9, {"en": 9})
    assert finding.items == tuple(one.id for one in items)
    assert [example.item for example in finding.examples] == [items[0].id, items[4].id]
    assert "U+200B ZERO WIDTH SPACE" in finding.examples[0].note and "\\u200b" in finding.examples[0].note
    assert (whole.items, whole.count("warning"), whole.count("error")) == (9, 1, 0)
    assert examine(items, examples=0).findings[0].examples == ()


def test_errors_come_first_and_then_the_frequent():
    items = [item("Which tr\u200bee is it?"), item("Which tr\u200bee was it?"), item("Where  is it?", options=("Elm", "Oak", "oak"))]
    found = examine(items).findings
    assert [(f.kind, f.severity) for f in found][2:] == [("invisible", "warning"), ("blanks_double", "note")]
    assert {f.severity for f in found[:2]} == {"error"}


def test_only_some_kinds():
    items = [item("Which tr\u200bee  is it?")]
    assert found(*items, only=("blanks_double",)) == {"blanks_double": 1}
    with pytest.raises(UnknownName, match="did you mean 'blanks_double'"):
        examine(items, only=("blank_double",))


def test_the_rule_of_years_is_a_setting():
    one = item(QUESTION, ("1301", "1303", "1331"), 0)
    assert found(one) == {"year_near": 1, "year_far": 1}
    assert found(one, rule=(2, 30)) == {}
    assert found(one, rule=(2, 30), present=1330) == {"year_future": 1}


def test_the_stage_makes_one_judgment_a_finding_and_item():
    items = [item("Which tr\u200bee is it?"), item(**PAIR), item(GERMAN.stem, NAMES["de"], 2, "de", **PAIR)]
    rows = list(audit(items))
    assert [(row.item, row.criterion, row.value, row.judge, row.status) for row in rows] == [
        (items[1].id, "parallel_gold", "error", "check/parallel_gold", "answered"),
        (items[2].id, "parallel_gold", "error", "check/parallel_gold", "answered"),
        (items[0].id, "invisible", "warning", "check/invisible", "answered"),
    ]
    assert all(row.guideline == row.criterion and row.note for row in rows)
    fault = Judgment(item="f#1", judge="check/raw_types", criterion="raw_types", value="warning")
    assert list(audit(items, [fault], only=("raw_types",))) == [fault]


def test_a_test_over_many_items_is_a_row_without_one():
    items = [item(f"When was the battle of Town{two(n)}?", ("1301", "1307", "1308", "1311"), 1) for n in range(60)]
    rows = [row for row in audit(items) if row.criterion == "gold_rank"]
    assert [row.item for row in rows] == [""] and "rank 2 100.0%" in rows[0].note


@pytest.mark.parametrize("text, plain", [
    ("Straße", "strasse"), ("１８８９", "1889"), ("١٨٨٩", "1889"), ("m²", "m²"), ("①", "①"), (" a\u00a0\u200b b ", "a b"), ("São", "são"),
    ("Sa\u0303o", "são"), ("Saxony–Anhalt", "saxony-anhalt"), ("’", "'"),
])  # fmt: skip
def test_folding(text, plain):
    assert same(text) == plain


@pytest.mark.parametrize("text, value", [
    ("1889", 1889), ("१८८९", 1889), ("98", None), ("98 B.C.", -98), ("公元前312年", -312), ("312 v. Chr.", -312), ("312 до н. э.", -312),
    ("13000 B.C.", -13000), ("13000", None), ("1889年", 1889), ("in 1889", None), ("ईसा पूर्व 312", -312), ("", None),
])  # fmt: skip
def test_years(text, value):
    assert year(text) == value


def test_what_says_the_same_in_every_language():
    assert (number("1,200"), number("१,२००"), number("3 km"), number("Elm"), number("—")) == ("1,200", "1,200", None, None, None)


@pytest.mark.parametrize("outer, inner, whole", [
    ("saxony-anhalt", "saxony", True), ("oaks", "oak", False), ("north oak road", "oak", True), ("", "a", False), ("a", "", False),
    ("ゴアの教会", "ゴア", True), ("インド", "イン", False), ("北京猿人", "北京", True),
    ("गोवा की", "गोवा", True), ("गोवाई", "गोवा", False),
    ("1898-1899", "1898", True), ("21898", "1898", False), ("1898年", "1898", True),
])  # fmt: skip
def test_one_text_holds_another(outer, inner, whole):
    assert holds(outer, inner) is whole


@pytest.mark.parametrize("lang, script", [
    ("en", "LATIN"), ("pt-PT", "LATIN"), ("hi", "DEVANAGARI"), ("zh", "CJK"), ("zh-Hant", "CJK"), ("sr-Latn", "LATIN"), ("sr", "CYRILLIC"),
    ("el", "GREEK"), ("ar", "ARABIC"), ("am", "ETHIOPIC"),
])  # fmt: skip
def test_the_script_of_a_language(lang, script):
    assert expected(lang) == {script}
    assert expected("ja") == {"CJK", "HIRAGANA", "KATAKANA"} and expected("qqq") == frozenset()


def test_the_files_of_languages_hold_what_they_say():
    files = sorted((DATA / "languages").glob("*.toml"))
    assert {"en", "de", "es", "hi", "ru", "ja", "zh", "fr", "pt"} <= {file.stem for file in files}
    for file in files:
        keys = set(re.findall(r"^(\w+) =", file.read_text(encoding="utf-8"), re.M))
        assert {"question", "answer"} <= keys <= {"question", "answer", "words", "letters", "own", "foreign", "talk"}, file.name
