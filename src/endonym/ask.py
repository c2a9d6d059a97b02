"""The one door to the outside: prompts go out, responses come back, each paid for once.

In: prompts (an iterable that can be walked more than once, such as a table) and a model. Out: one response a prompt,
in the prompts' order. Exact copies of a question are asked once. A failed call is a response with an error; it is
counted, shown and never kept in the cache, nor is a reply that a filter refused or that the limit of tokens cut.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec

from . import spread
from .cache import KEY, TOGETHER, Cache, Keys
from .errors import InputError, ModelError
from .models import Need, Provider, provider
from .models.prices import price, tokens_in, tokens_out
from .purse import Purse
from .records import Model, Prompt, Response
from .spread import Cluster

VERSION = "1"
FILTERED = frozenset({"content_filter", "refusal", "safety"})
STOPPING = 15.0
"""Seconds that threads are given to end by themselves."""

T = TypeVar("T")
Progress = Callable[[int, int, int], None]
"""Called with the prompts done (cached or answered), those of them that failed, and all of them."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What asking would mean: prompts in all, those that the cache answers, distinct questions to be asked, and their needs."""

    prompts: int
    known: int
    calls: int
    needs: frozenset[Need]
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = None


def ask(prompts: Iterable[Prompt], *, model: Model, cache: Path | None = None, progress: Progress | None = None,
        cluster: Cluster | None = None) -> Iterator[Response]:  # fmt: skip
    """Ask a model every prompt, in order, from the cache where it can.

    Raises Unavailable or Unsupported before the first call where the model cannot be asked at all, and ModelError
    after the last where not one of the calls that were made succeeded.
    """
    with Asking(model, cache, progress, cluster) as asking:
        asking.run(prompts)
        yield from asking.collect(prompts)


