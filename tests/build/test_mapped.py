"""Data sets by a file of column names: every format, the shapes of the shipped mappings, and what is wrong with rows."""

import json
import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from endonym import benchmarks, recipe, store
from endonym.build import MAPPINGS, READERS
from endonym.build.mapped import mapped
from endonym.build.readers import read
from endonym.cli import run
from endonym.errors import InputError, StorageError, TableError, UnknownName
from endonym.kitchen import Kitchen
from endonym.records import Accept, Item

PLAIN = """
[columns]
stem = "question"
options = ["a", "b", "c"]
answer = "answer"
place = "region"
[fixed]
lang = "pt"
"""
ROWS = [
    {"question": "Que rio passa no Porto?", "a": "Douro", "b": "Tejo", "c": "Mondego", "answer": "A", "region": "PT-13"},
    {"question": "Que serra é a mais alta de Portugal continental?", "a": "Gerês", "b": "Marão", "c": "Estrela", "answer": "C"}
    | {"region": ""},
]
WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], object]] = {
    "csv": lambda path, rows: pl.DataFrame(rows).write_csv(path),
    "tsv": lambda path, rows: pl.DataFrame(rows).write_csv(path, separator="\t"),
    "json": lambda path, rows: path.write_text(json.dumps(rows, indent=1)),
    "jsonl": lambda path, rows: path.write_text("\n".join(map(json.dumps, rows))),
    "parquet": lambda path, rows: pl.DataFrame(rows).write_parquet(path),
}


@pytest.fixture
def mapping(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_same_items_of_every_format(tmp_path: Path, mapping: Callable[[str], Path], suffix: str):
    WRITERS[suffix](tmp_path / f"rios.{suffix}", ROWS)
    items = list(mapped(tmp_path / f"rios.{suffix}", mapping=mapping(PLAIN)))
    assert [(i.stem, i.options, i.gold, i.lang, i.place, i.maker) for i in items] == [
        ("Que rio passa no Porto?", ("Douro", "Tejo", "Mondego"), 0, "pt", "PT-13", "mine"),
        ("Que serra é a mais alta de Portugal continental?", ("Gerês", "Marão", "Estrela"), 2, "pt", "", "mine"),
    ]
    lines = {"csv": (2, 3), "tsv": (2, 3), "json": (2, 10), "jsonl": (1, 2), "parquet": (1, 2)}
    assert [i.source for i in items] == [f"rios.{suffix}:{n}" for n in lines[suffix]]


def test_a_region_that_is_null_in_row_1_and_text_in_row_5000(tmp_path: Path, mapping: Callable[[str], Path]):
    rows = [{**ROWS[0], "question": f"Pergunta {n}?", "region": "PT-30" if n == 4999 else None} for n in range(5000)]
    for suffix in ("jsonl", "json", "csv", "parquet"):
        if suffix == "parquet":
            pl.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / "r.parquet")
        else:
            WRITERS[suffix](tmp_path / f"r.{suffix}", rows if suffix != "csv" else [{**r, "region": r["region"] or ""} for r in rows])
        items = list(mapped(tmp_path / f"r.{suffix}", mapping=mapping(PLAIN)))
        assert len(items) == 5000 and [n for n, i in enumerate(items) if i.place] == [4999] and items[4999].place == "PT-30"


CSV = "question,a,b,c,answer,region\n"
FAULTS = [
    ("Q?,x,y,z,A\n", "2: has 5 cells, the first row 6"),
    ("Q?,x,y,z,A,PT,\n", "2: has 7 cells, the first row 6"),
    ("Q?,x,y,,A,PT\n", "2: c: is empty"),
    ("Q?,x,y,x,A,PT\n", "2: c: equals a, 'x'"),
    (",x,y,z,A,PT\n", "2: question: is empty"),
    ("Q?,x,y,z,D,PT\n", "2: answer: 'D' names none of the 3 options"),
    ("Q?,x,y,z,1,PT\n", "2: answer: expected a letter, found '1'; a mapping has answers = index0"),
    ("Q?,x,y,z,,PT\n", "2: answer: expected a letter, found ''"),
    ('"Q\n1?",x,y,z,A,PT\nQ2?,x,y\n', "4: has 3 cells, the first row 6"),
    ('"Q?,x,y,z,A,PT\n', "2: is no CSV"),
    ("Q?,x,\udcff,z,A,PT\n", "2: b: is no UTF-8, found the byte 0xff"),
]


