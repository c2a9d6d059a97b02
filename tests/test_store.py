"""Tables, manifests, hashes, and what happens when a file is not what it was."""

import errno
import multiprocessing
import os
import subprocess
import time
from pathlib import Path

import pytest

from endonym import store
from endonym.errors import Busy, IntegrityError, StorageError, TableError
from endonym.records import Item, Manifest, Prompt, Response, Score, canonical


def test_a_tables_hash_is_sha256sum_of_its_file(tmp_path: Path, items: list[Item]):
    path = tmp_path / "items.jsonl"
    done = store.write(path, items, Manifest(stage="build.read"))
    assert subprocess.check_output(["sha256sum", path], text=True).split()[0] == done.sha256
    assert done.rows == 6 == len(store.read(path, Item))
    assert list(store.read(path, Item)) == items


def test_canonical_json_has_sorted_keys_utf8_and_no_blanks():
    assert canonical({"b": ["é", 1], "a": None}) == '{"a":null,"b":["é",1]}'.encode()


def test_a_changed_table_is_not_read(tmp_path: Path, items: list[Item]):
    path = tmp_path / "items.jsonl"
    store.write(path, items, Manifest(stage="s"))
    path.write_bytes(path.read_bytes().replace(b"Rome", b"Roma"))
    with pytest.raises(IntegrityError, match=r"items\.jsonl: changed since it was written"):
        store.read(path, Item)


def test_no_manifest_no_table(tmp_path: Path):
    (tmp_path / "x.jsonl").write_text("{}\n")
    with pytest.raises(IntegrityError, match="never finished"):
        store.read(tmp_path / "x.jsonl", Item)


def test_a_writer_that_fails_leaves_the_old_table_and_no_litter(tmp_path: Path, items: list[Item]):
    path = tmp_path / "items.jsonl"
    store.write(path, items, Manifest(stage="s"))

    def half():
        yield items[0]
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        store.write(path, half(), Manifest(stage="t"))
    assert list(store.read(path, Item)) == items
    assert sorted(p.name for p in tmp_path.iterdir()) == ["items.jsonl", "items.manifest.json"]


def test_a_wrong_row_names_file_line_and_field(tmp_path: Path):
    path = tmp_path / "items.jsonl"
    path.write_text('{"stem":"a","options":["x","y"],"gold":0}\n{"stem":"a","options":["x","y"],"gold":"A"}\n')
    with pytest.raises(TableError, match=r"items\.jsonl:2: not an Item: .*int.*gold"):
        list(store.rows(path, Item))


@pytest.mark.parametrize(
    "row, what",
    [
        ('{"stem":"a","options":["x"],"gold":0}', "options: a choice needs at least two"),
        ('{"stem":"a","options":["x","y"],"gold":2}', "gold: 2 is no index into 2 options"),
        ('{"stem":"a","options":["x","y"]}', "gold: None"),
        ('{"stem":"a","options":["x",""],"gold":0}', r"options\[1\]: is empty"),
        ('{"stem":" ","options":["x","y"],"gold":0}', "stem: is empty"),
        ('{"stem":"a","kind":"open"}', "accept: an open item needs"),
        ('{"stem":"a","kind":"open","accept":[{"text":""}]}', "matches anything"),
        ('{"stem":"a","options":["x","y"],"gold":0,"colour":1}', "colour"),
        ('{"stem":"a","options":["x","y"],"gold":0', "truncated"),
    ],
)
def test_items_that_are_none(tmp_path: Path, row: str, what: str):
    path = tmp_path / "i.jsonl"
    path.write_text(row + "\n")
    with pytest.raises(TableError, match=what):
        list(store.rows(path, Item))


@pytest.mark.parametrize("record", [Prompt(item="i", messages=(), order=(1, 0)), Response(prompt="p", model="m", loglikelihoods=(-0.5,)),
                                    Score(item="i", prompt="p", model="m", status="answered", meta={"region": "BRE"})])  # fmt: skip
