"""The decoder: token ids go in, hidden states of the wanted positions come out; on any array library.

One code for the families llama, gemma3, qwen2 and qwen3: RMSNorm, rotary positions, grouped-query attention, gated
feed-forward. Tokens of many questions stand in one flat row, so linear layers see no padding; who may look at whom is
the business of :mod:`.attention`. In the last layer only the wanted positions go through the feed-forward.

Papers: Touvron et al. 2023 (Llama), Gemma Team 2025 (Gemma 3), Yang et al. 2025 (Qwen 3), Su et al. 2021 (RoPE).
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from ..errors import Unavailable
from .gguf_file import GGUF

Array = Any
"""An array of the library in use: numpy or torch."""
ARCHITECTURES = ("llama", "gemma3", "qwen2", "qwen3")


class Arrays(Protocol):
    """The seam: what an array library must do for the decoder."""

    def weight(self, array: np.ndarray) -> Any: ...
    def put(self, array: np.ndarray) -> Array: ...
    def numpy(self, array: Array) -> np.ndarray: ...
    def embed(self, table: Array, ids: np.ndarray) -> Array: ...
    def take(self, array: Array, index: Array) -> Array: ...
    def normed(self, x: Array, eps: float, weight: Array | None = None) -> Array: ...
    def linear(self, x: Array, weight: Any) -> Array: ...
    def turn(self, x: Array, angles: Array) -> Array: ...
    def gate(self, x: Array, kind: str) -> Array: ...
    def mix(self, q: Array, own: tuple[Array, Array], mask: Array, past: tuple[Array, Array] | None, past_mask: Array | None) -> Array: ...
    def pack(self, array: Array) -> Array: ...
    def join(self, arrays: list[Array], axis: int) -> Array: ...
    def logits(self, x: Array, table: Array) -> np.ndarray: ...


class Attention(Protocol):
    """Who looks at whom: given the queries, keys and values of the flat row, gives what was seen."""

    def see(self, layer: int, q: Array, k: Array, v: Array, sliding: bool) -> Array: ...


class Config(NamedTuple):
    """The sizes of a model, read from its file; Unavailable where it needs what is not built here."""

    family: str
    layers: int
    width: int
    heads: int
    groups: int
    """Heads of keys and values."""
    size: int
    """Width of one head."""
    eps: float
    context: int
    base: float
    factor: float
    window: int
    """Positions a sliding layer looks back; 0: all layers look back to the beginning."""
    pattern: int
    scale: float
    """What scores are multiplied by before the softmax."""

    @classmethod
    def of(cls, file: GGUF) -> "Config":
        family = file.architecture
        if family not in ARCHITECTURES:
            raise Unavailable(f"{file.path}: models of the family {family!r} cannot be run here; {', '.join(ARCHITECTURES)} can")
        heads, width, layers = int(file.key("attention.head_count")), int(file.key("embedding_length")), int(file.key("block_count"))
        size = int(file.key("attention.key_length", width // heads))
        _refuse_unknown(file, size)
        gemma = family == "gemma3"
        big = gemma and layers == 62  # Gemma 3 27B alone scales by width / heads
        return cls(
            family=family,
            layers=layers,
            width=width,
            heads=heads,
            groups=int(file.key("attention.head_count_kv", heads)),
            size=size,
            eps=float(file.key("attention.layer_norm_rms_epsilon")),
            context=int(file.key("context_length")),
            base=float(file.key("rope.freq_base", 10000.0)),
            factor=float(file.key("rope.scaling.factor", 1.0)) or 1.0,
            window=int(file.key("attention.sliding_window", 0)) if gemma else 0,
            pattern=6,
            scale=(width / heads if big else size) ** -0.5,
        )

    def sliding(self, layer: int) -> bool:
        return bool(self.window) and layer % self.pattern != self.pattern - 1


def _refuse_unknown(file: GGUF, size: int) -> None:
    """Name what this decoder does not do, rather than compute something else."""
    wants = {
        "mixture of experts": int(file.key("expert_count", 0)) > 0,
        "rotary positions on part of a head": int(file.key("rope.dimension_count", size)) != size,
        f"rope scaling {file.key('rope.scaling.type', 'none')!r}": file.key("rope.scaling.type", "none") not in ("none", "linear"),
        "heads that differ by layer": isinstance(file.key("attention.head_count_kv", 0), list),
        "values of another width than keys": int(file.key("attention.value_length", size)) != size,
        "capped logits": float(file.key("final_logit_softcapping", 0.0)) > 0,
    }
    for what, wanted in wants.items():
        if wanted:
            raise Unavailable(f"{file.path}: needs {what}, which is not built here")


class Layer(NamedTuple):
    """The weights of one layer; norms before a linear layer are folded into it."""

    qkv: Any
    qkv_bias: Array | None
    q_norm: Array | None
    k_norm: Array | None
    out: Any
    after_attention: Array | None
    gate_up: Any
    down: Any
    after_feed: Array | None


class Decoder:
    """A model in memory. ``forward`` and ``logits`` are all there is to call."""

    def __init__(self, file: GGUF, arrays: Arrays) -> None:
        self.config = Config.of(file)
        self.arrays = arrays
        self.activation = "gelu" if self.config.family == "gemma3" else "silu"
        self.table = arrays.put(file.tensor("token_embd.weight"))
        tied = "output.weight" not in file.tensors
        self.head = self.table if tied else arrays.put(file.tensor("output.weight"))
        self.norm = arrays.put(file.tensor("output_norm.weight"))
        self.layers = [self._layer(file, f"blk.{number}.") for number in range(self.config.layers)]
        factors = file.tensor("rope_freqs.weight") if "rope_freqs.weight" in file.tensors else 1.0
        halves = np.arange(0, self.config.size, 2, dtype=np.float64) / self.config.size
        self.speeds = self.config.base**-halves / factors / self.config.factor
        self.near_speeds = 10000.0**-halves

    def _layer(self, file: GGUF, at: str) -> Layer:
        def maybe(name: str) -> np.ndarray | None:
            return file.tensor(at + name) if at + name in file.tensors else None

        def put(array: np.ndarray | None) -> Array | None:
            return None if array is None else self.arrays.put(array)

        c = self.config
        q, k = (self._twist(file.tensor(f"{at}attn_{name}.weight")) for name in "qk")
        q_norm, k_norm = maybe("attn_q_norm.weight"), maybe("attn_k_norm.weight")
        if q_norm is None:
            q = q * np.float32(c.scale)
        bias = self._bias(file, at, np.float32(c.scale if q_norm is None else 1))
        qkv = np.concatenate([q, k, file.tensor(f"{at}attn_v.weight")]) * file.tensor(f"{at}attn_norm.weight")
        up = np.concatenate([file.tensor(f"{at}ffn_gate.weight"), file.tensor(f"{at}ffn_up.weight")]) * file.tensor(f"{at}ffn_norm.weight")
        weight = self.arrays.weight
        return Layer(
            qkv=weight(qkv),
            qkv_bias=put(bias),
            q_norm=put(None if q_norm is None else self._twist(q_norm) * np.float32(c.scale)),
            k_norm=put(None if k_norm is None else self._twist(k_norm)),
            out=weight(file.tensor(f"{at}attn_output.weight")),
            after_attention=put(maybe("post_attention_norm.weight")),
            gate_up=weight(up),
            down=weight(file.tensor(f"{at}ffn_down.weight")),
            after_feed=put(maybe("post_ffw_norm.weight")),
        )

    def _bias(self, file: GGUF, at: str, scale: np.float32) -> np.ndarray | None:
        if f"{at}attn_q.bias" not in file.tensors:
            return None
        q, k, v = (file.tensor(f"{at}attn_{name}.bias") for name in "qkv")
        return np.concatenate([self._twist(q) * scale, self._twist(k), v])

    def _twist(self, array: np.ndarray) -> np.ndarray:
        """Interleave the two halves of each head, as files of the llama family have them: a pair then is a complex number."""
        if self.config.family == "llama":
            return array
        rest = array.shape[1:]
        return array.reshape(-1, 2, self.config.size // 2, *rest).swapaxes(1, 2).reshape(array.shape)

    def angles(self, positions: np.ndarray) -> list[Array]:
        """Rotations as complex numbers [tokens, 1, size / 2], for the far-looking and for the sliding layers."""
        both = [self.speeds, self.near_speeds] if self.config.window else [self.speeds]
        turns = [positions[:, None].astype(np.float64) * speeds for speeds in both]
        return [self.arrays.put(np.exp(1j * turn)[:, None].astype(np.complex64)) for turn in turns]

    def forward(self, tokens: np.ndarray, positions: np.ndarray, attention: Attention, want: np.ndarray) -> Array:
        """Run tokens [n] at their positions [n]; give the normed hidden states [len(want), width] of the wanted ones."""
        arrays, c = self.arrays, self.config
        x = arrays.embed(self.table, tokens)
        if c.family == "gemma3":
            x = x * float(np.float32(c.width**0.5))
        angles = self.angles(positions)
        for number, layer in enumerate(self.layers):
            last = number == c.layers - 1
            q, k, v = self._queries(layer, arrays.normed(x, c.eps), angles[-1 if c.sliding(number) else 0])
            seen = attention.see(number, q, k, v, c.sliding(number))
            if last:
                if not len(want):
                    return x[:0]
                index = arrays.put(want)
                seen, x = arrays.take(seen, index), arrays.take(x, index)
            x = self._feed(layer, x, seen)
        return arrays.normed(x, c.eps, self.norm)

    def _queries(self, layer: Layer, h: Array, angle: Array) -> tuple[Array, Array, Array]:
        arrays, c = self.arrays, self.config
        qkv = arrays.linear(h, layer.qkv)
        if layer.qkv_bias is not None:
            qkv = qkv + layer.qkv_bias
        qkv = qkv.reshape(len(qkv), -1, c.size)
        q, k, v = qkv[:, : c.heads], qkv[:, c.heads : c.heads + c.groups], qkv[:, c.heads + c.groups :]
        if layer.q_norm is None:
            both = arrays.turn(qkv[:, : c.heads + c.groups], angle)
            return both[:, : c.heads], both[:, c.heads :], v
        q, k = arrays.normed(q, c.eps, layer.q_norm), arrays.normed(k, c.eps, layer.k_norm)
        return arrays.turn(q, angle), arrays.turn(k, angle), v

    def _feed(self, layer: Layer, x: Array, seen: Array) -> Array:
        arrays, eps = self.arrays, self.config.eps
        o = arrays.linear(seen, layer.out)
        if layer.after_attention is not None:
            o = arrays.normed(o, eps, layer.after_attention)
        x = x + o
        o = arrays.linear(arrays.gate(arrays.linear(arrays.normed(x, eps), layer.gate_up), self.activation), layer.down)
        if layer.after_feed is not None:
            o = arrays.normed(o, eps, layer.after_feed)
        return x + o

    def logits(self, hidden: Array) -> np.ndarray:
        """Scores [rows, vocabulary] of the next token, float32."""
        return self.arrays.logits(hidden, self.head)
