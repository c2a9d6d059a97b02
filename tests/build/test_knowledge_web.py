"""Politeness, written down: what a server says, and what is made of it. A real server on loopback in a thread; replies by hand."""

import gzip
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from endonym.build.knowledge_web import Page, Pages, Site, TooMuch, place
from endonym.errors import InputError, StorageError, Unavailable

Reply = tuple[int, dict[str, str], bytes]


class Server(ThreadingHTTPServer):
    replies: list[Reply]
    asked: list[tuple[str, str, str, float]]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked.append(("POST", body, self.headers["User-Agent"], time.monotonic()))
        self.reply()

    def do_GET(self) -> None:
        self.server.asked.append(("GET", self.path, self.headers["User-Agent"], time.monotonic()))
        self.reply()

    def reply(self) -> None:
        status, headers, body = self.server.replies.pop(0)
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as made:
        made.replies, made.asked = [], []
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield made
        made.shutdown()


def site(server: Server, tmp_path: Path, **told: object) -> Site:
    return Site(f"http://127.0.0.1:{server.server_port}/api?x=1", contact="a@example.org", cache=str(tmp_path / "p.db"), **told)  # type: ignore[arg-type]


def asked(one: Site, *, post: bool = True) -> bytes:
    page = one.page({"q": "é & b"}, accept="text/plain", post=post)
    one.keep({"q": "é & b"}, page)
    return page.body


def test_a_form_by_post_and_a_query_by_get(server: Server, tmp_path: Path):
    server.replies = [(200, {}, b"one"), (200, {"Content-Encoding": "gzip"}, gzip.compress(b"two"))]
    one, other = site(server, tmp_path / "a"), site(server, tmp_path / "b")
    assert (asked(one), asked(other, post=False)) == (b"one", b"two")
    assert [call[:2] for call in server.asked] == [("POST", "q=%C3%A9+%26+b"), ("GET", "/api?x=1&q=%C3%A9+%26+b")]
    assert server.asked[0][2].startswith("endonym/") and server.asked[0][2].endswith("(a@example.org)")


def test_what_was_kept_is_not_asked_for_again_and_an_error_is_not_kept(server: Server, tmp_path: Path):
    server.replies = [(404, {}, b"nothing here"), (200, {}, b"one")]
    one = site(server, tmp_path)
    with pytest.raises(Unavailable, match="said 404: nothing here"):
        asked(one)
    assert asked(one) == asked(one) == asked(site(server, tmp_path)) == b"one" and len(server.asked) == 2


def test_a_server_is_left_alone_for_as_long_as_it_asks_for(server: Server, tmp_path: Path):
    server.replies = [(429, {"Retry-After": "1"}, b""), (503, {"Retry-After": "0"}, b""), (200, {}, b"one")]
    assert asked(site(server, tmp_path)) == b"one"
    first, second, third = (call[3] for call in server.asked)
    assert second - first >= 1.0 and third - second < 1.0


def test_a_server_that_asks_for_an_hour_is_not_waited_for(server: Server, tmp_path: Path):
    server.replies = [(429, {"Retry-After": "3600"}, b"")]
    with pytest.raises(Unavailable, match="said 429; it asks to be left alone for 3600 seconds"):
        asked(site(server, tmp_path))


def test_all_tries_are_spent(server: Server, tmp_path: Path):
    server.replies = [(503, {"Retry-After": "0"}, b"")] * 3
    with pytest.raises(Unavailable, match="said 503, after 3 tries; what was answered is kept"):
        asked(site(server, tmp_path, tries=3))


@pytest.mark.parametrize(
    ("status", "body", "error", "said"),
    [
        (500, b"java.util.concurrent.TimeoutException", TooMuch, "took too long"),
        (504, b"upstream request timeout", TooMuch, "took too long"),
        (400, b"MalformedQueryException: line 2\nmore", InputError, "does not understand the question: MalformedQueryException: line 2$"),
        (403, b"blocked", Unavailable, "said 403: blocked"),
    ],
)
def test_what_a_refusal_means(status: int, body: bytes, error: type[Exception], said: str, server: Server, tmp_path: Path):
    server.replies = [(status, {}, body)]
    with pytest.raises(error, match=said):
        asked(site(server, tmp_path))


def test_nobody_there(tmp_path: Path):
    with pytest.raises(Unavailable, match="cannot be reached: .*after 1 tries"):
        asked(Site("http://127.0.0.1:1/", contact="", cache=str(tmp_path / "p.db"), tries=1))


def test_a_body_that_is_cut_off_is_asked_for_again(server: Server, tmp_path: Path):
    server.replies = [(200, {"Content-Length": "10", "Connection": "close"}, b"half"), (200, {}, b"whole")]
    server.replies[0] = (200, {"Content-Length": "10"}, b"half")
    one = site(server, tmp_path, timeout=0.5)
    assert asked(one) == b"whole"


def test_pages_are_kept_by_day(tmp_path: Path):
    pages = Pages(tmp_path / "p.db")
    pages.keep(b"k", Page(b"old", "2025-01-31"))
    assert pages.read(b"k", "") == pages.read(b"k", "2025-01-31") == Page(b"old", "2025-01-31")
    assert pages.read(b"k", "2025-02-01") is None and pages.read(b"other", "") is None


def test_a_file_that_is_no_cache(tmp_path: Path):
    (tmp_path / "p.db").write_bytes(b"not a database, but long enough to be looked at as one" * 20)
    with pytest.raises(StorageError, match="p.db: the kept pages cannot be used: .*may be deleted"):
        Pages(tmp_path / "p.db")


def test_where_pages_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert place("") == tmp_path / "endonym" / "pages.db" and place("x/y.db") == Path("x/y.db")
