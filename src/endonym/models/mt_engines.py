"""What runs a translation model: transformers, or CTranslate2 for a folder that was converted to it.

In: token ids of texts and how the languages are told. Out: the translations, their tokens and whether each came to its end. The one
thing to know: results do not hang on which texts go through together (rows are masked), and a model's own beams and forbidden tokens
hold unless the settings say otherwise; nothing is sampled. Only imported when a model is really asked.
"""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Unavailable
from . import hf_load
from .hf_find import Place

BEAMS = 4


class Written(NamedTuple):
    """One translation: text, tokens written, and whether it was cut at the limit."""

    text: str
    tokens: int
    cut: bool


def converted(found: Place) -> bool:
    """Whether a folder holds a model of CTranslate2."""
    return bool(found.folder) and (Path(found.source) / "model.bin").is_file()


class Transformers:
    """An encoder-decoder of transformers."""

    def __init__(self, name: str, found: Place, params: dict[str, Any]) -> None:
        import torch
        from transformers import AutoModelForSeq2SeqLM

        dtype = "auto" if params["dtype"] == "auto" else getattr(torch, params["dtype"])
        device = ("cuda:0" if torch.cuda.is_available() else "cpu") if params["device"] == "auto" else params["device"]
        with hf_load.explained(name, found):
            self.model: Any = AutoModelForSeq2SeqLM.from_pretrained(found.source, dtype=dtype, **_where(found, params))
            self.model.to(device).eval()
        self.model.generation_config.forced_eos_token_id = None  # an end that is forced at the limit would pass for one that was reached
        self.limit = int(getattr(self.model.config, "max_position_embeddings", 0) or 0)
        self.beams = int(params["beams"]) or int(self.model.generation_config.num_beams or 1)

    def write(self, rows: Sequence[list[int]], tokenizer: Any, first: str, most: int) -> list[Written]:
        """Translate texts, each given as its token ids; ``first``: the token that the decoder is made to begin with."""
        import torch

        told = tokenizer.pad({"input_ids": list(rows)}, return_tensors="pt").to(self.model.device)
        forced = {"forced_bos_token_id": tokenizer.convert_tokens_to_ids(first)} if first else {}
        with torch.inference_mode(), hf_load.quiet():
            out = self.model.generate(
                input_ids=told["input_ids"], attention_mask=told["attention_mask"], num_beams=self.beams, do_sample=False,
                max_length=None, max_new_tokens=most, **forced,
            )  # fmt: skip
        return [self._written(list(ids[1:]), tokenizer) for ids in out.tolist()]

    def _written(self, ids: list[int], tokenizer: Any) -> Written:
        """What was written up to the end of text; padding after it is none of it."""
        ends = self.model.generation_config.eos_token_id
        ends = {ends} if isinstance(ends, int) else set(ends or ())
        at = next((n for n, token in enumerate(ids) if token in ends), None)
        own = ids if at is None else ids[: at + 1]
        return Written(tokenizer.decode(own, skip_special_tokens=True).strip(), len(own), at is None)

    def facts(self) -> dict[str, str]:
        """Precision and device."""
        return {"dtype": str(self.model.dtype).removeprefix("torch."), "device": self.model.device.type, "beams": str(self.beams)}


class CTranslate2:
    """A folder that ``ct2-transformers-converter`` made, with the tokenizer's files beside it."""

    limit = 0

    def __init__(self, name: str, found: Place, params: dict[str, Any]) -> None:
        if importlib.util.find_spec("ctranslate2") is None:
            raise Unavailable(f"{name}: is a folder of CTranslate2, which is not installed: pip install ctranslate2")
        import ctranslate2  # pyright: ignore[reportMissingImports]

        device = "auto" if params["device"] == "auto" else str(params["device"]).partition(":")[0]
        compute = "default" if params["dtype"] == "auto" else str(params["dtype"])
        try:
            self.model: Any = ctranslate2.Translator(found.source, device=device, compute_type=compute)
        except (RuntimeError, ValueError) as problem:
            raise Unavailable(f"{name}: cannot be loaded by CTranslate2 from {found.source}: {problem}") from problem
        self.beams = int(params["beams"]) or BEAMS

    def write(self, rows: Sequence[list[int]], tokenizer: Any, first: str, most: int) -> list[Written]:
        """As ``Transformers.write``."""
        tokens = [tokenizer.convert_ids_to_tokens(row) for row in rows]
        prefix = [[first]] * len(tokens) if first else None
        found = self.model.translate_batch(tokens, target_prefix=prefix, beam_size=self.beams, max_decoding_length=most)
        return [self._written(one.hypotheses[0], tokenizer, first, most) for one in found]

    def _written(self, tokens: list[str], tokenizer: Any, first: str, most: int) -> Written:
        own = tokens[1:] if first and tokens[:1] == [first] else tokens
        text = tokenizer.decode(tokenizer.convert_tokens_to_ids(own), skip_special_tokens=True).strip()
        return Written(text, len(own), len(tokens) >= most)

    def facts(self) -> dict[str, str]:
        """Precision and device."""
        return {"dtype": self.model.compute_type, "device": self.model.device, "beams": str(self.beams)}


def _where(found: Place, params: dict[str, Any]) -> dict[str, Any]:
    """What transformers is told beside the source, as for other models."""
    return hf_load._common(found, params)
