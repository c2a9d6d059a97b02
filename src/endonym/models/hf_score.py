"""Log-likelihoods of continuations under a causal model: questions go in, responses come out, a window of them at a time.

Each question's stem goes through the model once, behind the beginning it shares with others; its last place gives every
one-token continuation. Longer continuations branch off from the stem's keys and values, questions of equal length together,
so that nothing is padded in the middle; where a model's state cannot be branched, whole sequences are read.
"""

import math
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from ..records import Response
from . import hf_cache
from .hf_forward import Forward, Read
from .hf_rows import Budget, groups, in_halves
from .hf_text import Question

Sums = dict[tuple[int, int], float]
"""Log-likelihood by number of the question and of its tail."""
TOO_LARGE = "out of memory for a single prompt; try a smaller dtype, quantize or another device"


class Scorer:
    """Reads questions; ``sharing`` says for the facts whether beginnings are computed once."""

    def __init__(self, name: str, model: Any, budget: Budget, *, share: bool = True) -> None:
        import torch

        self.name, self.budget, self.forward = name, budget, Forward(model)
        self.out_of_memory: type[Exception] = torch.cuda.OutOfMemoryError
        self.why_not = hf_cache.reason(model) if share else "the setting share_prefix"
        self.layers = 0 if self.why_not else hf_cache.layers_of(model)
        self._pasts: dict[tuple[int, ...], hf_cache.Past] = {}
        self._tried = False

    @property
    def sharing(self) -> str:
        return f"off: {self.why_not}" if self.why_not else "on"

    def score(self, questions: Sequence[Question]) -> Iterator[Response]:
        """One response for each question."""
        sequences = [q.stem for q in questions]
        used: dict[tuple[int, ...], hf_cache.Past] = {}
        for group in groups(sequences, [q.start - 1 for q in questions]):
            members = [questions[i] for i in group.members]
            shared, past = self._past(members, group.shared)
            if past:
                used[tuple(members[0].stem[:shared])] = past
            for batch in self.budget.batches(members, lambda q: len(q.stem) - shared, shared):  # noqa: B023 - used before the next turn
                yield from self._timed(batch, shared, past)
        self._pasts = used

    def _past(self, members: Sequence[Question], shared: int) -> tuple[int, hf_cache.Past | None]:
        """The keys and values of a group's beginning: from the window before, or computed; nothing where sharing is off."""
        if not shared or self.why_not:
            return 0, None
        tokens = tuple(members[0].stem[:shared])
        try:
            past = self._pasts.get(tokens) or hf_cache.prefix(self.forward, tokens, self.layers)
        except self.out_of_memory:
            return 0, None
        except (RuntimeError, TypeError, ValueError, AttributeError, IndexError):
            self.why_not = f"{type(self.forward.model).__name__} does not take the past it is given"
            return 0, None
        if not self._tried and not hf_cache.agrees(self.forward, members[0].stem, shared, past):
            self.why_not = f"{type(self.forward.model).__name__} reads otherwise behind a shared beginning"
            return 0, None
        self._tried = True
        return shared, past

    def _timed(self, batch: list[Question], shared: int, past: hf_cache.Past | None) -> list[Response]:
        begun = time.perf_counter()
        try:
            values = in_halves(batch, lambda some: self._batch(some, shared, past), self.budget, self.out_of_memory)
        except self.out_of_memory:
            return [failed(q, self.name, TOO_LARGE) for q in batch]
        seconds = (time.perf_counter() - begun) / len(batch)
        return [response(q, self.name, v, seconds) for q, v in zip(batch, values, strict=True)]

    def _batch(self, batch: list[Question], shared: int, past: hf_cache.Past | None) -> list[list[float]]:
        """Log-likelihoods of the continuations of each question of a batch."""
        branching = any(len(tail) > 1 for q in batch for tail in q.tails)
        cache = None
        if past or (branching and not self.why_not):
            cache = hf_cache.laid(self.layers, [past] if past else [], keep=branching)
        first = self._stems(batch, shared, cache)
        if branching:
            rest = self._branches(batch, shared, past, cache) if cache is not None else self._whole(batch)
            for (question, tail), value in rest.items():
                first[question][tail] += value
        return first

    def _stems(self, batch: list[Question], shared: int, cache: Any) -> list[list[float]]:
        """What the stem says: the tokens common to all continuations, and the first token of each tail."""
        reads, ends = list[Read](), list[int]()
        for row, q in enumerate(batch):
            reads += [Read(row, at - 1 - shared, q.stem[at : at + 1]) for at in range(q.start, len(q.stem))]
            reads.append(Read(row, len(q.stem) - 1 - shared, [tail[0] for tail in q.tails if tail]))
            ends.append(len(reads))
        values = self.forward([q.stem[shared:] for q in batch], reads, cache)
        found, begin = list[list[float]](), 0
        for q, end in zip(batch, ends, strict=True):
            together = sum(value[0] for value in values[begin : end - 1])
            firsts = iter(values[end - 1])
            found.append([together + (next(firsts) if tail else 0.0) for tail in q.tails])
            begin = end
        return found

    def _branches(self, batch: list[Question], shared: int, past: Any, cache: Any) -> Sums:
        """What comes after the first token of each tail, read behind its stem's keys and values."""
        own = hf_cache.fresh(cache)
        found: Sums = {}
        longer = [(n, k) for n, q in enumerate(batch) for k, tail in enumerate(q.tails) if len(tail) > 1]
        longer.sort(key=lambda nk: len(batch[nk[0]].stem))
        for length, same in groupby(longer, key=lambda nk: len(batch[nk[0]].stem) - shared):
            for some in self.budget.batches(list(same), lambda nk: length + len(batch[nk[0]].tails[nk[1]]), shared):  # noqa: B023
                behind = hf_cache.selected(own, [n for n, _ in some], length)
                before = hf_cache.laid(self.layers, [past, behind] if past else [behind])
                found |= self._tails(batch, some, [[] for _ in some], before)
        return found

    def _whole(self, batch: list[Question]) -> Sums:
        """The same from whole sequences, for models whose state cannot be branched."""
        found: Sums = {}
        longer = [(n, k) for n, q in enumerate(batch) for k, tail in enumerate(q.tails) if len(tail) > 1]
        for some in self.budget.batches(longer, lambda nk: len(batch[nk[0]].stem) + len(batch[nk[0]].tails[nk[1]])):
            found |= self._tails(batch, some, [batch[n].stem for n, _ in some], None)
        return found

    def _tails(self, batch: list[Question], some: Sequence[tuple[int, int]], stems: list[list[int]], cache: Any) -> Sums:
        tails = [batch[n].tails[k] for n, k in some]
        reads = [Read(row, len(stems[row]) + at - 1, tail[at : at + 1]) for row, tail in enumerate(tails) for at in range(1, len(tail))]
        values = self.forward([stem + tail[:-1] for stem, tail in zip(stems, tails, strict=True)], reads, cache)
        found = dict.fromkeys(some, 0.0)
        for read, value in zip(reads, values, strict=True):
            found[some[read.row]] += value[0]
        return found


def response(question: Question, name: str, values: Sequence[float], seconds: float) -> Response:
    """A response with log-likelihoods; one that is not a number is a failure, not a value."""
    if not all(map(math.isfinite, values)):
        return failed(question, name, "a log-likelihood is not a number; a dtype of 32 bits or bfloat16 may help")
    tokens = len(question.stem)
    return Response(
        prompt=question.prompt.id, model=name, loglikelihoods=tuple(values), lengths=question.lengths, tokens_in=tokens, seconds=seconds
    )


def failed(question: Question, name: str, error: str) -> Response:
    return Response(prompt=question.prompt.id, model=name, error=error)
