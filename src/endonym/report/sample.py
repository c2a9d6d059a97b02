"""The questions of the page's browser, with every word that was asked and replied.

In: a workspace. Out: what heads the rows, and the rows packed in chunks (JSON, gzip, base64). The one thing to know: up to ``LIMIT``
prompts all are there; of more, they are taken evenly spaced over the whole table, and with them some of every status, so that
what went wrong can be seen. Nothing is ever markup: a chunk is base64, and what is in it the page puts in as text.
"""

import base64
import gzip
from collections.abc import Container, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from .. import store
from ..errors import TableError
from ..records import STATUSES, Item, Prompt
from .workspace import Workspace

LIMIT = 100_000
RARE = 5
"""How many prompts are shown at least for each model and each status other than answered, where there are as many."""
LONGEST = 20_000
"""Signs of a prompt or reply that the page holds; what is cut is said."""
CHUNK = 2_000
"""Rows that are packed together: the page unpacks one such part at a time."""
OUTCOMES = ("right", "not right", *STATUSES[1:])


class Sample(msgspec.Struct, kw_only=True, frozen=True):
    """What heads the rows (the names of models, labels and outcomes that rows name by number), and the rows."""

    models: list[str]
    labels: list[str]
    rows: list[list[Any]]
    """A row: item, stem, prompt, language, labels (in the order of their names), options [[text, is gold]], replies. A reply:
    model and outcome by number, position or null, text, error, log-likelihoods."""

    def chunks(self) -> Iterator[str]:
        """The rows, packed."""
        for start in range(0, len(self.rows), CHUNK):
            packed = gzip.compress(msgspec.json.encode(self.rows[start : start + CHUNK]), compresslevel=5, mtime=0)
            yield base64.b64encode(packed).decode()


class Said(msgspec.Struct, kw_only=True):
    """The part of a response that is shown."""

    prompt: str
    text: str = ""
    error: str = ""
    loglikelihoods: tuple[float, ...] = ()


def sample(space: Workspace, *, limit: int = LIMIT) -> Sample:
    """Choose up to ``limit`` prompts and lay out each with its item and the replies of all models."""
    wanted = {prompt: n for n, prompt in enumerate(_chosen(space.scores, limit))}
    scores = space.scores.filter(pl.col("prompt").is_in(list(wanted))) if len(wanted) < LIMIT else space.scores
    models = sorted(scores["model"].unique())
    prompts = _prompts(space.prompts, wanted, set(scores["item"])) if space.prompts else {}
    replies, items = _replies(space, scores, wanted, models)
    known = {name: _labels(space.items[name]) for name in set(items)}
    names = list(dict.fromkeys(name for labels in known.values() for name in labels))
    rows = [
        _row(space.items[item], known[item], prompts.get(prompt), replies[n], names)
        for (prompt, n), item in zip(wanted.items(), items, strict=True)
    ]
    return Sample(models=models, labels=[*names, "style", "shots"], rows=rows)


def _chosen(scores: pl.DataFrame, limit: int) -> list[str]:
    """The ids of prompts: some of every status, the rest evenly spaced, in the order of the table."""
    ordered = scores.select(pl.col("prompt").unique(maintain_order=True))["prompt"].to_list()
    if len(ordered) <= limit:
        return ordered
    rare = scores.filter(pl.col("status") != "answered").group_by("model", "status", maintain_order=True).head(RARE)
    kept = set(rare["prompt"].unique(maintain_order=True).head(limit // 2))
    others = [prompt for prompt in ordered if prompt not in kept]
    room = min(limit - len(kept), len(others))
    kept |= {others[i * len(others) // room] for i in range(room)}
    return [prompt for prompt in ordered if prompt in kept]


def _prompts(path: Path, wanted: dict[str, int], items: set[str]) -> dict[str, Prompt]:
    # A prompt's id is a hash of it; only those of wanted items are worth the hashing.
    found = (p for p in store.rows(path, Prompt) if p.item in items)
    return {name: p for p in found if (name := p.id) in wanted}


def _replies(space: Workspace, scores: pl.DataFrame, wanted: dict[str, int], models: Sequence[str]) -> tuple[list[list[Any]], list[str]]:
    """The replies to each wanted prompt, by model, and the item of each."""
    found: list[list[Any]] = [[] for _ in wanted]
    items = [""] * len(wanted)
    code = {outcome: n for n, outcome in enumerate(OUTCOMES)}
    parts = scores.partition_by("model", as_dict=True, maintain_order=True)
    for number, model in enumerate(models):
        answers = said(space.answers[model], wanted) if model in space.answers else {}
        columns = [parts[(model,)][name] for name in ("prompt", "item", "status", "right", "position")]
        for prompt, item, status, right, position in zip(*columns, strict=True):
            response = answers.get(prompt)
            outcome = code[("right" if right else "not right") if status == "answered" else status]
            shown = (_cut(response.text), response.error, [round(x, 3) for x in response.loglikelihoods]) if response else ("", "", [])
            found[wanted[prompt]].append([number, outcome, position, *shown])
            items[wanted[prompt]] = item
    return found, items


def said(path: Path, wanted: Container[str]) -> dict[str, Said]:
    """The responses of a table to the wanted prompts, by prompt. Raises TableError, StorageError."""
    decoder = msgspec.json.Decoder(Said)
    found: dict[str, Said] = {}
    with store.guarded(path), path.open("rb") as file:
        while lines := list(islice(file, 20_000)):
            try:
                found |= {reply.prompt: reply for reply in decoder.decode_lines(b"".join(lines)) if reply.prompt in wanted}
            except (msgspec.DecodeError, UnicodeDecodeError) as problem:
                raise TableError(f"{path}: holds what is no response: {problem}") from problem
    return found


def _labels(item: Item) -> dict[str, str]:
    labels = {"place": item.place, "topic": item.topic, "entity": item.entity, "template": item.template, **item.meta}
    return {name: value for name, value in labels.items() if value}


def _row(item: Item, labels: dict[str, str], prompt: Prompt | None, replies: list[Any], names: Sequence[str]) -> list[Any]:
    order = prompt.order if prompt and prompt.order else range(len(item.options))
    options = [[item.options[o], o == item.gold] for o in order] or [[a.text, True] for a in item.accept]
    style = [prompt.style, str(len(prompt.shots))] if prompt else ["", ""]
    values = [*(labels.get(name, "") for name in names), *style]
    return [item.id, item.stem, _cut(_shown(prompt) if prompt else item.stem), item.lang, values, options, replies]


def _shown(prompt: Prompt) -> str:
    return "\n\n".join(turn.content if turn.role == "user" else f"[{turn.role}] {turn.content}" for turn in prompt.messages)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[… {len(text) - LONGEST:,} more signs]"