@pytest.mark.parametrize("rows, said", FAULTS, ids=[said for _, said in FAULTS])
def test_a_fault_of_csv_names_line_and_column_and_can_be_skipped(tmp_path: Path, mapping: Callable[[str], Path], rows: str, said: str):
    path = tmp_path / "q.csv"
    path.write_bytes((CSV + rows).encode("utf-8", "surrogateescape"))
    with pytest.raises(TableError) as error:
        list(mapped(path, mapping=mapping(PLAIN)))
    assert str(error.value).startswith(f"{path}:{said}")
    good = "" if "no CSV" in said else "Q9?,x,y,z,B,PT\n"
    path.write_bytes((CSV + rows + good).encode("utf-8", "surrogateescape"))
    skipped: list[str] = []
    items = list(mapped(path, mapping=mapping(PLAIN), skipped=skipped))
    assert [s for s in skipped if s.startswith(f"{path}:{said}")] == skipped and len(skipped) == 1
    assert [i.stem for i in items][-1:] == (["Q9?"] if good else [])


JSON_FAULTS = [
    ('{"question": "Q?", "a": "x", "b": "y", "c": null, "answer": "A", "region": null}', "1: c: is empty"),
    ('{"question": 7, "a": "x", "b": "y", "c": "z", "answer": "A", "region": null}', "1: question: expected text, found 7"),
    ('{"queston": "Q?", "a": "x", "region": ""}', "1: question: is missing; the row has 'queston', 'a', 'region'; did you mean 'queston'?"),
    ('{"question": "Q?", "question": "R?", "region": ""}', "1: question: stands twice in the row"),
    ('["Q?"]', "1: expected an object {…} as a row, found a list of 1"),
    ('{"question": "Q?"', "1: column 18: no JSON"),
    ('{"question": "Q?"} {}', "1: column 19: no JSON, another value begins"),
    ("[" * 100_000, "1: the JSON is nested too deeply"),
]


@pytest.mark.parametrize("row, said", JSON_FAULTS, ids=[said for _, said in JSON_FAULTS])
def test_a_fault_of_json_lines(tmp_path: Path, mapping: Callable[[str], Path], row: str, said: str):
    path = written(tmp_path / "q.jsonl", row + "\n" + json.dumps(ROWS[0]))
    with pytest.raises(TableError) as error:
        list(mapped(path, mapping=mapping(PLAIN)))
    assert str(error.value).startswith(f"{path}:{said}")
    skipped: list[str] = []
    assert len(list(mapped(path, mapping=mapping(PLAIN), skipped=skipped))) == len(skipped) == 1


def test_ids_of_two_types_are_told_across_files(tmp_path: Path, mapping: Callable[[str], Path]):
    told = mapping(PLAIN.replace("[columns]", '[columns]\nid = "n"'))
    for name, n in (("a", 1), ("b", "1")):
        written(tmp_path / f"d/{name}.jsonl", json.dumps({**ROWS[0], "n": n}))
    with pytest.raises(TableError, match=r'b.jsonl:1: n: "1" here and 1 in .*a.jsonl:1 would be one id; write ids as text'):
        list(mapped(tmp_path / "d", mapping=told))


def test_a_column_that_is_not_there_is_guessed(tmp_path: Path, mapping: Callable[[str], Path]):
    for suffix in ("csv", "parquet"):
        WRITERS[suffix](tmp_path / f"q.{suffix}", [{"text": "?", **row} for row in ROWS])
        with pytest.raises(TableError, match=r"q\.\w+: mine.toml: columns.place: no column 'regon'; did you mean 'region'"):
            list(mapped(tmp_path / f"q.{suffix}", mapping=mapping(PLAIN.replace('"region"', '"regon"'))))


