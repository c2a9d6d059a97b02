"""Faults planted by hand in sane French items: nearly all are found, and the sane items are let pass.

``planted_fr.jsonl``: a row for each fault with its ``kind``, the check that must find it (``items`` where it takes two), and the
sane items that the faults are variations of, of kind ``good``.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from endonym.records import Item
from endonym.validate.check import check

FILE = Path(__file__).parent / "planted_fr.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
KINDS = 20
LV = ("lv-region", "lv-context")


def items(row: dict[str, Any]) -> list[Item]:
    rows = row.get("items") or [{k: v for k, v in row.items() if k != "kind"}]
    return [msgspec.convert({"lang": "fr", **each}, Item) for each in rows]


def faults() -> list[dict[str, Any]]:
    return [row for row in ROWS if row["kind"] != "good"]


def test_there_are_twenty_kinds_of_ten():
    kinds = Counter("lv" if row["kind"] in LV else row["kind"] for row in faults())
    assert list(kinds.values()) == [10] * KINDS


def test_ninety_five_of_a_hundred_planted_faults_are_found_by_the_check_of_their_kind():
    missed = [(row["kind"], row.get("stem") or row["items"][1]["stem"], row.get("options")) for row in faults() if not found(row)]
    assert len(missed) <= 0.05 * len(faults()), missed


def found(row: dict[str, Any]) -> bool:
    return any(j.criterion == row["kind"] for j in check(items(row)))


def test_no_kind_is_found_in_less_than_eight_of_ten():
    hits = Counter(row["kind"] for row in faults() if found(row))
    for kind, planted in Counter(row["kind"] for row in faults()).items():
        assert hits[kind] >= 0.8 * planted, kind


def test_of_the_sane_items_at_most_three_in_a_hundred_are_flagged():
    sane = [item for row in ROWS if row["kind"] == "good" for item in items(row)]
    named = {i.id for i in sane}
    flagged = [(j.criterion, j.note) for j in check(sane) if j.item in named]
    assert len(sane) == 40
    assert len(flagged) <= 0.03 * len(sane), flagged
