"""Put open questions to models and score what they write, by several scorers side by side from the same responses.

In: open items, a pool of examples (and, to read, prompts and responses). Out: prompts, then scores whose ``marks`` hold what each
scorer said; ``right`` is the word of the one that was chosen. Protocol: Tuguesice §5 (at most 64 tokens, greedy, plain and
oracle); BLEnD for ``votes``.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from ..errors import InputError
from ..records import Item, Message, Prompt, Response, Score, Status
from .matching import contains, strict, strip_thinking, votes
from .reading import read_open
from .scores import score, untold
from .shots import Shots
from .wording import ask_open, system, wording

VERSION = "3"
Page = Literal["question", "cued", "instructed"]
Scorer = Literal["strict", "contains", "votes"]


def write(items: Iterable[Item], pool: Iterable[Item] = (), *, seed: int = 0, shots: Shots = Shots(), styles: tuple[str, ...] = ("plain",),
          page: Page = "question", words: Path | None = None, draws: int = 1, max_tokens: int = 64) -> Iterator[Prompt]:  # fmt: skip
    """Ask every item in every style, with every number of examples, ``draws`` times.

    ``page``: the question alone, as the paper asks it; between cues, for a model that only continues a text; or with the line that
    asks for a few words. Raises InputError for a choice, or where the pool is too small.
    """
    examples = shots.pool((i for i in pool if i.kind == "open"), seed=seed)
    for item in items:
        if item.kind != "open":
            raise InputError(f"item {item.id}: kind: {item.kind!r} has options; evaluate.choose is for choices")
        for style, k in ((s, k) for s in styles for k in shots.k):
            drawn = examples.draw(item, k)
            turns = _turns(item, drawn, style, page, words)
            for draw in range(draws):
                yield Prompt(
                    item=item.id, messages=turns, gap=wording(item.lang or "en", words).gap if page != "question" else " ", method="open",
                    style=style, shots=tuple(s.id for s in drawn), draw=draw, max_tokens=max_tokens,
                )  # fmt: skip


def _turns(item: Item, shots: Sequence[Item], style: str, page: Page, words: Path | None) -> tuple[Message, ...]:
    said = wording(item.lang or "en", words)
    told = system(said, style, item.place, meta=item.meta)
    turns = [Message(role="system", content=told)] if told else []
    for each in (*shots, item):
        text = each.prompt or ask_open(each, said, instruct=page == "instructed", cues=page != "question")
        turns.append(Message(role="user", content=text))
        if each is not item:
            turns.append(Message(role="assistant", content=max(each.accept, key=lambda a: a.weight).text))
    return tuple(turns)


def read(responses: Iterable[Response], prompts: Iterable[Prompt], items: Iterable[Item], *, scorer: Scorer = "strict") -> Iterator[Score]:
    """Score every response by every scorer; ``scorer`` names the one whose word is ``right``.

    A reply that holds an accepted answer is answered, however it was cut or hedged; one that does not may be an abstention, a
    refusal or cut short instead of wrong.
    """
    asked, known = untold(prompts), {i.id: i for i in items}
    for response in responses:
        prompt = asked[response.prompt]
        item = known[prompt.item]
        marks = {} if response.error else mark(response.text, item)
        right = marks.get(scorer, 0.0) > 0
        yield score(response, prompt, item, status=status(response, item, found=right), right=right, marks=marks)


def mark(reply: str, item: Item) -> dict[str, float]:
    """What each scorer says of a reply, without the model's thoughts: 1 or 0, and for ``votes`` the weight of the answer found."""
    said = strip_thinking(reply)
    counted = votes(said, item.accept, item.lang)
    return {
        "contains": float(contains(said, item.accept)),
        "strict": float(strict(said, item.accept, item.lang)),
        "any": float(counted.any),
        "votes": counted.weighted,
    }


def status(response: Response, item: Item, *, found: bool) -> Status:
    """What kind of answer a response is."""
    if response.error:
        return "failed"
    return "answered" if found else read_open(response.text, lang=item.lang or "en", finish_reason=response.finish_reason)
