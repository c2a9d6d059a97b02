"""Pages of a knowledge base's server: asked for politely, one at a time, and each but once.

In: a URL and parameters. Out: what the server said, and the day on which it said it. A page that was answered is kept in one
SQLite file before the next is asked for: a process that is killed at any moment asks nothing twice, and the same recipe gives the
same bytes. The one thing to know: a server that says 429 or 503 is left alone for as long as it asks for; an error is never kept.
"""

import contextlib
import gzip
import hashlib
import http.client
import os
import random
import sqlite3
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from .. import __version__
from ..canonical import canonical
from ..errors import InputError, ModelError, StorageError, Unavailable
from ..models.limits import RETRIED, asked_to_wait, backoff

LONGEST = 600.0
"""Seconds: a server that asks to be left alone for longer is not waited for."""
WIKIMEDIA = ("wikidata.org", "wikipedia.org", "wikimedia.org")
_TIMED_OUT = (b"TimeoutException", b"QueryTimeout", b"timed out", b"timeout")


class TooMuch(ModelError):
    """The server gave up on a question in the middle: a smaller one may be answered."""


class Page(NamedTuple):
    """What a server said, and the day (ISO 8601, UTC) on which it did."""

    body: bytes
    retrieved: str


class Pages:
    """Answered pages in one SQLite file. Raises ``StorageError`` where it cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._guarded():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path, timeout=60, isolation_level=None)
            self.db.execute("pragma journal_mode = wal")
            self.db.execute("create table if not exists pages (key blob primary key, body blob not null, retrieved text not null)")

    def read(self, key: bytes, asof: str) -> Page | None:
        """The page of a key, unless it was answered before the day ``asof``."""
        with self._guarded():
            row = self.db.execute("select body, retrieved from pages where key = ? and retrieved >= ?", (key, asof)).fetchone()
        return Page(gzip.decompress(row[0]), row[1]) if row else None

    def keep(self, key: bytes, page: Page) -> None:
        """Keep a page, for good when this returns."""
        with self._guarded():
            row = (key, gzip.compress(page.body, 5, mtime=0), page.retrieved)
            self.db.execute("insert or replace into pages values (?, ?, ?)", row)

    def close(self) -> None:
        self.db.close()

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as problem:
            raise StorageError(f"{self.path}: the kept pages cannot be used: {problem}; the file may be deleted") from problem
        except OSError as problem:
            raise StorageError(f"{self.path}: {(problem.strerror or str(problem)).lower()}") from problem


def place(cache: str) -> Path:
    """Where pages are kept: the file that was named, or ``endonym/pages.db`` in the user's cache (``XDG_CACHE_HOME``)."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return (Path(cache) if cache else Path(base) / "endonym" / "pages.db").expanduser()


class Site:
    """One server. ``contact`` is an address or a URL by which its keepers can reach who asks: Wikimedia's servers want it."""

    def __init__(self, url: str, *, contact: str, cache: str = "", asof: str = "", timeout: float = 75.0, tries: int = 6) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{url!r}: is no http or https URL")
        if not contact and parts.hostname.endswith(WIKIMEDIA):
            raise InputError(f"contact: is missing; {parts.hostname} asks for an e-mail address or a web page of whoever asks")
        if bad := [c for c in contact if not c.isprintable() or ord(c) > 255]:
            raise InputError(f"contact: {bad[0]!r} cannot stand in a request")
        if asof:
            _day(asof)
        self.url, self.host, self.asof, self.timeout, self.tries = url, parts.hostname, asof, timeout, tries
        self.agent = f"endonym/{__version__}" + (f" ({contact})" if contact else "")
        self._pages, self._rng, self.asked = Pages(place(cache)), random.Random(0), 0
        direct = [urllib.request.ProxyHandler({})] if parts.hostname in ("localhost", "127.0.0.1", "::1") else []
        self._opener = urllib.request.build_opener(*direct)

    def page(self, params: Mapping[str, str], *, accept: str, post: bool = True) -> Page:
        """Ask for a page, unless it is kept. Raises ``TooMuch``, ``InputError`` (the question is wrong), ``Unavailable``.

        The caller holds what it was given to be whole before it calls ``keep``.
        """
        found = self._pages.read(self._key(params), self.asof)
        return found or Page(self._asked(params, accept, post), datetime.now(UTC).date().isoformat())

    def keep(self, params: Mapping[str, str], page: Page) -> None:
        """Keep a page that was found whole."""
        self._pages.keep(self._key(params), page)

    def close(self) -> None:
        self._pages.close()

    def _key(self, params: Mapping[str, str]) -> bytes:
        return hashlib.sha256(canonical([self.url, dict(params)])).digest()

    def _asked(self, params: Mapping[str, str], accept: str, post: bool) -> bytes:
        told = ""
        for number in range(1, self.tries + 1):
            try:
                return self._once(params, accept, post)
            except _Later as later:
                told = later.told
                wait = backoff(number, 2.0, self._rng) if later.wait is None else later.wait
            if wait > LONGEST:
                raise Unavailable(f"{self.url}: {told}; it asks to be left alone for {wait:.0f} seconds")
            if number < self.tries:
                time.sleep(wait)
        raise Unavailable(f"{self.url}: {told}, after {self.tries} tries; what was answered is kept, so go on later with the same command")

    def _once(self, params: Mapping[str, str], accept: str, post: bool) -> bytes:
        form = urllib.parse.urlencode(params)
        joined = "&" if urllib.parse.urlsplit(self.url).query else "?"
        request = urllib.request.Request(self.url if post else self.url + joined + form, data=form.encode() if post else None)
        for name, value in (("User-Agent", self.agent), ("Accept", accept), ("Accept-Encoding", "gzip")):
            request.add_header(name, value)
        self.asked += 1
        try:
            with self._opener.open(request, timeout=self.timeout) as reply:
                body = reply.read()
                return gzip.decompress(body) if reply.headers.get("Content-Encoding") == "gzip" else body
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(error) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError, EOFError) as error:
            reason = getattr(error, "reason", None) or error
            raise _Later(f"cannot be reached: {reason}", None) from error

    def _refused(self, error: urllib.error.HTTPError) -> Exception:
        try:
            body = error.read(4000)
        except (http.client.HTTPException, OSError):
            body = b""
        said = body.decode("utf-8", "replace").strip().partition("\n")[0][:200]
        if error.code in (500, 502, 504) and any(word in body for word in _TIMED_OUT):
            return TooMuch(f"{self.url}: took too long: {said}")
        if error.code in RETRIED:
            headers = {name.lower(): value for name, value in error.headers.items()}
            return _Later(f"said {error.code}", asked_to_wait(headers, datetime.now(UTC)))
        if error.code == 400:
            return InputError(f"{self.url}: does not understand the question: {said}")
        return Unavailable(f"{self.url}: said {error.code}: {said}")


class _Later(Exception):
    """Nothing came, but may come on another try."""

    def __init__(self, told: str, wait: float | None) -> None:
        super().__init__(told)
        self.told, self.wait = told, wait


def _day(text: str) -> None:
    try:
        datetime.strptime(text, "%Y-%m-%d")
    except ValueError as error:
        raise InputError(f"asof: {text!r} is no day, as 2025-01-31") from error
