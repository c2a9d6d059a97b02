"""``hf/…``: any language model that transformers can run, from a folder (``hf/./folder``) or the hub (``hf/org/name@revision``).

In: prompts, chat or raw. Out: one response for each, batch by batch. The model is loaded when the first prompt comes, never
before. The one thing to know: neither batches nor shared beginnings change a result beyond the last digits of its numbers;
each piece says why in its module (hf_text: tokens, hf_rows: batches, hf_cache: beginnings, hf_forward: one pass).
"""

import gc
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..errors import InputError, UnknownName, Unsupported
from ..records import Model, Prompt, Response
from . import hf_find, hf_load
from .base import Need, settings
from .gguf_file import sha256_of
from .hf_generate import DEFAULT_TOKENS, Asked, Sampling, Writer
from .hf_rows import Budget, release
from .hf_text import Text

if TYPE_CHECKING:
    from .hf_score import Scorer
    from .hf_seq2seq import Seq2SeqScorer

WINDOW = 2048
"""Prompts in memory at once: enough to find what they share and to sort them by length."""
DTYPES = ("auto", "bfloat16", "float16", "float32")
QUANTIZE = ("", "8bit", "4bit")
BATCH_TOKENS = {"cpu": 4096, "gpu": 65536}
_LOGITS = {"cpu": 1 << 25, "gpu": 1 << 28}
"""Numbers in the logits of one batch at most."""


