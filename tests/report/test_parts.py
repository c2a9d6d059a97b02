"""The parts of a report: names, marks, tables, the sample."""

import json

import polars as pl
import pytest

from endonym.records import Estimate
from endonym.report import cells, words
from endonym.report.page import embed
from endonym.report.sample import sample
from endonym.report.tables import Grid, as_csv, as_latex, as_markdown, tex
from endonym.report.workspace import load


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
    rows = sample(space, limit=40)
    assert len(rows) == 40
    assert len({row["item"] for row in rows}) == 40
    assert {row["lang"] for row in rows} == {"en", "fr", "pt"}
    assert {reply["status"] for row in rows for reply in row["replies"]} == set(space.scores["status"])
    assert all(len(row["replies"]) == 2 for row in rows)
    order = space.scores["prompt"].unique(maintain_order=True).to_list()
    places = [order.index(prompt) for prompt in (space.scores.filter(pl.col("item") == row["item"])["prompt"][0] for row in rows)]
    assert places == sorted(places)
    assert places[-1] > 100


def test_a_sample_row_shows_what_was_asked_and_what_was_said_word_for_word(workspace):
    rows = sample(load(workspace))
    row = rows[0]
    assert row["prompt"].startswith("Where does the parks of entity FR-0 lie?\nA. Lyon")
    assert row["options"] == [["Lyon", True], ["Porto", False], ["Kyoto", False], ["Lima", False]]
    gemma, smollm = row["replies"]
    assert (smollm["model"], smollm["text"], smollm["position"], smollm["right"]) == ("local/smollm2", "The answer is B.", 1, False)
    failed = next(reply for row in rows for reply in row["replies"] if reply["status"] == "failed")
    assert (failed["text"], failed["error"]) == ("", "HTTP 429")
