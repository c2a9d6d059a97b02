"""Documents before people read them: findings of checks that need no model, which a reviewer is then shown.

In: sources, and the expected language with its frequent words. Out: judgments by ``check/language``, ``check/near-duplicate`` (errors),
``check/short``, ``check/licence``, ``check/place`` (warnings); no finding, no row. The one thing to know: of two near copies the
later one has the finding, and the language is told by how many words of a text are among the most frequent ones of a language,
so only languages with a list (``data/compose``) can be told from each other.
Paper: CARTE, section 3.1 (documents are reviewed before questions are made of them).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from ..canonical import digest
from ..records import Judgment, Source
from .compose_wording import common_words

VERSION = "1"
SHINGLE = 5
"""Words in a row that count as one when two texts are compared."""
LEAST = 30
"""Words that a language is told from."""
FLOOR = 0.2
"""Share of frequent words below which a text is not in the language; ordinary prose has about twice as many."""


def screen(documents: Iterable[Source], *, file: Path, similar: float = 0.5, short: int = 100) -> Iterator[Judgment]:
    """Look at every document once. ``file``: the composing prompts (``compose/fr.toml``), for its language and frequent words.

    ``similar``: share of the shorter text's five-word runs that another holds too, from which two are near copies. ``short``: words.
    """
    lists = common_words(file)
    seen = _Seen(similar)
    for source in documents:
        findings = chain(_language(source, lists), seen.copies(source), _short(source, short), _said(source))
        yield from (
            Judgment(item=source.id, judge=f"check/{name}", criterion=name, value=value, guideline="documents/1", note=note)
            for name, value, note in findings
        )  # fmt: skip


Finding = tuple[str, str, str]


def words(text: str) -> list[str]:
    """The words of a text in small letters."""
    return re.findall(r"[^\W\d_]+", text.lower())


def share(found: list[str], common: frozenset[str]) -> float:
    """How many of some words are frequent ones."""
    return sum(word in common for word in found) / len(found) if found else 0.0


def _language(source: Source, lists: dict[str, frozenset[str]]) -> Iterator[Finding]:
    expected, found = next(iter(lists)), words(source.text)
    if len(found) < LEAST:
        return
    shares = {lang: share(found, common) for lang, common in lists.items()}
    nearest = max(shares, key=lambda lang: shares[lang])
    if shares[expected] < FLOOR or shares[nearest] > shares[expected]:
        looks = f"reads like {nearest!r}" if shares[nearest] >= FLOOR else f"does not read like {expected!r}"
        yield "language", "error", f"{looks}: {shares[expected]:.0%} of its words are frequent in {expected!r}"
    if source.lang and source.lang.split("-")[0] != expected.split("-")[0]:
        yield "language", "error", f"its table says {source.lang!r}, the benchmark is in {expected!r}"


class _Seen:
    """The runs of words of all documents so far."""

    def __init__(self, similar: float) -> None:
        self.similar = similar
        self.holders: dict[str, list[int]] = {}
        self.sources: list[tuple[str, int]] = []

    def copies(self, source: Source) -> Iterator[Finding]:
        found = words(source.text)
        runs = {digest(found[at : at + SHINGLE]) for at in range(max(1, len(found) - SHINGLE + 1))} if found else set()
        shared = Counter(holder for run in runs for holder in self.holders.get(run, ()))
        for run in runs:
            self.holders.setdefault(run, []).append(len(self.sources))
        self.sources.append((source.id, len(runs)))
        parts = {n: count / min(len(runs), self.sources[n][1]) for n, count in shared.items()}
        if parts and (most := max(parts.values())) >= self.similar:
            other = self.sources[min(n for n, part in parts.items() if part == most)][0]
            yield "near-duplicate", "error", f"{most:.0%} of the shorter text stands in {other} too; keep one of them"


def _short(source: Source, short: int) -> Iterator[Finding]:
    if (count := len(words(source.text))) < short:
        yield "short", "warning", f"has {count} words; little can be asked of fewer than {short}"


def _said(source: Source) -> Iterator[Finding]:
    if not source.origin.get("licence"):
        yield "licence", "warning", "its licence is not stated; without one the items cannot be released"
    if not source.place:
        yield "place", "warning", "the region that it is about is not stated (ISO 3166-2)"
