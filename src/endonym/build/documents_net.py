"""One page of the web, fetched once: its bytes, what kind of document it is, and when the server gave it.

In: a URL. Out: a ``Page``. The one thing to know: this is called only where the recipe says ``network = true``; a page that does not
come is a ``Fault`` like an unreadable file, and nothing larger than ``LARGEST`` is read.
"""

import http.client
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import msgspec

from .lines import Fault

LARGEST = 20_000_000
"""Bytes of a page at most."""
SECONDS = 30.0
KINDS = {
    "text/html": ".html", "application/xhtml+xml": ".html", "text/plain": ".txt", "text/markdown": ".md", "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}  # fmt: skip


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What a server gave: ``kind`` is an ending (``.html``), ``retrieved`` a day (ISO 8601) by the server's clock, or empty."""

    data: bytes
    kind: str
    retrieved: str = ""


def fetch(url: str) -> Page:
    """Fetch a page over http or https. Raises ``Fault`` where it is not there, too large, or of a kind that nobody reads."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise Fault(f"url: only http and https are fetched, not {urlsplit(url).scheme or 'a path'}")
    request = urllib.request.Request(url, headers={"User-Agent": "endonym (documents)"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as reply:
            data = reply.read(LARGEST + 1)
            kind, date = reply.headers.get_content_type(), reply.headers.get("Date", "")
    except urllib.error.HTTPError as problem:
        raise Fault(f"url: the server said {problem.code} {problem.reason}") from problem
    except (OSError, http.client.HTTPException, ValueError) as problem:
        raise Fault(f"url: no answer: {getattr(problem, 'reason', problem)}") from problem
    if len(data) > LARGEST:
        raise Fault(f"url: is larger than {LARGEST:,} bytes")
    if kind not in KINDS:
        raise Fault(f"url: is {kind}; there are: {', '.join(sorted(KINDS))}")
    return Page(data=data, kind=KINDS[kind], retrieved=_day(date))


def _day(date: str) -> str:
    try:
        return parsedate_to_datetime(date).date().isoformat()
    except (ValueError, TypeError):
        return ""
