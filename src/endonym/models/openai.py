"""``openai/MODEL``: any OpenAI-compatible server: OpenAI, vLLM, SGLang, llama-server, Ollama, Mistral, OpenRouter, Gemini.

In: prompts, chat or raw. Out: one response for each, in the order they come back. The server is ``base_url`` (or
several, balanced), else OPENAI_BASE_URL, else OpenAI; the key is in the environment variable named by ``api_key_env``.
The one thing to know: log-likelihoods come from the log-probabilities of the first token (see ``letters``), and whether
a server gives them is tried once, before the first prompt.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from ..errors import Unavailable, Unsupported
from ..records import Model, Prompt, Response
from . import account, letters, prices, wire
from .balance import Endpoint, Pool
from .base import Need
from .faults import Fault
from .flow import batches, flow, once

if TYPE_CHECKING:
    from .client import Client

FEWER_TOPS = 5
"""Where 20 are refused: what OpenAI's completions and some others give at most."""
GREETINGS = 3
_REFUSALS = frozenset({400, 405, 415, 422, 501})


class OpenAI:
    """Asks a model behind an OpenAI-compatible server. Settings: the fields of :class:`~endonym.models.account.Settings`."""

    cached = True
    deterministic = False
    operational = account.OPERATIONAL

    def __init__(self, model: Model) -> None:
        self.model, self.read = model, account.read_settings(model)
        self.urls = account.base_urls(model.name, self.read.base_url)
        self._tops: dict[bool, int] = {}
        self._greeted = False
        self._calls: Iterator[Response] | Iterator[list[Response]] | None = None

    def chats(self, need: Need) -> bool:
        """Whether prompts are shown as turns where nobody says: every server has chat, few still have completions."""
        return True if self.read.chat is None else self.read.chat

    def identity(self) -> dict[str, str]:
        """The first base URL: another server may call another model by the same name; further ones are its replicas."""
        return {"base_url": account.shown(self.urls[0])}

    def check(self, need: Need) -> None:
        """Raise Unavailable for a missing key or a server that does not answer, Unsupported for what it does not offer."""
        if self.read.chat is not None and self.read.chat != need.chat:
            raise Unsupported(f"{self.model.name}: the settings say chat = {str(self.read.chat).lower()}, and these prompts are not so")
        if need.continuations and self.read.score == "echo" and need.chat:
            raise Unsupported(f'{self.model.name}: score = "echo" is for raw texts; set chat = false, or leave score out')
        if not self._greeted or (need.continuations and need.chat not in self._tops):
            once(self._probing, need)

    def facts(self) -> dict[str, str]:
        """Base URL, model, and what the server was seen to say of itself; more is known after the first answers."""
        facts = {"engine": "openai-compatible", "base_url": ", ".join(map(account.shown, self.urls)), "model": self._asked}
        if self._tops:
            facts["logprobs"] = ", ".join(f"{'chat' if chat else 'completions'}: top {n}" for chat, n in sorted(self._tops.items()))
        if "client" in self.__dict__:
            seen = {"served_model": self.client.models, "system_fingerprint": self.client.fingerprints, "server": self.client.servers}
            facts |= {name: ", ".join(sorted(map(_file, filter(None, counter)))) for name, counter in seen.items()}
            facts["other_model"] = ", ".join(sorted(map(_file, self._others())))
        return {name: self._key.redact(value) for name, value in facts.items() if value}

    @property
    def counts(self) -> dict[str, int]:
        """Calls, retries, answered, failed; bounded and unscored options; answers that another model says it gave."""
        if "client" not in self.__dict__:
            return {}
        return {**self.client.counts, "other_model": sum(self._others().values())}

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        """Ask prompts, ``concurrency`` at a time and at most twice as many ahead; closing the iterator cancels the rest."""
        self._calls = flow(prompts, self.client.open, self.read.concurrency)
        return self._calls

    def batches(self, prompts: Iterable[Prompt]) -> Iterator[list[Response]]:
        """The same, in the lists in which responses come in: each can be stored at once."""
        self._calls = batches(prompts, self.client.open, self.read.concurrency)
        return self._calls

    def bill(self, prompts: Iterable[Prompt]) -> prices.Bill:
        """Estimate tokens and money of prompts, without a call."""
        return prices.bill(prompts, self.model)

    def close(self) -> None:
        if (close := getattr(self._calls, "close", None)) is not None:
            close()

    @cached_property
    def client(self) -> "Client":
        """The wire. Raises Unavailable where the key is missing."""
        from .client import Client

        pool = Pool([Endpoint(url, account.proxy_of(url)) for url in self.urls])
        return Client(self.model.name, self.read, self._key, pool)

    @cached_property
    def _key(self) -> account.Secret:
        return account.read_key(self.model.name, self.read, self.urls)

    @property
    def _asked(self) -> str:
        return self.model.name.partition("/")[2]

    def _others(self) -> dict[str, int]:
        """Models that answered under a name which is not what was asked for, with the number of their answers."""
        return {name: n for name, n in self.client.models.items() if not same_model(self._asked, name)}

    @asynccontextmanager
    async def _probing(self) -> AsyncIterator[Callable[[Need], Awaitable[None]]]:
        async with self.client.connected():
            yield self._probe

    async def _probe(self, need: Need) -> None:
        if not self._greeted:
            await self._greet()
            self._greeted = True
        if need.continuations and need.chat not in self._tops:
            self._tops[need.chat] = await self._tops_given(need.chat)

    async def _greet(self) -> None:
        """See that one of the servers is there and takes the key; the list of models costs nothing."""
        faults: list[str] = []
        for _ in range(GREETINGS):
            for endpoint in self.client.pool.endpoints:
                try:
                    status, body = await self.client.get(endpoint, "/models")
                except Fault as fault:
                    faults.append(f"{account.shown(endpoint.url)}: {fault.message}")
                    continue
                if status == 401:
                    said = self._key.redact(wire.error_in(body)[0])
                    raise Unavailable(f"{self.model.name}: http 401: {said}; check the key in {self.read.api_key_env}")
                self.client.known = _names(body) if status == 200 else []
                return
            await self.client.rest(self.read.backoff)
        where = self._key.redact("; ".join(dict.fromkeys(faults)))
        raise Unavailable(f"{self.model.name}: nobody answers ({where}); is the server running, and is base_url right?")

    async def _tops_given(self, chat: bool) -> int:
        """How many log-probabilities the server gives for a token."""
        prompt = wire.trial(chat=chat)
        try:
            (reply, _) = await self.client.post(wire.path(prompt), self.client.bodies(prompt)[0], prompt)
        except Fault as fault:
            if fault.status in _REFUSALS and self.client.bodies.tops > FEWER_TOPS and self.read.score == "tops":
                self.client.bodies.tops = FEWER_TOPS
                return await self._tops_given(chat)
            raise self._no_letters(fault) from None
        logprobs = reply.choices[0].logprobs if reply.choices else None
        if self.read.score == "echo":
            if letters.echoed(prompt.continuations[0], logprobs) is None:
                raise Unsupported(f"{self.model.name}: the server does not echo a prompt with its log-probabilities; leave score out")
            return 1
        if not (tops := letters.tops_of(logprobs)):
            raise Unsupported(f"{self.model.name}: the server gives no log-probabilities; ask with --method generate")
        return len(tops)

    def _no_letters(self, fault: Fault) -> Unavailable | Unsupported:
        if fault.status in _REFUSALS:
            return Unsupported(f"{self.model.name}: the server gives no log-probabilities ({fault.message}); ask with --method generate")
        return Unavailable(f"{self.model.name}: {fault.message}")


def same_model(asked: str, reported: str) -> bool:
    """Whether a reported name may be the one asked for: a dated version, a path or a file of it, or a part of it."""
    one, other = _bare(asked), _bare(reported)
    return not other or one in other or other in one


def _bare(name: str) -> str:
    return re.sub(r"\.gguf$|:latest$", "", re.split(r"[/\\]", name.strip().lower())[-1])


def _file(name: str) -> str:
    """A server that names its model by a path on its own disk: only the file is of interest."""
    return re.split(r"[/\\]", name)[-1] if re.match(r"[/\\.~]|[A-Za-z]:\\", name) else name


def _names(body: bytes) -> list[str]:
    """Names in a server's list of models; none where it is no such list."""
    try:
        return [entry.id for entry in msgspec.json.decode(body, type=_Models).data if entry.id]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


class _Entry(msgspec.Struct):
    id: str = ""


class _Models(msgspec.Struct):
    data: list[_Entry] = []
