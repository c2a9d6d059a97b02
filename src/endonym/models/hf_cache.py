"""Beginnings computed once: keys and values of tokens that many sequences share, laid before each of them.

In: the tokens of a beginning. Out: a cache of transformers' kind that shows every layer [beginning, own tokens] and keeps
nothing it need not keep. Layers with a sliding window are shown the whole past too; their mask looks at distances only, and
rows are padded on the right, so distances are true. Models with another kind of state are not shared: see :func:`reason`.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from .hf_forward import Forward, Read

Past = list[tuple[Any, Any]]
"""Keys and values of each layer, [1 or rows, heads, tokens, width]."""


@cache
def _layer() -> type:
    import torch
    from transformers.cache_utils import DynamicLayer

    class Fixed(DynamicLayer):  # pyright: ignore[reportGeneralTypeIssues]
        """A layer whose past is given and does not grow; ``fresh`` is what came last, where it is to be kept."""

        def __init__(self, pieces: list[tuple[Any, Any]], keep: bool) -> None:
            super().__init__()
            self.pieces, self.keep, self.fresh = pieces, keep, None

        def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            if self.keep:
                self.fresh = (key_states, value_states)
            rows = key_states.shape[0]
            keys = [piece[0].expand(rows, -1, -1, -1) for piece in self.pieces]
            values = [piece[1].expand(rows, -1, -1, -1) for piece in self.pieces]
            return torch.cat([*keys, key_states], -2), torch.cat([*values, value_states], -2)

        def get_seq_length(self, *_: Any) -> int:
            return sum(piece[0].shape[-2] for piece in self.pieces)

    return Fixed


def laid(layers: int, pasts: Sequence[Past], *, keep: bool = False) -> Any:
    """A cache in which pasts lie one after the other; with ``keep``, :func:`fresh` gives what came after them."""
    from transformers import DynamicCache

    made = DynamicCache()
    made.layer_class_to_replicate = None
    made.layers = [_layer()([past[number] for past in pasts], keep) for number in range(layers)]
    return made


def fresh(made: Any) -> Past:
    """Keys and values that a pass added to a cache laid with ``keep``."""
    return [layer.fresh for layer in made.layers]


def selected(past: Past, rows: Sequence[int], length: int) -> Past:
    """The first ``length`` tokens of some rows of a past; a row may be taken several times."""
    import torch

    index = torch.tensor(rows, device=past[0][0].device)
    return [tuple(part[:, :, :length].index_select(0, index.to(part.device)) for part in layer) for layer in past]


def layers_of(model: Any) -> int:
    from transformers import DynamicCache

    return len(DynamicCache(config=model.config).layers)


def reason(model: Any) -> str:
    """Why a model's beginnings are not shared; empty where they are."""
    try:
        from transformers import DynamicCache
        from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

        layers = DynamicCache(config=model.config).layers
    except (ImportError, AttributeError, TypeError, ValueError, KeyError):
        return "this version of transformers does not say how its layers keep their past"
    config = model.config.get_text_config(decoder=True)
    kinds = sorted({type(layer).__name__ for layer in layers if type(layer) not in (DynamicLayer, DynamicSlidingWindowLayer)})
    if kinds:
        return f"layers keep their past as {', '.join(kinds)}"
    if not layers or getattr(config, "attention_chunk_size", None) or getattr(model, "_is_stateful", False):
        return f"{type(model).__name__} keeps its past in another way"
    return ""


def prefix(forward: Forward, tokens: Sequence[int], layers: int) -> Past:
    """Compute the keys and values of a beginning."""
    made = laid(layers, [], keep=True)
    forward([tokens], [Read(0, len(tokens) - 1, ())], cache=made)
    return fresh(made)


def agrees(forward: Forward, tokens: Sequence[int], shared: int, past: Past) -> bool:
    """Whether a sequence reads the same behind a shared beginning as whole: tried once, so that no model is read wrongly."""
    wanted = [(at, tokens[at + 1 : at + 2] or tokens[:1]) for at in range(shared, len(tokens))]
    whole = forward([tokens], [Read(0, at, want) for at, want in wanted])
    try:
        behind = forward([tokens[shared:]], [Read(0, at - shared, want) for at, want in wanted], laid(len(past), [past]))
    except (RuntimeError, TypeError, ValueError, AttributeError, IndexError):
        return False
    exact = str(forward.model.dtype) == "torch.float32"
    differences = [abs(a[0] - b[0]) for a, b in zip(whole, behind, strict=True)]
    return sum(differences) / len(differences) < (1e-3 if exact else 0.1)
