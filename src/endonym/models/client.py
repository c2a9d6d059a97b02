"""The wire: one prompt becomes one response, after as many tries as it takes or is allowed.

In: a prompt. Out: a Response with a text, or with an error that says what happened and after how many tries; never an
exception. The one thing to know: aiohttp, one session, one connector, and nothing done for a request that could be
done once. Only imported when a server is really asked.
"""

import asyncio
import difflib
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import aiohttp
import msgspec
from yarl import URL

from ..records import Prompt, Response
from . import letters, wire
from .account import Secret, Settings, at
from .balance import Breaker, Endpoint, Pool
from .faults import Fault, broken, refused, shorten, unreachable
from .limits import Limits, asked_to_wait, backoff
from .prices import tokens_in, tokens_out

CONNECTING = 30.0
"""Seconds until a connection stands; a server that is there needs far less."""

REVOKED = frozenset({401, 403, 404})
"""What a server says of a key or a model that was good a minute ago: a row of them stops the calls."""


class Client:
    """Asks the servers of one model, within its limits. What it has seen of them is kept for ``facts``."""

    def __init__(self, name: str, read: Settings, key: Secret, pool: Pool) -> None:
        self.name, self.read, self.pool = name, read, pool
        self.bodies = wire.Bodies(name.partition("/")[2], read)
        self.counts: Counter[str] = Counter()
        self.models: Counter[str] = Counter()
        self.fingerprints: Counter[str] = Counter()
        self.servers: Counter[str] = Counter()
        self.known: list[str] = []
        self.breaker = Breaker(read.breaker, self._wake)
        self._key, self._limits, self._rng = key, Limits(read.rpm, read.tpm), random.Random(read.seed or 0)
        self._session: aiohttp.ClientSession | None = None
        self._stopped: asyncio.Event | None = None
        self._urls: dict[tuple[str, str], URL] = {}

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Callable[[Prompt], Awaitable[Response]]]:
        """Connect; gives the coroutine function that asks one prompt."""
        async with self.connected():
            yield self.ask

    @asynccontextmanager
    async def connected(self) -> AsyncIterator["Client"]:
        read, self._stopped = self.read, asyncio.Event()
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30, ttl_dns_cache=300),
            timeout=aiohttp.ClientTimeout(total=read.timeout, sock_connect=min(CONNECTING, read.timeout)),
            headers={"Content-Type": "application/json", "User-Agent": "endonym", **read.headers, **self._key.header(read.api_key_header)},
            cookie_jar=aiohttp.DummyCookieJar(),
        ) as self._session:
            yield self

    async def ask(self, prompt: Prompt) -> Response:
        """Ask one prompt, whatever comes of it."""
        started = time.monotonic()
        try:
            replies = [await self.post(wire.path(prompt), body, prompt) for body in self.bodies(prompt)]
        except Fault as fault:
            if fault.finish_reason:
                return Response(prompt=prompt.id, model=self.name, finish_reason=fault.finish_reason, seconds=_since(started))
            self.counts["failed"] += 1
            return Response(prompt=prompt.id, model=self.name, error=fault.message, seconds=_since(started))
        self.counts["answered"] += 1
        return self._response(prompt, [reply for reply, _ in replies], sum(took for _, took in replies))

    async def post(self, path: str, body: bytes, prompt: Prompt) -> tuple[wire.Reply, float]:
        """Send one body until it is answered; returns the reply and the seconds its try took. Raises Fault at the end of all tries."""
        number = 0
        while True:
            number += 1
            await self._turn(prompt)
            endpoint = await self._endpoint()
            started = time.monotonic()
            try:
                reply = await self._try(endpoint, path, body)
            except Fault as fault:
                if not fault.again or number > self.read.retries:
                    raise self._given_up(fault, number) from None
                self.counts["retries"] += 1
                await self.rest(self._pause(endpoint, fault, number))
                continue
            self.breaker.good()
            self._note(reply)
            return reply, time.monotonic() - started

    async def get(self, endpoint: Endpoint, path: str) -> tuple[int, bytes]:
        """Status and body of a page below a base URL. Raises Fault where the server cannot be reached."""
        if self._session is None:
            raise Fault("not connected")
        try:
            async with self._session.get(self._url(endpoint, path), proxy=endpoint.proxy, allow_redirects=False) as response:
                return response.status, await response.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as problem:
            raise unreachable(problem, self.read.timeout) from None

    async def _try(self, endpoint: Endpoint, path: str, body: bytes) -> wire.Reply:
        if self._session is None:
            raise Fault("not connected")
        self.counts["calls"] += 1
        endpoint.in_flight += 1
        try:
            async with self._session.post(self._url(endpoint, path), data=body, proxy=endpoint.proxy, allow_redirects=False) as response:
                raw = await response.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as problem:
            self.pool.silent(endpoint, time.monotonic())
            raise unreachable(problem, self.read.timeout) from None
        finally:
            endpoint.in_flight -= 1
        endpoint.answered()
        if response.status != 200:
            raise refused(response.status, raw, asked_to_wait(response.headers, datetime.now(UTC)))
        self.servers[response.headers.get("Server", "")] += 1
        return _read(raw)

    def _url(self, endpoint: Endpoint, path: str) -> URL:
        """The parsed URL, parsed once."""
        url = self._urls.get((endpoint.url, path))
        if url is None:
            url = self._urls[endpoint.url, path] = URL(at(endpoint.url, path))
        return url

    async def _turn(self, prompt: Prompt) -> None:
        """Wait until the limits allow a request; raise Fault where calling has been stopped."""
        cost = tokens_in(prompt) + tokens_out(prompt) if self._limits.counts_tokens else 0
        await self.rest(self._limits.take(cost, time.monotonic()))
        self._check()

    async def _endpoint(self) -> Endpoint:
        endpoint, wait = self.pool.next(time.monotonic())
        while wait > 0:
            await self.rest(wait + self._rng.uniform(0.0, min(1.0, wait / 10)))  # not everybody at once
            self._check()
            endpoint, wait = self.pool.next(time.monotonic())
        return endpoint

    def _check(self) -> None:
        if self.breaker.reason:
            raise Fault(f"no further calls: {self.breaker.reason}")

    async def rest(self, seconds: float) -> None:
        """Wait, but not longer than until calling is stopped."""
        if seconds > 0 and self._stopped is not None:
            try:
                await asyncio.wait_for(self._stopped.wait(), seconds)
            except TimeoutError:
                return

    def _wake(self) -> None:
        if self._stopped is not None:
            self._stopped.set()

    def _pause(self, endpoint: Endpoint, fault: Fault, number: int) -> float:
        """Seconds until the next try. Who says how long to wait is left alone for so long by everybody."""
        jitter = backoff(number, self.read.backoff, self._rng)
        if fault.wait is None:
            return jitter
        if fault.wait > self.read.longest_wait:
            what = f"{fault.message}: the server asks to wait {fault.wait:.0f} s, more than longest_wait={self.read.longest_wait:.0f}"
            raise self._given_up(Fault(what), number)
        endpoint.pause(time.monotonic() + fault.wait)
        return 0.0 if len(self.pool.endpoints) > 1 else fault.wait + min(jitter, fault.wait)

    def _given_up(self, fault: Fault, number: int) -> Fault:
        """Count a prompt that failed, and stop calling where no other could do better."""
        if fault.finish_reason:
            return fault
        message = shorten(self._key.redact(fault.message)) + (f" (after {number} tries)" if number > 1 else "")
        if fault.hopeless(fresh=self.breaker.fresh):
            message += f"; {self.advice(fault)}"
            self.breaker.trip(message)
        else:
            self.breaker.gave_up(message, passing=fault.again or fault.status in REVOKED)
        return Fault(message, status=fault.status, code=fault.code)

    def advice(self, fault: Fault) -> str:
        """What the user can do about a call that no other prompt would fare better with."""
        if fault.status in (401, 403):
            return f"check the key in {self.read.api_key_env}"
        if fault.status == 404:
            asked = self.name.partition("/")[2]
            close = difflib.get_close_matches(asked, self.known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            return f"check the model's name {asked!r}{hint}, and that base_url ends as the server wants it, mostly in /v1"
        return "check the account's balance and quota"

    def _note(self, reply: wire.Reply) -> None:
        if reply.model:
            self.models[reply.model] += 1
        if reply.system_fingerprint:
            self.fingerprints[reply.system_fingerprint] += 1

    def _response(self, prompt: Prompt, replies: list[wire.Reply], seconds: float) -> Response:
        choices = [choice for reply in replies for choice in (reply.choices or ())[:1]]
        text, reason = wire.text_of(choices[0])
        likelihoods, lengths = self._score(prompt, choices) if prompt.continuations else letters.NONE
        usages = [reply.usage for reply in replies if reply.usage]
        return Response(
            prompt=prompt.id,
            model=self.name,
            text=self._key.hide(text),
            finish_reason=reason,
            loglikelihoods=likelihoods,
            lengths=lengths,
            tokens_in=sum(u.prompt_tokens or 0 for u in usages),
            tokens_out=sum(u.completion_tokens or 0 for u in usages),
            seconds=round(seconds, 6),
        )

    def _score(self, prompt: Prompt, choices: list[wire.Choice]) -> letters.Scores:
        if self.read.score == "echo":
            sums = [letters.echoed(c, choice.logprobs) for c, choice in zip(prompt.continuations, choices, strict=True)]
            found = [s for s in sums if s]
            scores = (tuple(v for v, _ in found), tuple(n for _, n in found)) if len(found) == len(sums) else letters.NONE
        else:
            scores = letters.scores(prompt.continuations, letters.tops_of(choices[0].logprobs))
        self.counts["bounded"] += scores[1].count(0)
        self.counts["unscored"] += not scores[0]
        return scores


def _since(started: float) -> float:
    return round(time.monotonic() - started, 6)


def _read(raw: bytes) -> wire.Reply:
    """Decode a body and see that there is an answer in it; some servers send their errors with status 200."""
    try:
        reply = wire.decode(raw)
    except msgspec.ValidationError as problem:
        raise Fault(f"not the reply of an OpenAI-compatible server: {problem}") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise broken(raw) from None
    choice = reply.choices[0] if reply.choices else None
    error = reply.error or (choice.error if choice else None)
    if error or choice is None:
        raise refused(wire.error_of(error)[2] or 502, raw, None) if error else Fault("a reply without choices", again=True)
    return reply