SHAPES = [
    ('options = "o"', {"o": ["Douro", "Tejo"]}),
    ('options = "o"', {"o": {"B": "Tejo", "A": "Douro"}}),
    ('options = "o"', {"o": '{"A": "Douro", "B": "Tejo"}'}),
    ('options = "o"', {"o": '["A. Douro", "B. Tejo"]'}),
    ('options = "o"', {"o": ["(a) Douro", "(b) Tejo"]}),
    ('options = "in.side.o"', {"in": {"side": {"o": ["Douro", "Tejo"]}}}),
    ('options = ["x", "y"]', {"x": "Douro", "y": " Tejo "}),
    ('options = ["x"]\nspare = ["y", "z"]', {"x": ["Douro", "Tejo"], "y": "", "z": None}),
    ('options = ["x", "y"]\nspare = ["z"]', {"x": "Douro", "y": "Tejo", "z": ""}),
]


@pytest.mark.parametrize("columns, cells", SHAPES, ids=[json.dumps(cells) for _, cells in SHAPES])
def test_options_in_every_shape(tmp_path: Path, mapping: Callable[[str], Path], columns: str, cells: dict[str, Any]):
    path = written(tmp_path / "q.jsonl", json.dumps({"q": "Q?", "k": "B", **cells}))
    told = mapping(f'[columns]\nstem = "q"\nanswer = "k"\n{columns}\n[fixed]\nlang = "pt"')
    (item,) = mapped(path, mapping=told)
    assert (item.options, item.gold) == (("Douro", "Tejo"), 1)


ANSWERS = [
    ("letter", "b", 1), ("letter", "B.", 1), ("index0", 1, 1), ("index0", "1", 1), ("index0", 1.0, 1), ("index1", 1, 0), ("index1", "2", 1),
    ("text", "1848", 0), ("text", 1852, 1),
    ("letter", "E", "names none of the 3 options"), ("index0", 3, "names none"), ("index0", -1, "expected an index from 0"),
    ("index1", 0, "names none"), ("index1", "B", "expected an index from 1"), ("index0", True, "expected an index from 0"),
    ("text", "1900", "'1900' is none of the options '1848', '1852', '1860'"), ("letter", None, "expected a letter"),
]  # fmt: skip


@pytest.mark.parametrize("how, answer, gold", ANSWERS)
def test_answers_as_letter_index_or_text(tmp_path: Path, mapping: Callable[[str], Path], how: str, answer: Any, gold: int | str):
    path = written(tmp_path / "q.jsonl", json.dumps({"q": "Q?", "o": ["1848", "1852", "1860"], "k": answer}))
    told = mapping(f'answers = "{how}"\n[columns]\nstem = "q"\nanswer = "k"\noptions = "o"\n[fixed]\nlang = "pt"')
    if isinstance(gold, int):
        assert next(mapped(path, mapping=told)).gold == gold
    else:
        with pytest.raises(TableError, match=gold):
            list(mapped(path, mapping=told))


def test_values_names_parts_of_the_path_and_meta(tmp_path: Path, mapping: Callable[[str], Path]):
    told = mapping("""
files = ["{speech}/part-*.csv"]
[columns]
stem = "q"
options = ["a", "b"]
answer = "k"
lang = "file.speech"
place = "country"
parallel = "{file.speech}/{n}"
[fixed]
abstain = "não sei"
[values.lang]
alentejano = "pt-PT"
[values.place]
"*" = "@countries"
"Terra de Vera Cruz" = "BR"
[meta]
level = "level"
""")
    head = "q,a,b,k,country,n,level\n"
    written(tmp_path / "d/alentejano/part-1.csv", head + "Q1?,x,não sei,A,Portugal,01,\nQ2?,x,y,B,terra de vera cruz,02,easy\n")
    written(tmp_path / "d/notes.csv", "not,of,this,data\n")
    items = list(mapped(tmp_path / "d", mapping=told))
    assert [(i.lang, i.place, i.parallel, i.abstain, i.meta) for i in items] == [
        ("pt-PT", "PT", "alentejano/01", 1, {}), ("pt-PT", "BR", "alentejano/02", None, {"level": "easy"}),
    ]  # fmt: skip
    assert [i.lang for i in mapped(tmp_path / "d/alentejano", mapping=told)] == ["pt-PT"] * 2
    assert [i.lang for i in mapped(tmp_path / "d/alentejano/part-1.csv", mapping=told)] == ["pt-PT"] * 2
    written(tmp_path / "d/alentejano/part-2.csv", head + "Q3?,x,y,A,Portugall,03,\n")
    with pytest.raises(TableError, match=r"part-2.csv:2: country: no value in the table of the mapping 'Portugall'"):
        list(mapped(tmp_path / "d", mapping=told))


