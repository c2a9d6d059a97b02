"""Which server is asked next, and when none is asked any more.

In: how calls went. Out: an endpoint, or the reason to stop. The one thing to know: one bad answer stops nothing but a
key or a name that is wrong from the first call on; a row of prompts given up with none answered between stops the rest,
so that a dead server costs minutes, not days.
"""

from collections.abc import Callable, Sequence

REST = 15.0
"""Seconds a server that cannot be reached is left alone, doubled each time it still cannot, up to LONGEST_REST."""
LONGEST_REST = 300.0
STRIKES = 3
"""Failed connections in a row after which one of several servers is taken out."""


class Endpoint:
    """One server: its URL, how many requests it is busy with, and until when it is left alone."""

    __slots__ = ("in_flight", "proxy", "rests", "strikes", "until", "url")

    def __init__(self, url: str, proxy: str | None = None) -> None:
        self.url, self.proxy = url, proxy
        self.in_flight = self.strikes = self.rests = 0
        self.until = 0.0

    def answered(self) -> None:
        """It spoke, whatever it said."""
        self.strikes = self.rests = 0

    def silent(self, now: float) -> None:
        """It could not be reached, cut the line or said nothing in time."""
        self.strikes += 1
        if self.strikes >= STRIKES:
            self.until = max(self.until, now + min(LONGEST_REST, REST * 2**self.rests))
            self.rests, self.strikes = self.rests + 1, STRIKES - 1

    def pause(self, until: float) -> None:
        """It asked to be left alone until then."""
        self.until = max(self.until, until)


class Pool:
    """The servers of one model; the one with the least in flight is next."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self.endpoints = tuple(endpoints)

    def next(self, now: float) -> tuple[Endpoint, float]:
        """The server to ask, and the seconds to wait before it may be asked."""
        awake = [e for e in self.endpoints if e.until <= now]
        if awake:
            return min(awake, key=_busy), 0.0
        soonest = min(self.endpoints, key=lambda e: e.until)
        return soonest, soonest.until - now

    def silent(self, endpoint: Endpoint, now: float) -> None:
        """Note a failed connection; only one of several is taken out, for a single one there is nobody else to ask."""
        if len(self.endpoints) > 1:
            endpoint.silent(now)


def _busy(endpoint: Endpoint) -> int:
    return endpoint.in_flight


class Breaker:
    """Counts prompts given up in a row, and says when to stop calling and why."""

    def __init__(self, limit: int, on_trip: Callable[[], None] = lambda: None) -> None:
        self.limit, self.on_trip = limit, on_trip
        self.reason = ""
        self._row = self._good = 0

    @property
    def fresh(self) -> bool:
        """Whether no call has succeeded yet."""
        return self._good == 0

    def good(self) -> None:
        self._good += 1
        self._row = 0

    def gave_up(self, why: str, *, passing: bool) -> None:
        """A prompt failed. A fault that is no passing one counts only before the first success: after it, it is the prompt's own."""
        if passing or self.fresh:
            self._row += 1
            if self._row >= self.limit:
                self.trip(f"{self._row} prompts in a row failed, the last with: {why}")

    def trip(self, reason: str) -> None:
        """Stop calling."""
        if not self.reason:
            self.reason = reason
            self.on_trip()
