"""``local/…``: a GGUF model in this process, on the CPU. Prompts go in; log-likelihoods or greedy text come out.

``local/smollm2`` and ``local/gemma3-270m`` are models that come as Python packages; ``local/PATH.gguf`` is any file of
the families llama, gemma3, qwen2 and qwen3. The one thing to know: numpy alone is enough, and torch is used where the
processor multiplies bfloat16 itself (see docs/engine.md for the measurements behind this).
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..errors import Unsupported
from ..records import Model, Prompt, Response, canonical
from .base import Need, settings
from .batching import Outcome, Task, boundary
from .choose_engine import Choice, choose, start
from .gguf_file import GGUF, sha256_of
from .known import KNOWN, LocalModel, locate, models
from .tokenize import Vocabulary

__all__ = ["KNOWN", "SETTINGS", "Local", "LocalModel", "models"]

SETTINGS: dict[str, Any] = {"engine": "auto", "precision": "auto", "threads": 0, "batch_tokens": 0}
"""engine: auto, numpy, torch · precision: auto, float32, bfloat16, int8 · threads and batch_tokens: 0 for what fits the machine."""
_WINDOW = 8192
"""Prompts that are put in order together: the more, the more they share."""
_SIGNS = 1 << 23
"""Signs of all prompts of a window, which bound its memory where prompts are long."""
_MAX_TOKENS = 64


class Local:
    """The provider ``local``. Opens the file's header at once, and loads the weights at the first answer.

    Raises :class:`~endonym.errors.Unavailable` where the file, a package or the model's family is missing,
    :class:`~endonym.errors.InputError` where the file is damaged, :class:`~endonym.errors.UnknownName` for a wrong name or setting.
    """

    cached = True
    deterministic = True
    operational = frozenset({"threads", "batch_tokens"})

    def __init__(self, model: Model) -> None:
        self.model = model
        self.settings = settings(model, SETTINGS)
        self.choice: Choice = choose(self.settings)
        self.path: Path = locate(model)
        self.file = GGUF(self.path)
        self._vocabulary: Vocabulary | None = None
        self._engine: Any = None

    @property
    def vocabulary(self) -> Vocabulary:
        if self._vocabulary is None:
            self._vocabulary = Vocabulary(self.file)
        return self._vocabulary

    def check(self, need: Need) -> None:
        """Unsupported where a chat is asked of a model without a chat template; Unavailable where the family is unknown."""
        from .decoder import Config

        Config.of(self.file)
        if need.chat and not self.vocabulary.template:
            raise Unsupported(f"{self.model.name} has no chat template: ask it with chat=false")

    def chats(self, need: Need) -> bool:
        """A chat where text is written by a model that has a template, else one raw text to be continued."""
        return need.generate and bool(self.vocabulary.template)

    def identity(self) -> dict[str, str]:
        """Another file under the same name, or another precision, is another model."""
        return {"sha256": sha256_of(self.path), "precision": self.choice.precision}

    def facts(self) -> dict[str, str]:
        """What identifies the model: file, tokenizer and template by hash, engine and precision; no weights are loaded for it."""
        facts = {
            "engine": self.choice.engine,
            "precision": self.choice.precision,
            "sha256": sha256_of(self.path),
            "architecture": self.file.architecture,
            "quantisation": self.file.quantisation,
            "tokenizer": self.vocabulary.hash,
        }
        return facts | ({"chat_template": self.vocabulary.template_hash} if self.vocabulary.template else {})

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        """Give a response for each prompt, as batches finish; equal questions are computed once."""
        waiting = iter(prompts)
        known: dict[bytes, Response] = {}
        while window := _window(waiting):
            askers: dict[bytes, list[Prompt]] = {}
            for prompt in window:
                askers.setdefault(_key(prompt), []).append(prompt)
            fresh = {key: group[0] for key, group in askers.items() if key not in known}
            for key in [key for key in askers if key in known]:
                yield from (replace(known[key], prompt=prompt.id) for prompt in askers[key])
            for key, response in self._responses(fresh):
                known[key] = response
                yield from (replace(response, prompt=prompt.id) for prompt in askers[key])

    def close(self) -> None:
        """Let go of the weights and the threads."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None

    def forget(self) -> None:
        """Let go of the prefixes that were computed, and nothing else: the next question starts from nothing."""
        if self._engine is not None:
            self._engine.prefixes.kept.clear()

    def _responses(self, questions: dict[bytes, Prompt]) -> Iterator[tuple[bytes, Response]]:
        """Ask different questions; a question that cannot be asked is a response with an error."""
        tasks: list[Task] = []
        for key, task in self._tasks(questions):
            problem = task if isinstance(task, str) else self._too_long(task)
            if problem or isinstance(task, str):
                yield key, Response(prompt="", model=self.model.id, error=problem)
            else:
                tasks.append(task)
        scored, generated = [task for task in tasks if task.wholes], [task for task in tasks if not task.wholes]
        if tasks and self._engine is None:
            self._engine = start(self.choice, self.file)
        if scored:
            yield from (self._response(task, outcome) for task, outcome in self._engine.score(scored))
        if generated:
            ends, decode = self.vocabulary.ends, self.vocabulary.decode
            yield from (self._response(task, outcome) for task, outcome in self._engine.generate(generated, ends, decode))

    def _response(self, task: Task, outcome: Outcome) -> tuple[bytes, Response]:
        return task.key, Response(
            prompt="",
            model=self.model.id,
            text=outcome.text,
            error=outcome.error,
            finish_reason=outcome.finish,
            loglikelihoods=outcome.loglikelihoods,
            lengths=task.lengths if outcome.loglikelihoods else (),
            tokens_in=len(task.context),
            tokens_out=outcome.tokens,
        )

    def _too_long(self, task: Task) -> str:
        room = int(self.file.key("context_length"))
        return f"the prompt needs {task.longest} tokens, the model's context has {room}" if task.longest > room else ""

    def _tasks(self, questions: dict[bytes, Prompt]) -> Iterator[tuple[bytes, Task | str]]:
        """Tokenise all questions at once; a string in place of a task says why there is none."""
        texts: list[str] = []
        places: dict[bytes, slice | str] = {}
        for key, prompt in questions.items():
            try:
                text = self._text(prompt)
                places[key] = slice(len(texts), len(texts) + 1 + len(prompt.continuations))
                texts += [text, *(text + continuation for continuation in prompt.continuations)]
            except Unsupported as error:
                places[key] = str(error)
        rows = self.vocabulary.encode(texts)
        for key, place in places.items():
            yield key, place if isinstance(place, str) else self._task(key, questions[key], rows[place])

    def _text(self, prompt: Prompt) -> str:
        if "" in prompt.continuations:
            raise Unsupported(f"continuation {prompt.continuations.index('') + 1} is empty: it has no tokens to score")
        return self.vocabulary.render(prompt.messages) if prompt.chat else "".join(message.content for message in prompt.messages)

    def _task(self, key: bytes, prompt: Prompt, rows: list[list[int]]) -> Task:
        first = self.vocabulary.first
        if not prompt.continuations:
            return Task(key, tuple(rows[0]) or (first,), limit=prompt.max_tokens or _MAX_TOKENS)
        context, wholes = boundary(rows[0], rows[1:], first)
        return Task(key, context, wholes)


def _window(waiting: Iterator[Prompt]) -> list[Prompt]:
    """The prompts that are batched together, in their order."""
    window, signs = [], 0
    for prompt in waiting:
        window.append(prompt)
        signs += sum(len(message.content) for message in prompt.messages)
        if len(window) >= _WINDOW or signs >= _SIGNS:
            break
    return window


def _key(prompt: Prompt) -> bytes:
    """What makes two prompts one question to a model that always answers the same."""
    return hashlib.sha256(canonical([prompt.messages, prompt.continuations, prompt.chat, prompt.max_tokens])).digest()