def test_what_is_not_there(tmp_path: Path, mapping: Callable[[str], Path]):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds none of .csv, .tsv"):
        list(mapped(tmp_path / "empty", mapping=mapping(PLAIN)))
    with pytest.raises(StorageError, match="no such file"):
        list(mapped(tmp_path / "no.csv", mapping=mapping(PLAIN)))
    with pytest.raises(StorageError, match="no such file"):
        list(mapped(tmp_path / "empty", mapping=tmp_path / "no.toml"))
    with pytest.raises(InputError, match="nobody reads .xml"):
        list(mapped(written(tmp_path / "q.xml", "<q/>"), mapping=mapping(PLAIN)))
    with pytest.raises(TableError, match="is no Parquet"):
        list(mapped(written(tmp_path / "q.parquet", "PAR0"), mapping=mapping(PLAIN)))


# ---- The shipped mappings: rows are made up; columns, files and types are those of the published data ------------------------------


def blend(folder: Path) -> Path:
    """Two countries in BLEnD's own layout: annotations keyed by id, questions with the local text under ``Question``, prompts."""
    none = {"idk": 0, "no-answer": 0, "not-applicable": 0}
    table: dict[str, dict[str, Any]] = {
        "Spain": {
            "Al-en-01": {
                "question": "¿Que\u0301 se bebe en una romería de Asturias?",
                "en_question": "What do people drink at a romería in Asturias?",
                "annotations": [
                    {"answers": ["sidra", "la sidra"], "en_answers": ["cider"], "count": 4},
                    {"answers": ["culín", "a", ""], "en_answers": ["cider", "a small glass"], "count": 1},
                ],
                "idks": none,
            },
            "Al-en-02": {"question": "¿No?", "en_question": "No?", "annotations": [], "idks": none},
            "Al-en-03": {"question": "¿Qué?", "en_question": "What?",
                         "annotations": [{"answers": ["x1"], "en_answers": ["x1"], "count": 2}],
                         "idks": {"no-answer": 2, "idk": 0, "not-applicable": 1, "No lo sé": 1}},
            "Al-en-04": {"question": "¿Cómo?", "en_question": "How?",
                         "annotations": [{"answers": ["y1"], "en_answers": ["y1"], "count": 2}],
                         "idks": {**none, "idk": 5}},
            "Al-en-05": {"question": "¿Cuántas patas tiene una mesa?", "en_question": "How many legs has a table?",
                         "annotations": [{"answers": ["4"], "en_answers": ["4"], "count": 5}],
                         "idks": {"idk": 4, "no-answer": 2, "not-applicable": 0}},
        },
        "UK": {"Al-en-01": {"question": "What is eaten on Pancake Day?", "en_question": "What is eaten on Pancake Day here?",
                            "annotations": [{"answers": ["pancakes"], "en_answers": ["pancakes"], "count": 5}], "idks": none}},
    }  # fmt: skip
    for country, entries in table.items():
        written(folder / f"annotations/{country}_data.json", json.dumps(entries, ensure_ascii=False, indent=1))
        rows = [f'{n},{key},Food,English (US),"{e["question"]}","{e["en_question"]}"' for n, (key, e) in enumerate(entries.items())]
        written(folder / f"questions/{country}_questions.csv", "\n".join([",ID,Topic,Source,Question,Translation", *rows]) + "\n")
        prompts = 'id,English,Translation\ninst-4,"{q} Be short.\n","{q} Sé breve.\n"\npers-3,"You. {q}","Tú. {q}"\n'
        written(folder / f"prompts/{country}_prompts.csv", prompts)
    return folder


