"""A knowledge base in, facts out: who, when and where, for any country and domain, with names in any languages.

In: a SPARQL endpoint (Wikidata's by default) and, if a recipe names one, a table ``listed`` of entities that stand on a list page.
Out: sources, one for each entity, country and domain: ``fact`` (slot → all values that hold, the best first), ``labels``, ``place``,
``topic``, ``origin``. The one thing to know: an entity whose fact the base lacks, or knows to a century only, is a source without that
fact and with a note that says why; ``build.merge`` fills it from a sheet, or leaves it out and counts it.
Paper: XNationQA, section 3 (mining entities).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from ..errors import InputError, Unavailable
from ..records import Record, Source
from . import knowledge_facts as facts
from . import knowledge_queries as queries
from .knowledge_queries import Queries
from .knowledge_web import Site, TooMuch
from .sparql import WIKIDATA, Base, Endpoint, Row

VERSION = "1"
DOMAINS = ("leader", "war", "park", "heritage")
FIRST_LEVEL = "Q10864048"
"""Wikidata's class of the first-level administrative country subdivisions."""
BATCH = 80
"""Entities of one question about facts: its reply comes well within the minute that Wikidata's service allows."""


class Wanted(Record, frozen=True):
    """What is to be mined: countries (ISO 3166-1 alpha-2), domains, languages (BCP 47), class of areas, entities of one page."""

    countries: tuple[str, ...]
    domains: tuple[str, ...]
    langs: tuple[str, ...]
    level: str = FIRST_LEVEL
    page: int = 500


def knowledge(listed: Iterable[Source] = (), *, countries: tuple[str, ...], langs: tuple[str, ...], domains: tuple[str, ...] = DOMAINS,
              endpoint: str = WIKIDATA, contact: str = "", queries_in: Path | None = None, level: str = FIRST_LEVEL, page: int = 500,
              asof: str = "", cache: str = "", skipped: list[str] | None = None) -> Iterator[Source]:  # fmt: skip
    """Mine an endpoint; with ``listed``, only the entities of that table (``fact["item"]``), which were found by people's lists.

    ``contact``: an address or a page of whoever asks. ``queries_in``: a folder of other queries. ``asof``: pages that were answered
    before this day are asked for anew. ``cache``: the file that keeps pages. ``skipped`` gets a line for each entity without a name.
    Raises ``InputError``, ``UnknownName`` (a domain), ``Unavailable`` (the server; what was answered is kept).
    """
    wanted = Wanted(countries=countries, domains=domains, langs=langs, level=level, page=page)
    told = queries.read(queries_in)
    with closing(Site(endpoint, contact=contact, cache=cache, asof=asof)) as site:
        yield from mined(Endpoint(site), told, wanted, by_list(listed), skipped)


Members = Mapping[tuple[str, str], Sequence[str]]
"""(country, domain) → IRIs of entities."""


def by_list(listed: Iterable[Source]) -> Members | None:
    """The entities of a table of listed ones, or None for an empty table. Raises ``InputError`` where none has an item."""
    table, found = list(listed), defaultdict(list)
    for source in table:
        if item := source.fact.get("item", ""):
            found[source.place, source.topic].append(item if ":" in item else facts.ENTITY + item)
    if table and not found:
        raise InputError("listed: no row has an item (fact.item, as Q142)")
    return {key: list(dict.fromkeys(items)) for key, items in found.items()} if table else None


def mined(base: Base, told: Queries, wanted: Wanted, listed: Members | None = None, skipped: list[str] | None = None) -> Iterator[Source]:
    """Mine any base by the same queries: first all members, then their facts and names. Raises as ``knowledge`` does."""
    check(wanted, told)
    pairs = [(country, domain) for country in wanted.countries for domain in wanted.domains]
    members = {pair: list(listed.get(pair, ())) if listed is not None else _members(base, told, wanted, *pair) for pair in pairs}
    base.focus(sorted({item for items in members.values() for item in items}))
    for (country, domain), items in members.items():
        ordered = sorted(dict.fromkeys(items), key=facts.rank_of_item)
        for start in range(0, len(ordered), BATCH):
            yield from _sources(base, told, wanted, (country, domain), ordered[start : start + BATCH], skipped)


