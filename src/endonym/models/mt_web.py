"""The wire of translation services: texts go out by the dozen, one response comes back for each.

In: prompts as ``translating.turns`` makes them. Out: responses; one whose call failed says why. The one thing to know: texts of the same
languages travel in one request, and what goes wrong with a request goes wrong with all of its texts, so a refused request of several
texts is sent again text by text. A key is read from the environment and goes nowhere but into one request header.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from ..errors import InputError
from ..records import Model, Prompt, Response
from . import account
from .base import Need, settings
from .flow import flow
from .limits import Limits, asked_to_wait, backoff
from .translating import Pair, chunks, only_texts, text_of, windows

if TYPE_CHECKING:
    import aiohttp

    from .faults import Fault

WINDOW = 1000
CONNECTING = 30.0
SPENT = "spent"
"""The code of a fault after which no other request would fare better until somebody pays."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a service is asked. ``codes``: BCP 47 → the service's own word; ``extra``: further fields of a request's body."""

    base_url: str = ""
    api_key_env: str = ""
    codes: dict[str, str] = {}
    extra: dict[str, Any] = {}
    batch: int = 25
    concurrency: int = 4
    rpm: float | None = None
    timeout: float = 60.0
    retries: int = 6
    backoff: float = 0.5
    longest_wait: float = 300.0