def test_blend_has_votes_its_invalid_rule_and_both_languages(tmp_path: Path):
    path, left = blend(tmp_path / "data"), []
    items = list(read(reader="blend", path=path, skipped=left))
    assert [(i.kind, i.lang, i.place, i.topic, i.parallel) for i in items] == [
        ("open", "es", "ES", "Food", "Spain/Al-en-01"), ("open", "en", "ES", "Food", "Spain/Al-en-01"),
        ("open", "es", "ES", "Food", "Spain/Al-en-05"), ("open", "en", "ES", "Food", "Spain/Al-en-05"),
        ("open", "en", "GB", "Food", "UK/Al-en-01"),
    ]  # fmt: skip
    assert items[0].stem == "¿Qué se bebe en una romería de Asturias?", "composed to NFC"
    assert items[0].accept == tuple(
        Accept(text=text, weight=weight)
        for text, weight in {"sidra": 4.0, "la sidra": 4.0, "cider": 4.0, "culín": 1.0, "a small glass": 1.0}.items()
    )
    assert [a.text for a in items[1].accept] == ["cider", "a small glass"]
    assert items[2].accept == (Accept(text="4", weight=5.0),), "a digit is an answer; four of five who do not know are not too many"
    assert items[4].stem == "What is eaten on Pancake Day?", "the local text, where both are English"
    said = [line.rpartition("Spain_data.json:")[2] for line in left]
    assert [s.split(": ", 1)[1].partition(":")[0] for s in said] == [
        "annotations[1].answers[1]", "annotations[1].answers[2]", *["does not count in blend"] * 3
    ]  # fmt: skip
    assert "one small letter" in said[0] and "matches anything" in said[1]
    assert [s.rpartition(": ")[2] for s in said[2:]] == [
        "no annotator gave an answer", "three annotators or more gave no answer or said that it does not apply",
        "all five annotators did not know",
    ]  # fmt: skip


def test_blend_can_be_read_in_part_and_with_its_prompts(tmp_path: Path):
    path = blend(tmp_path / "data")
    alone = list(read(reader="blend", path=path / "annotations/Spain_data.json"))
    assert [(i.lang, i.topic) for i in alone[:2]] == [("es", ""), ("en", "")], "questions/ is not in what was read, so it is not part of it"
    assert len(list(read(reader="blend", path=path.parent, where=("place=GB",)))) == 1
    prompted = list(read(reader="blend-prompts", path=path))
    assert prompted[0].prompt == "¿Qué se bebe en una romería de Asturias? Sé breve.\n", "word for word, its last line end too"
    assert prompted[1].prompt == "What do people drink at a romería in Asturias? Be short.\n"
    assert alone[0].prompt == "" and alone[0].id != prompted[0].id
    with pytest.raises(InputError, match=r"Spain_prompts.csv: no such file in .*; blend-prompts.toml takes its prompts from it"):
        list(read(reader="blend-prompts", path=path / "annotations"))
    mine = written(tmp_path / "mine.toml", MAPPINGS["blend-prompts"].read_text().replace("inst-4", "pers-4"))
    with pytest.raises(InputError, match="no prompt in the column 'Translation' 'pers-4'; did you mean 'pers-3'"):
        list(read(reader="mapped", mapping=mine, path=path))


def test_blend_columns_that_are_not_what_the_documentation_says(tmp_path: Path):
    """Real files: ``Question`` is the local text. A file whose columns have other names is told, with what was meant."""
    path = blend(tmp_path / "data")
    table = path / "questions/Spain_questions.csv"
    table.write_text(table.read_text().replace("Topic", "Topics"))
    with pytest.raises(TableError, match=r"Spain_questions.csv: blend.toml: join: no column 'Topic'; did you mean 'Topics'"):
        list(read(reader="blend", path=path))
    data = path / "annotations/Spain_data.json"
    data.write_text(data.read_text().replace('"en_answers"', '"answers_en"', 1))
    left: list[str] = []
    list(read(reader="blend", path=path / "annotations", skip_bad=True, skipped=left))
    assert [s for s in left if "en_answers: is missing" in s and "did you mean 'answers'?" in s][0].startswith(f"{data}:2: annotations[0].")


def test_a_version_of_a_row_that_is_bad_costs_that_version_alone(tmp_path: Path):
    path = blend(tmp_path / "data") / "annotations/UK_data.json"
    spanish = path.with_name("Spain_data.json")
    spanish.write_text(path.read_text().replace('"What is eaten on Pancake Day?"', '" "'))
    left: list[str] = []
    assert [i.lang for i in read(reader="blend", path=spanish, skip_bad=True, skipped=left)] == ["en"]
    assert left == [f"{spanish}:2: question: is empty"]
    with pytest.raises(TableError, match="question: is empty"):
        list(read(reader="blend", path=spanish))


