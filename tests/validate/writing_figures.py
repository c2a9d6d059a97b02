"""How well the checks of writing find what people label: precision and recall by guideline, and false alarms on good questions.

    python tests/validate/writing_figures.py [FILE.jsonl]

A row: ``breaks`` are the guidelines that a question breaks, the one it was written to break first; none for a good one.
``labelled.jsonl`` was written before the checks were tuned on it. ``labelled_unseen.jsonl`` was written after, and the checks were not
tuned on it. A finding counts for its guideline; proposals of variants are no findings.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from endonym.records import Accept, Item, Judgment
from endonym.validate.writing import Extra, findings

HERE = Path(__file__).parent
LABELLED, UNSEEN = HERE / "labelled.jsonl", HERE / "labelled_unseen.jsonl"
HARD = ("L2", "L3", "L4", "L6", "L7", "E1", "E5", "D1")
"""Guidelines that a check without a model can hold to, and that block; L1, E2, E3 and E4 warn, L5, D2 and D3 are for people and models."""
YEAR = 2026


class Figures(NamedTuple):
    """Counts by guideline: questions written to break it, found, found and blocked, and found where it was not broken."""

    broken: Counter[str]
    found: Counter[str]
    blocked: Counter[str]
    extra: Counter[str]
    good: int
    flagged: int
    stopped: int

    def recall(self, found: Counter[str], only: tuple[str, ...]) -> float:
        return sum(found[g] for g in only) / sum(self.broken[g] for g in only)

    def precision(self, guideline: str) -> float | None:
        said = self.found[guideline] + self.extra[guideline]
        return self.found[guideline] / said if said else None


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def judged(row: dict) -> list[Judgment]:
    item = Item(kind="open", stem=row["stem"], accept=(Accept(text=row["answer"]),), lang=row["lang"], place=row["place"])
    return findings(item, lang=item.lang, culture=item.place, extra=Extra(year=YEAR, skip=("variants",)))


def figures(path: Path) -> Figures:
    broken, found, blocked, extra = Counter(), Counter(), Counter(), Counter()
    good = flagged = stopped = 0
    for row in rows(path):
        said = judged(row)
        told, hard = {j.guideline for j in said}, {j.guideline for j in said if j.value == "error"}
        extra.update(told - set(row["breaks"]))
        if not row["breaks"]:
            good, flagged, stopped = good + 1, flagged + bool(told), stopped + bool(hard)
            continue
        named = row["breaks"][0]
        broken[named] += 1
        found[named] += named in told
        blocked[named] += named in hard
    return Figures(broken, found, blocked, extra, good, flagged, stopped)


def main(path: Path) -> None:
    told = figures(path)
    print("guideline  broken  found  blocked  extra  recall  precision")
    for g in sorted({*told.broken, *told.extra} - {""}):
        recall = f"{told.found[g] / told.broken[g]:.2f}" if told.broken[g] else "–"
        precision = "–" if told.precision(g) is None else f"{told.precision(g):.2f}"
        print(f"{g:9}  {told.broken[g]:6}  {told.found[g]:5}  {told.blocked[g]:7}  {told.extra[g]:5}  {recall:>6}  {precision:>9}")
    n = sum(told.broken[g] for g in HARD)
    print(f"hard rules ({n}): found {told.recall(told.found, HARD):.2f}, blocked {told.recall(told.blocked, HARD):.2f}")
    print(f"good questions ({told.good}): flagged {told.flagged / told.good:.3f}, blocked {told.stopped / told.good:.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else LABELLED)
