"""The model's own tokenizer and chat template, from its GGUF file: text goes in, token ids come out, and back.

The one thing to know: nothing is added silently. ``Vocabulary.encode`` puts exactly one BOS in front where the file
asks for one (or the template wrote one), and none where it does not.

Sources: the pre-tokenisers of llama.cpp (``llm_tokenizer_bpe``), byte-level BPE (Radford et al. 2019), SentencePiece
BPE with byte fallback (Kudo and Richardson 2018).
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import Unavailable, Unsupported
from ..records import Message
from .gguf_file import GGUF, cache_dir, write_whole

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN2 = _LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
_SPLITS: dict[str, tuple[str, ...]] = {
    "gpt-2": (_GPT2,),
    "default": (_GPT2,),
    "smollm": (r"\p{N}", _GPT2),
    "llama-bpe": (_LLAMA3,),
    "llama3": (_LLAMA3,),
    "llama-v3": (_LLAMA3,),
    "qwen2": (_QWEN2,),
    "deepseek-r1-qwen": (_QWEN2,),
}
"""``tokenizer.ggml.pre`` → the regular expressions that cut text into pieces, one after the other."""
_LLAMA3_NAMES = ("llama-bpe", "llama3", "llama-v3")
_CONTROL, _USER = 3, 4
_END_TEXTS = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<end_of_turn>", "<eos>", "<|end|>")
_AT_ONCE = 512
"""Texts tokenised together: the library keeps far more of each than its ids."""
_SCHEME = "1"
"""Counts up when this module makes other tokenizers of the same file, so that kept ones are made again."""


class Vocabulary:
    """Text ↔ token ids, the ids at which an answer ends, and the chat template of one model file.

    Raises :class:`Unavailable` where ``tokenizers`` is not installed or the file's kind of tokenizer is not known here.
    """

    def __init__(self, file: GGUF) -> None:
        meta = file.meta
        self.words: list[str] = meta.get("tokenizer.ggml.tokens") or []
        self.template: str = meta.get("tokenizer.chat_template") or ""
        kind = meta.get("tokenizer.ggml.model", "")
        if kind not in ("gpt2", "llama") or not self.words:
            raise Unavailable(f"{file.path}: tokenizers of kind {kind!r} cannot be read here; 'gpt2' and 'llama' can")
        self.bos: int | None = meta.get("tokenizer.ggml.bos_token_id")
        self.eos: int | None = meta.get("tokenizer.ggml.eos_token_id")
        default = kind == "llama" or meta.get("tokenizer.ggml.pre") in _LLAMA3_NAMES
        self.add_bos = self.bos is not None and bool(meta.get("tokenizer.ggml.add_bos_token", default))
        self.hash = _vocabulary_hash(meta)
        self.ends = self._ends(meta)
        self._tokenizer = _tokenizer(file, self.hash)
        self._ids = list(range(self._tokenizer.get_vocab_size()))
        """Each id as one object that all rows share: many long prompts then take a quarter of the memory."""

    def _ends(self, meta: dict[str, Any]) -> frozenset[int]:
        types = meta.get("tokenizer.ggml.token_type") or [_CONTROL] * len(self.words)
        ends = {number for number, word in enumerate(self.words) if word in _END_TEXTS and types[number] in (_CONTROL, _USER)}
        named = (meta.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot", "eom"))
        return frozenset(ends | {number for number in named if number is not None})

    @property
    def first(self) -> int:
        """The token to stand in front of a continuation that has nothing else in front of it."""
        return self.bos if self.bos is not None else self.eos or 0

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Give the ids of each text, with exactly one BOS where the model wants one."""
        parts = (list(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE))
        found = (ids.ids for part in parts for ids in self._tokenizer.encode_batch_fast(part, add_special_tokens=False))
        return [self._one_bos([self._ids[number] for number in ids]) for ids in found]

    def _one_bos(self, ids: list[int]) -> list[int]:
        start = 0
        while start < len(ids) and ids[start] == self.bos:
            start += 1
        if start or self.add_bos:
            return [self.first, *ids[start:]]
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        return self._tokenizer.decode(list(ids), skip_special_tokens=True)

    def render(self, messages: Iterable[Message]) -> str:
        """Write a conversation as the model was taught to read it, up to where its answer begins; Unsupported where it cannot."""
        from jinja2 import TemplateError

        bos, eos = (self.words[number] if number is not None else "" for number in (self.bos, self.eos))
        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return _template(self.template).render(messages=turns, add_generation_prompt=True, bos_token=bos, eos_token=eos)
        except TemplateError as error:
            raise Unsupported(f"the model's chat template refuses this conversation: {error}") from error

    @property
    def template_hash(self) -> str:
        return hashlib.sha256(self.template.encode()).hexdigest()[:16] if self.template else ""


