"""Hold a benchmark to everything that the field has found wrong in one: items in, findings out.

In: items; beside them, what the reader saw in the raw rows (``build.faults``) and could not read. Out: judgments, one for each finding and
item (``audit``), or findings with their counts and examples (``examine``). The one thing to know: one pass a kind, nothing quadratic, and
what is counted is said: an item, a set of parallel items, an entity, an entry of the raw file. A test of many items is a row without one.

Papers: XNationQA (papers/xnationqa.md), section 3; the faults are those that users of the field report.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import msgspec

from ..errors import UnknownName
from ..records import Item, Judgment
from .audit_balance import Test, balance, tests
from .audit_cues import cues
from .audit_hits import SEVERITIES, Hit, Severity, kinds
from .audit_language import language
from .audit_options import options
from .audit_parallel import parallel
from .audit_repeats import repeats
from .audit_text import texts
from .audit_years import years

VERSION = "1"
RULE = (5, 10)
"""Least and greatest distance of a year from the right one, in years; XNationQA, section 3."""
PRESENT = 2026
_KEYS = re.compile(r": (?:gold|answer|prompt_ans)\b")


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One case of a finding: an item of it (empty for a row that is none), its language, its source, and what is wrong."""

    item: str
    lang: str
    source: str
    note: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """All cases of one kind: how many there are (in ``unit``), and which items they touch, each once."""

    kind: str
    severity: Severity
    unit: str
    title: str
    count: int
    items: tuple[str, ...]
    langs: dict[str, int]
    """Language → how many of the items."""
    examples: tuple[Example, ...]
    advice: str
    fix: str


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """A whole audit: the findings, the gravest and most frequent first, and every test that was made, failed or not."""

    items: int
    findings: tuple[Finding, ...]
    tests: tuple[Test, ...]

    def count(self, severity: Severity) -> int:
        """How many kinds of one gravity were found."""
        return sum(finding.severity == severity for finding in self.findings)


def audit(
    items: Iterable[Item], faults: Iterable[Judgment] = (), *,
    only: tuple[str, ...] = (), rule: tuple[int, int] = RULE, present: int = PRESENT,
) -> Iterator[Judgment]:  # fmt: skip
    """Judge every item: criterion is the kind, value its gravity (error, warning, note), note what is wrong here.

    ``faults`` are those of ``build.faults``, passed on. ``rule`` and ``present`` are years. Raises UnknownName for a kind in ``only``.
    """
    wanted, table = chosen(only), list(items)
    ids = [item.id for item in table]
    for hit in _hits(table, ids, _tests(table, wanted), wanted, (*rule, present)):
        if hit.kind in wanted:
            touched = hit.items if kinds()[hit.kind].unit != "benchmark" else ()
            for name in dict.fromkeys(ids[at] for at in touched) if touched else ("",):
                yield _judgment(hit.kind, name, hit.note)
    yield from (fault for fault in faults if fault.criterion in wanted)


def examine(
    items: Iterable[Item], faults: Iterable[Judgment] = (), skipped: Sequence[str] = (), *, only: tuple[str, ...] = (),
    rule: tuple[int, int] = RULE, present: int = PRESENT, examples: int = 3,
) -> Audit:  # fmt: skip
    """Collect all findings of a benchmark. ``skipped`` are the sentences of a reader on rows that it could not read.

    Raises UnknownName for a kind in ``only``.
    """
    wanted, table = chosen(only), list(items)
    ids, made = [item.id for item in table], _tests(table, wanted)
    cases: dict[str, list[Hit]] = {kind: [] for kind in kinds() if kind in wanted}
    for hit in chain(_unread(skipped), _raw(table, faults), _hits(table, ids, made, wanted, (*rule, present))):
        if hit.kind in wanted:
            cases[hit.kind].append(hit)
    found = [_finding((table, ids), kind, hits, examples) for kind, hits in cases.items() if hits]
    found.sort(key=lambda finding: (SEVERITIES.index(finding.severity), -finding.count))
    return Audit(items=len(table), findings=tuple(found), tests=tuple(test for test in made if test.kind in wanted))


