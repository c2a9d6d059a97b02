"""Outputs that were made elsewhere: a JSONL file with rows ``item, model, text [, prompt, finish_reason, error]``.

In: prompts and such a file. Out: responses, one a prompt, as if the models had been asked here. A prompt without a row is a
failed response, so that what is missing is counted; a row for an unknown item is an error that names its line.
"""

from collections.abc import Container, Iterable, Iterator
from pathlib import Path

import msgspec

from .errors import TableError
from .records import Prompt, Response
from .store import guarded

VERSION = "2"


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One output of one model."""

    item: str = ""
    model: str
    text: str = ""
    prompt: str = ""
    finish_reason: str = ""
    error: str = ""


def read(file: Path) -> Iterator[tuple[int, Row]]:
    """The rows with their line numbers; raise TableError naming line and field."""
    decoder = msgspec.json.Decoder(Row)
    with guarded(file), file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as problem:
                raise TableError(f"{file}:{number}: not an output: {problem}") from problem
            if not (row.item or row.prompt):
                raise TableError(f"{file}:{number}: item: is missing")
            yield number, row


def models(file: Path) -> list[str]:
    """The models whose outputs a file holds, in the order of their first rows."""
    return list(dict.fromkeys(row.model for _, row in read(file)))


def responses(prompts: Iterable[Prompt], *, file: Path, model: str) -> Iterator[Response]:
    """One response a prompt, in the prompts' order; a row that names an item only answers that item's first prompt.

    An exact copy of a prompt has the same response, as if a model had been asked.
    """
    first: dict[str, str] = {}
    order: list[str] = []
    for prompt in prompts:
        order.append(prompt.id)
        first.setdefault(prompt.item, order[-1])
    said = _said(file, model, set(order), first)
    for ident in order:
        row = said.get(ident)
        if row is None:
            yield Response(prompt=ident, model=model, error=f"no output in {file.name}")
        else:
            yield Response(prompt=ident, model=model, text=row.text, finish_reason=row.finish_reason, error=row.error)


def _said(file: Path, model: str, asked: Container[str], first: dict[str, str]) -> dict[str, Row]:
    said: dict[str, Row] = {}
    for number, row in read(file):
        if row.model != model:
            continue
        prompt = row.prompt or first.get(row.item, "")
        if prompt not in asked:
            field, value = ("prompt", row.prompt) if row.prompt else ("item", row.item)
            raise TableError(f"{file}:{number}: {field}: {value!r} is not in the benchmark")
        if prompt in said:
            raise TableError(f"{file}:{number}: item: {row.item or row.prompt!r} of {model} has an output already")
        said[prompt] = row
    return said