class Asking:
    """One model, its cache, and the calls that have to be made. Prompts are walked three times and never held."""

    def __init__(self, model: Model, cache: Path | None, progress: Progress | None = None, cluster: Cluster | None = None,
                 purse: Purse | None = None) -> None:  # fmt: skip
        self.purse, self.stopped = purse, threading.Event()
        self.model, self.cache = model, Cache(cache)
        self._bare, self._cluster = _without_chat(model), cluster
        self.who: Provider = provider(self._bare)
        self.key = Keys(self._bare, identity=identity(self.who), without=getattr(self.who, "operational", frozenset()))
        self.unkept: dict[bytes, Response] = {}
        self.calls = 0
        self._chat = model.params.get("chat")
        self.chats: set[bool] = set()
        self._progress, self._done, self._failed, self._total = progress or (lambda done, failed, total: None), 0, 0, 0
        self._walked: Iterable[Prompt] | None = None
        self._keys = bytearray()  # of the prompts that were walked, one after the other
        self._todo: set[bytes] = set()
        self._pending: dict[str, bytes] = {}

    def plan(self, prompts: Iterable[Prompt]) -> Plan:
        """Count what would be asked, without asking."""
        if iter(prompts) is prompts:
            raise TypeError("prompts are walked more than once: give a list or a table, not an iterator")
        self._walked, self._keys, self._todo = prompts, bytearray(), set()
        known, needs, tokens = 0, set[Need](), [0, 0]
        for some in _chunks(map(self._shaped, prompts), TOGETHER):
            keys = [self.key(prompt) for prompt in some]
            held = self.cache.known(keys) if self.who.cached else frozenset()
            known += sum(key in held for key in keys)
            for key, prompt in zip(keys, some, strict=True):
                self._keys += key
                if key in held or key in self._todo:
                    continue
                self._todo.add(key)
                needs.add(Need.of(prompt))
                tokens[0] += tokens_in(prompt)
                tokens[1] += tokens_out(prompt)
        return Plan(
            prompts=len(self._keys) // KEY, known=known, calls=len(self._todo), needs=frozenset(needs),
            tokens_in=tokens[0], tokens_out=tokens[1], money=price(self.model, *tokens),
        )  # fmt: skip

    def run(self, prompts: Iterable[Prompt]) -> None:
        """Ask what the cache does not hold; every answer is kept as it comes."""
        plan = self.plan(prompts)
        self._total = plan.prompts
        for need in sorted(plan.needs, key=repr):
            self.who.check(need)
        if plan.calls == 0:
            return self._progress(plan.prompts, 0, plan.prompts)
        for responses in self._asked(self._missing(prompts)):
            self._take(responses)
            if self.stopped.is_set():
                raise KeyboardInterrupt
        errors = [r for r in self.unkept.values() if r.error]
        if len(errors) == self.calls and not plan.known:
            first = errors[0]
            raise ModelError(f"{self.model.name}: not one of {self.calls} calls succeeded; the first failed with: {first.error}")
        return None

    def collect(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        """Every response in the prompts' order. Seconds stay in the cache: the same answers make the same table."""
        name = self.model.id
        for some in _chunks(self._named(prompts), TOGETHER):
            held = self.cache.read([key for key, _ in some if key not in self.unkept])
            for key, prompt in some:
                response = self.unkept.get(key) or held.get(key)
                if response is None:
                    raise ModelError(f"{self.model.name}: no response came for prompt {prompt.id}")
                yield msgspec.structs.replace(response, prompt=prompt.id, model=name, seconds=0.0)

    def _asked(self, prompts: Iterator[Prompt]) -> Iterator[Sequence[Response]]:
        """Responses as they arrive: those that are there at the same time together, so that none waits for another."""
        if self._cluster:
            return spread.answers(self._bare, prompts, self._cluster)
        batches = getattr(self.who, "batches", None)
        return batches(prompts) if batches else ((response,) for response in self.who.answer(prompts))

    def _take(self, responses: Sequence[Response]) -> None:
        """Keep what has arrived before anything else is waited for."""
        kept: list[tuple[bytes, Response]] = []
        for response in responses:
            key = self._pending.pop(response.prompt, None)
            if key is None:
                raise ModelError(f"{self.model.name}: answered prompt {response.prompt}, which it was not asked or had answered before")
            if self.purse:
                self.purse.settle(self.model, response)
            if self.who.cached and keepable(response, deterministic=getattr(self.who, "deterministic", False)):
                kept.append((key, response))
            else:
                self.unkept[key] = response
            self._failed += bool(response.error)
        self.cache.keep(kept)
        self.calls += len(responses)
        self._advance(len(responses))

    def _shaped(self, prompt: Prompt) -> Prompt:
        chat = self._chat
        if chat is None:
            default = getattr(self.who, "chats", None)
            chat = default(Need.of(prompt)) if default else not prompt.continuations
        self.chats.add(bool(chat))
        return prompt.shaped(chat=bool(chat))

    def facts(self) -> dict[str, str]:
        """What the provider knows of itself, and whether the model was shown turns of a chat or one raw text."""
        return {**self.who.facts(), "chat": ",".join(sorted(str(chat).lower() for chat in self.chats))}

    def _named(self, prompts: Iterable[Prompt]) -> Iterator[tuple[bytes, Prompt]]:
        """Prompts with their keys, which are at hand where these are the prompts that were walked before."""
        for n, prompt in enumerate(prompts):
            at_hand = self._keys[n * KEY : (n + 1) * KEY] if prompts is self._walked else b""
            yield bytes(at_hand) or self.key(self._shaped(prompt)), prompt

    def _missing(self, prompts: Iterable[Prompt]) -> Iterator[Prompt]:
        for key, unshaped in self._named(prompts):
            if key not in self._todo:
                self._advance()
                continue
            self._todo.remove(key)
            prompt = self._shaped(unshaped)
            if self.purse:
                self.purse.reserve(self.model, prompt)
            self._pending[prompt.id] = key
            yield prompt

    def _advance(self, by: int = 1) -> None:
        self._done += by
        self._progress(self._done, self._failed, self._total)

    def __enter__(self) -> "Asking":
        return self

    def __exit__(self, *_: object) -> None:
        self.who.close()
        self.cache.close()


def lane(model: Model) -> str:
    """Models of one lane are asked one after the other: those of one server (its first URL), and those of this machine (empty)."""
    who = provider(_without_chat(model))
    who.close()
    return getattr(who, "urls", ("",))[0]


def together(lanes: Sequence[Sequence[Callable[[], None]]], stopped: threading.Event) -> list[ModelError]:
    """Do jobs: lanes side by side, the jobs of a lane one after the other. Returns the ModelErrors; they stop no other job.

    Any other exception sets ``stopped``, which the jobs look at, and is raised; so does Ctrl-C. One lane needs no thread.
    """
    troubles: list[ModelError] = []
    fatal: list[BaseException] = []
    several = lanes if len(lanes) > 1 else ()
    ended = [threading.Event() for _ in several]

    def work(jobs: Sequence[Callable[[], None]], end: threading.Event | None = None) -> None:
        for job in jobs:
            try:
                if not stopped.is_set():
                    job()
            except ModelError as trouble:
                troubles.append(trouble)
            except BaseException as problem:  # handed to the caller's thread below
                fatal.append(problem)
                stopped.set()

        if end:
            end.set()

    for jobs, end in zip(several, ended, strict=True):
        threading.Thread(target=work, args=(jobs, end), daemon=True, name="endonym-lane").start()
    try:
        for end in ended:  # not by join: in Python 3.11 a join that Ctrl-C breaks takes the thread for dead
            end.wait()
    except KeyboardInterrupt:
        stopped.set()
        for end in ended:
            end.wait(STOPPING)
        raise
    if not several:
        work(lanes[0] if lanes else ())
    if fatal:
        raise fatal[0]
    return sorted(troubles, key=str)


def _chunks(things: Iterable[T], size: int) -> Iterator[list[T]]:
    source = iter(things)
    while some := list(islice(source, size)):
        yield some


def _without_chat(model: Model) -> Model:
    """Whether turns or a raw text are shown is settled here, for every provider alike."""
    chat = model.params.get("chat")
    if chat not in (None, True, False):
        raise InputError(f"{model.name}: chat is {chat!r}; it may be true or false")
    return msgspec.structs.replace(model, params={k: v for k, v in model.params.items() if k != "chat"})


def identity(who: Provider) -> dict[str, str]:
    """What makes a model another one though its name is the same: the hash of its file, its precision."""
    return getattr(who, "identity", dict)()


def keepable(response: Response, *, deterministic: bool) -> bool:
    """Whether asking again would be waste: never a failure, never a filtered reply, a cut one only if it always comes out so."""
    if response.error or response.finish_reason in FILTERED:
        return False
    return deterministic or bool(response.loglikelihoods) or response.finish_reason != "length"
