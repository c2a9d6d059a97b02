"""Facts of several sources in, one table out, and beside it a list of what they do not agree on: nothing is ever overwritten.

In: tables of sources (mined, listed, filled in by hand). Out: ``merge`` gives the facts that are settled, ``conflicts`` the judgments on
all others. The same id is the same fact; a row without a Wikidata item is joined to the one fact of its place and topic that has its name.
The one thing to know: a value is settled where the sources that state one share at least one, or where a row of a sheet ``decides``; all
values stay in the fact, the settled one first, so that none of them becomes a distractor. Paper: XNationQA, section 3.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ..errors import InputError
from ..records import Judgment, Record, Source

VERSION = "1"
SLOTS = ("year", "area", "code")
"""Slots whose values are compared; all others are kept from the first source that has them."""
GUIDELINE = "sources"


class Settled(Record, frozen=True):
    """What became of one slot: its values, the surest first, whether they are settled, and what there is to say."""

    values: tuple[str, ...]
    sure: bool
    notes: tuple[str, ...] = ()


def merge(sources: Iterable[Source], *, unsettled: Literal["apart", "all"] = "apart", earliest: int = 1,
          skipped: list[str] | None = None) -> Iterator[Source]:  # fmt: skip
    """One source for each fact, in the order in which ids first stand. What is left out goes to ``skipped`` with its reason.

    ``unsettled="all"`` keeps facts in conflict or dispute, with all their values. A year before ``earliest`` is left out (−44: 44 BCE).
    """
    for group in groups(sources):
        source, reasons = _joined(group, keep=unsettled == "all", earliest=earliest)
        if not reasons:
            yield source
        elif skipped is not None:
            skipped.append(f"{source.id}: {'; '.join(reasons)}")


def conflicts(sources: Iterable[Source], *, langs: tuple[str, ...] = ()) -> Iterator[Judgment]:
    """What is not settled: ``conflict`` (sources disagree), ``dispute`` (one source does with itself), ``gap`` (no value, or no name in
    one of ``langs``), ``names`` (two names in one language). A conflict that a sheet has decided is a warning.
    """
    for group in groups(sources):
        yield from _slots(group)
        yield from _names(group, langs)


def groups(sources: Iterable[Source]) -> list[list[Source]]:
    """Sources that are of one fact, in the order of the first of each. Raises ``InputError`` where their places or topics differ."""
    found: dict[str, list[Source]] = {}
    by_name: dict[tuple[str, str, str, str], set[str]] = defaultdict(set)
    for source in sorted(sources, key=_without_item):
        ident = source.id if source.id in found or not _without_item(source) else _namesake(source, by_name)
        group = found.setdefault(ident, [])
        if group and (group[0].place, group[0].topic) != (source.place, source.topic):
            raise InputError(f"{source.id}: is of {group[0].place} and {group[0].topic}, and of {source.place} and {source.topic} too")
        group.append(source)
        for key in _keys(source):
            by_name[key].add(ident)
    return list(found.values())


def _without_item(source: Source) -> bool:
    return not re.fullmatch(r"Q\d+", source.fact.get("item", "") or source.id.rpartition(".")[2])


def _namesake(source: Source, by_name: dict[tuple[str, str, str, str], set[str]]) -> str:
    """The id of the only fact of the same place and topic that has one of the source's names; its own id where there is none or several."""
    found = {ident for key in _keys(source) for ident in by_name.get(key, ())}
    return found.pop() if len(found) == 1 else source.id


def _keys(source: Source) -> Iterator[tuple[str, str, str, str]]:
    for lang, name in source.labels.get("entity", {}).items():
        yield source.place, source.topic, lang, folded(name)