def test_culturalbench(tmp_path: Path):
    """One row of the published file has no fourth option; it is a fault, and not an option "None"."""
    head = "data_idx,question_idx,prompt_question,prompt_option_a,prompt_option_b,prompt_option_c,prompt_option_d,answer,country\n"
    rows = '0,17,"What, in a tasca, is a ""bica""?",A coffee,A soup,A cake,A chair,A,Portugal\n'
    rows += "1,18,What is poured from a height?,Cider,Milk,Tea,Oil,C,Morocco\n2,19,Q?,x,y,z,,B,Spain\n"
    path = written(tmp_path / "CulturalBench-Easy.csv", head + rows)
    left: list[str] = []
    items = list(read(reader="culturalbench", path=tmp_path, skip_bad=True, skipped=left))
    assert [(i.stem, i.gold, i.place, i.lang) for i in items] == [
        ('What, in a tasca, is a "bica"?', 0, "PT", "en"), ("What is poured from a height?", 2, "MA", "en"),
    ]  # fmt: skip
    assert items[0].meta == {"country": "Portugal", "question": "17"}
    assert left == [f"{path}:4: prompt_option_d: is empty, found \"\""]


COUNTRIES = """
AR Argentina, AU Australia, BD Bangladesh, BR Brazil, CA Canada, CL Chile, CN China, CZ Czech Republic, EG Egypt, FR France, DE Germany,
HK Hong Kong, IN India, ID Indonesia, IR Iran, IL Israel, IT Italy, JP Japan, LB Lebanon, MY Malaysia, MX Mexico, MA Morocco, NP Nepal,
NL Netherlands, NZ New Zealand, NG Nigeria, PK Pakistan, PE Peru, PH Philippines, PL Poland, RO Romania, RU Russia, SA Saudi Arabia,
SG Singapore, ZA South Africa, KR South Korea, ES Spain, TW Taiwan, TH Thailand, TR Turkey, UA Ukraine, GB United Kingdom,
US United States, VN Vietnam, ZW Zimbabwe
"""
"""The 45 countries and regions that the paper of CulturalBench names, with their codes."""
LANGUAGES = """
sq Albanian, ar Arabic, hy Armenian, az Azerbaijani, eu Basque, be Belarusian, bn Bengali, bg Bulgarian, zh Chinese, hr Croatian,
nl Dutch, et Estonian, fi Finnish, fr French, ka Georgian, de German, el Greek, he Hebrew, hi Hindi, hu Hungarian, id Indonesian,
it Italian, ja Japanese, kk Kazakh, ko Korean, lt Lithuanian, ms Malay, ml Malayalam, ne Nepali, mk North Macedonian, fa Persian,
pl Polish, pt Portuguese, ru Russian, sr Serbian, es Spanish, tl Tagalog, ta Tamil, te Telugu, tr Turkish, uk Ukrainian, ur Urdu,
uz Uzbek, vi Vietnamese
"""
"""The 44 languages of INCLUDE, as its folders and its column name them, with their codes."""


def pairs(text: str) -> list[list[str]]:
    return [pair.strip().split(" ", 1) for pair in text.split(",")]


def test_every_country_of_culturalbench_has_a_code(tmp_path: Path):
    table = pairs(COUNTRIES)
    row = {"data_idx": 0, "question_idx": 0, "prompt_question": "Q?", "answer": "A"} | {f"prompt_option_{c}": c for c in "abcd"}
    pl.DataFrame([{**row, "data_idx": n, "country": name} for n, (_, name) in enumerate(table)]).write_csv(tmp_path / "x-Easy.csv")
    assert [i.place for i in read(reader="culturalbench", path=tmp_path)] == [code for code, _ in table] and len(table) == 45


