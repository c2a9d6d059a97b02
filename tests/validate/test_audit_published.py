"""The audit of XNationQA's published files against plain code over the raw JSON, a few lines for each kind, that shares nothing with it."""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
from scipy.stats import chisquare

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "data" / "xnationqa"
CODES = {"English": "en", "Hindi": "hi", "Spanish": "es", "Japanese": "ja", "Mandarin": "zh", "Russian": "ru", "German": "de"}
CUES = {"en": "Answer", "hi": "उत्तर", "es": "Respuesta", "ja": "答え", "zh": "答案", "ru": "Ответ", "de": "Antwort"}
OWN = {"zh": r"[\u3400-\u9fff]", "ja": r"[\u3040-\u30ff\u3400-\u9fff]", "hi": r"[\u0900-\u097f]", "ru": r"[\u0400-\u04ff]"}
PLACES = ("monuments", "national_park")

pytestmark = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published files are not at hand")


class Question:
    """One prompt of the files, taken apart by its lines."""

    def __init__(self, entry: tuple[str, int, dict], language: str, template: int):
        self.file, self.number, self.entry = entry
        self.domain, self.country = self.file.removesuffix(".json").split("_qa_")
        self.lang, self.template, self.prompt = CODES[language], template, self.entry["prompts"][language][template]
        self.first, *lines, self.cue = self.prompt.split("\n")
        self.options = [line.split(".", 1)[1].strip() for line in lines]
        self.gold = "ABCD".index(self.entry["prompt_ans"][language][-1][0])
        self.stem = re.sub(r"^(Question|Frage|Pregunta|Вопрос|प्रश्न|问题|问|質問)[:：] ?", "", self.first)
        self.key, self.set = (self.file, self.number, self.lang), (self.file, self.number, template)

    @property
    def years(self) -> list[int]:
        return [-int(o[:-4]) if o.endswith("B.C.") else int(o) for o in self.options] if self.domain in ("war", "leader") else []


@pytest.fixture(scope="module")
def entries():
    return [(f.name, n, e) for f in sorted(PUBLISHED.glob("*.json")) for n, e in enumerate(json.loads(f.read_text(encoding="utf-8")))]


@pytest.fixture(scope="module")
def asked(entries):
    return [Question(one, language, n) for one in entries for language in CODES for n in range(4)]


@pytest.fixture(scope="module")
def found():
    from endonym.build.faults import faults
    from endonym.build.xnationqa import xnationqa
    from endonym.validate.audit import examine

    skipped: list[str] = []
    items = list(xnationqa(PUBLISHED, skipped=skipped))
    audit = examine(items, faults(reader="xnationqa", path=PUBLISHED), skipped, present=2026)
    assert audit.items == 49_280
    return {finding.kind: finding for finding in audit.findings}


def counts(found, *kinds):
    return {kind: found[kind].count for kind in kinds}


def test_raw_rows(found, entries):
    ids = Counter((e["id"]) for _, _, e in entries)
    within = Counter((f, e["id"]) for f, _, e in entries)
    files = defaultdict(set)
    for f, _, e in entries:
        files[e["id"]].add(f)
    keys = {key for _, _, e in entries for key in e}
    assert sum(ids.values()) == 1760
    assert counts(found, "raw_types", "id_twice", "id_across", "raw_fields") == {
        "raw_types": min(Counter(type(e["answer"]).__name__ for _, _, e in entries).values()),
        "id_twice": sum(n - 1 for n in within.values()),
        "id_across": sum(len(files[e["id"]]) > 1 for _, _, e in entries),
        "raw_fields": sum(keys != e.keys() for _, _, e in entries),
    }


def test_copies_and_twins(found, asked, entries):
    groups = defaultdict(list)
    for q in asked:
        groups[q.key].append(q)
    copies = sum(4 - len({q.prompt for q in group}) for group in groups.values())
    wordings = sum(4 - len({re.sub(r"[\W_]", "", q.stem) for q in group}) for group in groups.values() if group[0].lang == "zh")
    exact = sum(4 - len({q.prompt for q in group}) for group in groups.values() if group[0].lang == "zh")
    assert counts(found, "copy", "near_copy") == {"copy": copies, "near_copy": wordings - exact}
    names = Counter((f, e["entity"].strip().lower()) for f, _, e in entries)
    places = defaultdict(set)
    for f, _, e in entries:
        domain, country = f.split("_qa_")
        places[domain, " ".join(e["entity"].lower().split())].add(country)
    twins = sum(n - 1 for n in names.values())
    assert counts(found, "entity_twice", "entity_places") == {
        "entity_twice": twins, "entity_places": sum(len(where) > 1 for where in places.values()),
    }  # fmt: skip
    assert len(found["entity_twice"].items) <= 28 * twins


