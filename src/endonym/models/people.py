"""People are a provider too, a slow one: a sheet goes out with one question a row and comes back filled.

In: prompts. Out: a CSV file with the columns prompt, question, answer, or an XLSX one where its name ends so; as responses once every
answer stands in it. Text that a spreadsheet would take for a formula is led by an apostrophe, in XLSX marked as text.
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
            raise InputError(f"{model.name}: sheet: is missing; name the CSV or XLSX file they fill: '{model.name} sheet=answers.csv'")
        self.sheet = Path(name)
        self.excel = self.sheet.suffix.lower() == ".xlsx"

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
        if self.excel:
            from .people_xlsx import rows

            head, *filled = [*rows(self.sheet)] or [{}]
            self._hold(head)
            return {row.get("prompt", "").strip(): row.get("answer", "").strip() for row in filled}
        with guarded(self.sheet), self.sheet.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file)
            self._hold(lines.fieldnames or ())
            return {row["prompt"]: (row["answer"] or "").strip() for row in lines}

    def _hold(self, head: Iterable[str]) -> None:
        if missing := set(COLUMNS) - set(head):
            raise InputError(f"{self.sheet}:1: {min(missing)}: this column is missing; a sheet has {', '.join(COLUMNS)}")

    def _write(self, asked: list[Prompt], filled: dict[str, str]) -> None:
        rows = [(p.id, p.messages[-1].content, filled.get(p.id, "")) for p in asked]
        if self.excel:
            from .people_xlsx import written

            content = written([COLUMNS, *rows])
        else:
            content = _csv([COLUMNS, *((key, _safe(question), answer) for key, question, answer in rows)]).encode("utf-8-sig")
        with replacing(self.sheet) as raw:
            raw.write(content)

    def close(self) -> None:
        pass


def _csv(lines: Iterable[tuple[str, ...]]) -> str:
    import io

    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue()


def _safe(text: str) -> str:
    return f"'{text}" if text[:1] in "=+-@\t\r" else text