def test_include_in_its_44_languages(tmp_path: Path):
    """Parquet in a folder for each language, the answer an index from 0; older revisions, with a list, by a mapping of two lines."""
    row = {"country": "Nowhere", "domain": "Arts & Humanities", "subject": "History", "regional_feature": "culture", "level": "Academic",
           "question": "Q?", "answer": 2}  # fmt: skip
    for code, language in pairs(LANGUAGES):
        (tmp_path / language).mkdir()
        made = {**row, "language": language, "question": f"{code}?"} | {f"option_{c}": c for c in "abcd"}
        pl.DataFrame([made]).write_parquet(tmp_path / language / "test-00000-of-00001.parquet")
        pl.DataFrame([made]).write_parquet(tmp_path / language / "validation-00000-of-00001.parquet")
    items = list(read(reader="include", path=tmp_path))
    assert len(items) == 44 and all(i.stem == f"{i.lang}?" for i in items)
    assert {(i.gold, i.place, i.topic, i.meta["subject"], i.meta["regional_feature"]) for i in items} == {
        (2, "", "Arts & Humanities", "History", "culture")
    }  # fmt: skip
    old = tmp_path / "old/Greek/test-00000-of-00001.parquet"
    old.parent.mkdir(parents=True)
    pl.DataFrame([{**row, "language": "Greek", "country": "Greece", "choices": ["α", "β", "γ", "δ"]}]).write_parquet(old)
    mine = written(tmp_path / "old.toml", 'like = "include"\ncolumns = { options = "choices" }')
    (item,) = read(reader="mapped", mapping=mine, path=tmp_path / "old")
    assert (item.options, item.gold, item.lang, item.place) == (("α", "β", "γ", "δ"), 2, "el", "GR")


def test_global_mmlu_takes_the_language_from_its_folder(tmp_path: Path):
    names = ("required_knowledge", "time_sensitive", "reference", "culture", "region", "country", "cultural_sensitivity_label")
    row = dict.fromkeys(names) | {"sample_id": "prehistory/test/7", "subject": "prehistory", "subject_category": "Humanities"}
    row |= {"answer": "D", "is_annotated": False} | {f"option_{c}": c for c in "abcd"}
    for lang, stem, label in (("en", "Which age came first?", "CA"), ("yo", "Ìgbà wo ló kọ́kọ́ dé?", None)):
        (tmp_path / lang).mkdir()
        for split in ("test", "dev"):
            made = pl.DataFrame(
                [{**row, "question": stem, "cultural_sensitivity_label": label}], schema_overrides=dict.fromkeys(names, pl.String)
            )  # fmt: skip
            made.write_parquet(tmp_path / lang / f"{split}-00000-of-00001.parquet")
    items = list(read(reader="global-mmlu", path=tmp_path))
    assert [(i.lang, i.gold, i.topic, i.parallel) for i in items] == [
        ("en", 3, "Humanities", "prehistory/test/7"), ("yo", 3, "Humanities", "prehistory/test/7")
    ]  # fmt: skip
    assert items[0].meta == {"subject": "prehistory", "cultural_sensitivity": "CA", "annotated": "false"}
    assert items[1].meta == {"subject": "prehistory", "annotated": "false"}, "null is no value"
    assert [i.lang for i in read(reader="global-mmlu", path=tmp_path / "yo")] == ["yo"]


def test_bertaqa_has_two_languages_and_no_machine_translation(tmp_path: Path):
    row = {"id": 3, "category": "Music and Dance", "group": "Euskal gaiak", "difficulty": 2, "answer": 1}
    for name, stem, options in (
        ("eustrivia", "Zein da txalaparta?", ["dantza", "kolpe-tresna", "jantzia"]),
        ("eustrivia_elhuyar", "What is the txalaparta?", ["a dance", "a percussion instrument", "a garment"]),
        ("eustrivia_nllb", "What is a chalapart?", ["dance", "blow tool", "clothing"]),
    ):
        written(tmp_path / f"{name}_zuzenduta.jsonl", json.dumps({**row, "question": stem, "candidates": options}))
    items = list(read(reader="bertaqa", path=tmp_path))
    assert [(i.lang, i.stem, i.options[i.gold or 0], i.parallel, i.topic) for i in items] == [
        ("en", "What is the txalaparta?", "a percussion instrument", "3", "Music and Dance"),
        ("eu", "Zein da txalaparta?", "kolpe-tresna", "3", "Music and Dance"),
    ]  # fmt: skip
    assert items[0].meta == {"group": "Euskal gaiak", "difficulty": "2"}


