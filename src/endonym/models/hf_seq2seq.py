"""Log-likelihoods under an encoder-decoder (Aya, mT5): the prompt is the encoder's input, continuations are what the decoder writes.

In: questions whose stem is the encoder's input with whatever the tokenizer adds to it. A prompt is encoded once for all its
continuations. They are texts of their own here, so the blank that joins them to a raw prompt is dropped; the end of the
sequence is not counted (as in lm-evaluation-harness).
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from ..records import Prompt, Response
from .hf_forward import Forward, Read
from .hf_rows import Budget, in_halves
from .hf_score import TOO_LARGE, failed, response
from .hf_text import Question, Text


def questions(text: Text, prompts: Sequence[Prompt], texts: Sequence[str]) -> list[Question]:
    """Tokenise prompts as inputs and continuations as targets."""
    inputs = encoded(text, texts)
    targets = iter(text._ids([c.lstrip() for prompt in prompts for c in prompt.continuations]))
    return [Question(p, ids, len(ids), [next(targets) for _ in p.continuations]) for p, ids in zip(prompts, inputs, strict=True)]


def encoded(text: Text, texts: Sequence[str]) -> list[list[int]]:
    """Inputs of the encoder, with the tokenizer's own end of text."""
    return [ids if text.back and ids[-len(text.back) :] == text.back else ids + text.back for ids in text.encode(texts)]


class Seq2SeqScorer:
    """Reads questions with an encoder-decoder."""

    sharing = "off: each input is encoded by itself"

    def __init__(self, name: str, model: Any, budget: Budget) -> None:
        import torch

        self.name, self.budget, self.forward = name, budget, Forward(model)
        self.out_of_memory: type[Exception] = torch.cuda.OutOfMemoryError
        starts = (model.generation_config.decoder_start_token_id, getattr(model.config, "decoder_start_token_id", None))
        self.start = next((token for token in starts if token is not None), 0)

    def score(self, questions: Sequence[Question]) -> Iterator[Response]:
        """One response for each question."""
        for batch in self.budget.batches(questions, lambda q: len(q.stem) + sum(map(len, q.tails))):
            begun = time.perf_counter()
            try:
                values = in_halves(batch, self._batch, self.budget, self.out_of_memory)
            except self.out_of_memory:
                yield from (failed(q, self.name, TOO_LARGE) for q in batch)
                continue
            seconds = (time.perf_counter() - begun) / len(batch)
            yield from (response(q, self.name, v, seconds) for q, v in zip(batch, values, strict=True))

    def _batch(self, batch: list[Question]) -> list[list[float]]:
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        rows = [(n, self._row(q, k)) for n, q in enumerate(batch) for k in _distinct(q)]
        order = {(n, tuple(row)): number for number, (n, row) in enumerate(rows)}
        reads = [
            Read(order[n, tuple(self._row(q, k))], at, tail[at : at + 1])
            for n, q in enumerate(batch) for k, tail in enumerate(q.tails) for at in range(len(tail))
        ]  # fmt: skip
        ids, lengths = self.forward.rows([q.stem for q in batch]), torch.tensor([len(q.stem) for q in batch], device=self.forward.device)
        mask = (torch.arange(ids.shape[1], device=ids.device)[None] < lengths[:, None]).long()
        pick = torch.tensor([n for n, _ in rows], device=ids.device)
        with torch.inference_mode():
            hidden = self.forward.model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        values = iter(self.forward.run(
            reads, encoder_outputs=BaseModelOutput(last_hidden_state=hidden[pick]), attention_mask=mask[pick],
            decoder_input_ids=self.forward.rows([row for _, row in rows]), use_cache=False,
        ))  # fmt: skip
        return [[sum(next(values)[0] for _ in tail) for tail in q.tails] for q in batch]

    def _row(self, question: Question, number: int) -> list[int]:
        return [self.start, *question.tails[number][:-1]]


def _distinct(question: Question) -> list[int]:
    """Continuations that need a row of their own: those of one token all read the same one."""
    return list({tuple(tail[:-1]): k for k, tail in enumerate(question.tails)}.values())
