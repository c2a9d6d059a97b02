"""Let a model choose an option, in a known order: by the likelihood of its letter or of its text, or by what it writes.

In: items, a pool of examples (and, to read, prompts and responses). Out: prompts, then scores. The order in which options
are shown is data, kept on the prompt: nobody shuffles in place or un-shuffles. A response that cannot be read is not a wrong
answer; it is an unread one, and the status says so. Protocols: CARTE §4, XNationQA §4, Tuguesice §5 (plain and oracle).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Literal

from ..errors import InputError
from ..records import Item, Prompt, Response, Score, Status
from .grammar import native
from .layout import Layout, Letters, Method, Orders, layouts
from .reading import Reading, read_choice, read_xnationqa_paper
from .scores import score, untold
from .shots import Shots
from .wording import LATIN

VERSION = "2"


def write(items: Iterable[Item], pool: Iterable[Item] = (), *, method: Method | tuple[Method, ...] = "letters",
          orders: Orders = "asis", seed: int = 0, shots: Shots = Shots(), styles: tuple[str, ...] = ("plain",),
          letters: Letters = "latin", words: Path | None = None, draws: int = 1, max_tokens: int = 64) -> Iterator[Prompt]:  # fmt: skip
    """Show every item by every method, in every style, with every number of examples, in every order, ``draws`` times.

    The methods share examples and orders, so that their columns of a report can be compared. ``words`` is a user's file laid over
    ``wording.toml``; ``max_tokens`` limits what is generated. Raises InputError for an open item, or where the pool is too small;
    UnknownName for a style or a language that there are no words for.
    """
    methods = (method,) if isinstance(method, str) else method
    pages = [Layout(method=each, letters=letters, words=words) for each in methods]
    examples = shots.pool(pool, seed=seed)
    for item in items:
        if item.kind != "choice":
            raise InputError(f"item {item.id}: kind: {item.kind!r} has no options to choose from; evaluate.answer is for open items")
        for style, k in ((s, k) for s in styles for k in shots.k):
            drawn = examples.draw(item, k)
            for layout, order in product(pages, layouts(item, orders=orders, seed=seed)):
                turns = layout.turns(item, order, drawn, style)
                for draw in range(draws):
                    yield Prompt(
                        item=item.id, messages=turns, order=order, continuations=layout.continuations(item, order),
                        gap=layout.gap(item, turns[-1].content), method=layout.method, style=style, shots=tuple(s.id for s in drawn),
                        draw=draw, max_tokens=max_tokens if layout.method == "generate" else 0,
                    )  # fmt: skip


def read(responses: Iterable[Response], prompts: Iterable[Prompt], items: Iterable[Item], *,
         reading: Literal["strict", "xnationqa-paper"] = "strict", letters: Letters = "latin") -> Iterator[Score]:  # fmt: skip
    """Score every response against the item that it answers; ``xnationqa-paper`` reads texts by that paper's lenient rule."""
    read_text = _as_the_paper if reading == "xnationqa-paper" else partial(_strictly, letters)
    asked, known = untold(prompts), {i.id: i for i in items}
    for response in responses:
        prompt = asked[response.prompt]
        item = known[prompt.item]
        position, status = chosen(response, prompt, item, read_text)
        choice = None if position is None else prompt.order[position]
        yield score(response, prompt, item, status=status, choice=choice, position=position, right=choice == item.gold)


def chosen(response: Response, prompt: Prompt, item: Item, read_text: Callable[..., Reading]) -> tuple[int | None, Status]:
    """Find the position that a response chose, if it chose one and only one, and what kind of answer that is."""
    if response.error:
        return None, "failed"
    abstain = None if item.abstain is None else prompt.order.index(item.abstain)
    if prompt.continuations and response.loglikelihoods:
        position = likeliest(response, per_token=prompt.method == "texts")
        return position, "abstained" if position == abstain else "answered"
    found = read_text(response, item, [item.options[o] for o in prompt.order], abstain)
    return found.position, found.status


def _strictly(letters: Letters, response: Response, item: Item, options: Sequence[str], abstain: int | None) -> Reading:
    lang = item.lang or "en"
    shown = (native(lang), LATIN) if letters == "native" and not item.prompt else None
    return read_choice(response.text, options=options, lang=lang, finish_reason=response.finish_reason, letters=shown, abstain=abstain)


def _as_the_paper(response: Response, item: Item, options: Sequence[str], abstain: int | None) -> Reading:
    return read_xnationqa_paper(response.text, options=options)


def likeliest(response: Response, *, per_token: bool) -> int:
    """The position of the greatest log-likelihood, by token for texts of unequal length; the first of equals."""
    values = response.loglikelihoods
    if per_token:
        values = tuple(value / max(1, n) for value, n in zip(values, response.lengths, strict=True))
    return max(range(len(values)), key=values.__getitem__)
