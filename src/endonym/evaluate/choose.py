"""Let a model choose an option, in a known order: by the likelihood of its letter or of its text, or by what it writes.

In: items (and, to read, prompts and responses). Out: prompts, then scores. The order in which options are shown is
data, kept on the prompt: nobody shuffles in place or un-shuffles. A response that cannot be read is not a wrong answer;
it is an unread one, and the status says so. Protocols: CARTE §4, XNationQA §4.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ..errors import InputError
from ..records import Item, Message, Prompt, Response, Score, Status
from .reading import read_choice
from .wording import Wording, ask_choice, wording

VERSION = "1"
Method = Literal["letters", "texts", "generate"]
Orders = Literal["asis", "shuffle", "rotate"]


def write(
    items: Iterable[Item], *, method: Method = "letters", orders: Orders = "asis", seed: int = 0, max_tokens: int = 64
) -> Iterator[Prompt]:
    """Show every item once an order: as it is, shuffled by seed and item, or once a turn so that gold stands everywhere once.

    Where a data set fixes the wording of a question (``item.prompt``) it is shown word for word in its own order; any
    other order is laid out anew in the item's language. An abstaining option keeps its place at every order.
    """
    for item in items:
        if item.kind != "choice":
            raise InputError(f"item {item.id}: kind: {item.kind!r} has no options to choose from; evaluate.answer is for open items")
        words = wording(item.lang or "en")
        for order in layouts(item, orders=orders, seed=seed):
            text = item.prompt if item.prompt and order == tuple(range(len(order))) else ask_choice(item, order, wording=words)
            texts = tuple(item.options[o] for o in order)
            yield Prompt(
                item=item.id, messages=(Message(role="user", content=text),), order=order, method=method,
                continuations={"letters": words.letters[: len(order)], "texts": texts, "generate": ()}[method],
                gap=gap(text, words), max_tokens=max_tokens if method == "generate" else 0,
            )  # fmt: skip


def layouts(item: Item, *, orders: Orders, seed: int) -> list[tuple[int, ...]]:
    """The orders in which an item's options are shown: tuples of option indices by position."""
    movable = [i for i in range(len(item.options)) if i != item.abstain]
    if orders == "asis":
        turns = [movable]
    elif orders == "shuffle":
        shuffled = movable[:]
        random.Random(f"{seed}:{item.id}").shuffle(shuffled)
        turns = [shuffled]
    else:
        turns = [movable[turn:] + movable[:turn] for turn in range(len(movable))]
    return [_with_abstain(turn, item.abstain) for turn in turns]


def _with_abstain(turn: Sequence[int], abstain: int | None) -> tuple[int, ...]:
    return tuple(turn) if abstain is None else (*turn[:abstain], abstain, *turn[abstain:])


def gap(text: str, words: Wording) -> str:
    """What stands between the cue and the answer in a raw text: nothing where the cue ends with a blank already."""
    return "" if text[-1:].isspace() else words.gap


def read(responses: Iterable[Response], prompts: Iterable[Prompt], items: Iterable[Item]) -> Iterator[Score]:
    """Score every response against the item that it answers."""
    asked, known = {p.id: p for p in prompts}, {i.id: i for i in items}
    for response in responses:
        prompt = asked[response.prompt]
        item = known[prompt.item]
        position, status = chosen(response, prompt, item)
        choice = None if position is None else prompt.order[position]
        yield Score(
            item=item.id, prompt=prompt.id, model=response.model, status=status, choice=choice, position=position,
            gold_position=prompt.order.index(item.gold or 0), right=choice == item.gold, options=len(prompt.order),
            method=prompt.method, style=prompt.style, shots=len(prompt.shots), draw=prompt.draw, lang=item.lang,
            place=item.place, topic=item.topic, subset=item.subset, entity=item.entity, template=item.template,
            parallel=item.parallel, meta=item.meta,
        )  # fmt: skip


def chosen(response: Response, prompt: Prompt, item: Item) -> tuple[int | None, Status]:
    """Find the position that a response chose, if it chose one and only one, and what kind of answer that is."""
    if response.error:
        return None, "failed"
    abstain = None if item.abstain is None else prompt.order.index(item.abstain)
    if prompt.continuations and response.loglikelihoods:
        position = likeliest(response, per_token=prompt.method == "texts")
        return position, "abstained" if position == abstain else "answered"
    found = read_choice(
        response.text, options=[item.options[o] for o in prompt.order], lang=item.lang or "en",
        finish_reason=response.finish_reason, abstain=abstain,
    )  # fmt: skip
    return found.position, found.status


def likeliest(response: Response, *, per_token: bool) -> int:
    """The position of the greatest log-likelihood, by token for texts of unequal length; the first of equals."""
    values = response.loglikelihoods
    if per_token:
        values = tuple(value / max(1, n) for value, n in zip(values, response.lengths, strict=True))
    return max(range(len(values)), key=values.__getitem__)
