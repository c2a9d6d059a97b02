"""Where a server is, with which key, and how it is asked: the settings of ``openai/…``, read and checked before any call.

In: a model's params and the environment. Out: ``Settings``, base URLs and a ``Secret``. The one thing to know: a key
is read from the environment variable named by ``api_key_env`` and goes nowhere but into one request header; params,
and so tables, manifests and the cache, never hold it.
"""

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import msgspec

from ..errors import InputError, Unavailable
from ..records import Model
from .base import settings

OPENAI = "https://api.openai.com/v1"
SHORTEST_SECRET = 8
"""Characters; servers without keys are asked with words such as ``EMPTY``, and those hide nothing."""

_KEYLIKE = re.compile(r"\b(?:sk|pk|rk)-[\w*.\-]{6,}|(?<=Bearer )\S{6,}")
_CREDENTIAL = frozenset({"authorization", "api-key", "x-api-key", "key", "api_key", "apikey", "token", "access_token", "x-goog-api-key"})
_RESERVED = frozenset({"messages", "prompt", "model", "stream", "n"})


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a server is asked. The first block changes what it answers, the second only how the calls are made."""

    base_url: str | list[str] = ""
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    max_tokens_field: str = "max_tokens"
    top_logprobs: int = 20
    score: str = "tops"
    extra_body: dict[str, Any] = {}
    chat: bool | None = None

    api_key_env: str = "OPENAI_API_KEY"
    api_key_header: str = "Authorization"
    headers: dict[str, str] = {}
    concurrency: int = 16
    rpm: float | None = None
    tpm: float | None = None
    timeout: float = 120.0
    retries: int = 6
    backoff: float = 0.5
    longest_wait: float = 300.0
    breaker: int = 10
    price_in: float | None = None
    price_out: float | None = None


OPERATIONAL = frozenset(Settings.__struct_fields__[Settings.__struct_fields__.index("api_key_env") :]) | {"base_url"}
"""Settings that change no answer and so belong in no cache key; of the base URLs the first is part of the identity."""


class Secret:
    """A key that does not show: not in a repr, not in a message."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def header(self, name: str) -> dict[str, str]:
        """The request header that carries the key; none where there is no key."""
        if not self._value:
            return {}
        return {name: f"Bearer {self._value}" if name.lower() == "authorization" else self._value}

    def hide(self, text: str) -> str:
        """Take the key out of a text."""
        return text.replace(self._value, "[key]") if len(self._value) >= SHORTEST_SECRET and self._value in text else text

    def redact(self, text: str) -> str:
        """Take the key out of a message, and whatever looks like one: servers like to repeat the half of it."""
        return _KEYLIKE.sub("[key]", self.hide(text))


def read_settings(model: Model) -> Settings:
    """Check a model's params; raise UnknownName for a key that does not exist, InputError for a value that cannot be."""
    refuse_key(model.name, model.params)
    settings(model, dict.fromkeys(Settings.__struct_fields__))
    try:
        read = msgspec.convert(model.params, Settings)
    except msgspec.ValidationError as problem:
        raise InputError(f"{model.name}: {_field(str(problem))}") from None
    if wrong := _wrong(read):
        raise InputError(f"{model.name}: {wrong}")
    return read


def refuse_key(where: str, params: Mapping[str, Any]) -> None:
    """Raise InputError where a key was written into settings, which are kept in tables for everyone to read."""
    headers, body = params.get("headers"), params.get("extra_body")
    for place in (params, headers, body):
        for name in place if isinstance(place, Mapping) else ():
            if str(name).lower() in _CREDENTIAL:
                raise InputError(
                    f"{where}: {name}: a key may not stand in settings, which are kept in tables; put it into an "
                    "environment variable and name that by api_key_env"
                )


def base_urls(name: str, given: str | list[str]) -> tuple[str, ...]:
    """The servers of a model: as given, else from OPENAI_BASE_URL, else OpenAI. Raises InputError for what is no URL."""
    urls = [given] if isinstance(given, str) else given
    urls = [u for u in urls if u] or [os.environ.get("OPENAI_BASE_URL") or OPENAI]
    return tuple(_checked(name, url.strip()) for url in urls)


def shown(url: str) -> str:
    """A base URL without its query, as it may be written down."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def at(url: str, path: str) -> str:
    """The URL of a path below a base URL; a query of the base (``?api-version=…``) is kept."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + path, parts.query, ""))


def proxy_of(url: str) -> str | None:
    """The proxy that the environment sets for a URL (HTTPS_PROXY, NO_PROXY …); none for this machine itself."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)


def read_key(name: str, read: Settings, urls: tuple[str, ...]) -> Secret:
    """Read the key from the environment. Raises Unavailable where it must be there and is not."""
    value = os.environ.get(read.api_key_env, "").strip()
    needed = read.api_key_env != "OPENAI_API_KEY" or any(urlsplit(u).hostname == "api.openai.com" for u in urls)
    if needed and not value:
        raise Unavailable(f"{name}: no key: set the environment variable {read.api_key_env}, or name another one by api_key_env")
    if not (value.isascii() and value.isprintable()):
        raise Unavailable(f"{name}: the key in {read.api_key_env} has characters that no header can carry; copy it again")
    return Secret(value)


def _checked(name: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as problem:
        raise InputError(f"{name}: base_url: {problem}") from None
    if parts.username or parts.password or any(k.lower() in _CREDENTIAL for k, _ in parse_qsl(parts.query)):
        raise InputError(f"{name}: base_url carries a name or a key, and it is kept in tables; name an environment variable by api_key_env")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{name}: base_url {url!r} is no URL such as http://127.0.0.1:8000/v1")
    return url.rstrip("/")


def _field(message: str) -> str:
    """Turn msgspec's "Expected …, got … - at `$.rpm`" round, so that it begins with the field."""
    what, _, path = message.partition(" - at `$.")
    return f"{path.rstrip('`')}: {what[:1].lower()}{what[1:]}" if path else message


def _wrong(read: Settings) -> str:
    """Say which value cannot be; an empty string where all can."""
    for name in ("concurrency", "breaker", "top_logprobs", "timeout", "rpm", "tpm"):
        value = getattr(read, name)
        if value is not None and not value > 0:
            return f"{name}: is {value}; it must be above 0"
    for name in ("retries", "backoff", "longest_wait", "price_in", "price_out"):
        value = getattr(read, name)
        if value is not None and not value >= 0:
            return f"{name}: is {value}; it may not be below 0"
    if read.score not in ("tops", "echo"):
        return f"score: is {read.score!r}; there are 'tops' and 'echo'"
    taken = sorted(_RESERVED & set(read.extra_body))
    return f"extra_body: {taken[0]!r} is set by the prompt and may not be given here" if taken else ""
