"""The parts of a report: names, marks, tables, the sample."""

import ast
import base64
import gzip
import json
import re
import tomllib
from pathlib import Path

import polars as pl
import pytest

from endonym.errors import UnknownName
from endonym.records import Estimate
from endonym.report import cells, words
from endonym.report.page import SPOKEN, embed
from endonym.report.sample import OUTCOMES, sample
from endonym.report.tables import Grid, as_csv, as_latex, as_markdown, tex
from endonym.report.workspace import load

SENTENCE = re.compile(r"""\b_h?\((?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')""")


def estimate(value=0.5, low=0.25, high=0.75, n=4, signature="accuracy|a:1|model:m", **group):
    return Estimate(metric="accuracy", value=value, low=low, high=high, n=n, group=group, signature=signature)


@pytest.mark.parametrize(
    ("name", "code", "shown"),
    [("lang", "fr", "French (fr)"), ("lang", "pt-BR", "Brazilian Portuguese (pt-BR)"), ("lang", "xx-unknown", "xx-unknown"),
     ("place", "JP", "Japan (JP)"), ("place", "FR-BRE", "FR-BRE"), ("country", "ES", "Spain (ES)"), ("topic", "fr", "fr"),
     ("place", "", "not stated"), ("place", "all", "all")],
)  # fmt: skip
def test_groups_are_called_by_their_names(name, code, shown):
    assert words.value(name, code) == shown


def test_series_are_called_by_what_sets_them_apart():
    group = {"model": "local/m", "style": "oracle", "shots": "3"}
    assert words.series(group, ("model", "style", "shots")) == "local/m · oracle · 3-shot"


def test_numbers_are_counted_in_english():
    assert [words.plural(n, "query") for n in (0, 1, 2)] == ["0 queries", "1 query", "2 queries"]
    assert words.plural(1200, "model") == "1,200 models"


def test_marks_go_by_what_a_signature_says_beyond_the_facts():
    marks = words.Marks([{"model": "m", "benchmark": "b@1"}, {"model": "k"}])
    one = estimate(signature="accuracy|over:all|benchmark:b@1|model:m|endonym:1")
    two = estimate(signature="accuracy|over:all|benchmark:b@1|model:k|endonym:1")
    other = estimate(signature="accuracy|over:answered|benchmark:b@1|model:m|endonym:1")
    assert [marks.of(e) for e in (one, other, two)] == ["a", "b", "a"]
    assert list(marks.said) == ["accuracy|over:all|endonym:1", "accuracy|over:answered|endonym:1"]
    many = [marks.of(estimate(signature=f"m{n}")) for n in range(30)]
    assert many[23:26] == ["z", "aa", "ab"]


def test_a_table_with_holes_names_them():
    grid = Grid(title="Accuracy by place", dimension="place", series=("model",), estimates=[
        estimate(model="m", place="FR"), estimate(model="m", place=""),
        estimate(model="k_1", place="FR", value=None, low=None, high=None, n=0),
    ])  # fmt: skip
    md = as_markdown(grid, words.Marks([]), ["benchmark:b"])
    assert md.splitlines()[2:6] == [
        "| place | m | k\\_1 |", "| --- | ---: | ---: |", "| not stated | 50.0 [25.0–75.0] <sup>a</sup> |  |",
        "| France (FR) | 50.0 [25.0–75.0] <sup>a</sup> | – <sup>a</sup> |",
    ]  # fmt: skip
    assert r"France (FR) & 50.0\textsuperscript{a} {\scriptsize 25.0–75.0} & –\textsuperscript{a} \\" in as_latex(grid, words.Marks([]), [])


def test_groups_named_by_numbers_stand_by_size():
    grid = Grid(title="t", dimension="shots", series=("model",), estimates=[estimate(model="m", shots=n) for n in ("10", "3", "0")])
    assert grid.rows == ["0", "3", "10"]


def test_a_files_name_keeps_to_letters():
    assert Grid(title="t", dimension="../x y", series=(), estimates=[]).stem == "accuracy-by----x-y"


def test_csv_keeps_commas_quotes_and_absence():
    rows = as_csv([estimate(model='a "b", c', value=None, low=None, high=None, n=0), estimate(model="n", n=1)]).splitlines()
    assert rows[0] == "model,metric,value,low,high,n,note,signature"
    assert rows[1] == '"a ""b"", c",accuracy,,,,0,,accuracy|a:1|model:m'
    assert as_csv([estimate(metric="x")]).startswith("group.metric,metric,")


def test_latex_commands_in_names_stay_text():
    shown = tex("50% of {a_b} & $x^2$ \\input{x}~#")
    assert shown == r"50\% of \{a\_b\} \& \$x\textasciicircum{}2\$ \textbackslash{}input\{x\}\textasciitilde{}\#"


