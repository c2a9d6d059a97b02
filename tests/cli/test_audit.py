"""``endonym audit`` as a user meets it."""

import json
from pathlib import Path

import pytest

from endonym.build.native import header, native
from endonym.cli import run
from endonym.records import Item, canonical

HEAD = b'{"canary":"towns canary 1f0e","licence":"CC0-1.0","name":"towns","version":"3"}'
ITEMS = [
    Item(stem="Which tree stands\u200b in Aldbury?", options=("Elm", "Oak", "Ash"), gold=1, lang="en"),
    Item(stem="Which tree stands in Brill?", options=("Elm", "Oak", "Ash "), gold=0, lang="en"),
    Item(stem="Which tree stands in Brill?", options=("Elm", "Oak", "Ash "), gold=0, lang="en"),
]


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    path = tmp_path / "towns.jsonl"
    path.write_bytes(b"\n".join([HEAD, *map(canonical, ITEMS)]) + b"\n")
    return path


def call(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = run(["audit", *map(str, args)])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_a_table_of_plain_text(capsys, towns):
    code, out, err = call(capsys, towns)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "towns: 3 items; kinds of findings: 1 of severity error, 2 of severity warning, 0 of severity note"
    assert lines[2].split()[:4] == ["ERROR", "item_twice", "1", "item"]
    assert "\x1b" not in out and "\u200b" not in out and "\\u200b" in out
    assert "→ Take them out: they split tokens, and no reader sees why. (--fix takes them out)" in out


def test_json_is_one_object_with_all_items(capsys, towns):
    code, out, _ = call(capsys, towns, "--json", "--limit-examples", 1)
    found = json.loads(out)
    assert (code, found["name"], found["audit"]["items"], found["fixed"]) == (0, "towns", 3, None)
    by = {finding["kind"]: finding for finding in found["audit"]["findings"]}
    assert {kind: finding["count"] for kind, finding in by.items()} == {"item_twice": 1, "invisible": 1, "blanks_edge": 2}
    assert by["blanks_edge"]["items"] == [ITEMS[1].id] and len(by["blanks_edge"]["examples"]) == 1
    assert set(by["invisible"]) == {
        "kind", "severity", "unit", "title", "count", "items", "langs", "examples", "advice", "fix",
    }  # fmt: skip


def test_nothing_found(capsys, towns):
    code, out, _ = call(capsys, towns, "--only", "nfc,markup", "--only", "mojibake")
    assert (code, out.splitlines()[-1]) == (0, "nothing found")


def test_strict_is_for_errors(capsys, towns):
    code, out, err = call(capsys, towns, "--strict", "--json")
    assert (code, json.loads(out)["name"]) == (2, "towns") and "has findings of severity error: item_twice" in err
    assert call(capsys, towns, "--strict", "--only", "invisible")[0] == 0


def test_a_row_that_cannot_be_read_is_a_finding(capsys, towns):
    towns.write_bytes(towns.read_bytes() + b'{"stem":"Which?","options":["a","b"],"gold":7}\n{"stem\n')
    code, out, _ = call(capsys, towns, "--json")
    by = {finding["kind"]: finding for finding in json.loads(out)["audit"]["findings"]}
    assert (code, by["answer_missing"]["count"], by["unreadable"]["count"]) == (0, 1, 1)
    assert by["answer_missing"]["examples"][0]["note"].endswith("towns.jsonl:5: gold: 7 is no index into 2 options")


def test_fix_writes_a_new_folder_and_edits_nothing(capsys, towns, tmp_path):
    before, target = towns.read_bytes(), tmp_path / "mended"
    code, out, _ = call(capsys, towns, "--fix", target)
    assert (code, towns.read_bytes()) == (0, before)
    assert out.splitlines()[-1] == f"{target}: 2 items; blanks_edge 2, invisible 1, item_twice 1"
    items = list(native(target / "benchmark.jsonl"))
    assert [(item.stem, item.options[2], item.parent) for item in items] == [
        ("Which tree stands in Aldbury?", "Ash", ITEMS[0].id), ("Which tree stands in Brill?", "Ash", ITEMS[1].id),
    ]  # fmt: skip
    assert header(target / "benchmark.jsonl") == header(towns)
    assert json.loads((target / "fixes.json").read_text()) == {"blanks_edge": 2, "invisible": 1, "item_twice": 1, "items": 2}
    assert call(capsys, target)[1].splitlines()[-1] == "nothing found"


def test_fix_never_writes_over(capsys, towns, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    code, _, err = call(capsys, towns, "--fix", tmp_path / "full")
    assert code == 2 and "is there already" in err
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]


def test_a_foreign_data_set_is_mended_into_our_format(capsys, tmp_path):
    row = {"question": "Quel arbre  est-ce ?", "choices": ["orme", "if"], "answer": "A", "region": "Bretagne", "domain": "nature",
           "is_carte_lv": False}  # fmt: skip
    (tmp_path / "carte.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(row | {"question": "Où ?", "answer": 1}) + "\n")
    code, out, _ = call(capsys, f"carte:{tmp_path / 'carte.jsonl'}", "--fix", tmp_path / "new", "--json")
    found = json.loads(out)
    kinds = {finding["kind"]: finding for finding in found["audit"]["findings"]}
    assert (code, found["fixed"]) == (0, {"blanks_double": 1, "items": 2})
    assert kinds["raw_types"]["count"] == 1 and len(kinds["raw_types"]["items"]) == 1
    assert [item.stem for item in native(tmp_path / "new" / "benchmark.jsonl")] == ["Quel arbre est-ce ?", "Où ?"]


def test_the_rule_of_years(capsys, tmp_path):
    item = Item(stem="When was it?", options=("1301", "1303", "1350"), gold=0, lang="en")
    (tmp_path / "b.jsonl").write_bytes(canonical(item))

    def kinds(*args: object) -> set[str]:
        return {finding["kind"] for finding in json.loads(call(capsys, tmp_path / "b.jsonl", "--json", *args)[1])["audit"]["findings"]}

    assert kinds() == {"year_near", "year_far"}
    assert kinds("--years", 1, 60) == set()
    assert kinds("--years", 1, 60, "--present", 1340) == {"year_future"}


def test_a_wrong_word_says_what_was_meant(capsys, towns):
    code, _, err = call(capsys, towns, "--only", "invisble")
    assert code == 2 and "did you mean 'invisible'" in err
    assert call(capsys, "nations-mimi")[0] == 2


def test_the_shipped_benchmark_has_no_error(capsys):
    code, out, _ = call(capsys, "nations-mini", "--strict", "--json")
    assert code == 0 and json.loads(out)["audit"]["items"] == 3024