_templates: dict[str, Any] = {}


def _template(source: str) -> Any:
    """Compile a chat template in a sandbox. No clock is given to it: the same messages always make the same prompt."""
    if source not in _templates:
        from jinja2 import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        def refuse(message: str) -> None:
            raise TemplateError(message)

        house = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
        house.globals["raise_exception"] = refuse
        _templates[source] = house.from_string(source)
    return _templates[source]


def _vocabulary_hash(meta: dict[str, Any]) -> str:
    keys = ("model", "pre", "tokens", "scores", "merges", "token_type", "add_space_prefix", "add_bos_token", "bos_token_id", "eos_token_id")
    total = hashlib.sha256()
    for key in keys:
        total.update(repr(meta.get(f"tokenizer.ggml.{key}")).encode("utf-8", "surrogatepass"))
    return total.hexdigest()[:16]


def _tokenizer(file: GGUF, name: str) -> "Tokenizer":
    """Build the tokenizer, or read the one built before: a large vocabulary takes seconds to build."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise Unavailable("local models need the package tokenizers: pip install 'endonym[local]'") from error
    kept = cache_dir() / "tokenizers" / f"{name}-{_SCHEME}.json"
    if kept.exists():
        try:
            return Tokenizer.from_file(str(kept))
        except Exception:  # noqa: BLE001 - whatever is wrong with a kept copy, it is built again
            kept.unlink(missing_ok=True)
    made = _byte_level(file) if file.meta["tokenizer.ggml.model"] == "gpt2" else _sentencepiece(file)
    _add_specials(made, file.meta)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, made.to_str().encode())
    except OSError:
        pass  # built again next time
    return made


def _byte_level(file: GGUF) -> "Tokenizer":
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    pre = file.meta.get("tokenizer.ggml.pre", "default")
    if pre not in _SPLITS:
        raise Unavailable(f"{file.path}: its way to cut text, {pre!r}, is not known here; known are {', '.join(_SPLITS)}")
    words = {word: number for number, word in enumerate(file.meta["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ", 1)) for merge in file.meta["tokenizer.ggml.merges"]]
    made = Tokenizer(models.BPE(vocab=words, merges=merges, ignore_merges=pre in _LLAMA3_NAMES))
    if pre == "qwen2":
        made.normalizer = normalizers.NFC()
    splits = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in _SPLITS[pre]]
    made.pre_tokenizer = pre_tokenizers.Sequence([*splits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    made.decoder = decoders.ByteLevel()
    return made


def _sentencepiece(file: GGUF) -> "Tokenizer":
    from tokenizers import Tokenizer, decoders, models, normalizers

    meta = file.meta
    words = {word: number for number, word in enumerate(meta["tokenizer.ggml.tokens"])}
    unknown = meta["tokenizer.ggml.tokens"][meta.get("tokenizer.ggml.unknown_token_id", 0)]
    merges = _merges(words, meta["tokenizer.ggml.scores"])
    made = Tokenizer(models.BPE(vocab=words, merges=merges, unk_token=unknown, fuse_unk=True, byte_fallback=True))
    prefix = bool(meta.get("tokenizer.ggml.add_space_prefix", True))
    spaces = normalizers.Replace(" ", "▁")
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), spaces]) if prefix else spaces
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    made.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if prefix else steps)
    return made


def _merges(words: dict[str, int], scores: list[float]) -> list[tuple[str, str]]:
    """SentencePiece joins the pair whose whole has the best score; said as BPE merges, best first."""
    found = []
    for word, number in words.items():
        pairs = [(word[:cut], word[cut:]) for cut in range(1, len(word)) if word[:cut] in words and word[cut:] in words]
        pairs.sort(key=lambda pair: (words[pair[0]], words[pair[1]]))
        found += [(scores[number], pair) for pair in pairs]
    found.sort(key=lambda entry: -entry[0])
    return [pair for _, pair in found]


def _add_specials(made: "Tokenizer", meta: dict[str, Any]) -> None:
    from tokenizers import AddedToken

    words = meta["tokenizer.ggml.tokens"]
    types = meta.get("tokenizer.ggml.token_type") or []
    control = [AddedToken(words[n], special=True, normalized=False) for n, kind in enumerate(types) if kind == _CONTROL]
    user = [AddedToken(words[n], special=False, normalized=False) for n, kind in enumerate(types) if kind == _USER]
    made.add_special_tokens(control)
    made.add_tokens(user)