def folded(name: str) -> str:
    """A name for comparison: composed, small letters, one blank where there are several."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def settle(group: Sequence[Source], slot: str) -> Settled:
    """What the sources of one fact make of one slot together."""
    stated = [(source, source.fact[slot].split()) for source in group if source.fact.get(slot, "").strip()]
    every = tuple(dict.fromkeys(value for _, values in stated for value in values))
    decided = [values for source, values in stated if source.origin.get("decides")]
    agreed = [value for value in every if all(value in values for _, values in stated)]
    said = tuple(f"{slot}: {' or '.join(values)} ({source.origin.get('url') or source.id})" for source, values in stated)
    if decided:
        same = all(values[0] == decided[0][0] for values in decided)
        return Settled(values=tuple(dict.fromkeys((*decided[0], *every))), sure=same, notes=said if len(stated) > 1 else ())
    if len({tuple(sorted(values)) for _, values in stated}) <= 1:
        return Settled(values=every, sure=not any(source.origin.get("disputed") == slot for source, _ in stated))
    return Settled(values=tuple(dict.fromkeys((*agreed, *every))), sure=bool(agreed), notes=said)


def _joined(group: Sequence[Source], *, keep: bool, earliest: int) -> tuple[Source, list[str]]:
    """One source of a group, and why it is not fit to be asked for."""
    fact = {slot: value for source in reversed(group) for slot, value in source.fact.items() if slot not in SLOTS and value}
    reasons, notes = [], [source.origin["note"] for source in group if source.origin.get("note")]
    for slot in SLOTS:
        found = settle(group, slot)
        if not found.values:
            continue
        fact[slot] = " ".join(found.values)
        notes += found.notes
        if not found.sure and not keep:
            reasons.append(f"{slot}: is not settled: {', '.join(found.values)}")
        if slot == "year" and _year(found.values[0]) < earliest:
            reasons.append(f"year: {found.values[0]} is before {earliest}")
    if not fact.keys() & set(SLOTS):
        reasons.append("; ".join(dict.fromkeys(notes)) or "has no value")
    first = group[0]
    origin = {k: v for source in reversed(group) for k, v in source.origin.items() if k not in ("note", "disputed", "decides")}
    origin |= {"url": " ".join(dict.fromkeys(s.origin["url"] for s in group if s.origin.get("url")))} if origin.get("url") else {}
    origin |= {"note": "; ".join(dict.fromkeys(notes))} if notes else {}
    title = next((source.title for source in group if source.title), "")
    return Source(
        id=first.id, fact=fact, labels=_labels(group), place=first.place, topic=first.topic, title=title, origin=origin
    ), reasons  # fmt: skip


def _labels(group: Sequence[Source]) -> dict[str, dict[str, str]]:
    """The names of the first source that has each; a row that decides comes first of all."""
    found: dict[str, dict[str, str]] = {}
    for source in sorted(group, key=lambda source: not source.origin.get("decides")):
        for slot, names in source.labels.items():
            for lang, name in names.items():
                found.setdefault(slot, {}).setdefault(lang, name)
    return found


def _year(value: str) -> int:
    return int(value) if re.fullmatch(r"-?\d+", value) else 1


def _slots(group: Sequence[Source]) -> Iterator[Judgment]:
    found = {slot: settle(group, slot) for slot in SLOTS}
    if not any(one.values for one in found.values()):
        why = "; ".join(dict.fromkeys(s.origin["note"] for s in group if s.origin.get("note")))
        because = f": {why}" if why else ""
        yield _judgment(group, "gap", "error", f"no source has a value{because}; fill it in by hand, or leave the entity out")
    for slot, one in found.items():
        decided = any(source.origin.get("decides") and source.fact.get(slot) for source in group)
        if one.notes:
            value = "warning" if one.sure else "error"
            end = "a row of a sheet has decided" if decided and one.sure else "a row of a sheet with decides = yes settles it"
            yield _judgment(group, "conflict", value, f"sources do not say the same: {'; '.join(one.notes)}; {end}")
        elif not one.sure and one.values:
            why = f"{slot}: {' or '.join(one.values)} ({group[0].origin.get('url') or group[0].id})"
            yield _judgment(group, "dispute", "error", f"the value is in dispute: {why}; a row of a sheet with decides = yes settles it")


def _names(group: Sequence[Source], langs: Sequence[str]) -> Iterator[Judgment]:
    held: dict[str, dict[str, str]] = defaultdict(dict)
    for source in group:
        for lang, name in source.labels.get("entity", {}).items():
            held[lang].setdefault(folded(name), name)
    for lang, names in held.items():
        if len(names) > 1:
            yield _judgment(group, "names", "warning", f"has several names in the language {lang!r}: {', '.join(names.values())}")
    for lang in langs:
        if lang not in held:
            yield _judgment(group, "gap", "warning", f"no source has a name in the language {lang!r}; it has to be translated")


def _judgment(group: Sequence[Source], criterion: str, value: str, note: str) -> Judgment:
    return Judgment(item=group[0].id, judge=f"check/{criterion}", criterion=criterion, value=value, guideline=GUIDELINE, note=note)
