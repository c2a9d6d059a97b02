"""``mt/FOLDER`` or ``mt/ORG/NAME``: a translation model: NLLB, OPUS-MT (Marian), M2M-100, mBART, MADLAD, by transformers or CTranslate2.

In: prompts whose last message is a text and whose first names the languages (``translating.turns``). Out: a response for each, the
translation as its text. The one thing to know: a text that is longer than the model takes, or in languages that it has not, is a
response with an error; nothing is cut off a text, and a translation that reached the limit of tokens says so (``finish_reason`` length).

Paper: XNationQA, section 3 (the questions were translated by an engine).
"""

import gc
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby, islice
from typing import Any

from ..errors import InputError
from ..records import Model, Prompt, Response
from . import hf_find, hf_load
from .base import Need, settings
from .mt_codes import Marks, marks
from .mt_engines import CTranslate2, Transformers, converted
from .translating import TOKENS, Pair, only_texts, text_of, windows

WINDOW = 256


class MT:
    """Translates by a model on this machine.

    Settings: ``dtype`` (auto, float32, …; of CTranslate2 its compute type), ``device``, ``revision``, ``trust_remote_code``, ``tokenizer``
    (a folder or a name, where it is not the model's), ``batch`` (texts at a time), ``beams`` (0: the model's own; of CTranslate2 4),
    ``codes`` (BCP 47 → the model's own word for a language).
    """

    cached = True
    deterministic = True
    operational = frozenset({"device", "batch"})
    DEFAULTS: dict[str, Any] = {
        "dtype": "auto", "device": "auto", "revision": "", "trust_remote_code": False, "tokenizer": "", "batch": 16, "beams": 0,
        "codes": {}, "gguf_file": "",
    }  # fmt: skip

    def __init__(self, model: Model) -> None:
        self.model, self.params = model, settings(model, self.DEFAULTS)
        for key, least in (("batch", 1), ("beams", 0)):
            if not isinstance(self.params[key], int) or self.params[key] < least:
                raise InputError(f"{model.name}: {key}: is {self.params[key]!r}; it must be a whole number from {least} on")
        if not isinstance(self.params["codes"], dict):
            raise InputError(f"{model.name}: codes: expected a table of languages, as {{ hi = \"hin_Deva\" }}")
        self.place = hf_find.place(model, self.params)

    def chats(self, need: Need) -> bool:
        """Always turns: the first of them names the languages."""
        return True

    def identity(self) -> dict[str, str]:
        return hf_find.identity(self.place)

    def check(self, need: Need) -> None:
        """Raise Unsupported for prompts that are no texts to translate, Unavailable where library or model are missing."""
        only_texts(self.model.name, need)
        hf_load.need_libraries(self.model.name)
        _ = self.tokenizer, self.engine

    @cached_property
    def tokenizer(self) -> Any:
        return hf_load.load_tokenizer(self.model.name, self.place, self.params)

    @cached_property
    def engine(self) -> Transformers | CTranslate2:
        return (CTranslate2 if converted(self.place) else Transformers)(self.model.name, self.place, self.params)

    def facts(self) -> dict[str, str]:
        """Engine and version, what identifies the weights, precision and device once it is loaded."""
        name = "ctranslate2" if converted(self.place) else "transformers"
        loaded = self.engine.facts() if "engine" in self.__dict__ else {}
        return {"engine": f"{name} {_version(name)}", **hf_find.identity(self.place), **loaded}

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        """Translate, a window of prompts at a time, texts of the same languages and of like length together."""
        for faults, told in windows(prompts, WINDOW):
            yield from (self._failed(prompt, fault) for prompt, fault in faults)
            for languages, some in told.items():
                yield from self._pair(some, languages)

    def _pair(self, prompts: Sequence[Prompt], languages: Pair) -> Iterator[Response]:
        try:
            how = marks(self.tokenizer, languages, self.params["codes"])
        except InputError as problem:
            yield from (self._failed(prompt, str(problem)) for prompt in prompts)
            return
        fitting: list[tuple[Prompt, list[int]]] = []
        for prompt, ids in zip(prompts, self._ids(prompts, how), strict=True):
            if self.engine.limit and len(ids) > self.engine.limit:
                yield self._failed(prompt, f"the text has {len(ids)} tokens, the model takes {self.engine.limit}; nothing was cut off it")
            else:
                fitting.append((prompt, ids))
        fitting.sort(key=lambda one: (one[0].max_tokens, len(one[1])))
        for _, alike in groupby(fitting, key=lambda one: one[0].max_tokens):
            while batch := list(islice(alike, self.params["batch"])):
                yield from self._batch(batch, how)

    def _ids(self, prompts: Sequence[Prompt], how: Marks) -> list[list[int]]:
        if how.source:
            self.tokenizer.src_lang = how.source
        return [list(self.tokenizer(how.prefix + text_of(prompt), verbose=False).input_ids) for prompt in prompts]

    def _batch(self, batch: Sequence[tuple[Prompt, list[int]]], how: Marks) -> Iterator[Response]:
        most = batch[0][0].max_tokens or TOKENS
        most = min(most, self.engine.limit - 1) if self.engine.limit else most
        written = self.engine.write([ids for _, ids in batch], self.tokenizer, how.first, most)
        for (prompt, ids), one in zip(batch, written, strict=True):
            yield Response(
                prompt=prompt.id, model=self.model.name, text=one.text, finish_reason="length" if one.cut else "stop",
                tokens_in=len(ids), tokens_out=one.tokens,
            )  # fmt: skip

    def _failed(self, prompt: Prompt, error: str) -> Response:
        return Response(prompt=prompt.id, model=self.model.name, error=error)

    def close(self) -> None:
        """Free the model's memory; asking again loads it again."""
        if self.__dict__.pop("engine", None) is not None:
            gc.collect()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
