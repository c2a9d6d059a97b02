"""The decoder's arithmetic in numpy, float32: nothing to install beyond numpy itself.

Its BLAS does nine tenths of the work. The rest is kept in the processor's cache: element-wise steps go over blocks of
rows and write in place. Several threads may use one instance, each with a batch of its own.
"""

from typing import Any

import numpy as np

_BLOCK = 32
"""Rows of the feed-forward handled at once: 32 × 3,072 float32 are 0.4 MB."""
_C = np.float32(0.7978845608028654)  # sqrt(2 / pi), of the tanh form of GELU


class NumpyArrays:
    """The seam of :class:`~.decoder.Arrays` in numpy. Weights lie inputs first, which BLAS reads fastest."""

    name = "numpy"
    precision = "float32"

    def weight(self, array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array.T)

    def put(self, array: np.ndarray) -> np.ndarray:
        return array

    def numpy(self, array: np.ndarray) -> np.ndarray:
        return array

    def embed(self, table: np.ndarray, ids: np.ndarray) -> np.ndarray:
        return table[ids]

    def take(self, array: np.ndarray, index: np.ndarray) -> np.ndarray:
        return np.take(array, index, axis=0)

    def pack(self, array: np.ndarray) -> np.ndarray:
        """A copy that holds on to nothing else."""
        return array.copy(order="C")

    def join(self, arrays: list[np.ndarray], axis: int) -> np.ndarray:
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis)

    def normed(self, x: np.ndarray, eps: float, weight: np.ndarray | None = None) -> np.ndarray:
        square = np.einsum("...i,...i->...", x, x)
        scale = 1 / np.sqrt(square / np.float32(x.shape[-1]) + np.float32(eps))
        out = x * scale[..., None]
        if weight is not None:
            out *= weight
        return out

    def linear(self, x: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return np.matmul(x, weight)

    def turn(self, x: np.ndarray, angles: np.ndarray) -> np.ndarray:
        """Rotate the pairs of x, which are neighbours, in place: one complex product."""
        pairs = x.view(np.complex64)
        np.multiply(pairs, angles, out=pairs)
        return x

    def gate(self, x: np.ndarray, kind: str) -> np.ndarray:
        half = x.shape[-1] // 2
        out = np.empty((len(x), half), np.float32)
        act = self._gelu if kind == "gelu" else self._silu
        for at in range(0, len(x), _BLOCK):
            block = x[at : at + _BLOCK]
            act(block[:, :half], out[at : at + _BLOCK])
            out[at : at + _BLOCK] *= block[:, half:]
        return out

    @staticmethod
    def _silu(x: np.ndarray, out: np.ndarray) -> None:
        np.negative(x, out=out)
        with np.errstate(over="ignore"):  # exp of a large number is infinite, and x / infinity is the right 0
            np.exp(out, out=out)
        out += 1
        np.divide(x, out, out=out)

    @staticmethod
    def _gelu(x: np.ndarray, out: np.ndarray) -> None:
        np.multiply(x, x, out=out)
        out *= np.float32(0.044715)
        out += 1
        out *= x
        out *= _C
        np.tanh(out, out=out)
        out += 1
        out *= x
        out *= np.float32(0.5)

    def mix(self, q: np.ndarray, own: tuple[Any, Any], mask: Any, past: tuple[Any, Any] | None, past_mask: Any | None) -> np.ndarray:
        """Attention of q [groups, rows, heads, wide, size] to its own keys and to a past that all rows share."""
        groups, rows, heads, wide, size = q.shape
        flat = np.ascontiguousarray(q).reshape(groups, rows, heads * wide, size)
        scores = np.matmul(flat, own[0].swapaxes(-1, -2)).reshape(groups, rows, heads, wide, -1)
        scores += mask[:, None]
        top = scores.max(-1, keepdims=True)
        if past is None:
            total = _softly(scores, top)
            seen = np.matmul(scores.reshape(groups, rows, heads * wide, -1), own[1]).reshape(q.shape)
            seen /= total
            return seen
        old = np.matmul(flat.reshape(groups, -1, size), past[0].swapaxes(-1, -2)).reshape(groups, rows, heads, wide, -1)
        if past_mask is not None:
            old += past_mask[:, None]
        np.maximum(top, old.max(-1, keepdims=True), out=top)
        total = _softly(scores, top) + _softly(old, top)
        seen = np.matmul(scores.reshape(groups, rows, heads * wide, -1), own[1]).reshape(q.shape)
        seen += np.matmul(old.reshape(groups, rows * heads * wide, -1), past[1]).reshape(q.shape)
        seen /= total
        return seen

    def logits(self, x: np.ndarray, table: np.ndarray) -> np.ndarray:
        return np.matmul(x, table.T)


def _softly(scores: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Turn scores into unnormalised shares, in place; give their sums."""
    scores -= top
    np.exp(scores, out=scores)
    return scores.sum(-1, keepdims=True)
