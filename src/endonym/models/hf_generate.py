"""What a model writes: prompts as token ids go in, responses with a text and its reason to end come out.

transformers' own ``generate`` runs the batches (padded on the left for causal models, on the right for encoders). Greedy
unless a temperature is set; then each prompt has random numbers of its own, from seed, draw and prompt, so that neither
the order nor the size of batches changes what is drawn.
"""

import random
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from ..records import Prompt, Response
from .hf_load import quiet
from .hf_rows import Budget, in_halves
from .hf_score import TOO_LARGE
from .hf_text import Text

DEFAULT_TOKENS = 64


class Asked(NamedTuple):
    """A prompt, its tokens, and how many it may be answered with."""

    prompt: Prompt
    ids: list[int]
    limit: int


class Sampling(NamedTuple):
    """``temperature`` 0 is greedy; ``top_p`` keeps the likeliest tokens that together have that much probability."""

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0


class Writer:
    """Writes answers in batches of equal limits, the longest prompts first."""

    def __init__(self, name: str, model: Any, text: Text, budget: Budget, sampling: Sampling) -> None:
        import torch

        self.name, self.model, self.text, self.budget, self.sampling = name, model, text, budget, sampling
        self.out_of_memory: type[Exception] = torch.cuda.OutOfMemoryError
        self.encoder = bool(model.config.is_encoder_decoder)
        named = model.generation_config.eos_token_id
        own = named if isinstance(named, list) else [named] if named is not None else []
        self.ends: list[int] = list(dict.fromkeys([*own, *text.ends()]))
        padding = text.tokenizer.pad_token_id
        self.padding: int = padding if padding is not None else self.ends[0] if self.ends else 0

    def write(self, asked: Sequence[Asked]) -> Iterator[Response]:
        """One response for each prompt."""
        for limit, some in groupby(sorted(asked, key=lambda a: a.limit), key=lambda a: a.limit):
            for batch in self.budget.batches(list(some), lambda a: len(a.ids) + limit):  # noqa: B023 - used before the next turn
                begun = time.perf_counter()
                try:
                    answers = in_halves(batch, partial(self._batch, limit), self.budget, self.out_of_memory)
                except self.out_of_memory:
                    yield from (Response(prompt=a.prompt.id, model=self.name, error=TOO_LARGE) for a in batch)
                    continue
                seconds = (time.perf_counter() - begun) / len(batch)
                yield from (self._response(a, ids, seconds) for a, ids in zip(batch, answers, strict=True))

    def _batch(self, limit: int, batch: list[Asked]) -> list[list[int]]:
        import torch
        from transformers import GenerationConfig, LogitsProcessorList

        device = self.model.get_input_embeddings().weight.device
        width = max(len(a.ids) for a in batch)
        ids = torch.tensor([self._padded(a.ids, width, self.padding) for a in batch], device=device)
        mask = torch.tensor([self._padded([1] * len(a.ids), width, 0) for a in batch], device=device)
        config = GenerationConfig(
            max_new_tokens=limit, do_sample=False, num_beams=1, eos_token_id=self.ends or None, pad_token_id=self.padding, use_cache=True
        )
        drawn = LogitsProcessorList([Drawn([a.prompt for a in batch], self.sampling)] if self.sampling.temperature > 0 else [])
        with quiet(), torch.inference_mode():
            out = self.model.generate(input_ids=ids, attention_mask=mask, generation_config=config, logits_processor=drawn)
        return out[:, 1 if self.encoder else width :].tolist()

    def _padded(self, row: list[int], width: int, padding: int) -> list[int]:
        blank = [padding] * (width - len(row))
        return row + blank if self.encoder else blank + row

    def _response(self, asked: Asked, ids: list[int], seconds: float) -> Response:
        end = next((at for at, token in enumerate(ids) if token in self.ends), None)
        return Response(
            prompt=asked.prompt.id, model=self.name, text=self.text.decode(ids[:end]), finish_reason="length" if end is None else "stop",
            tokens_in=len(asked.ids), tokens_out=len(ids) if end is None else end + 1, seconds=seconds,
        )  # fmt: skip


class Drawn:
    """A logits processor of transformers' kind that leaves each row one token, drawn with the row's own random numbers."""

    def __init__(self, prompts: Sequence[Prompt], sampling: Sampling) -> None:
        self.numbers = [random.Random(f"{sampling.seed}:{p.draw}:{p.id}") for p in prompts]
        self.sampling = sampling

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        import torch

        chances, tokens = (scores.float() / self.sampling.temperature).softmax(-1).sort(dim=-1, descending=True, stable=True)
        total = chances.double().cumsum(-1)
        kept = (total - chances < self.sampling.top_p).sum(-1, keepdim=True)
        mass = total.gather(-1, kept - 1)
        points = torch.tensor([[numbers.random()] for numbers in self.numbers], dtype=total.dtype, device=scores.device) * mass
        places = torch.minimum((total <= points).sum(-1, keepdim=True), kept - 1)
        chosen = tokens.gather(-1, places)
        return torch.full_like(scores, -torch.inf).scatter(-1, chosen, 0.0)
