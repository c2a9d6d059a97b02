"""Questions that say nearly the same: what an adjudicator sees beside a question.

In: a question and others. Out: the nearest, with their likeness from 0 to 100 (rapidfuzz: words sorted, Levenshtein).
"""

from collections.abc import Iterable

import msgspec
from rapidfuzz import fuzz, process, utils

LIKE = 70.0


class Near(msgspec.Struct, frozen=True, kw_only=True):
    """A question that is like another."""

    id: int
    stem: str
    status: str
    likeness: float


def near(stem: str, others: Iterable[tuple[int, str, str]], *, most: int = 5) -> list[Near]:
    """The questions most like ``stem`` among rows of id, stem and status; those of a likeness below 70 are left out."""
    rows = list(others)
    found = process.extract(
        stem, [row[1] for row in rows], scorer=fuzz.token_sort_ratio, processor=utils.default_process, score_cutoff=LIKE, limit=most
    )
    return [Near(id=rows[n][0], stem=text, status=rows[n][2], likeness=score) for text, score, n in found]
