"""A model at work: tasks go in; outcomes come out, batch by batch, in any order.

The one thing to know: every continuation of a question is read from one forward pass over the tree of its tokens, and
a prefix that a batch shares is computed once and kept for the batches to come.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import Any

import numpy as np

from .attention import Past, Plan, Row, TreeAttention, common, lay
from .batching import WORTH, Outcome, Task, batches, shared_prefix
from .decoder import Array, Decoder
from .generate import Steps

_KEPT_TOKENS = 8192
"""Tokens of prefixes that are kept; one token of SmolLM2-135M takes 46 KB."""
_GENERATING = 8192
"""Tokens, read and to be written, of a batch that generates."""
_LOGITS = 1 << 25
"""Logits held at once: rows × vocabulary."""
Done = tuple[Task, Outcome]
Session = Callable[[], AbstractContextManager[Any]]
Around = Callable[[int], AbstractContextManager[Any]]


class Prefixes:
    """Keys and values of prefixes, computed once each; the longest kept beginning of a new one is used again."""

    def __init__(self, decoder: Decoder, budget: int) -> None:
        self.decoder, self.budget = decoder, budget
        self.kept: list[Past] = []
        self.computed = 0
        """Tokens run for prefixes so far."""
        self._lock = threading.Lock()

    def get(self, prefix: Row) -> Past | None:
        """The past for a batch: at least all but ``WORTH`` tokens of its prefix, or None for a prefix too short to keep."""
        if len(prefix) < WORTH:
            return None
        with self._lock:
            best = max(self.kept, key=lambda past: common(past.tokens, prefix), default=None)
            length = common(best.tokens, prefix) if best else 0
            if best and len(prefix) - length < WORTH:
                self.kept.remove(best)
                self.kept.append(best)
                return best.cut(length)
            past = self.extend(best.cut(length) if best and length else None, prefix)
            self.kept = [other for other in self.kept if past.tokens[: len(other.tokens)] != other.tokens] + [past]
            while len(self.kept) > 1 and sum(len(other.tokens) for other in self.kept) > _KEPT_TOKENS:
                del self.kept[0]
            return past

    def extend(self, past: Past | None, prefix: Row) -> Past:
        """Run the rest of a prefix, in parts, so that a long one needs no more memory than a batch."""
        arrays, config = self.decoder.arrays, self.decoder.config
        start = len(past.tokens) if past else 0
        self.computed += len(prefix) - start
        for at in range(start, len(prefix), self.budget):
            row = prefix[: at + self.budget]
            plan = lay([row], at, config.window)
            attention = TreeAttention(arrays, config, plan, past, keep=True)
            self.decoder.forward(plan.tokens, plan.positions, attention, np.empty(0, np.int64))
            new = [(arrays.pack(k.swapaxes(0, 1)), arrays.pack(v.swapaxes(0, 1))) for k, v in attention.kept]
            if past:
                pairs = zip(past.layers, new, strict=True)
                new = [(arrays.join([k, more_k], 1), arrays.join([v, more_v], 1)) for (k, v), (more_k, more_v) in pairs]
            past = Past(row, new)
        if past is None:
            raise ValueError("a prefix of no tokens")
        return past


class Engine:
    """Runs tasks in batches on ``workers`` threads.

    ``session`` is entered for each batch; ``around`` for each call, with the processors that each worker may use.
    """

    def __init__(self, decoder: Decoder, *, budget: int, workers: int, session: Session, around: Around = nullcontext) -> None:
        self.decoder, self.budget, self.session, self.around = decoder, budget, session, around
        self.prefixes = Prefixes(decoder, budget)
        self.workers = workers
        self.pool = ThreadPoolExecutor(workers, thread_name_prefix="endonym-local")
        self._lock = threading.Lock()
        self.forwarded = 0
        """Tokens run so far, without those of kept prefixes."""

    def close(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)

    def score(self, tasks: Sequence[Task]) -> Iterator[Done]:
        """Log-likelihoods of the continuations of each task."""
        yield from self._spread(self._score, list(batches(tasks, self.budget, len(tasks))))

    def generate(self, tasks: Sequence[Task], ends: frozenset[int], decode: Callable[[Sequence[int]], str]) -> Iterator[Done]:
        """Greedy continuations of each task, up to its limit or a token of ``ends``."""
        steps = Steps(self.decoder, ends, decode)
        yield from self._spread(lambda batch: steps.run(batch, self._past(batch), self.budget), list(batches(tasks, _GENERATING, 64)))

    def _spread(self, work: Callable[[list[Task]], list[Done]], parts: list[list[Task]]) -> Iterator[Done]:
        """Keep every worker busy, with one batch waiting for each; give results as batches finish."""
        with self.around(max(1, self.workers // max(1, len(parts)))):
            yield from self._gather(work, iter(parts))

    def _gather(self, work: Callable[[list[Task]], list[Done]], parts: Iterator[list[Task]]) -> Iterator[Done]:
        running: set[Future[list[Done]]] = set()
        try:
            while True:
                running |= {self.pool.submit(self._safely, work, batch) for batch in islice(parts, 2 * self.workers - len(running))}
                if not running:
                    return
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield from future.result()
        finally:
            for future in running:
                future.cancel()

    def _safely(self, work: Callable[[list[Task]], list[Done]], batch: list[Task]) -> list[Done]:
        try:
            with self.session():
                return work(batch)
        except MemoryError:
            return [(task, Outcome(error=f"not enough memory for a batch of {len(batch)} prompts")) for task in batch]

    def _past(self, batch: list[Task]) -> Past | None:
        """The past of a batch: its shared prefix, or most of a prompt that is too long to be run at once."""
        if len(batch) == 1 and len(batch[0].context) > 2 * self.budget:
            return self.prefixes.extend(None, batch[0].context[:-1])
        return self.prefixes.get(shared_prefix(batch)) if len(batch) > 1 else None

    def _score(self, batch: list[Task]) -> list[Done]:
        past = self._past(batch)
        plan = lay([row for task in batch for row in task.rows], len(past.tokens) if past else 0, self.decoder.config.window)
        reads = [_reads(task, plan) for task in batch]
        want = np.unique(np.concatenate([nodes for nodes, _, _ in reads]))
        attention = TreeAttention(self.decoder.arrays, self.decoder.config, plan, past)
        hidden = self.decoder.forward(plan.tokens, plan.positions, attention, want)
        with self._lock:
            self.forwarded += len(plan.tokens)
        nodes, targets = (np.concatenate(parts) for parts in list(zip(*reads, strict=True))[:2])
        found = self._log_probabilities(hidden, np.searchsorted(want, nodes), targets)
        done, at = [], 0
        for task, (_, _, owner) in zip(batch, reads, strict=True):
            sums = np.bincount(owner, found[at : at + len(owner)], len(task.wholes))
            done.append((task, Outcome(loglikelihoods=tuple(round(float(value), 5) for value in sums))))
            at += len(owner)
        return done

    def _log_probabilities(self, hidden: Array, rows: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """ln p of each target [n] at its row of the hidden states; the vocabulary is seen a few rows at a time."""
        found = np.empty(len(rows), np.float64)
        step = max(1, _LOGITS // self.decoder.head.shape[0])
        for at in range(0, len(hidden), step):
            logits = self.decoder.logits(hidden[at : at + step])
            here = np.flatnonzero((rows >= at) & (rows < at + step))
            wanted = logits[rows[here] - at, targets[here]].astype(np.float64)
            top = logits.max(-1, keepdims=True)
            logits -= top
            np.exp(logits, out=logits)
            total = np.log(logits.sum(-1, dtype=np.float64)) + top[:, 0]
            found[here] = wanted - total[rows[here] - at]
        return found


def _reads(task: Task, plan: Plan) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the tokens of a task's continuations are read: flat index, token, and which continuation it belongs to."""
    nodes, targets, owner = [], [], []
    first = len(task.context) - 1
    for number, whole in enumerate(task.wholes):
        nodes.append(plan.paths[whole[:-1]][first - plan.start :])
        targets += whole[first + 1 :]
        owner += [number] * (len(whole) - 1 - first)
    return np.concatenate(nodes), np.array(targets), np.array(owner)
