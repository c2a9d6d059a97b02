"""One pass of a model over a batch: rows of token ids go in, log-probabilities of wanted tokens at wanted places come out.

The one thing to know: rows are padded on the right and no mask is needed, because in a causal model nothing looks at what
comes after it; so padding cannot change a result, whatever the architecture. The head of the model is shown the wanted
places only (a hook picks them out), so logits [places, vocabulary] are all that is ever made, and what a model does to its
logits after the head (caps, scales, biases) is done.
"""

import inspect
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any, NamedTuple

_CHUNK = 128
"""Places whose logits are normalised at once, in float32."""


class Read(NamedTuple):
    """Wanted: the natural log-probabilities of ``tokens`` right after position ``at`` of row ``row``."""

    row: int
    at: int
    tokens: Sequence[int]


class Forward:
    """A transformers model that is read at places."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.device = model.get_input_embeddings().weight.device
        self.head = model.get_output_embeddings()
        self.vocabulary = int(self.head.weight.shape[0]) if hasattr(self.head, "weight") else 1 << 17

    @cached_property
    def parameters(self) -> frozenset[str]:
        return frozenset(inspect.signature(self.model.forward).parameters)

    @property
    def cache_name(self) -> str:
        """transformers calls it ``cache`` since 5.2x, ``past_key_values`` before."""
        return "cache" if "cache" in self.parameters else "past_key_values"

    def rows(self, rows: Sequence[Sequence[int]]) -> Any:
        """A tensor [rows, longest] padded on the right."""
        import torch

        width = max(map(len, rows))
        return torch.tensor([[*row, *([0] * (width - len(row)))] for row in rows], device=self.device)

    def __call__(self, rows: Sequence[Sequence[int]], reads: Sequence[Read], cache: Any = None) -> list[list[float]]:
        """Read rows behind what ``cache`` holds; one list of log-probabilities for each read."""
        more = {self.cache_name: cache} if cache is not None else {}
        return self.run(reads, input_ids=self.rows(rows), use_cache=cache is not None, **more)

    def run(self, reads: Sequence[Read], **inputs: Any) -> list[list[float]]:
        """Call the model with any inputs and read its decoder's places."""
        import torch

        picked = _Picked(self.head, [read.row for read in reads], [read.at for read in reads])
        with torch.inference_mode(), picked:
            logits = self.model(**inputs).logits
        if not picked.done:
            logits = logits[picked.rows, picked.places]
        return _log_probabilities(logits.reshape(len(reads), -1), reads)


class _Picked(AbstractContextManager):
    """While it is open, the model's head sees [1, places, width] instead of [rows, length, width]."""

    def __init__(self, head: Any, rows: list[int], places: list[int]) -> None:
        self.head, self.rows, self.places, self.done = head, rows, places, False
        self.handle: Any = nullcontext()

    def __enter__(self) -> "_Picked":
        if self.head is not None:
            self.handle = self.head.register_forward_pre_hook(self._pick)
        return self

    def _pick(self, module: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
        if not inputs or inputs[0].dim() != 3 or self.done:
            return None
        self.done = True
        return (inputs[0][self.rows, self.places][None], *inputs[1:])

    def __exit__(self, *_: object) -> None:
        if self.head is not None:
            self.handle.remove()


def _log_probabilities(logits: Any, reads: Sequence[Read]) -> list[list[float]]:
    found: list[list[float]] = []
    for start in range(0, len(reads), _CHUNK):
        some = reads[start : start + _CHUNK]
        rows = logits[start : start + _CHUNK].float()
        total = rows.logsumexp(-1)
        at = [n for n, read in enumerate(some) for _ in read.tokens]
        values = iter((rows[at, [t for read in some for t in read.tokens]] - total[at]).double().tolist() if at else [])
        found += [[next(values) for _ in read.tokens] for read in some]
    return found
