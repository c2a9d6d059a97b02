"""The nouns of the house: frozen records, each one row of a table.

Records hold plain values only, so a row is the same in Python, in JSONL and in a person's head. An edited item is a new item.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from .canonical import Record, canonical, digest, settle

Role = Literal["system", "user", "assistant"]
Status = Literal["answered", "abstained", "unparsed", "truncated", "refused", "failed"]
STATUSES: tuple[Status, ...] = ("answered", "abstained", "unparsed", "truncated", "refused", "failed")
Kind = Literal["choice", "open"]


class Source(Record, frozen=True):
    """A document, or a fact from a knowledge base: what an item is made from."""

    id: str
    text: str = ""
    fact: dict[str, str] = {}
    """slot → value, language-free (a year, a Wikidata or ISO 3166-2 code)."""
    labels: dict[str, dict[str, str]] = {}
    """slot → language (BCP 47) → text."""
    lang: str = ""
    place: str = ""
    topic: str = ""
    title: str = ""
    origin: dict[str, str] = {}  # url, licence, retrieved, note


class Accept(Record, frozen=True):
    """One accepted answer of an open item, with its weight (for instance the annotators' votes)."""

    text: str
    weight: float = 1.0


class Item(Record, frozen=True):
    """One question: multiple choice (``kind="choice"``: options and gold) or open (``kind="open"``: accept).

    ``gold`` and ``abstain`` are indices into ``options``. Content alone makes the ``id``: language, stem, options,
    gold and accepted answers; labels such as topic or place may change without making another item.
    """

    stem: str
    kind: Kind = "choice"
    options: tuple[str, ...] = ()
    gold: int | None = None
    accept: tuple[Accept, ...] = ()
    abstain: int | None = None
    lang: str = ""
    place: str = ""
    topic: str = ""
    subset: str = ""
    entity: str = ""
    template: str = ""
    parallel: str = ""
    """Translations of one question share it."""
    source: str = ""
    parent: str = ""
    maker: str = ""
    prompt: str = ""
    """The question word for word as published, where a data set fixes it; empty: the wording of ``evaluate`` is used."""
    meta: dict[str, str] = {}
    """Further dimensions of the data set (region, difficulty, …); they can be grouped by."""

    @property
    def id(self) -> str:
        return digest([self.lang, self.stem, self.options, self.gold, self.accept, self.prompt])

    def __post_init__(self) -> None:
        settle(self)
        if problem := _problem(self):
            raise ValueError(problem)


def _problem(item: Item) -> str:
    """Say what is wrong with an item, in the words of its fields; an empty string where nothing is."""
    n = len(item.options)
    if not item.stem.strip():
        return "stem: is empty"
    if item.kind == "open":
        return _open_problem(item)
    if n < 2:
        return f"options: a choice needs at least two, this has {n}"
    if "" in (bare := [option.strip() for option in item.options]):
        return f"options[{bare.index('')}]: is empty"
    if item.gold is None or not 0 <= item.gold < n:
        return f"gold: {item.gold} is no index into {n} options"
    if item.abstain is not None and (not 0 <= item.abstain < n or item.abstain == item.gold):
        return f"abstain: {item.abstain} is no index of an option other than gold"
    return ""


def _open_problem(item: Item) -> str:
    if item.options or item.gold is not None:
        return "options: an open item has accepted answers, not options and gold"
    if not item.accept:
        return "accept: an open item needs at least one accepted answer"
    empty = [n for n, answer in enumerate(item.accept) if not answer.text.strip()]
    return f"accept[{empty[0]}]: is empty, and an empty answer matches anything" if empty else ""


class Guideline(Record, frozen=True):
    """One question put to every judge about every item; the same file makes the form, the prompt and the message."""

    id: str
    criterion: str
    question: str
    answers: tuple[str, ...] = ()
    scale: tuple[int, int] | None = None
    advice: str = ""
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()


class Judgment(Record, frozen=True):
    """What one judge (``people/ane``, ``openai/…``, ``check/L1``) said of one item under one criterion."""

    item: str
    judge: str
    criterion: str
    value: str = ""
    status: Status = "answered"
    guideline: str = ""
    note: str = ""


class Model(Record, frozen=True):
    """Who is asked, and how: ``provider/model@revision`` and its parameters."""

    name: str
    params: dict[str, Any] = {}

    @property
    def provider(self) -> str:
        return self.name.partition("/")[0]

    @property
    def id(self) -> str:  # the name alone where there are no parameters, else the name and a digest of them
        return self.name if not self.params else f"{self.name}#{digest(self.params, 6)}"


def same_model(one: str, other: str) -> bool:
    """Whether two names are of one model, whatever its settings and revision: the bare ``provider/name``."""
    bare = [name.partition("#")[0].partition("@")[0] for name in (one, other)]
    return bool(bare[0]) and bare[0] == bare[1]


class Message(Record, frozen=True):
    """One turn of a conversation."""

    role: Role
    content: str


class Prompt(Record, frozen=True):
    """What a model is to be shown, whoever it is.

    ``order[p]`` is the option of the item that stands at position ``p``: order is data, nothing is ever un-shuffled.
    ``continuations[p]`` are the texts whose log-likelihoods are asked for, in the prompt's own order; empty: generate.
    ``gap`` stands between a user's turn and its answer where the turns are written as one raw text.
    """

    item: str
    messages: tuple[Message, ...]
    order: tuple[int, ...] = ()
    continuations: tuple[str, ...] = ()
    gap: str = ""
    method: str = "letters"
    style: str = "plain"
    shots: tuple[str, ...] = ()
    draw: int = 0
    max_tokens: int = 0
    chat: bool = False
    """Set by ``ask`` for the model at hand: turns of a chat (its template is used) or one raw text to be continued."""

    @property
    def id(self) -> str:
        return digest(self)

    def shaped(self, *, chat: bool) -> "Prompt":
        """The prompt as one model is shown it: turns as they are, or one raw text with the gap before each answer."""
        if chat:
            return msgspec.structs.replace(self, chat=True)
        text = "".join(map(self._raw, self.messages))
        raw = (Message(role="user", content=text),)
        return msgspec.structs.replace(self, messages=raw, continuations=tuple(self.gap + c for c in self.continuations))

    def _raw(self, turn: Message) -> str:
        if turn.role == "user":
            return turn.content
        return f"{self.gap}{turn.content}\n\n" if turn.role == "assistant" else f"{turn.content}\n\n"


class Response(Record, frozen=True):
    """What a model said, word for word, or why it said nothing. Never edited, never parsed here."""

    prompt: str
    model: str
    text: str = ""
    error: str = ""
    finish_reason: str = ""
    loglikelihoods: tuple[float, ...] = ()  # natural, one for each of the prompt's continuations, in their order
    lengths: tuple[int, ...] = ()  # tokens of each continuation
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


class Score(Record, frozen=True):
    """What was made of one response. Flat: every metric needs one table."""

    item: str
    prompt: str
    model: str
    status: Status
    right: bool = False
    marks: dict[str, float] = {}  # what each scorer of an open answer said
    choice: int | None = None
    position: int | None = None
    gold_position: int | None = None
    options: int = 0
    method: str = ""
    style: str = "plain"
    shots: int = 0
    draw: int = 0
    lang: str = ""
    place: str = ""
    topic: str = ""
    subset: str = ""
    entity: str = ""
    template: str = ""
    parallel: str = ""
    meta: dict[str, str] = {}

    def dimension(self, name: str) -> str:
        """The value of a dimension to group by: a field, or a key of ``meta``; ``""`` where there is none."""
        return str(getattr(self, name)) if name in DIMENSIONS else self.meta.get(name, "")


OF_ITEM = ("lang", "place", "topic", "subset", "entity", "template", "parallel", "item")
DIMENSIONS = (*OF_ITEM, "style", "shots", "method", "model", "status", "draw")
"""What numbers may be grouped by, beside the keys of ``meta``."""


class Estimate(Record, frozen=True):
    """A number with its uncertainty and the signature that lets another person compute it again.

    ``value`` is ``None`` where the number does not exist (no item, no answered prompt); ``note`` says why.
    """

    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    group: dict[str, str] = {}
    signature: str = ""
    note: str = ""


class Manifest(Record, frozen=True):
    """Where a table came from: the stage, what it was told, what it read, and what it wrote."""

    stage: str
    params: dict[str, Any] = {}
    inputs: Mapping[str, str] = {}
    sha256: str = ""
    rows: int = 0
    statuses: Mapping[str, int] = {}
    version: str = ""
    facts: dict[str, str] = {}
    """What the stage learned of the world (a model's revision, a tokenizer's hash): no part of the key."""

    @property
    def key(self) -> str:
        """Name what was asked for, before it is done: same key, nothing to do."""
        return digest([self.stage, self.params, self.inputs, self.version], 64)


__all__ = [
    "DIMENSIONS", "STATUSES", "Accept", "Estimate", "Guideline", "Item", "Judgment", "Kind", "Manifest", "Message", "Model", "Prompt",
    "Record", "Response", "Role", "Score", "Source", "Status", "canonical", "digest", "same_model",
]  # fmt: skip
