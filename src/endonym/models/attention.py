"""Who looks at whom: rows of tokens that begin alike go in; attention over their tree of prefixes comes out.

Rows (a prompt, or a prompt with an option's text) are laid into a tree: a token that several rows begin with is
computed once. A row looks along its own path, and before that at the *past*: keys and values of a prefix that was
computed earlier and is shared by the whole batch (a system prompt, the shots).

Source of the idea: tree attention (Miao et al. 2023, SpecInfer), prefix caching (Zheng et al. 2023, SGLang).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .decoder import Array, Arrays, Config

Row = tuple[int, ...]
_HIDDEN = np.float32(-1e30)
_PIECE = 256
"""Queries of one row that are scored together: bounds the memory that a long row takes."""
_CELLS = 1 << 22
"""Scores (rows × queries × keys) held at once for each head."""


class Past(NamedTuple):
    """Keys and values [groups, tokens, size] of a prefix, one pair for each layer."""

    tokens: Row
    layers: list[tuple[Array, Array]]

    def cut(self, length: int) -> "Past":
        """The same prefix, shorter; nothing is copied."""
        if length == len(self.tokens):
            return self
        return Past(self.tokens[:length], [(k[:, :length], v[:, :length]) for k, v in self.layers])


class Group(NamedTuple):
    """Pieces of rows of about one length, padded to a rectangle: indices into the flat row and what may be seen."""

    queries: np.ndarray
    keys: np.ndarray
    flat: np.ndarray
    """Flat indices of the real queries, in the order of ``real``."""
    real: np.ndarray
    """Where the real queries stand in the rectangle."""
    mask: np.ndarray
    near: np.ndarray
    """As ``mask``, for sliding layers."""
    near_past: np.ndarray | None


class Plan(NamedTuple):
    """A batch laid flat: each token once, with its position, and for each row the flat indices of its tokens after the past."""

    tokens: np.ndarray
    positions: np.ndarray
    paths: dict[Row, np.ndarray]
    groups: list[Group]
    start: int


def common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two rows begin with alike."""
    n = min(len(a), len(b))
    for index in range(n):
        if a[index] != b[index]:
            return index
    return n


def lay(rows: Sequence[Row], start: int, window: int) -> Plan:
    """Lay rows into a tree; ``start`` tokens of each are in the past; ``window`` is what a sliding layer sees (0: all)."""
    tokens: list[int] = []
    positions: list[int] = []
    paths: dict[Row, np.ndarray] = {}
    pieces: list[tuple[np.ndarray, int, int]] = []
    before: Row = ()
    path = np.empty(0, np.int64)
    for row in sorted(set(rows)):
        shared = max(common(before, row), start)
        first = len(tokens)
        tokens += row[shared:]
        positions += range(shared, len(row))
        path = np.concatenate([path[: shared - start], np.arange(first, len(tokens))])
        paths[row] = path
        pieces += [(path, at, min(at + _PIECE, len(row))) for at in range(shared, len(row), _PIECE)]
        before = row
    groups = [_group(part, start, window) for part in _alike(pieces, start)]
    return Plan(np.array(tokens), np.array(positions), paths, groups, start)


def _alike(pieces: list[tuple[np.ndarray, int, int]], start: int) -> list[list[tuple[np.ndarray, int, int]]]:
    """Put pieces of about one size together, so that little of a rectangle is padding."""
    pieces = sorted(pieces, key=lambda piece: (piece[2] - piece[1], piece[2]), reverse=True)
    groups: list[list[tuple[np.ndarray, int, int]]] = []
    most = 0
    for piece in pieces:
        size, keys = piece[2] - piece[1], piece[2] - start
        if groups:
            first = groups[-1][0]
            wide = first[2] - first[1]
            cells = (len(groups[-1]) + 1) * wide * (max(most, keys) + start)
            if cells <= _CELLS and (size * 4 >= wide * 3 or len(groups[-1]) < 8) and 2 * keys >= most:
                groups[-1].append(piece)
                most = max(most, keys)
                continue
        groups.append([piece])
        most = keys
    return groups


def _group(pieces: list[tuple[np.ndarray, int, int]], start: int, window: int) -> Group:
    wide, deep = max(last - first for _, first, last in pieces), max(last for _, _, last in pieces) - start
    queries, keys = np.zeros((len(pieces), wide), np.int64), np.zeros((len(pieces), deep), np.int64)
    at = np.full((len(pieces), wide), start, np.int64)
    real = np.zeros((len(pieces), wide), bool)
    for number, (path, first, last) in enumerate(pieces):
        queries[number, : last - first] = path[first - start : last - start]
        keys[number, : last - start] = path[: last - start]
        at[number, : last - first] = np.arange(first, last)
        real[number, : last - first] = True
    stand = np.arange(start, start + deep)
    seen = stand <= at[:, :, None]
    mask = near = np.where(seen, np.float32(0), _HIDDEN)
    near_past = None
    if window and at.max() >= window:
        near = np.where(seen & (stand > at[:, :, None] - window), np.float32(0), _HIDDEN)
        if start:
            near_past = np.where(np.arange(start) > at[:, :, None] - window, np.float32(0), _HIDDEN)
    places = np.flatnonzero(real)
    return Group(queries, keys, queries.reshape(-1)[places], places, mask, near, near_past)


def _put(group: Group, arrays: Arrays) -> Group:
    parts: list[Any] = [None if part is None else arrays.put(part) for part in group]
    return Group(*parts)


class TreeAttention:
    """Attention over a plan. With ``keep`` the keys and values of all its tokens stay, one pair for each layer."""

    def __init__(self, arrays: Arrays, config: Config, plan: Plan, past: Past | None = None, keep: bool = False) -> None:
        self.arrays, self.config, self.past, self.keep = arrays, config, past, keep
        self.groups = [_put(group, arrays) for group in plan.groups]
        self.back = arrays.put(np.argsort(np.concatenate([group.flat for group in plan.groups])))
        self.kept: list[tuple[Array, Array]] = []

    def see(self, layer: int, q: Array, k: Array, v: Array, sliding: bool) -> Array:
        if self.keep:
            self.kept.append((k, v))
        past = self.past.layers[layer] if self.past and self.past.tokens else None
        seen = [self._see(group, (q, k, v), past, sliding) for group in self.groups]
        return self.arrays.take(self.arrays.join(seen, 0), self.back)

    def _see(self, group: Group, qkv: tuple[Array, Array, Array], past: tuple[Array, Array] | None, sliding: bool) -> Array:
        arrays, c = self.arrays, self.config
        rows, wide = group.queries.shape
        q = arrays.take(qkv[0], group.queries.reshape(-1)).reshape(rows, wide, c.groups, -1, c.size)
        k, v = (arrays.take(part, group.keys.reshape(-1)).reshape(rows, -1, c.groups, c.size) for part in qkv[1:])
        own = (k.swapaxes(1, 2).swapaxes(0, 1), v.swapaxes(1, 2).swapaxes(0, 1))
        seen = arrays.mix(heads_first(q), own, group.near if sliding else group.mask, past, group.near_past if sliding else None)
        flat = tokens_first(seen).reshape(rows * wide, -1)
        return arrays.take(flat, group.real)


def heads_first(q: Array) -> Array:
    """[rows, wide, groups, heads of a group, size] → [groups, rows, heads of a group, wide, size]."""
    return q.swapaxes(0, 2).swapaxes(1, 2).swapaxes(2, 3)


def tokens_first(seen: Array) -> Array:
    """The way back from :func:`heads_first`."""
    return seen.swapaxes(2, 3).swapaxes(1, 2).swapaxes(0, 2)