# ---- As words of the command line, and in a recipe --------------------------------------------------------------------------------


def test_every_shipped_mapping_is_a_reader_with_its_source():
    assert {"blend", "culturalbench", "include", "global-mmlu", "bertaqa"} <= set(MAPPINGS) <= set(READERS)
    for path in MAPPINGS.values():
        told = tomllib.loads(path.read_text())
        assert told["title"] and ("like" in told or told["paper"] and told["licence"] and told["origin"])


def test_words_that_a_user_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "mine.toml", PLAIN)
    WRITERS["csv"](tmp_path / "rios.csv", ROWS)
    found = benchmarks.find("mapped:mine.toml:rios.csv")
    assert (found.name, found.reader, found.path) == ("rios", "mapped:mine.toml", "rios.csv")
    within = found.within(tmp_path / "runs/rios")
    assert within.settings == {"reader": "mapped", "mapping": "../../mine.toml", "path": "../../rios.csv"}
    assert benchmarks.find("include:rios.csv").settings == {"reader": "include", "path": "rios.csv"}
    for word, said in [
        ("mapped:rios.csv", "is not of the form mapped:MAPPING.toml:PATH"),
        ("mapped:mien.toml:rios.csv", "did you mean 'mine.toml'"),
        ("mapped:mine.toml:rio.csv", "did you mean 'rios.csv'"),
        ("bled:rios.csv", "no reader 'bled'; did you mean 'blend'"),
    ]:
        with pytest.raises(InputError, match=said):
            benchmarks.find(word)
    with pytest.raises(UnknownName, match="did you mean 'include'"):
        list(read(reader="inculde", path=tmp_path / "rios.csv"))
    with pytest.raises(InputError, match="needs a file of column names"):
        list(read(reader="mapped", path=tmp_path / "rios.csv"))


def test_evaluated_by_a_mapping_of_ones_own_whose_content_is_part_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "mine.toml", PLAIN)
    WRITERS["csv"](tmp_path / "rios.csv", [*ROWS, {**ROWS[0], "question": " "}])
    words = ["evaluate", "mapped:mine.toml:rios.csv", "--model", "parrot/a says=A", "--method", "generate", "--out", "w"]
    assert run(words) == 2
    assert run([*words, "--skip-bad"]) == 0
    work = tmp_path / "w"
    assert [i.place for i in store.read(work / "tables/items.jsonl", Item)] == ["PT-13", ""]
    assert (work / "tables/items.skipped.txt").read_text() == "rios.csv:4: question: is empty\n"
    assert [s.state for s in Kitchen(work).survey(recipe.load(work))][0] == "fresh"
    written(tmp_path / "mine.toml", PLAIN.replace('place = "region"', 'topic = "region"'))
    assert [s.state for s in Kitchen(work).survey(recipe.load(work))][0] == "stale"


def test_blend_is_evaluated_as_open_questions_and_its_rule_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    blend(tmp_path / "data")
    assert run(["evaluate", "blend:data", "--where", "lang=en", "--model", "parrot/a says='cider, or pancakes'", "--out", "w"]) == 0
    assert tomllib.loads((tmp_path / "w/recipe.toml").read_text())["stage"][1]["do"] == "evaluate.answer"
    manifest = json.loads((tmp_path / "w/tables/items.manifest.json").read_text())
    assert manifest["facts"]["skipped"] == "5"
    scores = [json.loads(line) for line in (tmp_path / "w/tables/scores.jsonl").read_text().splitlines()]
    assert [s.get("right", False) for s in scores] == [True, False, True]


def test_a_large_file_is_streamed(tmp_path: Path, mapping: Callable[[str], Path]):
    """The first item of a file comes before the file is read to its end: what is broken at its end is met later."""
    rng, path = random.Random(0), tmp_path / "q.csv"
    body = "".join(f"Pergunta {n}?,{n}a,{n}b,{n}c,{rng.choice('ABC')},PT\n" for n in range(20_000))
    path.write_text(CSV + body + "Q?,x\n")
    items = mapped(path, mapping=mapping(PLAIN))
    assert next(items).stem == "Pergunta 0?"
    with pytest.raises(TableError, match="20002: has 2 cells"):
        list(items)
