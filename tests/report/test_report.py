"""A report from a workspace written by hand: numbers by arithmetic, files that are whole, refusals that are plain."""

import base64
import csv
import gzip
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from endonym import store
from endonym.errors import IntegrityError, StorageError, UnknownName
from endonym.records import Judgment, Manifest, Score
from endonym.report import report, summary

from . import synthetic

GEMMA, SMOLLM = "local/gemma3-270m", "local/smollm2"


def find(estimates, metric="accuracy", **group):
    (found,) = [e for e in estimates if e.metric == metric and e.group == group]
    return found


def test_the_headline_is_what_counting_by_hand_gives(estimates):
    """144 prompts: of every 24 one is abstained, unparsed, truncated, refused and failed each. Gold: 36 at each position."""
    rows = synthetic.items()
    for m, model in enumerate((SMOLLM, GEMMA)):
        kinds = [synthetic.status_of(n, m) for n in range(144)]
        assert kinds.count("failed") == 6
        assert find(estimates, "accuracy", model=model).n == 138
        assert find(estimates, "accuracy(over='answered')", model=model).n == kinds.count("answered") == 114
        assert find(estimates, "abstention", model=model).value == pytest.approx(6 / 138)
        assert find(estimates, "chance", model=model).value == 0.25
    right = sum(item.gold == 1 for n, item in enumerate(rows) if synthetic.status_of(n, 0) == "answered")
    assert find(estimates, "accuracy", model=SMOLLM).value == pytest.approx(right / 138)
    assert find(estimates, "position_bias", model=SMOLLM).value == 1.0


def test_the_headline_comes_first_and_groups_are_complete(estimates):
    assert [e.group for e in estimates[:5]] == [{"model": GEMMA}] * 5
    assert {e.group["lang"] for e in estimates if "lang" in e.group} == {"en", "fr", "pt"}
    assert {e.group["place"] for e in estimates if "place" in e.group} == {"FR", "PT", "JP", ""}
    assert {e.group["region"] for e in estimates if "region" in e.group} == {"all", "coast"}
    by_lang = [e for e in estimates if e.group.keys() == {"model", "lang"} and e.group["model"] == GEMMA]
    assert sum(e.n for e in by_lang) == 138


def test_every_number_has_a_signature_with_the_facts_of_its_run_and_model(workspace, estimates):
    sha = store.vouched(workspace / "tables" / "items.jsonl").sha256
    for e in estimates:
        assert f"|benchmark:nations-test@{sha[:12]}|" in e.signature
        assert f"|model:{e.group['model']}|model.engine:torch|model.precision:" in e.signature
        assert "|orders:asis|" in e.signature
        assert e.low is not None and e.high is not None and e.low <= e.value <= e.high
    assert "bfloat16" in find(estimates, model=SMOLLM).signature
    assert "bfloat16" not in find(estimates, model=GEMMA).signature