class HF:
    """Asks a transformers model.

    Settings: ``dtype`` (auto, bfloat16, float16, float32), ``quantize`` (8bit, 4bit; CUDA only), ``device`` (auto, cpu, cuda:0, or
    a device map), ``revision``, ``trust_remote_code``, ``gguf_file``, ``batch_tokens`` (0: 4,096 on a CPU, 65,536 on a GPU),
    ``max_length`` (0: what the model was made for), ``tokenizer``, ``attn_implementation``, ``share_prefix``, ``temperature``,
    ``top_p``, ``seed``. Raises UnknownName or InputError for settings that are none.
    """

    cached = True
    operational = frozenset({"device", "batch_tokens", "share_prefix"})
    DEFAULTS: dict[str, Any] = {
        "dtype": "auto", "quantize": "", "device": "auto", "revision": "", "trust_remote_code": False, "gguf_file": "", "batch_tokens": 0,
        "max_length": 0, "tokenizer": "", "attn_implementation": "", "share_prefix": True, "temperature": 0.0, "top_p": 1.0, "seed": 0,
    }  # fmt: skip

    def __init__(self, model: Model) -> None:
        self.model, self.params = model, settings(model, self.DEFAULTS)
        self.params["quantize"] = self.params["quantize"] or ""
        for key, known in (("dtype", DTYPES), ("quantize", QUANTIZE)):
            if self.params[key] not in known:
                raise UnknownName(f"{key} of {model.name}", str(self.params[key]), filter(None, known))
        for key in ("batch_tokens", "max_length", "temperature"):
            value = self.params[key]
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                raise InputError(f"{model.name}: {key}: {value!r} is no number from 0 up")
        if not 0 < self.params["top_p"] <= 1:
            raise InputError(f"{model.name}: top_p: {self.params['top_p']!r} does not lie between 0 and 1")

    @property
    def deterministic(self) -> bool:
        """Drawing is repeatable too, by its seed."""
        return True

    @cached_property
    def place(self) -> hf_find.Place:
        return hf_find.place(self.model, self.params)

    def chats(self, need: Need) -> bool:
        """Turns where something is to be written and the model has a chat template; a raw text for log-likelihoods."""
        if need.continuations:
            return False
        known = hf_find.has_template(self.place)
        return bool(self.text.template) if known is None else known

    def identity(self) -> dict[str, str]:
        """The commit, or a digest of the folder. A hub model that is not here yet is asked for its configuration, unless offline."""
        if self.place.folder is None and not self.place.commit and not hf_find.offline():
            hf_load.need_libraries(self.model.name)
            self._located()
        return hf_find.identity(self.place)

    def check(self, need: Need) -> None:
        """Raise Unavailable or Unsupported where library, model, code, device or chat template are missing."""
        hf_load.need_libraries(self.model.name)
        hf_load.need_quantizer(self.model.name, self.params["quantize"])
        self._located()
        if need.chat and not self.text.template:
            raise Unsupported(f"{self.model.name}: its tokenizer has no chat template; ask with chat = false")

    def _located(self) -> Any:
        """The configuration; afterwards the commit is known."""
        if "config" not in self.__dict__:
            self.config = hf_load.load_config(self.model.name, self.place, self.params)
            if self.place.folder is None and not self.place.commit:
                commit = hf_find.commit(self.place.source, self.place.revision) or getattr(self.config, "_commit_hash", None) or ""
                self.place = self.place._replace(commit=commit)
        return self.config

    @cached_property
    def text(self) -> Text:
        hf_load.need_libraries(self.model.name)
        self._located()
        return Text(hf_load.load_tokenizer(self.model.name, self.place, self.params))

    @cached_property
    def loaded(self) -> Any:
        """The model itself."""
        hf_load.need_libraries(self.model.name)
        return hf_load.load_model(self.model.name, self.place, self.params, self._located())

    @cached_property
    def budget(self) -> Budget:
        kind = "cpu" if self.loaded.device.type == "cpu" else "gpu"
        vocabulary = self.loaded.get_input_embeddings().weight.shape[0]
        return Budget(int(self.params["batch_tokens"]) or BATCH_TOKENS[kind], max(1, _LOGITS[kind] // vocabulary))

    @cached_property
    def scorer(self) -> "Scorer | Seq2SeqScorer":
        from .hf_score import Scorer
        from .hf_seq2seq import Seq2SeqScorer

        if self.loaded.config.is_encoder_decoder:
            return Seq2SeqScorer(self.model.name, self.loaded, self.budget)
        return Scorer(self.model.name, self.loaded, self.budget, share=bool(self.params["share_prefix"]))

    @cached_property
    def writer(self) -> Writer:
        sampling = Sampling(float(self.params["temperature"]), float(self.params["top_p"]), int(self.params["seed"]))
        return Writer(self.model.name, self.loaded, self.text, self.budget, sampling)

    @cached_property
    def limit(self) -> int:
        """The longest sequence the model takes; 0: any."""
        if self.params["max_length"]:
            return int(self.params["max_length"])
        config = self.loaded.config.get_text_config(decoder=True)
        made_for = getattr(config, "max_position_embeddings", None)
        return made_for if isinstance(made_for, int) and 0 < made_for < 1 << 30 else 0

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        """Answer prompts, a window of them at a time; those that cannot be shown to the model are responses with an error."""
        left = iter(prompts)
        while window := list(islice(left, WINDOW)):
            shown: list[tuple[Prompt, str]] = []
            for prompt in window:
                try:
                    shown.append((prompt, self._shown(prompt)))
                except InputError as problem:
                    yield self._failed(prompt, str(problem))
            yield from self._score([(p, t) for p, t in shown if p.continuations])
            yield from self._write([(p, t) for p, t in shown if not p.continuations])

    def _shown(self, prompt: Prompt) -> str:
        if "" in prompt.continuations:
            raise InputError(f"continuation {prompt.continuations.index('') + 1} is empty: it has no tokens to score")
        return self.text.shown(prompt)

    def _score(self, shown: Sequence[tuple[Prompt, str]]) -> Iterator[Response]:
        from . import hf_seq2seq

        if not shown:
            return
        prompts, texts = [p for p, _ in shown], [t for _, t in shown]
        seq2seq = self.loaded.config.is_encoder_decoder
        asked = hf_seq2seq.questions(self.text, prompts, texts) if seq2seq else self.text.questions(prompts, texts)
        fitting = []
        for question in asked:
            if 0 in question.lengths:
                at = question.lengths.index(0) + 1
                yield self._failed(question.prompt, f"continuation {at} has no tokens to score in this model's tokenizer")
            elif self.limit and question.longest > self.limit:
                yield self._too_long(question.prompt, question.longest)
            else:
                fitting.append(question)
        yield from self.scorer.score(fitting)

    def _write(self, shown: Sequence[tuple[Prompt, str]]) -> Iterator[Response]:
        from . import hf_seq2seq

        if not shown:
            return
        texts = [t for _, t in shown]
        seq2seq = self.loaded.config.is_encoder_decoder
        asked: list[Asked] = []
        for (prompt, _), ids in zip(shown, hf_seq2seq.encoded(self.text, texts) if seq2seq else self.text.encode(texts), strict=True):
            most = prompt.max_tokens or DEFAULT_TOKENS
            ids = ids or [self.text.first]
            room = self.limit - (0 if seq2seq else len(ids)) if self.limit else most
            if room < 1 or (seq2seq and self.limit and len(ids) > self.limit):
                yield self._too_long(prompt, len(ids))
            else:
                asked.append(Asked(prompt, ids, min(most, room)))
        yield from self.writer.write(asked)

    def _too_long(self, prompt: Prompt, tokens: int) -> Response:
        return self._failed(prompt, f"the prompt has {tokens} tokens, the model takes {self.limit}; nothing was cut off it")

    def _failed(self, prompt: Prompt, error: str) -> Response:
        return Response(prompt=prompt.id, model=self.model.name, error=error)

    def facts(self) -> dict[str, str]:
        """Engine and versions, precision, device, hashes of weights, tokenizer and template; more once the model is loaded."""
        facts = {"engine": ", ".join(f"{name} {_version(name)}" for name in ("transformers", "torch")), **hf_find.identity(self.place)}
        if self.place.gguf:
            facts["file"] = self.place.gguf
        facts |= {"quantize": self.params["quantize"], "dtype": self.params["dtype"]}
        if "text" in self.__dict__:
            facts |= {"tokenizer": self._tokenizer_hash(), "chat_template": _hash(self.text.template) if self.text.template else "none"}
        if "loaded" in self.__dict__:
            facts |= {"dtype": str(self.loaded.dtype).removeprefix("torch."), "device": self._device()}
            facts["attention"] = str(getattr(self.loaded.config, "_attn_implementation", "") or "")
        if "scorer" in self.__dict__:
            facts["prefix_sharing"] = self.scorer.sharing
        if "budget" in self.__dict__ and self.budget.halved:
            facts["batch_tokens"] = f"{self.budget.tokens}, halved {self.budget.halved} times for want of memory"
        return {name: value for name, value in facts.items() if value}

    def _tokenizer_hash(self) -> str:
        folder = None if self.params["tokenizer"] else self.place.local
        if folder and not self.place.gguf and (folder / "tokenizer.json").exists():
            return sha256_of(folder / "tokenizer.json")[:16]
        return _hash(json.dumps(sorted(self.text.tokenizer.get_vocab().items()), ensure_ascii=True))

    def _device(self) -> str:
        import torch

        device = self.loaded.device
        return f"{torch.cuda.get_device_name(device)}" if device.type == "cuda" else device.type

    def close(self) -> None:
        """Free the model's memory; asking again loads it again."""
        held = [self.__dict__.pop(name, None) for name in ("writer", "scorer", "budget", "loaded")]
        if any(part is not None for part in held):
            held.clear()
            gc.collect()
            release()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