def check(wanted: Wanted, told: Queries) -> None:
    """Hold what is wanted to what there is, before anything is asked. Raises ``InputError``, ``UnknownName``."""
    for name in ("countries", "domains", "langs"):
        if not getattr(wanted, name):
            raise InputError(f"{name}: is empty")
    if wanted.page < 1:
        raise InputError(f"page: {wanted.page} is no number of entities")
    for domain in wanted.domains:
        for country in wanted.countries:
            told.members(domain, country=country, level=wanted.level, after="", limit=1, offset=0)
    told.filled("labels.rq", items=(), langs=wanted.langs)


def _members(base: Base, told: Queries, wanted: Wanted, country: str, domain: str) -> list[str]:
    """All pages of a list: by key where the query has a place for one, else by offset, else one page.

    The last page is the empty one: a server that cuts every reply at some number of rows is no reason to stop there.
    """
    text = told.texts[told.domain(domain).members]
    found: dict[str, None] = {}
    limit, after = wanted.page, ""
    while True:
        values = {"country": country, "level": wanted.level, "after": after, "offset": len(found), "limit": limit}
        try:
            rows = base.select(told.members(domain, **values))
        except TooMuch as error:
            if limit == 1:
                raise Unavailable(f"{error}; it cannot even list one {domain} of {country}") from error
            limit = max(1, limit // 2)
            continue
        fresh = [row["item"].value for row in rows if row["item"].kind == "uri" and row["item"].value not in found]
        found.update(dict.fromkeys(fresh))
        if not fresh or "{limit}" not in text:
            return list(found)
        after = fresh[-1]


def _sources(base: Base, told: Queries, wanted: Wanted, pair: tuple[str, str], items: list[str],
             skipped: list[str] | None) -> Iterator[Source]:  # fmt: skip
    country, topic = pair
    domain = told.domain(topic)
    labels = _labels(base, told, wanted, items)
    known: dict[str, facts.Fact] = {}
    for prop in domain.properties:
        todo = [item for item in items if item not in known or not known[item].values]
        values = {"property": prop, "country": country, "level": wanted.level}
        rows = _asked(base, lambda some, v=values: told.filled(domain.facts, items=some, **v), todo)
        for item, fact in facts.read(domain.kind, rows, todo).items():
            known[item] = fact if fact.values or item not in known else known[item].joined(fact)
    for item in items:
        if not labels[item].names:
            if skipped is not None:
                skipped.append(f"{country}.{topic}.{queries.short(item)}: has no name in {', '.join(wanted.langs)}")
            continue
        yield facts.source(item, pair, domain.slot, known[item], labels[item], base.retrieved)


def _labels(base: Base, told: Queries, wanted: Wanted, items: list[str]) -> dict[str, facts.Labels]:
    chain = {lang: (lang, *told.fallback.get(lang, ())) for lang in wanted.langs}
    asked = sorted({one.lower() for langs in chain.values() for one in langs} | {one for langs in chain.values() for one in langs})
    rows = _asked(base, lambda some: told.filled("labels.rq", items=some, langs=asked), items)
    return facts.labels(rows, items, chain)


def _asked(base: Base, query: Callable[[Sequence[str]], str], items: list[str]) -> list[Row]:
    """The rows of a query about items; where a server gives up on all of them, halves are asked for."""
    if not items:
        return []
    try:
        return base.select(query(items))
    except TooMuch as error:
        if len(items) == 1:
            raise Unavailable(f"{error}; it cannot even answer for {items[0]} alone") from error
    half = len(items) // 2
    return _asked(base, query, items[:half]) + _asked(base, query, items[half:])
