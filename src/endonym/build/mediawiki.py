"""Pages of lists in a MediaWiki in, the entities that they list out, for a person to check: one row of a table, one source.

In: the API of a wiki and titles of pages, as "List of national parks of Portugal". Out: sources without a fact: ``title``, ``labels`` (the
name as the page has it), ``text`` (the row, cell by cell), ``fact["item"]`` (the Wikidata item of the linked page, where there is one).
The one thing to know: nothing of a page is taken for true; ``build.knowledge`` asks the knowledge base about the items (its table
``listed``), and ``build.sheet`` takes what people made of the rest. Paper: XNationQA, section 3 (mining entities).
API: MediaWiki's action=parse and action=query.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from ..errors import InputError, Unavailable
from ..records import Source
from .knowledge_web import Page, Site
from .mediawiki_tables import Cell, tables
from .sheet import slug

VERSION = "1"
WIKIPEDIA = "https://{lang}.wikipedia.org/w/api.php"
TITLES = 50
"""The most titles of one question, as the API allows everybody."""
LICENCE = "CC-BY-SA-4.0"


def lists(*, pages: tuple[str, ...], place: str, topic: str, lang: str = "en", column: str = "", api: str = WIKIPEDIA, contact: str = "",
          asof: str = "", cache: str = "", skipped: list[str] | None = None) -> Iterator[Source]:  # fmt: skip
    """Read the tables (``wikitable``) of pages; ``column`` is the head of the one that names the entities, else it is a row's first link.

    ``api``: where a wiki's ``api.php`` is. ``skipped`` gets a line for each row without a name and for an entity that stood before.
    Raises ``InputError`` for a page that does not exist or has no such table, ``Unavailable``.
    """
    if not pages:
        raise InputError("pages: is empty")
    with closing(Site(api.replace("{lang}", lang), contact=contact, cache=cache, asof=asof)) as site:
        of = _Of(place, topic, lang, set(), [] if skipped is None else skipped)
        for title in pages:
            yield from _page(Wiki(site), title, of, column)


class _Of(NamedTuple):
    """What all rows of a list are of, what was read of it before, and where to say what was left out."""

    place: str
    topic: str
    lang: str
    seen: set[str]
    skipped: list[str]


def _page(wiki: "Wiki", title: str, of: _Of, column: str) -> Iterator[Source]:
    parsed, retrieved = wiki.parse(title)
    named = [(n, row, _name(row, column)) for n, row in enumerate(_rows(parsed, column, title), 1)]
    items = wiki.items([cell.link for _, _, cell in named if cell.link])
    for n, row, cell in named:
        ident = f"{of.place}.{of.topic}.{items.get(cell.link) or slug(cell.text)}"
        if not cell.text or ident in of.seen:
            of.skipped.append(f"{title}: row {n}: " + (f"{cell.text}: stood before ({ident})" if cell.text else "names no entity"))
            continue
        of.seen.add(ident)
        note = f"row {n} of the tables; to be checked"
        origin = {"url": _url(wiki.site.url, parsed), "licence": LICENCE, "retrieved": retrieved, "note": note}
        yield Source(
            id=ident, title=cell.text, text=_text(row), fact={"item": items[cell.link]} if cell.link in items else {},
            labels={"entity": {of.lang: cell.text}}, lang=of.lang, place=of.place, topic=of.topic, origin=origin,
        )  # fmt: skip


def _rows(parsed: "Parsed", column: str, title: str) -> list[dict[str, Cell]]:
    """The rows of all tables that have the column, or of all tables."""
    found = tables(parsed.text)
    chosen = [table for table in found if not column or any(column in row for row in table)]
    if not chosen:
        heads = sorted({head for table in found for row in table[:1] for head in row})
        what = f"has no table with a column {column!r}; there are: {', '.join(heads)}" if heads else "has no table (class wikitable)"
        raise InputError(f"{title}: {what}")
    return [row for table in chosen for row in table]


def _name(row: Mapping[str, Cell], column: str) -> Cell:
    """The cell that names the entity; one without a text where there is none."""
    if column:
        return row.get(column, Cell("", ""))
    return next((cell for cell in row.values() if cell.link and cell.text), Cell("", ""))


def _text(row: Mapping[str, Cell]) -> str:
    return "\n".join(f"{head}: {cell.text}" for head, cell in row.items() if cell.text)


class Parsed(msgspec.Struct):
    """A page as the API's action=parse gives it (formatversion 2)."""

    title: str
    text: str
    revid: int = 0


class Wiki:
    """A wiki's API. Its errors come as replies with the status 200, and are no pages."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def parse(self, title: str) -> tuple[Parsed, str]:
        """A page, and the day on which it was read. Raises ``InputError`` where there is none."""
        reply, page = self._ask({"action": "parse", "page": title, "prop": "text|revid", "redirects": "1"})
        try:
            return msgspec.convert(reply["parse"], Parsed), page.retrieved
        except (KeyError, msgspec.ValidationError) as error:
            raise Unavailable(f"{self.site.url}: its reply about {title!r} is no page: {error}") from error

    def items(self, titles: Sequence[str]) -> dict[str, str]:
        """Title → Wikidata item, for pages that have one; redirects are followed."""
        found: dict[str, str] = {}
        todo = list(dict.fromkeys(titles))
        for start in range(0, len(todo), TITLES):
            found |= self._items(todo[start : start + TITLES])
        return found

    def _items(self, titles: list[str]) -> dict[str, str]:
        params = {"action": "query", "prop": "pageprops", "ppprop": "wikibase_item", "titles": "|".join(titles), "redirects": "1"}
        ways, held, more = dict[str, str](), dict[str, str](), dict[str, str]()
        while True:
            reply, _ = self._ask({**params, **more})
            query = reply.get("query", {})
            for step in (*query.get("normalized", ()), *query.get("redirects", ())):
                ways[step["from"]] = step["to"]
            for page in query.get("pages", ()):
                if item := page.get("pageprops", {}).get("wikibase_item"):
                    held[page["title"]] = item
            more = {name: str(value) for name, value in reply.get("continue", {}).items()}
            if not more:
                return {title: held[end] for title in titles if (end := _followed(title, ways)) in held}

    def _ask(self, params: Mapping[str, str]) -> tuple[dict[str, Any], Page]:
        asked = {"format": "json", "formatversion": "2", **params}
        page = self.site.page(asked, accept="application/json", post=False)
        try:
            reply = msgspec.json.decode(page.body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Unavailable(f"{self.site.url}: its reply is no JSON: {page.body[:80].decode('utf-8', 'replace')!r}") from error
        if error := reply.get("error"):
            code, info = error.get("code", ""), error.get("info", "")
            if code in ("missingtitle", "invalidtitle", "pagecannotexist"):
                raise InputError(f"{params.get('page', '')}: {self.site.host} has no such page: {info}")
            raise Unavailable(f"{self.site.url}: {code}: {info}")
        self.site.keep(asked, page)
        return reply, page


def _followed(title: str, ways: Mapping[str, str]) -> str:
    """Where a title ends up: written properly, then redirected, each perhaps several times."""
    for _ in range(10):
        if title not in ways:
            break
        title = ways[title]
    return title


def _url(api: str, parsed: Parsed) -> str:
    """The very version of the page that was read."""
    parts = urlsplit(api)
    return f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix('api.php')}index.php?title={quote(parsed.title)}&oldid={parsed.revid}"
