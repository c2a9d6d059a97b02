"""The command line as a user meets it: exit codes, one clear sentence, JSON alone on stdout."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from endonym.cli import run
from endonym.models.parrot import Parrot
from endonym.records import STATUSES, Item, Prompt, Response


def call(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = run([str(a) for a in args])
    out = capsys.readouterr()
    return code, out.out, out.err


def statuses(out: str) -> dict[str, int]:
    """The counts that are not zero; every status is named."""
    found = json.loads(out)["statuses"]
    assert set(found) == set(STATUSES)
    return {status: count for status, count in found.items() if count}


def evaluated(capsys: pytest.CaptureFixture[str], benchmark: Path, *more: object) -> tuple[int, str, str]:
    return call(capsys, "evaluate", benchmark, "--model", "parrot/x", "--out", benchmark.parent / "work", *more)


def test_help_answers_at_once():
    """By the processor's time, which other processes on the machine do not lengthen."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-m", "endonym", "--help"], capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert "evaluate" in done.stdout
    assert min(times) < 0.2


def test_evaluate_ends_with_the_reports_path(capsys: pytest.CaptureFixture[str], benchmark: Path):
    code, out, _ = evaluated(capsys, benchmark)
    page = benchmark.parent / "work/report/index.html"
    assert (code, out.splitlines()[-1]) == (0, f"report: {page}")
    assert page.stat().st_size > 1000


def test_what_a_library_prints_while_models_are_asked_does_not_reach_stdout(
    capsys: pytest.CaptureFixture[str], benchmark: Path, monkeypatch: pytest.MonkeyPatch
):
    plain = Parrot.answer

    def noisy(self: Parrot, prompts: Iterable[Prompt]) -> Iterator[Response]:
        print("(raylet) A worker died")
        return plain(self, prompts)

    monkeypatch.setattr(Parrot, "answer", noisy)
    code, out, err = evaluated(capsys, benchmark, "--json")
    assert code == 0 and json.loads(out)["statuses"]["answered"] == 6
    assert "A worker died" in err


@pytest.mark.parametrize("said, fault", [("leters", "did you mean 'letters'"), (",", "here are: generate, letters, texts")])
def test_an_unknown_way_of_asking_is_named(capsys: pytest.CaptureFixture[str], benchmark: Path, said: str, fault: str):
    code, _, err = evaluated(capsys, benchmark, "--method", said)
    assert code == 2 and fault in err


def test_three_ways_of_asking_are_three_columns_of_one_report(capsys: pytest.CaptureFixture[str], benchmark: Path):
    code, out, _ = evaluated(capsys, benchmark, "--method", "letters,texts,generate", "--json")
    found = [e for e in json.loads(out)["estimates"] if e["metric"] == "accuracy" and set(e["group"]) == {"model", "method"}]
    assert code == 0 and [e["group"]["method"] for e in found] == ["generate", "letters", "texts"]
    assert all(f"|method:{e['group']['method']}|" in e["signature"] for e in found) and {e["n"] for e in found} == {6}


def test_every_style_and_number_of_shots_has_its_line(capsys: pytest.CaptureFixture[str], benchmark: Path):
    code, out, _ = evaluated(capsys, benchmark, "--style", "plain,oracle", "--shots", "0,1")
    lines = [line.split("  ")[0].strip() for line in out.splitlines() if " accuracy " in line]
    assert code == 0
    assert lines == [f"parrot/x · {style} · {k}-shot" for style in ("oracle", "plain") for k in (0, 1)]


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str], benchmark: Path):
    code, out, _ = evaluated(capsys, benchmark, "--json", "--by", "lang")
    found = json.loads(out)
    assert code == 0
    assert set(found) == {"estimates", "statuses", "out"}
    assert statuses(out) == {"answered": 6}
    whole = [e for e in found["estimates"] if e["metric"] == "accuracy" and not set(e["group"]) - {"model"}]
    assert whole[0]["value"] == pytest.approx(2 / 6)  # gold stands at A for the first and the fifth, and the parrot says A
    assert whole[0]["n"] == 6
    assert set(whole[0]) >= {"metric", "value", "low", "high", "n", "group", "signature"}
    languages = {e["group"]["lang"]: e["value"] for e in found["estimates"] if e["metric"] == "accuracy" and "lang" in e["group"]}
    assert languages == {"en": pytest.approx(1 / 4), "fr": pytest.approx(1 / 2)}


def test_rotation_puts_gold_everywhere_once(capsys: pytest.CaptureFixture[str], benchmark: Path):
    _, out, _ = evaluated(capsys, benchmark, "--json", "--orders", "rotate")
    whole = [e for e in json.loads(out)["estimates"] if e["metric"] == "accuracy" and not set(e["group"]) - {"model"}]
    assert (whole[0]["value"], whole[0]["n"]) == (0.25, 24)


