"""From questions to batches: texts as token ids go in; rows that are computed together, and where to read, come out.

**The rule of the boundary.** Prompt and continuation are tokenised together, and what the prompt's own tokens and every
joint tokenisation begin with is the context; all that follows is scored. So ``Answer:`` + `` A`` and ``Answer: `` + ``A``
both score the one token `` A``, and ``答案：`` + ``A`` scores ``A``. Where no token crosses the boundary this is
lm-evaluation-harness's ``_encode_pair``.

Questions of about one length stand together, and among them those that begin alike, so that prefixes are shared.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .attention import Row, common

WORTH = 32
"""A prefix of fewer tokens is computed again in each batch: keeping it would cost as much."""


class Task(NamedTuple):
    """One question to a model, in token ids. ``wholes``: the prompt with each continuation; none: generate."""

    key: Any
    context: Row
    wholes: tuple[Row, ...] = ()
    limit: int = 0
    """Tokens to generate at most."""

    @property
    def rows(self) -> list[Row]:
        """What must be run: the last token of a continuation is only looked up, never run."""
        return sorted({whole[:-1] for whole in self.wholes}) or [self.context]

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(len(whole) - len(self.context) for whole in self.wholes)

    @property
    def longest(self) -> int:
        return max([len(self.context) + self.limit, *(len(whole) for whole in self.wholes)])


class Outcome(NamedTuple):
    """What came of a task."""

    loglikelihoods: tuple[float, ...] = ()
    text: str = ""
    finish: str = ""
    tokens: int = 0
    error: str = ""


def boundary(prompt: Sequence[int], wholes: Sequence[Sequence[int]], first: int) -> tuple[Row, tuple[Row, ...]]:
    """Split joint tokenisations into a common context and continuations; ``first`` stands before a context of no tokens."""
    length = min(common(prompt, whole) for whole in wholes)
    if not length:
        return (first,), tuple((first, *whole) for whole in wholes)
    return tuple(prompt[:length]), tuple(tuple(whole) for whole in wholes)


def batches(tasks: Sequence[Task], budget: int, limit: int) -> Iterator[list[Task]]:
    """Cut tasks into batches of at most ``budget`` distinct tokens and ``limit`` tasks (a longer task stands alone).

    The prefix that a whole batch shares is not counted: it is computed once for many batches.
    """
    ordered = sorted(tasks, key=lambda task: (task.longest.bit_length(), task.limit, task.context))
    batch: list[Task] = []
    size, shared = 0, ()
    for task in ordered:
        grown = size + _cost(task, batch[-1].rows[-1] if batch else ())
        alike = common(shared, task.context) if batch else len(task.context)
        leaves = len(batch) >= 4 and len(shared) - alike >= 2 * WORTH
        if batch and (grown - (alike if alike >= WORTH else 0) > budget or len(batch) >= limit or leaves):
            yield batch
            batch, alike, grown = [], len(task.context), _cost(task, ())
        batch.append(task)
        size, shared = grown, task.context[:alike]
    if batch:
        yield batch


def _cost(task: Task, before: Row) -> int:
    """Tokens that a task adds to a batch, and those it will generate."""
    total = task.limit
    for row in task.rows:
        total += len(row) - common(before, row)
        before = row
    return total


def shared_prefix(batch: Sequence[Task]) -> Row:
    """The tokens with which every question of a batch begins, short of the last, which must be read."""
    first = batch[0].context
    length = min(min(common(first, task.context), len(task.context) - 1) for task in batch)
    return first[:length]
