"""People are a provider too, a slow one: a sheet goes out with one question a row and comes back filled.

In: prompts. Out: a CSV file with the columns prompt, question, answer; as responses once every answer stands in it.
Text that a spreadsheet would take for a formula is led by an apostrophe.
"""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError, Unsupported, Waiting
from ..records import Model, Prompt, Response
from ..store import guarded, replacing
from .base import Need, settings

COLUMNS = ("prompt", "question", "answer")


class People:
    """Reads ``sheet``; where answers are missing, writes it, keeping those that are there, and waits."""

    cached = False
    deterministic = False
    DEFAULTS: dict[str, Any] = {"sheet": ""}

    def __init__(self, model: Model) -> None:
        self.model = model
        name = settings(model, self.DEFAULTS)["sheet"]
        if not name:
            raise InputError(f"{model.name}: sheet: is missing; say which CSV file they fill, as in '{model.name} sheet=answers.csv'")
        self.sheet = Path(name)

    def check(self, need: Need) -> None:
        if need.continuations:
            raise Unsupported(f"{self.model.name}: people give no log-likelihoods; ask with --method generate")

    def chats(self, need: Need) -> bool:
        return True

    def facts(self) -> dict[str, str]:
        return {"engine": "people"}

    def waiting(self, prompts: Iterable[Prompt]) -> int:
        """How many rows wait for an answer."""
        filled = self._filled()
        return sum(not filled.get(p.shaped(chat=True).id) for p in prompts)

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        asked, filled = list(prompts), self._filled()
        missing = sum(not filled.get(p.id) for p in asked)
        if missing:
            self._write(asked, filled)
            raise Waiting(f"{self.sheet}: {missing} of {len(asked)} rows wait for an answer")
        for prompt in asked:
            yield Response(prompt=prompt.id, model=self.model.name, text=filled[prompt.id], finish_reason="stop")

    def _filled(self) -> dict[str, str]:
        if not self.sheet.exists():
            return {}
        with guarded(self.sheet), self.sheet.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if missing := set(COLUMNS) - set(rows.fieldnames or ()):
                raise InputError(f"{self.sheet}:1: {min(missing)}: this column is missing; a sheet has {', '.join(COLUMNS)}")
            return {row["prompt"]: (row["answer"] or "").strip() for row in rows}

    def _write(self, asked: list[Prompt], filled: dict[str, str]) -> None:
        with replacing(self.sheet) as raw:
            lines = [COLUMNS, *((p.id, _safe(p.messages[-1].content), filled.get(p.id, "")) for p in asked)]
            raw.write(_csv(lines).encode("utf-8-sig"))

    def close(self) -> None:
        pass


def _csv(lines: Iterable[tuple[str, ...]]) -> str:
    import io

    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue()


def _safe(text: str) -> str:
    return f"'{text}" if text[:1] in "=+-@\t\r" else text
