"""What keeps a visitor's browser and the group's tables safe: headers, tokens, texts, cells of a sheet.

In: requests, texts. Out: the same, made harmless. The one thing to know: a secret is kept here as its SHA-256 only, and is never
part of what is logged.
"""

import hashlib
import hmac
import logging
import re
import secrets
import time
import unicodedata
from collections.abc import Iterable

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
LONGEST = 4000
"""Characters of a text; what is longer is refused, never cut."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_FORMULA = re.compile(r"^\s*[=+\-@＝＋－＠]|^[\t\r\n]")
log = logging.getLogger("endonym.web")


class Headers:
    """Put the headers on every answer, and keep pages out of caches; log what was asked by its route, without what stands in it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        began, status = time.perf_counter(), [500]

        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                harden(MutableHeaders(scope=message), secure=scope["scheme"] == "https", path=scope["path"])
            await send(message)

        try:
            return await self.app(scope, receive, safe)
        finally:
            milliseconds = 1000 * (time.perf_counter() - began)
            route = getattr(scope.get("route"), "path", "(no page)")
            log.info("%s %s %d %.0f ms", scope["method"], route, status[0], milliseconds)


def harden(headers: MutableHeaders, *, secure: bool, path: str = "") -> None:
    """Lay the safe headers over those of an answer."""
    for name, value in HEADERS.items():
        headers[name] = value
    if not path.startswith("/static/"):
        headers["cache-control"] = "no-store"
    if secure:
        headers["strict-transport-security"] = "max-age=31536000"


def token() -> str:
    """A secret of 256 bits, fit for a link and a cookie."""
    return secrets.token_urlsafe(32)


def hashed(text: str) -> str:
    """What is kept of a secret of full strength."""
    return hashlib.sha256(text.encode()).hexdigest()


def csrf(secret: str, cookie: str) -> str:
    """What every form of a browser carries: nobody can know it who cannot read the browser's cookie and the project's secret."""
    return hmac.new(secret.encode(), b"form:" + cookie.encode(), hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two texts are equal, in a time that says nothing of where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def stamp(secret: str) -> str:
    """The time at which a form was opened, signed."""
    return URLSafeTimedSerializer(secret, salt="opened").dumps("")


def since(secret: str, stamped: str, *, most: float = 1800.0) -> float:
    """Seconds since a form was opened, ``most`` at the most; 0 where the stamp is not ours."""
    try:
        _, at = URLSafeTimedSerializer(secret, salt="opened").loads(stamped, return_timestamp=True)
    except BadSignature:
        return 0.0
    return min(most, max(0.0, time.time() - at.timestamp()))


def local(path: str) -> str:
    """A path of this site, or ``/``: never a way to another one."""
    bad = not path.startswith("/") or path.startswith("//") or any(c in path for c in "\\\r\n\t") or _CONTROL.search(path)
    return "/" if bad else path


def clean(text: str) -> str:
    """A text as it is kept: NFC, one kind of line end, no control characters, none that turn the direction of what follows."""
    return _CONTROL.sub("", unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))).strip()


def line(text: str) -> str:
    """The same, on one line."""
    return " ".join(clean(text).split())


def lines(text: str) -> list[str]:
    """The lines of a text that say something, each once."""
    return list(dict.fromkeys(found for each in clean(text).split("\n") if (found := line(each))))


def cell(value: object) -> str:
    """A cell of a sheet; one that a spreadsheet would take for a formula is led by an apostrophe."""
    text = str(value)
    return f"'{text}" if _FORMULA.search(text) else text


def sheet(rows: Iterable[Iterable[object]]) -> bytes:
    """Rows as CSV, safe to be opened in a spreadsheet."""
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([[cell(value) for value in row] for row in rows])
    return out.getvalue().encode("utf-8-sig")
