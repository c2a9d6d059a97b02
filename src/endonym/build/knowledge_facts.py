"""Rows of queries in, facts out: ranks, values that are unknown or none, dates in dispute, names by way of a related language.

In: rows of the shipped queries. Out: ``Fact`` and ``Labels`` of each entity, and the source that they make.
The one thing to know: a deprecated statement does not hold and is left out; a preferred one comes first; all others hold too, so each of
them stands in the fact, and none can become a distractor. What is in dispute is said in ``origin["disputed"]``.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..records import Record, Source
from .knowledge_dates import NoYear, year
from .knowledge_queries import short
from .sparql import Row, Term

ENTITY = "http://www.wikidata.org/entity/"
_UNKNOWN = "/.well-known/genid/"


class Fact(Record, frozen=True):
    """What holds of one entity: the values in their order, whether they are in dispute, and what there is to say of them."""

    values: tuple[str, ...] = ()
    disputed: bool = False
    notes: tuple[str, ...] = ()
    more: dict[str, str] = {}

    def joined(self, other: "Fact") -> "Fact":
        """The same without a value, with what was said on either side."""
        return Fact(notes=tuple(dict.fromkeys(n for n in (*self.notes, *other.notes) if n != _MISSING)) or (_MISSING,))


class Labels(Record, frozen=True):
    """Language → name, and language → the other language that the name was taken from."""

    names: dict[str, str] = {}
    taken: dict[str, str] = {}


_MISSING = "the base has no statement"


def rank_of_item(item: str) -> tuple[int, str]:
    """Entities by number: Q9 before Q10."""
    number = "".join(c for c in short(item) if c.isdigit())
    return (int(number) if number else 0, item)


def read(kind: str, rows: Iterable[Row], items: Sequence[str]) -> dict[str, Fact]:
    """The fact of each item, by what the domain's values are."""
    held: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        held[row["item"].value].append(row)
    maker = {"year": _years, "area": _areas, "code": _code}[kind]
    return {item: maker(held[item]) for item in items}


def _years(rows: Sequence[Row]) -> Fact:
    """Preferred years, then normal ones, each earliest first. A date that is but about right is in dispute."""
    if not rows:
        return Fact(notes=(_MISSING,))
    best: dict[str, set[str]] = {"Preferred": set(), "Normal": set()}
    notes, vague = dict[str, None](), set[str]()
    for row in rows:
        rank = _rank(row)
        if rank == "Deprecated":
            notes["a deprecated date is left out"] = None
            continue
        try:
            best[rank].add(_year(row))
        except NoYear as error:
            notes[str(error)] = None
            continue
        vague |= {rank} if "circa" in row else set()
    values = [*sorted(best["Preferred"], key=int), *sorted(best["Normal"] - best["Preferred"], key=int)]
    first = "Preferred" if best["Preferred"] else "Normal"
    if first in vague:
        notes["the base marks the date as uncertain"] = None
    return Fact(values=tuple(values), disputed=first in vague or len(best[first]) > 1, notes=tuple(notes))


def _year(row: Row) -> str:
    if "none" in row:
        raise NoYear("the base says that there is no value")
    if "value" not in row or unknown(row["value"]):
        raise NoYear("the base says that the value is unknown")
    if "time" not in row or "precision" not in row:
        raise NoYear("the base does not say how precise the date is")
    return year(row["time"].value, int(row["precision"].value), row["calendar"].value if "calendar" in row else "")


def unknown(term: Term) -> bool:
    """Whether a value is "unknown": a blank node, or what an endpoint writes in its place."""
    return term.kind == "bnode" or _UNKNOWN in term.value


def _rank(row: Row) -> str:
    return short(row["rank"].value).removesuffix("Rank")


def _areas(rows: Sequence[Row]) -> Fact:
    """All areas hold, those of preferred statements first, each in the order of their codes."""
    codes: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        codes[_rank(row)].add(row["code"].value)
    values = [*sorted(codes["Preferred"]), *sorted(codes["Normal"] - codes["Preferred"])]
    return Fact(values=tuple(values), notes=() if values else ("the base gives no first-level area",))


def _code(rows: Sequence[Row]) -> Fact:
    codes = sorted({row["code"].value for row in rows})
    parents = sorted({row["parent"].value for row in rows if "parent" in row} - set(codes))
    return Fact(values=tuple(codes), notes=() if codes else (_MISSING,), more={"parents": " ".join(parents)} if parents else {})


def labels(rows: Iterable[Row], items: Sequence[str], chain: Mapping[str, Sequence[str]]) -> dict[str, Labels]:
    """The names of each item: in the language itself, or in the first of its chain that has one."""
    held: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        held[row["item"].value].setdefault(row["label"].lang.lower(), row["label"].value.strip())
    return {item: _chosen(held[item], chain) for item in items}


def _chosen(names: Mapping[str, str], chain: Mapping[str, Sequence[str]]) -> Labels:
    found, taken = dict[str, str](), dict[str, str]()
    for lang, ways in chain.items():
        way = next((one for one in ways if names.get(one.lower())), "")
        if way:
            found[lang] = names[way.lower()]
        if way and way.lower() != lang.lower():
            taken[lang] = way
    return Labels(names=found, taken=taken)


def source(item: str, pair: tuple[str, str], slot: str, fact: Fact, named: Labels, retrieved: str) -> Source:
    """One entity as a source; ``origin`` says where each part of it comes from, and what is wrong with it."""
    (country, topic), names = pair, named.names
    origin: dict[str, Any] = {"url": item, "retrieved": retrieved}
    if item.startswith(ENTITY):
        origin["licence"] = "CC0-1.0"
    if fact.notes:
        origin["note"] = f"{slot}: {'; '.join(fact.notes)}"
    if fact.disputed:
        origin["disputed"] = slot
    if named.taken:
        origin["names"] = ", ".join(f"{lang} from {way}" for lang, way in sorted(named.taken.items()))
    held = {slot: " ".join(fact.values)} if fact.values else {}
    title = names.get("en") or next(iter(names.values()))
    return Source(
        id=f"{country}.{topic}.{short(item)}", title=title, fact={**held, **fact.more, "item": short(item)},
        labels={"entity": names}, place=country, topic=topic, origin=origin,
    )  # fmt: skip
