"""Judgments to a benchmark: an item stays if it holds to every rule.

In: items and one or more tables of judgments. Out: the items that stay (``keep``), or one judgment for every rule that an item broke
(``left_out``). A rule is typed and says one thing::

    rules = [
      { judge = "check/*", never = ["error"] },
      { criteria = ["GC", "LN", "RA", "AC"], least = 4, where = "subset=LV" },
    ]

The one thing to know: a rule about scores needs scores. A judge that gave none that could be read has not agreed, so the item is left
out as "missing", which is counted apart from "low"; ``missing = "keep"`` has it stay. Paper: CARTE, section 4 and appendix B (at least 4).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from statistics import fmean
from typing import Literal

from ..errors import InputError, UnknownName
from ..records import Item, Judgment, Record
from .fields import clauses, fits

VERSION = "2"
JUDGE = "keep"
_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])")


class Rule(Record, frozen=True):
    """What the judgments of ``judge`` and ``criteria`` (patterns with ``*``) must be, for the items that fit ``where``.

    One of: ``least`` and/or ``most`` (scores), ``among`` (values allowed), ``never`` (values that no judgment may have).
    ``of``: every judge, more than half of them, any one, or the mean of their scores. ``judges``: how many readings an item needs
    under a criterion; 0: one from every judge that the tables know for it.
    """

    criteria: tuple[str, ...] = ("*",)
    judge: str = "*"
    where: str = ""
    least: float | None = None
    most: float | None = None
    among: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    of: Literal["every", "most", "any", "mean"] = "every"
    judges: int = 0
    missing: Literal["leave", "keep"] = "leave"
    one_of: tuple[str, ...] = ("*duplicate*",)
    """Criteria of ``never`` whose findings are about pairs: the note names the id of the other item, and one of the two stays."""

    def problem(self) -> str:
        kinds = [self.least is not None or self.most is not None, bool(self.among), bool(self.never)]
        if sum(kinds) != 1:
            return "says not one thing: give least and/or most, or among, or never"
        if self.of == "mean" and not kinds[0]:
            return "of: a mean is of scores; give least or most"
        return "judges: is less than 0" if self.judges < 0 else ""

    def holds(self, judgment: Judgment) -> bool:
        if judgment.value in self.never:
            return False
        if self.among or self.never:
            return judgment.value in self.among if self.among else True
        return self.within(number(judgment))

    def within(self, score: float) -> bool:
        return (self.least is None or score >= self.least) and (self.most is None or score <= self.most)

    def told(self) -> str:
        """The rule in words, for a note."""
        bounds = [f"at least {self.least:g}" if self.least is not None else "", f"at most {self.most:g}" if self.most is not None else ""]
        among = f"one of {', '.join(self.among)}" if self.among else ""
        whom = {"every": "from every judge", "most": "from most judges", "any": "from any judge", "mean": "on the mean"}[self.of]
        return f"never {', '.join(self.never)}" if self.never else " ".join([*filter(None, (*bounds, among)), whom])


CHECKED = (Rule(judge="check/*", never=("error",)),)
"""The rule where none is given: no finding of severity ``error`` from a check."""


def number(judgment: Judgment) -> float:
    """A judgment's value as a number. Raises InputError naming the judgment."""
    try:
        return float(judgment.value)
    except ValueError as problem:
        which = f"{judgment.judge} on item {judgment.item}, {judgment.criterion}"
        raise InputError(f"rules: least and most are for scores, and {judgment.value!r} ({which}) is none; give among") from problem


def keep(items: Iterable[Item], judgments: Iterable[Judgment], *, rules: tuple[Rule, ...] = CHECKED) -> Iterator[Item]:
    """Keep the items that break no rule, unchanged and in their order.

    Raises InputError for a rule that says nothing or two things, UnknownName for a criterion that none of the judgments has (unless
    the rule is ``never``: a check that found nothing has no rows). Where there is no judgment at all, items are left out as missing.
    """
    yield from (item for item, broken in _Book(judgments, rules).sorted(items) if not broken)


def left_out(items: Iterable[Item], judgments: Iterable[Judgment], *, rules: tuple[Rule, ...] = CHECKED) -> Iterator[Judgment]:
    """Say for every item that ``keep`` leaves out with the same rules which it broke: one judgment a rule and criterion.

    Value ``low`` (a judgment that does not hold), ``missing`` (too few that could be read), ``duplicate`` (a copy of an item that
    stays); the note quotes who said what.
    """
    for _, broken in _Book(judgments, rules).sorted(items):
        yield from broken


