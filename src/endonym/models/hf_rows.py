"""Which sequences go through the model together: pure lists, no tensors.

In: token sequences. Out: groups that begin alike (so that their common beginning is computed once) and batches under a
budget of tokens. Results do not depend on either; only time and memory do.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from .attention import common

T = TypeVar("T")
LEAST = 8
"""A beginning is shared by this many sequences or not at all, and is this many tokens long."""
COST = 64
"""What another group costs (a forward pass of its own, a batch cut short), in tokens."""


class Group(NamedTuple):
    """Sequences (by index) whose first ``shared`` tokens are the same; 0: nothing is shared."""

    shared: int
    members: list[int]


def groups(sequences: Sequence[list[int]], limits: Sequence[int]) -> list[Group]:
    """Part sequences so that shared beginnings save most. ``limits[i]`` is the longest beginning of sequence i that may be shared."""
    order = sorted(range(len(sequences)), key=lambda i: sequences[i])
    alike = [common(sequences[a], sequences[b]) for a, b in zip(order, order[1:], strict=False)]
    found, loose, todo = list[Group](), list[int](), [(0, len(order))]
    while todo:
        low, high = todo.pop()
        if high - low < LEAST:
            loose += order[low:high]
            continue
        shared = min(min(alike[low : high - 1]), min(limits[i] for i in order[low:high]))
        parts = _parts(alike, low, high)
        gain = sum(max(0, (b - a - 1) * min(alike[a : b - 1]) - COST) for a, b in parts if b - a >= LEAST)
        if gain > (high - low - 1) * shared:
            todo += parts
        elif shared >= LEAST:
            found.append(Group(shared, order[low:high]))
        else:
            loose += order[low:high]
    return [*sorted(found, key=lambda g: g.members), *([Group(0, sorted(loose))] if loose else [])]


def _parts(alike: Sequence[int], low: int, high: int) -> list[tuple[int, int]]:
    """Cut an interval where neighbours are least alike."""
    least = min(alike[low : high - 1])
    cuts = [low, *(at + 1 for at in range(low, high - 1) if alike[at] == least), high]
    return list(zip(cuts, cuts[1:], strict=False))


class Budget:
    """How many tokens go through the model at once; halved where memory did not suffice."""

    def __init__(self, tokens: int, rows: int) -> None:
        self.tokens, self.rows, self.halved = tokens, rows, 0

    def halve(self) -> None:
        self.tokens, self.rows, self.halved = max(1, self.tokens // 2), max(1, self.rows // 2), self.halved + 1

    def batches(self, rows: Sequence[T], length: Callable[[T], int], extra: int = 0) -> Iterator[list[T]]:
        """Cut rows, longest first, into batches; padding counts, and ``extra`` tokens of shared beginning count a quarter."""
        left = sorted(rows, key=length, reverse=True)
        while left:
            n = max(1, min(self.rows, self.tokens // (length(left[0]) + extra // 4 or 1)))
            yield left[:n]
            left = left[n:]


def in_halves(batch: list[T], run: Callable[[list[T]], list[Any]], budget: Budget, out_of_memory: type[Exception]) -> list[Any]:
    """Run a batch, and its halves where memory did not suffice; raises what ``run`` raises for a single row."""
    try:
        return run(batch)
    except out_of_memory:
        if len(batch) == 1:
            raise
    # outside the except clause: there, the traceback would still hold the tensors
    budget.halve()
    release()
    middle = len(batch) // 2
    return in_halves(batch[:middle], run, budget, out_of_memory) + in_halves(batch[middle:], run, budget, out_of_memory)


def release() -> None:
    """Give memory that is held in reserve back to the GPU."""
    import gc

    import torch

    if torch.cuda.is_available():
        gc.collect()
        torch.cuda.empty_cache()