def test_records_come_back_as_they_were(tmp_path: Path, record: object):
    store.write(tmp_path / "t.jsonl", [record], Manifest(stage="s"))
    assert list(store.read(tmp_path / "t.jsonl", type(record))) == [record]


def test_statuses_are_counted_in_the_manifest(tmp_path: Path):
    rows = [Score(item="i", prompt=str(n), model="m", status=s) for n, s in enumerate(["answered", "failed", "answered", "unparsed"])]
    assert store.write(tmp_path / "s.jsonl", rows, Manifest(stage="s")).statuses == {"answered": 2, "failed": 1, "unparsed": 1}


def chain(folder: Path, items: list[Item]) -> None:
    first = store.write(folder / "items.jsonl", items, Manifest(stage="a"))
    under = {"items:items": first.sha256}
    second = store.write(folder / "scores/prompts.jsonl", [Prompt(item="i", messages=())], Manifest(stage="b", inputs=under))
    store.write(folder / "scores.jsonl", [], Manifest(stage="c", inputs={"prompts:scores/prompts": second.sha256, **under}))


def test_verify_walks_the_chain_and_names_the_first_that_was_changed(tmp_path: Path, items: list[Item]):
    chain(tmp_path, items)
    assert store.verify(tmp_path) == 3
    assert [p.name for p in store.tables(tmp_path)] == ["items.jsonl", "prompts.jsonl", "scores.jsonl"]
    (tmp_path / "scores.jsonl").write_text("{}\n")
    (tmp_path / "items.jsonl").write_text("{}\n")
    with pytest.raises(IntegrityError, match=r"items\.jsonl: changed"):
        store.verify(tmp_path)


def test_verify_sees_a_table_that_was_made_again_under_another(tmp_path: Path, items: list[Item]):
    chain(tmp_path, items)
    store.write(tmp_path / "items.jsonl", items[:2], Manifest(stage="a"))
    with pytest.raises(IntegrityError, match=r"prompts\.jsonl: was made from another items"):
        store.verify(tmp_path)


def test_verify_sees_a_table_that_was_taken_away(tmp_path: Path, items: list[Item]):
    chain(tmp_path, items)
    (tmp_path / "items.jsonl").unlink()
    (tmp_path / "items.manifest.json").unlink()
    with pytest.raises(IntegrityError, match=r"items\.jsonl: is missing"):
        store.verify(tmp_path)


def test_the_key_is_what_was_asked_for_and_not_what_came_out():
    asked: dict = {"stage": "s", "params": {"seed": 1}, "inputs": {"items:items": "ab"}, "version": "1"}
    key = Manifest(**asked).key
    assert key == Manifest(**asked, rows=9, sha256="c", facts={"x": "y"}).key
    for other in ({"params": {"seed": 2}}, {"inputs": {"items:items": "ac"}}, {"version": "2"}, {"stage": "t"}):
        assert key != Manifest(**{**asked, **other}).key


def test_a_folders_hash_sees_names_and_contents(tmp_path: Path):
    (tmp_path / "a").write_text("1")
    before = store.sha256(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert store.sha256(tmp_path) != before


def test_a_full_disk_is_one_sentence_and_the_old_table_stays(tmp_path: Path, items: list[Item], monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "items.jsonl"
    store.write(path, items, Manifest(stage="s"))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match=r"items\.jsonl: no space left on device"):
        store.write(path, items[:1], Manifest(stage="s"))
    assert list(store.read(path, Item)) == items


def _hold(folder: Path, seconds: float) -> None:
    with store.lock(folder):
        (folder / "held").touch()
        time.sleep(seconds)


def test_the_second_process_is_told_or_waits(tmp_path: Path):
    other = multiprocessing.get_context("spawn").Process(target=_hold, args=(tmp_path, 1.5))
    other.start()
    while not (tmp_path / "held").exists():
        time.sleep(0.01)
    with pytest.raises(Busy, match="another endonym process"), store.lock(tmp_path):
        pass
    with store.lock(tmp_path, timeout=30):
        assert not other.is_alive() or other.join(5) is None
    other.join()