def test_a_second_model_comes_beside_the_first(capsys: pytest.CaptureFixture[str], benchmark: Path):
    evaluated(capsys, benchmark)
    code, out, _ = call(capsys, "evaluate", benchmark, "--model", "parrot/y says=B", "--out", benchmark.parent / "work", "--json")
    models = {e["group"].get("model") for e in json.loads(out)["estimates"]}
    assert code == 0
    assert {m.split("#")[0] for m in models if m} == {"parrot/x", "parrot/y"}


def test_another_run_does_not_go_into_the_same_workspace(capsys: pytest.CaptureFixture[str], benchmark: Path):
    evaluated(capsys, benchmark)
    code, _, err = evaluated(capsys, benchmark, "--orders", "rotate")
    assert code == 2
    assert "holds another run (orders is 'asis' there, 'rotate' here)" in err


def test_a_dry_run_asks_nothing(capsys: pytest.CaptureFixture[str], benchmark: Path):
    code, out, _ = evaluated(capsys, benchmark, "--dry-run", "--json", "--orders", "rotate")
    planned = json.loads(out)["dry_run"][0]
    assert (code, planned["model"], planned["prompts"], planned["calls"], planned["money"]) == (0, "parrot/x", 24, 24, None)
    assert not (benchmark.parent / "work/tables/scores/parrot--x.jsonl").exists()


def test_where_and_limit(capsys: pytest.CaptureFixture[str], benchmark: Path):
    _, out, _ = evaluated(capsys, benchmark, "--json", "--where", "lang=en", "--where", "domain=capital", "--limit", 3)
    assert statuses(out) == {"answered": 3}


@pytest.mark.parametrize(
    "more, what",
    [
        (["--where", "lang=xx"], "no item with lang = 'xx'"),
        (["--where", "lnag=en"], "no dimension 'lnag'; did you mean 'lang'"),
        (["--where", "lang"], "is not of the form name=value"),
        (["--by", "lnag"], "did you mean 'lang'"),
        (["--model", "parot/x"], "did you mean 'parrot'"),
        (["--model", "parrot/x colour=red"], "no setting of parrot/x 'colour'"),
        (["--model", "local/no/such.gguf"], "no/such.gguf"),
    ],
)
def test_words_that_mean_nothing_end_in_2(capsys: pytest.CaptureFixture[str], benchmark: Path, more: list[str], what: str):
    code, out, err = evaluated(capsys, benchmark, *more)
    assert (code, what in err, "Traceback" in err) in ((2, True, False), (3, True, False)), err
    assert out == ""


def test_a_benchmark_that_is_not_there(capsys: pytest.CaptureFixture[str], benchmark: Path):
    for word, what in [
        (benchmark.parent / "capitols.jsonl", "did you mean 'capitals.jsonl'"),
        ("nations-mni", "did you mean 'nations-mini'"),
        ("xnationq:.", "did you mean 'xnationqa'"),
        (f"carte:{benchmark.parent / 'nothing.jsonl'}", "nothing.jsonl"),
    ]:
        code, _, err = call(capsys, "evaluate", word, "--model", "parrot/x", "--out", benchmark.parent / "work")
        assert (code, what in err) == (2, True), err


@pytest.mark.parametrize(
    "row, what",
    [
        ("{", "capitals.jsonl:7"),
        ('{"stem":"Q?","gold":0}', "capitals.jsonl:7: options"),
        ('{"stem":"Q?","options":["a","b"],"gold":[0,1]}', "capitals.jsonl:7: gold"),
    ],
)
def test_a_bad_row_is_named_or_skipped_and_counted(capsys: pytest.CaptureFixture[str], benchmark: Path, row: str, what: str):
    with benchmark.open("a") as file:
        file.write(row + "\n")
    code, _, err = evaluated(capsys, benchmark)
    assert (code, what in err) == (2, True), err
    code, out, _ = evaluated(capsys, benchmark, "--skip-bad", "--json")
    assert (code, statuses(out)) == (0, {"answered": 6})
    assert what in (benchmark.parent / "work/tables/items.skipped.txt").read_text()


def test_a_table_that_was_changed_ends_in_4_and_is_named(capsys: pytest.CaptureFixture[str], benchmark: Path):
    evaluated(capsys, benchmark)
    work = benchmark.parent / "work"
    assert call(capsys, "verify", work)[:2] == (0, "4 tables, every one as it was written\n")
    scores = work / "tables/scores.jsonl"
    scores.write_bytes(scores.read_bytes().replace(b'"right":true', b'"right":false'))
    code, _, err = call(capsys, "verify", work)
    assert (code, "scores.jsonl: changed since it was written" in err) == (4, True)


