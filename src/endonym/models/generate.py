"""Greedy generation: a batch of prompts goes in; their continuations come out, each until its end or its limit.

The prompts are run as a tree, like everything else; then all rows take one token at a time, and rows that have ended
leave the batch. The likeliest token is taken at every step, so the same prompt always gets the same text.
"""

from collections.abc import Callable, Sequence

import numpy as np

from .attention import Past, Plan, TreeAttention, heads_first, lay, tokens_first
from .batching import Outcome, Task
from .decoder import Array, Decoder

_HIDDEN = np.float32(-1e30)


class StepAttention:
    """Attention of one new token a row to all that the row has seen: caches [groups, rows, tokens, size] for each layer."""

    def __init__(self, decoder: Decoder, past: Past | None) -> None:
        self.arrays, self.config, self.past = decoder.arrays, decoder.config, past
        self.start = len(past.tokens) if past else 0
        self.caches: list[tuple[Array, Array]] = []
        self.sizes = np.empty(0, np.int64)
        """Tokens of each row that are in the caches."""

    def fill(self, kept: list[tuple[Array, Array]], paths: list[np.ndarray], room: int) -> None:
        """Take the keys and values of each row out of the flat row of a plan, with ``room`` for more tokens."""
        arrays = self.arrays
        self.sizes = np.array([len(path) for path in paths])
        index = np.zeros((len(paths), int(self.sizes.max()) + room), np.int64)
        for number, path in enumerate(paths):
            index[number, : len(path)] = path
        flat = arrays.put(index.reshape(-1))
        for k, v in kept:
            both = (arrays.take(part, flat).reshape(*index.shape, *part.shape[1:]).swapaxes(1, 2).swapaxes(0, 1) for part in (k, v))
            k_cache, v_cache = both
            self.caches.append((k_cache, v_cache))

    def ready(self) -> None:
        """Make the masks of the coming step; to be called once before each."""
        stand = self.start + np.arange(int(self.sizes.max()) + 1)
        at = self.start + self.sizes[:, None, None]
        put, window = self.arrays.put, self.config.window
        self.rows, self.places = put(np.arange(len(self.sizes))), put(self.sizes.copy())
        self.width = len(stand)
        self.mask = put(np.where(stand <= at, np.float32(0), _HIDDEN))
        self.near, self.near_past = self.mask, None
        if window and at.max() >= window:
            self.near = put(np.where((stand <= at) & (stand > at - window), np.float32(0), _HIDDEN))
            self.near_past = put(np.where(np.arange(self.start) > at - window, np.float32(0), _HIDDEN)) if self.start else None

    def see(self, layer: int, q: Array, k: Array, v: Array, sliding: bool) -> Array:
        keys, values = self.caches[layer]
        keys[:, self.rows, self.places] = k.swapaxes(0, 1)
        values[:, self.rows, self.places] = v.swapaxes(0, 1)
        own = (keys[:, :, : self.width], values[:, :, : self.width])
        wide = heads_first(q.reshape(len(q), 1, self.config.groups, -1, self.config.size))
        past = self.past.layers[layer] if self.past else None
        seen = self.arrays.mix(wide, own, self.near if sliding else self.mask, past, self.near_past if sliding else None)
        return tokens_first(seen).reshape(len(q), -1)

    def keep(self, alive: np.ndarray) -> None:
        """Let go of rows that have ended."""
        index = self.arrays.put(alive)
        self.caches = [(k[:, index], v[:, index]) for k, v in self.caches]
        self.sizes = self.sizes[alive]


class Steps:
    """Generates for batches of tasks with one model."""

    def __init__(self, decoder: Decoder, ends: frozenset[int], decode: Callable[[Sequence[int]], str]) -> None:
        self.decoder, self.ends, self.decode = decoder, ends, decode

    def run(self, batch: list[Task], past: Past | None, budget: int) -> list[tuple[Task, Outcome]]:
        """Generate for tasks that share a past; the outcome of each has its text and why it ended."""
        start = len(past.tokens) if past else 0
        plan = lay([task.context for task in batch], start, self.decoder.config.window)
        attention, chosen = self._begin(batch, plan, past)
        said: list[list[int]] = [[] for _ in batch]
        alive = np.arange(len(batch))
        while True:
            for number, token in zip(alive, chosen, strict=True):
                said[number].append(int(token))
            going = np.array([self._goes_on(batch[number], said[number]) for number in alive], bool)
            if not going.any():
                break
            if not going.all():
                alive = alive[going]
                attention.keep(np.flatnonzero(going))
            chosen = self._step(attention, np.array([said[number][-1] for number in alive]))
        return [(task, self._outcome(tokens)) for task, tokens in zip(batch, said, strict=True)]

    def _begin(self, batch: list[Task], plan: Plan, past: Past | None) -> tuple[StepAttention, np.ndarray]:
        decoder = self.decoder
        tree = TreeAttention(decoder.arrays, decoder.config, plan, past, keep=True)
        paths = [plan.paths[task.context] for task in batch]
        hidden = decoder.forward(plan.tokens, plan.positions, tree, np.array([path[-1] for path in paths]))
        attention = StepAttention(decoder, past)
        attention.fill(tree.kept, paths, max(task.limit for task in batch))
        return attention, decoder.logits(hidden).argmax(-1)

    def _step(self, attention: StepAttention, tokens: np.ndarray) -> np.ndarray:
        attention.ready()
        hidden = self.decoder.forward(tokens, attention.start + attention.sizes, attention, np.arange(len(tokens)))
        attention.sizes = attention.sizes + 1
        return self.decoder.logits(hidden).argmax(-1)

    def _goes_on(self, task: Task, said: list[int]) -> bool:
        return said[-1] not in self.ends and len(said) < task.limit

    def _outcome(self, said: list[int]) -> Outcome:
        stopped = said[-1] in self.ends
        return Outcome(text=self.decode(said[:-1] if stopped else said), finish="stop" if stopped else "length", tokens=len(said))
