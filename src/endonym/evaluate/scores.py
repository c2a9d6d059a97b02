"""One score of one response, with the dimensions of its item and the style, shots and method of its prompt."""

from collections.abc import Iterable
from typing import Any

import msgspec

from ..records import Item, Prompt, Response, Score, Status


def score(response: Response, prompt: Prompt, item: Item, *, status: Status, **read: Any) -> Score:
    """Lay what was read of a response beside what it is to be grouped by; ``read`` are further fields of the score."""
    gold = prompt.order.index(item.gold) if prompt.order and item.gold is not None else None
    return Score(
        item=item.id, prompt=response.prompt, model=response.model, status=status, gold_position=gold, options=len(prompt.order),
        method=prompt.method, style=prompt.style, shots=len(prompt.shots), draw=prompt.draw, lang=item.lang, place=item.place,
        topic=item.topic, subset=item.subset, entity=item.entity, template=item.template, parallel=item.parallel, meta=item.meta, **read,
    )  # fmt: skip


def untold(prompts: Iterable[Prompt]) -> dict[str, Prompt]:
    """Prompts by id, without the texts that were shown: what is left is all that scoring needs, and a tenth of the memory."""
    return {prompt.id: msgspec.structs.replace(prompt, messages=(), continuations=prompt.continuations and ("",)) for prompt in prompts}
