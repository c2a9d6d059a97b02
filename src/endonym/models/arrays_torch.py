"""The decoder's arithmetic in torch: bfloat16 where the processor has it, float32, or int8 with scales made as it runs.

The running sum of the layers stays in float32 in every precision; linear layers and attention compute in the precision
asked for. int8 rounds each token by its own largest value, so a batch changes nothing about a question in it. Processors
without VNNI add pairs of products in 16 bits, which overflow at full range: there activations are rounded to 7 bits.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.nn import functional


class TorchArrays:
    """The seam of :class:`~.decoder.Arrays` in torch."""

    name = "torch"

    def __init__(self, precision: str, threads: int, narrow: bool = True) -> None:
        self.precision, self.threads, self.narrow = precision, threads, narrow
        self.dtype = torch.bfloat16 if precision == "bfloat16" else torch.float32

    @contextmanager
    def session(self) -> Iterator[None]:
        """No gradients, and the threads that were asked for; what was set before is set again."""
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        try:
            with torch.inference_mode():
                yield
        finally:
            torch.set_num_threads(before)

    def weight(self, array: np.ndarray) -> Any:
        weight = torch.from_numpy(np.ascontiguousarray(array))
        if self.precision != "int8":
            return weight.to(self.dtype)
        scales = weight.abs().amax(1).clamp_min(1e-12) / 127
        zeros = torch.zeros(len(weight), dtype=torch.int64)
        with warnings.catch_warnings():  # torch says that a later torch will do this in another place
            warnings.simplefilter("ignore", UserWarning)
            quantised = torch.quantize_per_channel(weight, scales.double(), zeros, 0, torch.qint8)
        return torch.ops.quantized.linear_prepack(quantised, None)

    def put(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array))

    def numpy(self, array: torch.Tensor) -> np.ndarray:
        return array.float().numpy()

    def embed(self, table: torch.Tensor, ids: np.ndarray) -> torch.Tensor:
        return functional.embedding(torch.from_numpy(ids), table)

    def take(self, array: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return array.index_select(0, index)

    def pack(self, array: torch.Tensor) -> torch.Tensor:
        return array.clone(memory_format=torch.contiguous_format)

    def join(self, arrays: list[torch.Tensor], axis: int) -> torch.Tensor:
        return arrays[0] if len(arrays) == 1 else torch.cat(arrays, axis)

    def normed(self, x: torch.Tensor, eps: float, weight: torch.Tensor | None = None) -> torch.Tensor:
        return functional.rms_norm(x.float(), x.shape[-1:], weight, eps)

    def linear(self, x: torch.Tensor, weight: Any) -> torch.Tensor:
        if self.precision == "int8":
            return self._linear_int8(x, weight)
        return functional.linear(x.to(self.dtype), weight)

    def _linear_int8(self, x: torch.Tensor, weight: Any) -> torch.Tensor:
        """Each row is brought to [-1, 1] first, and a row that spans it is added: the rounding then is the same in every batch."""
        largest = x.abs().amax(-1, keepdim=True).clamp_min(1e-12)
        span = torch.ones(1, x.shape[-1])
        span[0, 0] = -1
        rows = torch.cat([x / largest, span])
        return torch.ops.quantized.linear_dynamic(rows, weight, self.narrow)[:-1] * largest

    def turn(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """Rotate the pairs of x, which are neighbours: one complex product."""
        pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * angles).flatten(-2).to(self.dtype)

    def gate(self, x: torch.Tensor, kind: str) -> torch.Tensor:
        gate, up = x.chunk(2, -1)
        return (functional.gelu(gate, approximate="tanh") if kind == "gelu" else functional.silu(gate)) * up

    def mix(self, q: Any, own: tuple[Any, Any], mask: Any, past: tuple[Any, Any] | None, past_mask: Any | None) -> torch.Tensor:
        """Attention of q [groups, rows, heads, wide, size] to its own keys and to a past that all rows share."""
        groups, rows, heads, wide, size = q.shape
        flat = q.reshape(groups, rows, heads * wide, size)
        scores = (flat @ own[0].transpose(-1, -2)).float().view(groups, rows, heads, wide, -1)
        scores += mask[:, None]
        if past is None:
            shares = scores.softmax(-1).to(q.dtype).view(groups, rows, heads * wide, -1)
            return (shares @ own[1].to(q.dtype)).view(q.shape)
        old = (flat.reshape(groups, -1, size) @ past[0].transpose(-1, -2)).float().view(groups, rows, heads, wide, -1)
        if past_mask is not None:
            old += past_mask[:, None]
        shares = torch.cat([old, scores], -1).softmax(-1).to(q.dtype)
        far, near = shares.split([old.shape[-1], scores.shape[-1]], -1)
        seen = near.reshape(groups, rows, heads * wide, -1) @ own[1].to(q.dtype)
        seen += (far.reshape(groups, rows * heads * wide, -1) @ past[1].to(q.dtype)).view(seen.shape)
        return seen.view(q.shape)

    def logits(self, x: torch.Tensor, table: torch.Tensor) -> np.ndarray:
        return functional.linear(x, table).numpy()