def test_options(found, asked):
    @cache
    def inside(outer, inner, lang):
        if outer == inner or re.fullmatch(r"\d+( B\.C\.)?", inner):
            return False
        if lang == "zh":
            return inner in outer
        kana = lang == "ja" and r"(?<![\u30a1-\u30fa\u30fc]){}(?![\u30a1-\u30fa\u30fc])"
        word = r"[\w\u0900-\u097f]"
        return re.search((kana or rf"(?<!{word}){{}}(?!{word})").format(re.escape(inner)), outer) is not None

    low = [[o.lower() for o in q.options] for q in asked]
    assert counts(found, "options_equal", "gold_twice", "options_contain", "gold_long") == {
        "options_equal": sum(len(set(o)) < 4 for o in low),
        "gold_twice": sum(o.count(o[q.gold]) > 1 for q, o in zip(asked, low, strict=True)),
        "options_contain": sum(any(inside(a, b, q.lang) for a in o for b in o) for q, o in zip(asked, low, strict=True)),
        "gold_long": sum(
            len(o[q.gold]) >= 2 * (m := max(len(x) for n, x in enumerate(o) if n != q.gold)) and len(o[q.gold]) - m >= 15
            for q, o in zip(asked, low, strict=True)
        ),
    }
    given = 0
    for q, o in zip(asked, low, strict=True):
        stem = " ".join(q.stem.lower().split())
        holds = [len(x) > 1 and (x == stem or inside(stem, x, q.lang)) for x in o]
        given += holds[q.gold] and sum(holds) == 1
    assert found["gold_in_stem"].count == given


def test_years(found, asked):
    apart = [[abs(y - q.years[q.gold]) for y in q.years if y != q.years[q.gold]] for q in asked if q.years]
    assert found["year_far"].count == sum(max(row) > 10 for row in apart)
    assert ("year_near" in found, "year_future" in found) == (any(min(row) < 5 for row in apart), False)
    tests = 0
    for lang in CODES.values():
        ranks = Counter(dict.fromkeys(range(4), 0))
        for q in asked:
            if q.lang == lang and q.template == 0 and q.years:
                ranks[sorted(q.years).index(q.years[q.gold])] += 1
        tests += chisquare(list(ranks.values())).pvalue < 0.01 / 7
    assert found["gold_rank"].count == tests == 7


def test_letters_and_lengths_are_as_chance_would_have_them(found, asked):
    for lang in CODES.values():
        letters = Counter(q.gold for q in asked if q.lang == lang and q.template == 0)
        assert chisquare(list(letters.values())).pvalue > 0.05
    assert "letters_unbalanced" not in found and "gold_length" not in found


def test_parallel_sets(found, asked):
    sets = defaultdict(list)
    for q in asked:
        sets[q.set].append(q)
    timed = [group for group in sets.values() if group[0].years]
    assert counts(found, "parallel_gold", "parallel_options") == {
        "parallel_gold": sum(len({q.gold for q in group}) > 1 for group in sets.values()),
        "parallel_options": sum(len({tuple(sorted(q.years)) for q in group}) > 1 for group in timed),
    }
    assert all(len(group) == 7 for group in sets.values()) and "languages_missing" not in found
    assert not any(len({q.years[q.gold] for q in group}) > 1 for group in timed) and "parallel_answer" not in found


def test_questions_with_several_answers(found, asked):
    golds, holders = defaultdict(set), defaultdict(list)
    for q in asked:
        letters = re.sub(r"[^\w\u0900-\u0dff]", "", unicodedata.normalize("NFC", q.stem).lower())
        key = (q.lang, letters)
        golds[key].add(q.options[q.gold])
        holders[key].append(q)
    two = [key for key in golds if len(golds[key]) > 1 and holders[key][0].years]
    true = sum(len(golds[key] & set(q.options)) > 1 for key in golds for q in holders[key])
    assert counts(found, "contradiction", "several_true") == {"contradiction": len(two), "several_true": true}


