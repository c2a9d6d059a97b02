"""How fast a server may be asked, and how long to wait before asking again.

In: a clock's reading (seconds) and what a server said. Out: seconds to wait. The one thing to know: nothing here
sleeps or looks at a clock by itself, so every rule can be checked with pencil and paper. Backoff is exponential with
full jitter (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
"""

import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

BURST = 1.0
"""Seconds' worth of the rate that may be spent at once: a minute's worth would let the first minute have double."""
LONGEST_BACKOFF = 60.0
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""Statuses after which the same request may succeed; the last four are a proxy's or an overloaded server's."""

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNIT = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Bucket:
    """A token bucket in debt: whoever comes takes a place at once and is told when it is due."""

    def __init__(self, per_minute: float) -> None:
        self.rate = per_minute / 60
        self.room = max(1.0, self.rate * BURST)
        self._level, self._at = self.room, 0.0

    def take(self, cost: float, now: float) -> float:
        """Take ``cost`` out of the bucket; returns the seconds to wait until it is covered."""
        self._level = min(self.room, self._level + self.rate * max(0.0, now - self._at)) - cost
        self._at = max(now, self._at)
        return max(0.0, -self._level / self.rate)


class Limits:
    """Requests and tokens per minute of one model; None: no limit."""

    def __init__(self, rpm: float | None, tpm: float | None) -> None:
        self._requests = Bucket(rpm) if rpm else None
        self._tokens = Bucket(tpm) if tpm else None

    @property
    def counts_tokens(self) -> bool:
        return self._tokens is not None

    def take(self, tokens: float, now: float) -> float:
        """Take a request of so many tokens; returns the seconds to wait before it is sent."""
        requests = self._requests.take(1, now) if self._requests else 0.0
        return max(requests, self._tokens.take(tokens, now)) if self._tokens else requests


def backoff(number: int, first: float, rng: random.Random) -> float:
    """Seconds to wait after the ``number``-th failed try (from 1): anything up to ``first`` · 2^(number − 1)."""
    return rng.uniform(0.0, min(LONGEST_BACKOFF, first * 2 ** (number - 1)))


def asked_to_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds a server asks to wait, from Retry-After (seconds or a date) or x-ratelimit-reset; None if it does not say."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    if (after := headers.get("retry-after")) is not None:
        return _seconds(after, now)
    if (reset := headers.get("x-ratelimit-reset")) is not None:
        return _seconds(reset, now)
    spent = [
        headers.get(f"x-ratelimit-reset-{what}", "")
        for what in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{what}") == "0"
    ]
    waits = [wait for text in spent if (wait := _seconds(text, now)) is not None]
    return max(waits) if waits else None


def _seconds(text: str, now: datetime) -> float | None:
    """Read ``2``, ``1.5``, ``6m0s``, ``120ms``, an HTTP date, or seconds or milliseconds since 1970."""
    number = _number(text)
    if number is not None:
        scale = 1000.0 if number > 1e11 else 1.0
        return max(0.0, number / scale - now.timestamp()) if number > 1e9 else max(0.0, number)
    parts = _PART.findall(text.strip())
    if parts and "".join(a + b for a, b in parts) == text.strip():
        return sum(float(amount) * _UNIT[unit] for amount, unit in parts)
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None