def chosen(only: Iterable[str]) -> set[str]:
    """The kinds to look for; all of them if none is named. Raises UnknownName."""
    named = set(only)
    if unknown := named - kinds().keys():
        raise UnknownName("kind of finding", min(unknown), kinds())
    return named or set(kinds())


def _tests(table: Sequence[Item], wanted: set[str]) -> list[Test]:
    return tests(table) if wanted & _FAMILIES["balance"] else []


_FAMILIES: dict[str, set[str]] = {
    "repeats": {"item_twice", "copy", "near_copy", "entity_twice", "entity_places", "contradiction", "several_true"},
    "years": {"year_near", "year_far", "year_future"},
    "balance": {"letters_unbalanced", "gold_rank", "gold_length"},
    "parallel": {
        "parallel_twice", "parallel_count", "parallel_gold", "parallel_answer", "parallel_options", "parallel_order", "parallel_meaning",
        "languages_missing", "name_varies",
    },
    "texts": {
        "invisible", "control", "nfc", "mojibake", "markup", "placeholder", "blanks_edge", "blanks_double", "blanks_unusual",
        "label_blanks",
    },
    "cues": {"cue_language", "cue_missing", "prefix_missing", "cue_blank", "cue_varies"},
}  # fmt: skip
"""Part of the audit → its kinds, for the parts that are left out where none of theirs is wanted; the others always run."""


def _hits(table: Sequence[Item], ids: Sequence[str], made: Sequence[Test], wanted: set[str], time: tuple[int, int, int]) -> Iterator[Hit]:
    """Every hit of every part; ``time`` is the least and greatest distance of a year, and the present."""
    parts: dict[str, Callable[[], Iterator[Hit]]] = {
        "repeats": lambda: repeats(table, ids), "options": lambda: options(table),
        "years": lambda: years(table, rule=time[:2], present=time[2]), "balance": lambda: balance(table, made),
        "parallel": lambda: parallel(table), "texts": lambda: texts(table), "language": lambda: language(table),
        "cues": lambda: cues(table),
    }  # fmt: skip
    for part, hits in parts.items():
        if wanted & _FAMILIES.get(part, wanted):
            yield from hits()


def _judgment(kind: str, item: str, note: str) -> Judgment:
    return Judgment(item=item, judge=f"check/{kind}", criterion=kind, value=kinds()[kind].severity, guideline=kind, note=note)


def _unread(skipped: Iterable[str]) -> Iterator[Hit]:
    """Rows that the reader left out: those whose key is at fault, and all others."""
    for said in skipped:
        yield Hit("answer_missing" if _KEYS.search(said) else "unreadable", (), said)


def _raw(table: Sequence[Item], faults: Iterable[Judgment]) -> Iterator[Hit]:
    """What was seen in the raw rows, with the items that were made of each row."""
    told = list(faults)
    made: dict[str, list[int]] = {fault.item: [] for fault in told}
    for at, item in enumerate(table if told else ()):
        if item.source in made:
            made[item.source].append(at)
    for fault in told:
        yield Hit(fault.criterion, tuple(made[fault.item]), f"{fault.item}: {fault.note}")


def _finding(told_of: tuple[Sequence[Item], Sequence[str]], kind: str, hits: Sequence[Hit], examples: int) -> Finding:
    (table, ids), told = told_of, kinds()[kind]
    touched = dict.fromkeys(at for hit in hits for at in hit.items)
    langs = Counter(table[at].lang for at in touched)
    return Finding(
        kind=kind, severity=told.severity, unit=told.unit, title=told.title, count=len(hits),
        items=tuple(dict.fromkeys(ids[at] for at in touched)), langs=dict(sorted(langs.items())),
        examples=tuple(_example(table, ids, hit) for hit in _spread(hits, examples)), advice=told.advice, fix=told.fix,
    )  # fmt: skip


def _spread(hits: Sequence[Hit], examples: int) -> list[Hit]:
    """Some of many, from their whole length, the first among them."""
    step = max(1, len(hits) // examples) if examples else 1
    return list(hits[::step][:examples])


def _example(table: Sequence[Item], ids: Sequence[str], hit: Hit) -> Example:
    one = table[hit.items[0]] if hit.items else None
    return Example(item=ids[hit.items[0]] if one else "", lang=one.lang if one else "", source=one.source if one else "", note=hit.note)
