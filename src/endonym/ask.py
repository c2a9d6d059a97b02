"""The one door to the outside: prompts go out, responses come back, each paid for once.

In: prompts (an iterable that can be walked more than once, such as a table) and a model. Out: one response a prompt,
in the prompts' order. Exact copies of a question are asked once. A failed call is a response with an error; it is
counted, shown and never kept in the cache, nor is a reply that a filter refused or that the limit of tokens cut.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from . import spread
from .cache import Cache, Keys
from .errors import InputError, ModelError
from .models import Need, Provider, provider
from .models.prices import price, tokens_in, tokens_out
from .purse import Purse
from .records import Model, Prompt, Response
from .spread import Cluster

VERSION = "1"
FILTERED = frozenset({"content_filter", "refusal", "safety"})

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
    """One model, its cache, and the calls that have to be made."""

    def __init__(self, model: Model, cache: Path | None, progress: Progress | None = None, cluster: Cluster | None = None,
                 purse: Purse | None = None) -> None:  # fmt: skip
        self.purse = purse
        self.model, self.cache = model, Cache(cache)
        self._bare, self._cluster = _without_chat(model), cluster
        self.who: Provider = provider(self._bare)
        self.key = Keys(self._bare, identity=identity(self.who), without=getattr(self.who, "operational", frozenset()))
        self.unkept: dict[bytes, Response] = {}
        self.calls = 0
        self._chat = model.params.get("chat")
        self._progress, self._done, self._failed, self._total = progress or (lambda done, failed, total: None), 0, 0, 0
        self._pending: dict[str, bytes] = {}

    def plan(self, prompts: Iterable[Prompt]) -> Plan:
        """Count what would be asked, without asking."""
        total, known, missing, needs, tokens = 0, 0, set[bytes](), set[Need](), [0, 0]
        for total, prompt in enumerate(map(self._shaped, prompts), 1):  # noqa: B007
            key = self.key(prompt)
            if key in missing:
                continue
            if self._known(key):
                known += 1
                continue
            missing.add(key)
            needs.add(Need.of(prompt))
            tokens[0] += tokens_in(prompt)
            tokens[1] += tokens_out(prompt)
        return Plan(
            prompts=total, known=known, calls=len(missing), needs=frozenset(needs), tokens_in=tokens[0], tokens_out=tokens[1],
            money=price(self.model, *tokens),
        )  # fmt: skip

    def run(self, prompts: Iterable[Prompt]) -> None:
        """Ask what the cache does not hold; every answer is kept as it comes."""
        plan = self.plan(prompts)
        self._total = plan.prompts
        for need in sorted(plan.needs, key=repr):
            self.who.check(need)
        if plan.calls == 0:
            return self._progress(plan.prompts, 0, plan.prompts)
        missing = self._missing(prompts)
        for response in spread.answers(self._bare, missing, self._cluster) if self._cluster else self.who.answer(missing):
            self._take(response)
        errors = [r for r in self.unkept.values() if r.error]
        if len(errors) == self.calls and not plan.known:
            first = errors[0]
            raise ModelError(f"{self.model.name}: not one of {self.calls} calls succeeded; the first failed with: {first.error}")
        return None

    def collect(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        """Every response in the prompts' order. Seconds stay in the cache: the same answers make the same table."""
        for prompt in prompts:
            key = self.key(self._shaped(prompt))
            response = self.unkept.get(key) or self.cache.get(key)
            if response is None:
                raise ModelError(f"{self.model.name}: no response came for prompt {prompt.id}")
            yield msgspec.structs.replace(response, prompt=prompt.id, model=self.model.id, seconds=0.0)

    def _take(self, response: Response) -> None:
        key = self._pending.pop(response.prompt)
        if self.purse:
            self.purse.settle(self.model, response)
        if self.who.cached and keepable(response, deterministic=getattr(self.who, "deterministic", False)):
            self.cache.put(key, response)
        else:
            self.unkept[key] = response
        self.calls += 1
        self._failed += bool(response.error)
        self._advance()

    def _shaped(self, prompt: Prompt) -> Prompt:
        chat = self._chat
        if chat is None:
            default = getattr(self.who, "chats", None)
            chat = default(Need.of(prompt)) if default else not prompt.continuations
        return prompt.shaped(chat=bool(chat))

    def _missing(self, prompts: Iterable[Prompt]) -> Iterator[Prompt]:
        seen: set[bytes] = set()
        for prompt in map(self._shaped, prompts):
            key = self.key(prompt)
            if key in seen or self._known(key):
                self._advance()
                continue
            seen.add(key)
            if self.purse:
                self.purse.reserve(self.model, prompt)
            self._pending[prompt.id] = key
            yield prompt

    def _known(self, key: bytes) -> bool:
        return self.who.cached and self.cache.has(key)

    def _advance(self) -> None:
        self._done += 1
        self._progress(self._done, self._failed, self._total)

    def __enter__(self) -> "Asking":
        return self

    def __exit__(self, *_: object) -> None:
        self.who.close()
        self.cache.close()


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
