"""Pages of lists from a server that answers as MediaWiki's API does; the replies are written by hand in its shape."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from endonym.build.mediawiki import lists
from endonym.errors import InputError, Unavailable
from endonym.records import Source

TABLE = """<div class="mw-parser-output"><table class="wikitable"><tbody>
<tr><th>Name</th><th>District</th><th>Since</th></tr>
<tr><td><a href="/wiki/Lake_Park" title="Lake Park">Lake Park</a></td><td><a href="/wiki/Upper">Upper</a></td><td>1990</td></tr>
<tr><td><a href="/wiki/hill_park">Hill Park</a><sup class="reference">[1]</sup></td><td rowspan="2">Lower</td><td>1971</td></tr>
<tr><td>Marsh Park</td><td>2001</td></tr>
<tr><td></td><td>Lower</td><td>2002</td></tr>
<tr><td><a href="/wiki/Park_of_the_Lake">Lake Park (again)</a></td><td>Upper</td><td>1990</td></tr>
</tbody></table><table class="wikitable"><tr><th>Photo</th></tr><tr><td>none</td></tr></table></div>"""
PAGES = {"List of parks": TABLE, "No tables": "<div><p>Nothing.</p></div>"}
ITEMS = {"Lake Park": "Q901", "Hill Park": "Q902", "Upper": "Q903"}
REDIRECTS = {"Park of the Lake": "Lake Park", "Parks": "List of parks"}


def reply(told: dict[str, str]) -> dict[str, Any]:
    """What the API says: formatversion 2, redirects followed, at most one page's properties a reply, "continue" for the rest."""
    if told["action"] == "parse":
        title = REDIRECTS.get(told["page"], told["page"])
        if title not in PAGES:
            return {"error": {"code": "missingtitle", "info": "The page you specified doesn't exist.", "docref": "See /w/api.php."}}
        return {"parse": {"title": title, "pageid": 7, "revid": 1234, "redirects": [], "text": PAGES[title]}}
    titles = told["titles"].split("|")
    normal = [{"fromencoded": False, "from": t, "to": t[0].upper() + t[1:].replace("park", "Park")} for t in titles if t[0].islower()]
    ways = {step["from"]: step["to"] for step in normal}
    named = [ways.get(t, t) for t in titles]
    moved = [{"from": t, "to": REDIRECTS[t]} for t in named if t in REDIRECTS]
    ends = sorted({REDIRECTS.get(t, t) for t in named})
    start = int(told.get("ppcontinue", "0"))
    pages: list[dict[str, Any]] = [{"ns": 0, "title": t, **({"pageid": 5} if t in ITEMS else {"missing": True})} for t in ends]
    if ends[start] in ITEMS:
        pages[start]["pageprops"] = {"wikibase_item": ITEMS[ends[start]]}
    more = {"continue": {"ppcontinue": str(start + 1), "continue": "||"}} if start + 1 < len(ends) else {"batchcomplete": True}
    return {**more, "query": {**({"normalized": normal} if normal else {}), **({"redirects": moved} if moved else {}), "pages": pages}}


class Wiki(ThreadingHTTPServer):
    asked: list[dict[str, str]]
    said: bytes = b""


class Handler(BaseHTTPRequestHandler):
    server: Wiki

    def do_GET(self) -> None:
        told = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        self.server.asked.append(told)
        body = self.server.said or json.dumps(reply(told)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with Wiki(("127.0.0.1", 0), Handler) as made:
        made.asked = []
        threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield made
        made.shutdown()


def listed(wiki: Wiki, tmp_path: Path, **told: Any) -> list[Source]:
    given = {"pages": ("Parks",), "place": "XA", "topic": "park", "column": "Name", "cache": str(tmp_path / "p.db"), **told}
    return list(lists(api=f"http://127.0.0.1:{wiki.server_port}/w/api.php", **given))


def test_rows_for_a_person_to_check(wiki: Wiki, tmp_path: Path):
    """A row with an item, one by a title written otherwise, one without a page; the nameless one and the copy are counted."""
    skipped: list[str] = []
    lake, hill, marsh = listed(wiki, tmp_path, skipped=skipped)
    assert [s.id for s in (lake, hill, marsh)] == ["XA.park.Q901", "XA.park.Q902", "XA.park.marsh-park"]
    assert (lake.fact, marsh.fact, hill.title) == ({"item": "Q901"}, {}, "Hill Park")
    assert hill.text == "Name: Hill Park\nDistrict: Lower\nSince: 1971" and marsh.text.startswith("Name: Marsh Park\nDistrict: Lower")
    assert lake.labels == {"entity": {"en": "Lake Park"}} and lake.origin["licence"] == "CC-BY-SA-4.0"
    assert lake.origin["url"].endswith("/w/index.php?title=List%20of%20parks&oldid=1234") and "to be checked" in lake.origin["note"]
    assert skipped == ["Parks: row 4: names no entity", "Parks: row 5: Lake Park (again): stood before (XA.park.Q901)"]


def test_without_a_column_the_first_link_names_the_entity(wiki: Wiki, tmp_path: Path):
    assert [s.title for s in listed(wiki, tmp_path, column="")] == ["Lake Park", "Hill Park"]


def test_a_page_is_asked_for_once(wiki: Wiki, tmp_path: Path):
    first = listed(wiki, tmp_path)
    asked = len(wiki.asked)
    assert listed(wiki, tmp_path) == first and len(wiki.asked) == asked
    assert all(told["format"] == "json" and told["formatversion"] == "2" for told in wiki.asked)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"pages": ("Nowhere",)}, "^Nowhere: 127.0.0.1 has no such page: The page you specified"),
        ({"pages": ("No tables",)}, r"^No tables: has no table \(class wikitable\)"),
        ({"column": "Park"}, "^Parks: has no table with a column 'Park'; there are: District, Name, Photo, Since"),
        ({"pages": ()}, "^pages: is empty"),
    ],
)
def test_what_is_wrong_is_said(told: dict[str, Any], said: str, wiki: Wiki, tmp_path: Path):
    with pytest.raises(InputError, match=said):
        listed(wiki, tmp_path, **told)


@pytest.mark.parametrize("said", [b"<html>", b'{"error": {"code": "ratelimited", "info": "Too many."}}', b'{"parse": {"title": 1}}'])
def test_replies_that_are_none_are_not_kept(said: bytes, wiki: Wiki, tmp_path: Path):
    wiki.said = said
    with pytest.raises(Unavailable):
        listed(wiki, tmp_path)
    wiki.said = b""
    if b"parse" not in said:
        assert len(listed(wiki, tmp_path)) == 3


def test_wikipedia_wants_to_know_who_asks(tmp_path: Path):
    with pytest.raises(InputError, match=r"contact: is missing; pt.wikipedia.org"):
        next(lists(pages=("X",), place="PT", topic="park", lang="pt", cache=str(tmp_path / "p.db")))