class Web:
    """What services have in common; each says where it is, what it is sent and how it is read."""

    cached = True
    deterministic = False
    operational = frozenset({"api_key_env", "batch", "concurrency", "rpm", "timeout", "retries", "backoff", "longest_wait"})
    KEY: ClassVar[str]
    ROOM: ClassVar[int]
    """Bytes of text that one request may carry."""
    MOST: ClassVar[int]
    RESERVED: ClassVar[frozenset[str]]

    def __init__(self, model: Model) -> None:
        account.refuse_key(model.name, {**model.params, "extra_body": model.params.get("extra")})
        settings(model, dict.fromkeys(Settings.__struct_fields__))
        self.model = model
        try:
            self.read = msgspec.convert(model.params, Settings)
        except msgspec.ValidationError as problem:
            raise InputError(f"{model.name}: {problem}") from None
        if problem := self._wrong():
            raise InputError(f"{model.name}: {problem}")
        self._stopped = ""
        self._calls: Iterator[list[Response]] | None = None

    def url(self) -> str:
        raise NotImplementedError

    def header(self) -> dict[str, str]:
        raise NotImplementedError

    def body(self, texts: Sequence[str], languages: Pair) -> dict[str, Any]:
        raise NotImplementedError

    def texts(self, reply: Any) -> list[str]:
        """The translations of a reply. Raises KeyError, TypeError or IndexError for another shape."""
        raise NotImplementedError

    def fault(self, status: int, raw: bytes, wait: float | None) -> "Fault":
        from .faults import refused

        return refused(status, raw, wait)

    def chats(self, need: Need) -> bool:
        return True

    def identity(self) -> dict[str, str]:
        return {"base_url": account.shown(self.read.base_url)} if self.read.base_url else {}

    def check(self, need: Need) -> None:
        """Raise Unsupported for prompts that are no texts to translate, Unavailable where the key is missing."""
        only_texts(self.model.name, need)
        _ = self.key

    def facts(self) -> dict[str, str]:
        return {"engine": type(self).__name__, "base_url": account.shown(self.url())}

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        """Translate, ``concurrency`` requests at a time; closing the iterator cancels the rest."""
        ready: list[Response] = []
        self._calls = flow(self._requests(prompts, ready), self._open, self.read.concurrency)
        for responses in self._calls:
            yield from responses
            while ready:
                yield ready.pop()
        yield from ready

    def close(self) -> None:
        if (close := getattr(self._calls, "close", None)) is not None:
            close()

    @cached_property
    def key(self) -> account.Secret:
        name = self.read.api_key_env or self.KEY
        return account.read_key(self.model.name, account.Settings(api_key_env=name), (self.read.base_url or "https://example.org",))

    def code(self, tag: str, known: Mapping[str, str]) -> str:
        """The service's word for a language: the user's, else that of a table, else the tag itself."""
        return self.read.codes.get(tag) or known.get(tag.lower()) or tag

    def _wrong(self) -> str:
        for name in ("batch", "concurrency", "timeout"):
            if not getattr(self.read, name) > 0:
                return f"{name}: is {getattr(self.read, name)}; it must be above 0"
        if taken := sorted(self.RESERVED & set(self.read.extra)):
            return f"extra: {taken[0]!r} is set by the prompt and may not be given here"
        if self.read.base_url:
            account.base_urls(self.model.name, self.read.base_url)
        return ""

    def _requests(self, prompts: Iterable[Prompt], ready: list[Response]) -> Iterator[tuple[Pair, list[Prompt]]]:
        """Prompts that go out together; those without languages are answered at once, in ``ready``."""
        for faults, told in windows(prompts, WINDOW):
            ready += [Response(prompt=prompt.id, model=self.model.name, error=fault) for prompt, fault in faults]
            for languages, some in told.items():
                yield from ((languages, part) for part in chunks(some, min(self.read.batch, self.MOST), self.ROOM))

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Callable[[tuple[Pair, list[Prompt]]], Awaitable[list[Response]]]]:
        import aiohttp

        read, limits, rng = self.read, Limits(self.read.rpm, None), random.Random(0)
        time_out = aiohttp.ClientTimeout(total=read.timeout, sock_connect=min(CONNECTING, read.timeout))
        headers = {"User-Agent": "endonym", **self.header()}
        async with aiohttp.ClientSession(timeout=time_out, headers=headers, cookie_jar=aiohttp.DummyCookieJar()) as session:

            async def work(request: tuple[Pair, list[Prompt]]) -> list[Response]:
                return await self._translated(session, request, (limits, rng))

            yield work

    async def _translated(self, session: "aiohttp.ClientSession", request: tuple[Pair, list[Prompt]],
                          pace: tuple[Limits, random.Random]) -> list[Response]:  # fmt: skip
        from .faults import Fault, shorten

        languages, prompts = request
        started = time.monotonic()
        try:
            found = await self._posted(session, self.body([text_of(p) for p in prompts], languages), len(prompts), pace)
        except Fault as fault:
            if fault.status == 400 and len(prompts) > 1:
                return [one for p in prompts for one in await self._translated(session, (languages, [p]), pace)]
            error = shorten(self.key.redact(fault.message))
            return [Response(prompt=p.id, model=self.model.name, error=error) for p in prompts]
        seconds = round((time.monotonic() - started) / len(prompts), 6)
        return [
            Response(prompt=p.id, model=self.model.name, text=self.key.hide(text), finish_reason="stop", seconds=seconds)
            for p, text in zip(prompts, found, strict=True)
        ]

    async def _posted(self, session: "aiohttp.ClientSession", body: dict[str, Any], count: int,
                      pace: tuple[Limits, random.Random]) -> list[str]:  # fmt: skip
        """Send one request until it is answered. Raises Fault at the end of all tries."""
        from .faults import Fault

        limits, rng = pace
        for number in range(1, self.read.retries + 2):
            if self._stopped:
                raise Fault(f"no further calls: {self._stopped}")
            await asyncio.sleep(limits.take(0, time.monotonic()))
            try:
                return await self._try(session, body, count)
            except Fault as fault:
                if not fault.again or number > self.read.retries or (fault.wait or 0) > self.read.longest_wait:
                    raise self._given_up(fault, number) from None
                await asyncio.sleep((fault.wait or 0) + backoff(number, self.read.backoff, rng))
        raise Fault("not asked")

    async def _try(self, session: "aiohttp.ClientSession", body: dict[str, Any], count: int) -> list[str]:
        import aiohttp

        from .faults import Fault, broken, unreachable

        try:
            url = self.url()
            async with session.post(url, json=body, proxy=account.proxy_of(url), allow_redirects=False) as response:
                raw = await response.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as problem:
            raise unreachable(problem, self.read.timeout) from None
        if response.status != 200:
            raise self.fault(response.status, raw, asked_to_wait(response.headers, datetime.now(UTC)))
        try:
            found = self.texts(msgspec.json.decode(raw))
        except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, IndexError):
            raise broken(raw) from None
        if len(found) != count or not all(isinstance(text, str) for text in found):
            raise Fault(f"{len(found)} translations came back for {count} texts", again=True)
        return found

    def _given_up(self, fault: "Fault", number: int) -> "Fault":
        """What is said of a request that failed; no other is sent where none could do better."""
        if number > 1:
            fault.message += f" (after {number} tries)"
        spent = fault.status in (402, 456) or fault.code == SPENT
        if spent or (fault.status in (401, 403) and not fault.again):
            what = "the quota of the account is used up" if spent else f"check the key in {self.read.api_key_env or self.KEY}"
            fault.message += f"; {what}"
            self._stopped = self.key.redact(fault.message)
        return fault
