"""What can go wrong with one call, and whether asking again could help.

In: an exception of the wire or a refused request. Out: a ``Fault``. The one thing to know: it never leaves the client;
outside it is the ``error`` of a Response.
"""

import msgspec

from .limits import RETRIED
from .wire import error_in

LONGEST_MESSAGE = 400
_WAITS = frozenset({408, 425, 429, 503, 529})
"""Statuses whose headers are believed when they say how long to wait: on a 500 they speak of the rate, not of the fault."""
_BROKE = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_MODERATED = ("moderation", "flagged", "content_filter", "content management policy")


class Fault(Exception):
    """One failed call. ``again``: the same request may succeed; ``wait``: seconds the server asks for."""

    def __init__(self, message: str, *, again: bool = False, wait: float | None = None, status: int = 0, code: str = "") -> None:
        super().__init__(message)
        self.message, self.again, self.wait, self.status, self.code = message, again, wait, status, code
        self.finish_reason = ""
        """Set where the server refused the prompt for what it says: that is an answer and no failure."""

    def hopeless(self, *, fresh: bool) -> bool:
        """Whether no other prompt would fare better: no money, or before any success a wrong key or an unknown model."""
        return self.status == 402 or self.code in _BROKE or (fresh and self.status in (401, 403, 404))


def refused(status: int, raw: bytes, wait: float | None) -> Fault:
    """A request answered with a status other than 200."""
    message, code = error_in(raw)
    said = f"http {status}: {message}" if message else f"http {status}"
    fault = Fault(said, again=status in RETRIED and code not in _BROKE, wait=wait if status in _WAITS else None, status=status, code=code)
    if status in (400, 403) and any(word in f"{code} {message}".lower() for word in _MODERATED):
        fault.finish_reason = "content_filter"
    return fault


def unreachable(problem: BaseException, timeout: float) -> Fault:
    """No answer at all: nobody there, the line cut, or nothing said in time."""
    if isinstance(problem, TimeoutError):
        return Fault(f"no answer within {timeout:g} s", again=True)
    return Fault(f"no connection: {problem or type(problem).__name__}", again=True)


def broken(raw: bytes) -> Fault:
    """An answer that is no JSON, or only the first half of one."""
    start = msgspec.json.encode(raw[:60].decode("utf-8", "replace")).decode()
    return Fault(f"the reply is no whole JSON ({len(raw)} bytes: {start})", again=True)


def shorten(message: str) -> str:
    """Cut a message to what fits a line, after the key has been taken out."""
    return message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + " …"