def test_scripts(found, asked):
    other, every, mostly = 0, 0, 0
    for q in asked:
        if q.lang in OWN:
            foreign = [len(re.findall(r"[^\W\d_]", o)) > 1 and not re.search(OWN[q.lang], o) for o in q.options]
            other += any(foreign) and not all(foreign)
            every += all(foreign)
            letters = [s for s in q.stem if s.isalpha()]
            mostly += 2 * len(re.findall(OWN[q.lang], "".join(letters))) < len(letters)
    assert counts(found, "option_script", "options_untranslated", "stem_script") == {
        "option_script": other, "options_untranslated": every, "stem_script": mostly,
    }  # fmt: skip
    look = re.compile(r"[A-Za-zÀ-ɏ][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-zÀ-ɏ]")
    assert found["script_mixed"].count == sum(bool(look.search(q.stem)) for q in asked)
    latin = re.compile(r"[A-Za-zÀ-ɏ]{3,}")
    words = [q for q in asked if q.lang in OWN and any(not w.isupper() for w in latin.findall(unicodedata.normalize("NFC", q.stem)))]
    assert found["stem_words"].count == len(words) - mostly


def test_translators_talk(found, asked):
    talk = re.compile(
        "is written as|be translated|remains the same|翻译|拼音|se traduce|en Español es|Por favor|ten en cuenta|auf Deutsch|Übersetzung"
    )
    assert found["translator_talk"].count == sum(bool(talk.search(q.stem)) for q in asked)
    english = [q for q in asked if q.lang != "en" and len(re.findall(r"\b(?:the|is|as|it|of|would)\b", q.stem)) > 2]
    assert found["language"].count == 1 and {q.entry["entity"] for q in english} >= {"Sangley Rebellion"}
    assert "Sangley" in found["language"].examples[0].note


def test_cues_and_prefixes(found, asked):
    heads = ("Question: ", "Frage: ", "Pregunta: ", "Вопрос: ", "प्रश्न: ", "问题：", "问：", "質問: ", "質問：")
    blank = {lang: Counter(q.cue[-1] == " " for q in asked if q.lang == lang).most_common(1)[0][0] for lang in CODES.values()}
    foreign = [q.cue.strip(" :：") != CUES[q.lang] for q in asked]
    rare = sum(q.first.startswith(("问：", "質問：")) and not f for q, f in zip(asked, foreign, strict=True))
    assert counts(found, "cue_language", "prefix_missing", "cue_blank", "cue_varies") == {
        "cue_language": sum(foreign), "prefix_missing": sum(not q.prompt.startswith(heads) for q in asked),
        "cue_blank": sum((q.cue[-1] == " ") != blank[q.lang] for q in asked), "cue_varies": rare,
    }  # fmt: skip


def test_characters(found, asked):
    assert counts(found, "invisible", "nfc", "blanks_double", "blanks_unusual", "label_blanks") == {
        "invisible": sum("\u200b" in q.prompt for q in asked),
        "nfc": sum(unicodedata.normalize("NFC", q.prompt) != q.prompt for q in asked),
        "blanks_double": sum("  " in q.prompt for q in asked),
        "blanks_unusual": sum("\xa0" in q.prompt for q in asked),
        "label_blanks": sum(q.entry["entity"] != q.entry["entity"].strip() for q in asked),
    }


def test_names_in_two_translations(found, asked):
    english = {q.set: q.options for q in asked if q.lang == "en"}
    pairs = [
        (q, (q.country, q.lang, a.lower()), b.lower()) for q in asked if q.lang != "en" and q.domain in PLACES
        for a, b in zip(english[q.set], q.options, strict=True)
    ]  # fmt: skip
    usual = defaultdict(Counter)
    for _, name, other in pairs:
        usual[name][" ".join(other.split())] += 1
    rare = {id(q) for q, name, other in pairs if usual[name].most_common(1)[0][0] != " ".join(other.split())}
    assert found["name_varies"].count == len(rare)


def test_every_kind_that_was_found_is_counted_above(found):
    text = Path(__file__).read_text(encoding="utf-8")
    assert [kind for kind in found if f'"{kind}"' not in text] == []
    assert sum(finding.severity == "error" for finding in found.values()) == 11