class _Book:
    """The judgments that rules speak of, by item and criterion."""

    def __init__(self, judgments: Iterable[Judgment], rules: Sequence[Rule]) -> None:
        for n, rule in enumerate(rules, 1):
            if problem := rule.problem():
                raise InputError(f"rules: rule {n}: {problem}")
        self.rules = [(rule, clauses((rule.where,)) if rule.where else []) for rule in rules]
        self.said: dict[str, dict[str, list[Judgment]]] = defaultdict(lambda: defaultdict(list))
        self.judges: dict[str, set[str]] = defaultdict(set)
        for judgment in judgments:
            self.said[judgment.item][judgment.criterion].append(judgment)
            self.judges[judgment.criterion].add(judgment.judge)
        self._known(rules)

    def _known(self, rules: Sequence[Rule]) -> None:
        for rule in (rule for rule in rules if not rule.never and self.judges):
            for name in rule.criteria:
                if not any(fnmatchcase(c, name) and _some(judges, rule) for c, judges in self.judges.items()):
                    raise UnknownName("criterion with judgments", name, self.judges)

    def sorted(self, items: Iterable[Item]) -> Iterator[tuple[Item, list[Judgment]]]:
        """Every item with what it broke. Of a pair the first stays that breaks nothing else."""
        links, stays = self._links(), set[str]()
        for item in items:
            broken = list(self._broken(item))
            if not broken and (other := next((o for o in sorted(links.get(item.id, ())) if o in stays), "")):
                criterion, note = links[item.id][other]
                note = f"of {other}, which stays; {note}"
                broken = [Judgment(item=item.id, judge=JUDGE, criterion=criterion, value="duplicate", note=note)]
            if not broken:
                stays.add(item.id)
            yield item, broken

    def _links(self) -> dict[str, dict[str, tuple[str, str]]]:
        """Item → the items that a finding pairs it with → criterion and note; both ways, whichever of the two was flagged."""
        found: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
        for rule, _ in self.rules:
            for judgment in self._findings(rule):
                for other in _named(judgment):
                    found[judgment.item][other] = found[other][judgment.item] = (judgment.criterion, judgment.note)
        return found

    def _findings(self, rule: Rule) -> Iterator[Judgment]:
        """The findings about pairs that a rule does not allow."""
        for by in self.said.values():
            for criterion, said in by.items():
                if rule.never and any(fnmatchcase(criterion, name) for name in rule.criteria):
                    yield from (j for j in said if fnmatchcase(j.judge, rule.judge) and _paired(rule, j) and not rule.holds(j))

    def _broken(self, item: Item) -> Iterator[Judgment]:
        """What an item broke by itself, rule by rule."""
        here = self.said.get(item.id, {})
        for rule, wanted in self.rules:
            if not fits(item, wanted):
                continue
            for criterion in self._criteria(rule, here):
                said = [j for j in here.get(criterion, ()) if fnmatchcase(j.judge, rule.judge)]
                if reason := self._reason(rule, criterion, said):
                    note = f"{reason[1]}; asked: {rule.told()}"
                    yield Judgment(item=item.id, judge=JUDGE, criterion=criterion, value=reason[0], note=note)

    def _criteria(self, rule: Rule, here: Mapping[str, list[Judgment]]) -> list[str]:
        known = here if rule.never else self.judges
        found = [c for c in known if any(fnmatchcase(c, name) for name in rule.criteria) and _some(self.judges[c], rule)]
        return found if found or rule.never else list(rule.criteria)  # nobody judged anything: all of it is missing

    def _reason(self, rule: Rule, criterion: str, said: list[Judgment]) -> tuple[str, str] | None:
        """Value and note where a rule does not hold under one criterion."""
        read = [j for j in said if j.status == "answered"]
        if rule.never:
            bad = [j for j in read if not rule.holds(j) and not _paired(rule, j)]
            return ("low", "; ".join(map(_quoted, bad))) if bad else None
        expected = {judge for judge in self.judges[criterion] if fnmatchcase(judge, rule.judge)}
        needed = rule.judges or len(expected) or 1
        if read and not _agreed(rule, read):
            return "low", "; ".join(map(_quoted, read))
        if len({j.judge for j in read}) < needed and rule.missing == "leave":
            silent = [f"{j.judge}: {j.status}" for j in said if j.status != "answered"] or ["no judgment"]
            return "missing", f"{len(read)} of {needed} readings: {'; '.join(silent)}"
        return None


def _some(judges: Iterable[str], rule: Rule) -> bool:
    return any(fnmatchcase(judge, rule.judge) for judge in judges)


def _paired(rule: Rule, judgment: Judgment) -> bool:
    """Whether a finding is about two items: its criterion is of that kind, and its note names the other."""
    return any(fnmatchcase(judgment.criterion, name) for name in rule.one_of) and bool(_named(judgment))


def _named(judgment: Judgment) -> list[str]:
    return [id_ for id_ in _ID.findall(judgment.note) if id_ != judgment.item]


def _agreed(rule: Rule, read: list[Judgment]) -> bool:
    if rule.of == "mean":
        return rule.within(fmean(map(number, read)))
    holds = [rule.holds(j) for j in read]
    return all(holds) if rule.of == "every" else any(holds) if rule.of == "any" else sum(holds) * 2 > len(holds)


def _quoted(judgment: Judgment) -> str:
    return f"{judgment.judge}: {judgment.value}" + (f" ({judgment.note})" if judgment.note else "")