def test_csv_holds_every_number_with_its_signature(workspace, estimates):
    with (workspace / "report" / "tables" / "accuracy-by-place.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    for row in rows:
        e = find(estimates, model=row["model"], place=row["place"])
        assert (float(row["value"]), int(row["n"]), row["signature"]) == (e.value, e.n, e.signature)


def test_statuses_and_positions_are_counted_in_files(workspace, estimates):
    with (workspace / "report" / "tables" / "statuses.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"model": GEMMA, "answered": "114", "prompts": "144",
                       **dict.fromkeys(("abstained", "unparsed", "truncated", "refused", "failed"), "6")}  # fmt: skip
    with (workspace / "report" / "tables" / "positions.csv").open(encoding="utf-8") as file:
        counts = {(r["model"], r["position"]): int(r["count"]) for r in csv.DictReader(file)}
    assert [counts[SMOLLM, str(p)] for p in range(4)] == [0, 114, 0, 0]


def test_markdown_and_latex_have_a_mark_at_each_number(workspace, estimates):
    tables = workspace / "report" / "tables"
    md = (tables / "accuracy-by-place.md").read_text(encoding="utf-8")
    rows = [line for line in md.splitlines() if line.startswith("|")][2:]
    assert len(rows) == 4
    assert all(row.count("<sup>") == 2 for row in rows)
    assert "| France (FR) |" in md and "| not stated |" in md
    tex = (tables / "accuracy-by-place.tex").read_text(encoding="utf-8")
    assert tex.count(r"\textsuperscript{a}") == 9
    for word in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{tabular}{lrr}", r"max\_tokens:64"):
        assert word in tex


class Page(HTMLParser):
    """What a browser would load, and whether the page is well formed where it matters."""

    def __init__(self):
        super().__init__()
        self.loads, self.ids, self.links, self.scripts, self.tags = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.tags.append(tag)
        if tag in {"img", "script", "iframe", "video", "source"} and named.get("src"):
            self.loads.append(named["src"])
        if tag == "link":
            self.loads.append(named.get("href"))
        if tag == "script":
            self.scripts.append(named.get("type", ""))
        if "id" in named:
            self.ids.append(named["id"])
        if tag == "a" and named["href"].startswith("#"):
            self.links.append(named["href"][1:])


def test_the_page_loads_nothing_and_its_links_lead_somewhere(html):
    page = Page()
    page.feed(html)
    assert page.loads == []
    assert page.scripts == ["application/json", "application/octet-stream", ""]
    assert "img" not in page.tags
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    assert not re.search(r"https?://(?!www\.w3\.org)", html)
    assert "@import" not in html and "url(http" not in html


def test_what_a_model_says_stays_text(html):
    assert "<script>document.title" not in html
    assert "<img src=x" not in html
    (data,) = re.findall(r'<script type="application/octet-stream" class="chunk">(.*?)</script>', html, re.S)
    replies = [reply[3] for row in json.loads(gzip.decompress(base64.b64decode(data))) for reply in row[6]]
    assert synthetic.HOSTILE in replies
    assert len(replies) == 288


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs a browser")
def test_in_a_browser_the_script_runs_and_the_hostile_one_does_not(workspace, estimates, tmp_path):
    """The dump is the page as it stands after its script has run: the first prompts are in the page, and the title is ours."""
    page = (workspace / "report" / "index.html").as_uri()
    quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    plain = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    command = ["chromium", *plain, *quiet, f"--user-data-dir={tmp_path}", "--virtual-time-budget=8000", "--dump-dom", page]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "<title>nations-test · endonym report</title>" in done.stdout
    assert 10 < done.stdout.count('role="option"') < 60
    assert 'aria-setsize="144"' in done.stdout
    assert ">144 of 144 prompts</p>" in done.stdout
    assert "CONSOLE" not in done.stderr


def test_the_same_workspace_gives_the_same_bytes(workspace, estimates, tmp_path):
    again = synthetic.write(tmp_path / "ws")
    assert report(again, by=("lang", "place", "topic", "region"), draws=200) == estimates
    for path in sorted((workspace / "report").rglob("*.*")):
        assert path.read_bytes() == (again / path.relative_to(workspace)).read_bytes(), path.name
    assert not [p for p in (again / "report").rglob(".*") if p.is_file()]


def test_the_summary_is_the_json_of_the_command_line(estimates):
    found = summary(estimates, {"answered": 228, "failed": 12}, "runs/x")
    assert json.loads(json.dumps(found)) == found
    assert found["estimates"][0].keys() == {"metric", "value", "low", "high", "n", "group", "signature"}
    assert found["estimates"][0]["group"] == {"model": GEMMA}
    assert found["statuses"] == {"answered": 228, "abstained": 0, "unparsed": 0, "truncated": 0, "refused": 0, "failed": 12}
    assert found["out"] == "runs/x"


def test_an_unknown_dimension_is_named_and_nothing_is_written(tmp_path):
    folder = synthetic.write(tmp_path / "ws")
    with pytest.raises(UnknownName, match="did you mean 'region'"):
        report(folder, by=("regoin",))
    assert not (folder / "report").exists()


def test_words_of_the_papers_are_dimensions_too(tmp_path):
    estimates = report(synthetic.write(tmp_path / "ws"), by=("domain", "country"), draws=100)
    assert {e.group["domain"] for e in estimates if "domain" in e.group} == set(synthetic.TOPICS)
    assert (tmp_path / "ws" / "report" / "tables" / "accuracy-by-country.csv").exists()


def test_a_dimension_that_no_question_states_is_said_to_be_missing(tmp_path):
    folder = synthetic.write(tmp_path / "ws")
    estimates = report(folder, by=("subset",), draws=100)
    assert not [e for e in estimates if "subset" in e.group]
    assert "No question states its subset" in (folder / "report" / "index.html").read_text(encoding="utf-8")


def test_a_model_whose_calls_all_failed_has_no_number_and_says_why(tmp_path):
    def fail(score: Score) -> Score:
        gone = {"status": "failed", "right": False, "choice": None, "position": None}
        return synthetic.replaced(score, **gone) if score.model == SMOLLM else score

    folder = synthetic.write(tmp_path / "ws", change=fail)
    estimates = report(folder, by=("lang",), draws=100)
    broken = find(estimates, model=SMOLLM)
    assert (broken.value, broken.n, broken.note) == (None, 0, "no score counts: 144 failed")
    assert summary(estimates, {}, "x")["estimates"][5]["note"]
    html = (folder / "report" / "index.html").read_text(encoding="utf-8")
    assert "no score counts: 144 failed" in html
    assert not re.search(r"\bnan\b", html, re.I)
    assert "By language, nothing to count: English (en) (local/smollm2)" in html


def test_styles_are_never_averaged(tmp_path):
    """The same answers in two styles: four columns, each over its own prompts."""

    def style(score: Score) -> Score:
        return synthetic.replaced(score, style="oracle" if score.lang == "fr" else "plain")

    estimates = report(synthetic.write(tmp_path / "ws", change=style), by=("topic",), draws=100)
    assert find(estimates, model=GEMMA, style="oracle").n + find(estimates, model=GEMMA, style="plain").n == 138
    assert not [e for e in estimates if "style" not in e.group]


def test_open_answers_show_every_scorer_and_no_chance(tmp_path):
    def opened(score: Score) -> Score:
        read = {"strict": float(score.right), "contains": float(score.status != "failed")}
        blank = {"options": 0, "choice": None, "position": None, "gold_position": None, "method": "open"}
        return synthetic.replaced(score, marks=read if score.status != "failed" else {}, **blank)

    folder = synthetic.write(tmp_path / "ws", change=opened)
    estimates = report(folder, by=("lang",), draws=100)
    assert find(estimates, "scored(scorer='contains')", model=GEMMA).value == 1.0
    assert find(estimates, "scored", model=GEMMA).value == find(estimates, "accuracy", model=GEMMA).value
    assert find(estimates, "chance", model=GEMMA).value is None
    html = (folder / "report" / "index.html").read_text(encoding="utf-8")
    assert "<dt>Scorer contains</dt>" in html and "<dt>Chance</dt>" not in html
    assert 'id="positions"' not in html


def test_replies_on_which_scorers_differ_are_counted_and_listed_word_for_word(tmp_path):
    """Every reply that is read is right for ``contains``; what was wrong is wrong for ``strict``: the two differ on just those."""

    def opened(score: Score) -> Score:
        read = {"strict": float(score.right), "contains": 1.0}
        blank = {"options": 0, "choice": None, "position": None, "gold_position": None, "method": "open"}
        return synthetic.replaced(score, marks=read if score.status != "failed" else {}, **blank)

    folder = synthetic.write(tmp_path / "ws", change=opened)
    report(folder, by=("lang",), draws=100)
    rows = [json.loads(line) for line in (folder / "tables/scores.jsonl").read_text(encoding="utf-8").splitlines()]
    read = [r for r in rows if r["status"] != "failed" and r["model"] == GEMMA]
    right, wrong = sum(r.get("right", False) for r in read), sum(not r.get("right", False) for r in read)
    assert right and wrong
    with (folder / "report/tables/scorers.csv").open(encoding="utf-8") as file:
        pair = next(row for row in csv.DictReader(file) if row["model"] == GEMMA)
    assert (pair["a"], pair["b"], pair["n"]) == ("contains", "strict", str(len(read)))
    assert [int(pair[name]) for name in ("both", "only_a", "only_b", "neither")] == [right, wrong, 0, 0]
    with (folder / "report/tables/disputed.csv").open(encoding="utf-8") as file:
        listed = [row for row in csv.DictReader(file) if row["model"] == GEMMA]
    assert len(listed) == wrong and all((row["contains"], row["strict"]) == ("right", "wrong") for row in listed)
    html = (folder / "report/index.html").read_text(encoding="utf-8")
    assert 'id="scorers"' in html and "<script>alert" not in html


def test_two_versions_of_one_benchmark_are_refused(tmp_path):
    """The scores were made from other items than those that stand here."""
    folder = synthetic.write(tmp_path / "ws")
    store.write(folder / "tables" / "items.jsonl", synthetic.items()[:-1], Manifest(stage="build.read", version="1"))
    with pytest.raises(IntegrityError, match=r"another version of items .* two versions of one benchmark"):
        report(folder)


def test_one_model_asked_another_version_is_refused(tmp_path):
    """Its prompts were made from the items of before."""
    folder = synthetic.write(tmp_path / "ws")
    path = folder / "tables" / "scores" / "local--smollm2.jsonl"
    found = store.vouched(path)
    other = {**json.loads(store.manifest_path(path).read_text()), "inputs": {"prompts:scores/prompts": "0" * 64}}
    store.manifest_path(path).write_text(json.dumps(other))
    assert found.sha256 == store.vouched(path).sha256
    with pytest.raises(IntegrityError, match="another version of scores/prompts"):
        report(folder)


def test_scores_of_items_that_are_not_here_are_refused_even_without_manifests_that_say_so(tmp_path):
    folder = synthetic.write(tmp_path / "ws", change=lambda s: synthetic.replaced(s, item="0" * 16) if s.lang == "fr" else s)
    with pytest.raises(IntegrityError, match="lacks 1 items"):
        report(folder)


def test_a_changed_table_is_refused(tmp_path):
    folder = synthetic.write(tmp_path / "ws")
    path = folder / "tables" / "scores.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"right":true', b'"right":false', 1))
    with pytest.raises(IntegrityError, match="changed since it was written"):
        report(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission_is_said_plainly(tmp_path):
    folder = synthetic.write(tmp_path / "ws")
    (folder / "report").mkdir(mode=0o500)
    with pytest.raises(StorageError):
        report(folder, draws=100)


def test_a_file_in_the_reports_place_is_said_plainly(tmp_path):
    folder = synthetic.write(tmp_path / "ws")
    (folder / "report").write_text("in the way")
    with pytest.raises(StorageError, match="report"):
        report(folder, draws=100)


def test_the_page_speaks_french(tmp_path):
    folder = synthetic.write(tmp_path / "ws")
    report(folder, by=("lang", "place"), draws=100, lang="fr")
    html = (folder / "report" / "index.html").read_text(encoding="utf-8")
    assert '<html lang="fr">' in html
    assert "144 questions en 3 langues sur 3 lieux, posées à 2 modèles" in html
    for text in ("Ce qui manque", "Par langue", "français (fr)", "Japon (JP)", "Hasard"):
        assert text in html
    for text in ("What is missing", "By language", "Questions and replies", "not stated"):
        assert text not in html
    with pytest.raises(UnknownName, match="language of the page"):
        report(folder, lang="xx")


def graded(folder, verdicts):
    """Two judges lay their word beside scores that were made before: scores ← ungraded ← responses."""
    tables = folder / "tables"
    was = store.vouched(tables / "scores.jsonl")
    rows = list(store.read(tables / "scores.jsonl", Score))
    ungraded = store.write(tables / "ungraded.jsonl", rows, Manifest(stage=was.stage, params=was.params, inputs=was.inputs, version="1"))
    said = [
        Judgment(item=f"{s.prompt} of {s.model}", judge=judge, criterion="right", value=value, status="answered" if value else "unparsed")
        for judge, values in verdicts.items()
        for s, value in zip(rows, values, strict=False)
    ]
    grades = store.write(tables / "grades.jsonl", said, Manifest(stage="evaluate.grade.read", version="1"))
    inputs = {"scores:ungraded": ungraded.sha256, "judgments:grades": grades.sha256}
    plan = Manifest(stage="evaluate.graded", params={"judge": next(iter(verdicts))}, inputs=inputs, version="1")
    marked = [synthetic.replaced(s, marks={"judge": 1.0}) for s in rows]
    store.write(tables / "scores.jsonl", marked, plan)
    return folder


def test_scores_that_judges_refined_keep_the_facts_of_their_models(tmp_path):
    """Four replies, judged right right wrong right and right wrong wrong right: κ = (.75 − .5) / .5 = .5, by hand."""
    verdicts = {"m/j": ["right", "right", "wrong", "right"], "people/k": ["right", "wrong", "wrong", "right"]}
    folder = graded(synthetic.write(tmp_path / "ws"), verdicts)
    estimates = report(folder, by=("lang",), draws=100)
    signature = find(estimates, model=SMOLLM).signature
    assert "|model.precision:bfloat16" in signature and "stage:evaluate.graded/1" in signature and "judge:m/j" in signature
    html = (folder / "report" / "index.html").read_text(encoding="utf-8")
    assert 'id="judges"' in html and "people/k" in html
    assert re.search(r"m/j / people/k</th><td class=\"num\">0.50</td><td class=\"num\">75.0</td><td class=\"num\">4</td>", html)
    assert find(estimates, "scored(scorer='judge')", model=SMOLLM).value == 1.0


def test_judges_who_all_say_the_same_have_no_coefficient_and_it_is_said(tmp_path):
    folder = graded(synthetic.write(tmp_path / "ws"), {"m/j": ["right"] * 5, "m/k": ["right"] * 5})
    report(folder, by=(), draws=100)
    html = (folder / "report" / "index.html").read_text(encoding="utf-8")
    assert html.count("n/a") >= 2 and "0/0" in html