def test_status_tells_every_table(capsys: pytest.CaptureFixture[str], benchmark: Path):
    evaluated(capsys, benchmark)
    code, out, _ = call(capsys, "status", benchmark.parent / "work", "--json")
    assert code == 0
    assert [(t["table"], t["state"]) for t in json.loads(out)["tables"]] == [
        ("items", "fresh"), ("scores/prompts", "fresh"), ("scores/parrot--x", "fresh"), ("scores", "fresh"),
    ]  # fmt: skip


def test_a_model_that_always_fails_ends_in_3(capsys: pytest.CaptureFixture[str], benchmark: Path):
    code, _, err = call(capsys, "evaluate", benchmark, "--model", "parrot/x fails=['capital']", "--out", benchmark.parent / "w")
    assert (code, "not one of 6 calls succeeded" in err) == (3, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission_is_one_sentence(capsys: pytest.CaptureFixture[str], benchmark: Path):
    benchmark.parent.chmod(0o500)
    code, _, err = evaluated(capsys, benchmark)
    benchmark.parent.chmod(0o700)
    assert (code, "permission denied" in err) == (2, True)


def test_a_place_where_nothing_can_be_written_is_one_sentence(capsys: pytest.CaptureFixture[str], benchmark: Path):
    code, _, err = call(capsys, "evaluate", benchmark, "--model", "parrot/x", "--out", benchmark / "below-a-file")
    assert (code, "not a directory" in err, "Traceback" in err) == (2, True, False)


def test_a_full_disk_is_one_sentence(tmp_path: Path, benchmark: Path):
    """A file of its own that is too small for the tables stands for a full disk."""
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)); import signal;"
    limit += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from endonym.cli import main; main(sys.argv[1:])"
    args = [sys.executable, "-c", limit, "evaluate", str(benchmark), "--model", "parrot/x", "--out", str(tmp_path / "w")]
    done = subprocess.run(args, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "too large" in done.stderr or "full" in done.stderr or "i/o error" in done.stderr.lower()


def test_show_and_lists(capsys: pytest.CaptureFixture[str], benchmark: Path, items: list[Item]):
    code, out, _ = call(capsys, "show", benchmark)
    assert (code, "6 items (6 distinct), 6 entities, 0 skipped" in out) == (0, True)
    code, out, _ = call(capsys, "show", benchmark, "--item", items[0].id[:8])
    assert (code, "What is the capital of Portugal?" in out) == (0, True)
    assert call(capsys, "show", benchmark, "--item", "zzz")[0] == 2
    for verb in ("models", "benchmarks"):
        code, out, _ = call(capsys, verb, "--json")
        assert (code, bool(json.loads(out))) == (0, True)
    code, out, _ = call(capsys, "benchmarks")
    assert code == 0 and "Header(" not in out and "en, de, es, hi, ja, ru, zh; CC-BY-4.0" in out


def test_an_unknown_verb(capsys: pytest.CaptureFixture[str]):
    code, _, err = call(capsys, "evalute")
    assert (code, "did you mean 'evaluate'" in err) == (2, True)


def test_responses_are_scored(capsys: pytest.CaptureFixture[str], benchmark: Path, items: list[Item]):
    file = benchmark.parent / "said.jsonl"
    file.write_text("".join(json.dumps({"item": i.id, "model": "m", "text": f"Answer: {'ABCD'[i.gold]}"}) + "\n" for i in items))
    code, out, _ = call(capsys, "evaluate", benchmark, "--responses", file, "--out", benchmark.parent / "w", "--json")
    whole = [e for e in json.loads(out)["estimates"] if e["metric"] == "accuracy" and not set(e["group"]) - {"model"}]
    assert (code, whole[0]["value"], whole[0]["n"]) == (0, 1.0, 6)


def test_open_answers_are_judged_and_the_judge_stands_beside_the_scorers(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    rows = [{"stem": f"Question {n}?", "kind": "open", "accept": [{"text": f"answer {n}"}], "lang": "en"} for n in range(4)]
    (tmp_path / "open.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, _ = call(
        capsys, "evaluate", tmp_path / "open.jsonl", "--model", "parrot/x says='answer 1'", "--judge", "parrot/j says='wrong'",
        "--out", tmp_path / "w", "--json",
    )  # fmt: skip
    found = {e["metric"]: e["value"] for e in json.loads(out)["estimates"] if set(e["group"]) == {"model"}}
    assert code == 0
    assert found["accuracy"] == 0.25
    assert found["scored(scorer='judge')"] == 0
    assert call(capsys, "verify", tmp_path / "w")[0] == 0


def test_a_choice_needs_no_judge(capsys: pytest.CaptureFixture[str], benchmark: Path):
    code, _, err = evaluated(capsys, benchmark, "--judge", "parrot/j")
    assert (code, "needs no judge" in err) == (2, True)
