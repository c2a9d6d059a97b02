"""A sample of questions, with every word that was asked and replied.

In: a workspace. Out: plain rows for the page's browser. The one thing to know: prompts are taken evenly spaced over the
whole table, so that every language and place has its turn, and with them some of every status, so that what went wrong can be seen.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from .. import store
from ..records import Item, Prompt, Response
from .workspace import Workspace

LIMIT = 500
RARE = 5
"""How many prompts are shown at least for each model and each status other than answered, where there are as many."""
LONGEST = 20_000
"""Signs of a prompt or reply that the page holds; what is cut is said."""


def sample(space: Workspace, *, limit: int = LIMIT) -> list[dict[str, Any]]:
    """Choose up to ``limit`` prompts and lay out each with its item and the replies of all models.

    A row: ``item, lang, labels [[dimension, value]], prompt, options [[text, is gold]], replies``; a reply: ``model, status, right,
    position, text, error, loglikelihoods``.
    """
    wanted = _chosen(space.scores, limit)
    scores = space.scores.filter(pl.col("prompt").is_in(wanted)).sort("model", maintain_order=True)
    prompts = _prompts(space.prompts, set(wanted), set(scores["item"])) if space.prompts else {}
    said = {(model, r.prompt): r for model, path in space.answers.items() for r in _responses(path, set(wanted))}
    by_prompt = {key[0]: part for key, part in scores.partition_by("prompt", as_dict=True, maintain_order=True).items()}
    return [_row(space.items[by_prompt[p]["item"][0]], prompts.get(p), by_prompt[p], said) for p in wanted]


def _chosen(scores: pl.DataFrame, limit: int) -> list[str]:
    """The ids of prompts: some of every status, the rest evenly spaced, in the order of the table."""
    ordered = scores.select(pl.col("prompt").unique(maintain_order=True))["prompt"]
    rare = scores.filter(pl.col("status") != "answered").group_by("model", "status", maintain_order=True).head(RARE)
    kept = set(rare["prompt"].unique(maintain_order=True).head(limit // 2))
    others = [prompt for prompt in ordered if prompt not in kept]
    room = min(limit - len(kept), len(others))
    kept |= {others[i * len(others) // room] for i in range(room)}
    return [prompt for prompt in ordered if prompt in kept]


def _prompts(path: Path, wanted: set[str], items: set[str]) -> dict[str, Prompt]:
    # A prompt's id is a hash of it; only those of wanted items are worth the hashing.
    found = (p for p in store.rows(path, Prompt) if p.item in items)
    return {name: p for p in found if (name := p.id) in wanted}


def _responses(path: Path, wanted: set[str]) -> Iterator[Response]:
    return (r for r in store.rows(path, Response) if r.prompt in wanted)


def _row(item: Item, prompt: Prompt | None, scores: pl.DataFrame, said: dict[tuple[str, str], Response]) -> dict[str, Any]:
    order = prompt.order if prompt and prompt.order else range(len(item.options))
    labels = {"lang": item.lang, "place": item.place, "topic": item.topic, "entity": item.entity, **item.meta}
    if prompt:
        labels |= {"style": prompt.style, "shots": str(len(prompt.shots))}
    return {
        "item": item.id, "lang": item.lang, "labels": [[k, v] for k, v in labels.items() if v],
        "prompt": _cut(_shown(prompt) if prompt else item.stem),
        "options": [[item.options[o], o == item.gold] for o in order] or [[a.text, True] for a in item.accept],
        "replies": [_reply(row, said) for row in scores.iter_rows(named=True)],
    }  # fmt: skip


def _shown(prompt: Prompt) -> str:
    return "\n\n".join(turn.content if turn.role == "user" else f"[{turn.role}] {turn.content}" for turn in prompt.messages)


def _reply(row: dict[str, Any], said: dict[tuple[str, str], Response]) -> dict[str, Any]:
    response = said.get((row["model"], row["prompt"]))
    reply = {name: row[name] for name in ("model", "status", "right", "position")}
    if response is None:
        return {**reply, "text": "", "error": "", "loglikelihoods": []}
    return {**reply, "text": _cut(response.text), "error": response.error, "loglikelihoods": [round(x, 3) for x in response.loglikelihoods]}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[… {len(text) - LONGEST:,} more signs]"