def test_embedded_json_can_close_no_script_and_reads_back():
    value = {"t": "</script><!-- & \u2028\u2029 </SCRIPT>"}
    text = embed(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value
    assert json.loads(embed("half \ud800 pair")).startswith("half ")


def test_a_strip_stays_on_its_line():
    ends = [cells.cell(estimate(value=v, low=v, high=v), words.Marks([]), chance=0.25)["strip"] for v in (0.0, 1.0)]
    assert [e["value"] for e in ends] == [0.0, 98.6]
    assert ends[0]["chance"] == 24.5
    assert cells.cell(estimate(value=None, low=None, high=None), words.Marks([]))["strip"] is None


def test_a_bar_of_statuses_is_a_hundred_wide():
    parts = cells.statuses({"answered": 6, "abstained": 0, "unparsed": 1, "truncated": 0, "refused": 0, "failed": 1})
    drawn = [(p["name"], p["x"], p["width"]) for p in parts if p["count"]]
    assert drawn == [("answered", 0, 75), ("unparsed", 75, 12.5), ("failed", 87.5, 12.5)]


def test_a_small_sample_spans_the_table_and_shows_every_status(workspace):
    space = load(workspace)
    rows = sample(space, limit=40).rows
    assert len(rows) == 40
    assert len({row[0] for row in rows}) == 40
    assert {row[3] for row in rows} == {"en", "fr", "pt"}
    shown = {OUTCOMES[reply[1]] for row in rows for reply in row[6]}
    assert shown == {"right", "not right"} | set(space.scores["status"]) - {"answered"}
    assert all(len(row[6]) == 2 for row in rows)
    order = space.scores["prompt"].unique(maintain_order=True).to_list()
    places = [order.index(prompt) for prompt in (space.scores.filter(pl.col("item") == row[0])["prompt"][0] for row in rows)]
    assert places == sorted(places)
    assert places[-1] > 100


def test_a_sample_row_shows_what_was_asked_and_what_was_said_word_for_word(workspace):
    found = sample(load(workspace))
    item, stem, prompt, lang, labels, options, replies = found.rows[0]
    assert stem == "Where does the parks of entity FR-0 lie?"
    assert prompt.startswith(f"{stem}\nA. Lyon")
    assert (lang, dict(zip(found.labels, labels, strict=True))["place"]) == ("en", "FR")
    assert options == [["Lyon", True], ["Porto", False], ["Kyoto", False], ["Lima", False]]
    assert found.models == ["local/gemma3-270m", "local/smollm2"]
    assert replies[1] == [1, OUTCOMES.index("not right"), 1, "The answer is B.", "", []]
    failed = next(reply for row in found.rows for reply in row[6] if OUTCOMES[reply[1]] == "failed")
    assert failed[2:5] == [None, "", "HTTP 429"]


def test_rows_are_packed_in_chunks_that_read_back(workspace):
    found = sample(load(workspace))
    (chunk,) = found.chunks()
    assert set(chunk) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    assert json.loads(gzip.decompress(base64.b64decode(chunk))) == found.rows


def test_every_sentence_of_the_page_is_there_in_french_with_its_places():
    """What the template and the modules say, by reading them; and no word of French that nobody says."""
    home = Path(words.__file__).parent
    french = tomllib.loads((home / "template" / "fr.toml").read_text(encoding="utf-8"))
    said = [one or other for one, other in SENTENCE.findall((home / "template" / "page.html").read_text(encoding="utf-8"))]
    nodes = [node for path in home.glob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    spoken = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr in {"say", "many"}]
    said += [a.value for c in spoken for a in c.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    said += [*SPOKEN, *cells.HEADS.values(), *words.DIMENSIONS.values(), words.NOT_STATED, *OUTCOMES]
    assert len(said) > 80
    assert [text for text in said if text not in french] == []
    for english, text in french.items():
        assert sorted(re.findall(r"\{\w*\}", english)) == sorted(re.findall(r"\{\w*\}", text)), english


def test_french_writes_numbers_and_names_its_own_way():
    with words.speaking("fr"):
        assert (words.percent(0.4567), words.whole(1234), words.decimal(0.5, 2)) == ("45,7", "1\u202f234", "0,50")
        assert words.value("lang", "de") == "allemand (de)"
        assert [words.plural(n, "question") for n in (0, 1, 2)] == ["0 question", "1 question", "2 questions"]
    assert words.percent(0.4567) == "45.7"
    with pytest.raises(UnknownName), words.speaking("tlh"):
        pass
