"""Prompts go in, token ids come out: chat template, exactly one BOS, and where a continuation begins.

The one thing to know: a continuation is not tokenised by itself. Prompt and continuation are tokenised together and parted
by the rule of :func:`~endonym.models.batching.boundary`, the same as for local models: what all of a question's joint
tokenisations have in common with the prompt's own is the context, the rest is the continuation. So ``答案：`` + ``A``,
``Answer:`` + `` A`` and ``Answer: `` + ``A`` each read the token that the model would write.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from ..records import Message, Prompt
from .attention import common
from .batching import boundary

_DAY = "26 Jul 2024"
_NO_CLOCK = f"{{%- macro strftime_now(format) -%}}{_DAY}{{%- endmacro %}}{{{{ '' }}}}"
"""Templates that ask for today's date are given one fixed day: the same prompt is the same tokens next year."""


class Question(NamedTuple):
    """One prompt with continuations, as tokens.

    ``stem`` is what all continuations follow; from ``start`` on it is part of every continuation (a common first token).
    ``tails`` are what each continuation adds. Every tail of a continuation that is not empty has a token or more.
    """

    prompt: Prompt
    stem: list[int]
    start: int
    tails: list[list[int]]

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(len(self.stem) - self.start + len(tail) for tail in self.tails)

    @property
    def longest(self) -> int:
        return len(self.stem) + max(map(len, self.tails), default=0)


class Text:
    """A tokenizer and its chat template."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.bos: int | None = tokenizer.bos_token_id
        bare, whole = self._ids(["a"])[0], list(tokenizer("a").input_ids)
        at = next((n for n in range(len(whole)) if whole[n : n + len(bare)] == bare), 0)
        self.front, self.back = whole[:at], whole[at + len(bare) :]
        self.first = self.bos if self.bos is not None else (tokenizer.eos_token_id or 0)
        self.template = template_of(tokenizer)

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [list(ids) for ids in self.tokenizer(list(texts), add_special_tokens=False, verbose=False).input_ids] if texts else []

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of texts, with what the tokenizer puts in front of a text (one BOS) once, whoever else wrote it already."""
        return [self._fronted(ids) for ids in self._ids(texts)]

    def _fronted(self, ids: list[int]) -> list[int]:
        written = bool(ids) and ids[0] == self.bos
        front = self.front or ([ids[0]] if written else [])
        at = 0
        while front and ids[at : at + len(front)] == front:
            at += len(front)
        while at < len(ids) and ids[at] == self.bos:
            at += 1
        return front + ids[at:]

    def render(self, messages: Sequence[Message]) -> str:
        """Write turns by the model's chat template, thinking off; InputError where the template refuses them."""
        from jinja2 import TemplateError

        source = _NO_CLOCK + self.template if "strftime_now" in self.template else self.template
        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return self.tokenizer.apply_chat_template(
                turns, chat_template=source, tokenize=False, add_generation_prompt=True, enable_thinking=False
            )
        except TemplateError as problem:
            raise InputError(f"the chat template refuses this conversation: {problem}") from problem

    def shown(self, prompt: Prompt) -> str:
        """The prompt as one text."""
        return self.render(prompt.messages) if prompt.chat else prompt.messages[0].content

    def questions(self, prompts: Sequence[Prompt], texts: Sequence[str]) -> list[Question]:
        """Tokenise prompts, shown as ``texts``, with their continuations, all in one go."""
        joined = [text + continuation for prompt, text in zip(prompts, texts, strict=True) for continuation in prompt.continuations]
        contexts, joints = self.encode(texts), iter(self.encode(joined))
        return [
            self._question(prompt, context, [next(joints) for _ in prompt.continuations])
            for prompt, context in zip(prompts, contexts, strict=True)
        ]

    def _question(self, prompt: Prompt, context: list[int], joints: list[list[int]]) -> Question:
        before, wholes = boundary(context, joints, self.first)
        start = len(before)
        end = min(min(common(wholes[0], whole), len(whole) - 1) for whole in wholes)
        end = max(start, end)  # less only for a continuation of no tokens
        return Question(prompt, list(wholes[0][:end]), start, [list(whole[end:]) for whole in wholes])

    def decode(self, ids: Sequence[int]) -> str:
        return self.tokenizer.decode(list(ids), skip_special_tokens=True)

    def ends(self) -> list[int]:
        """Tokens at which an answer ends: the tokenizer's EOS, and what the chat template writes after a turn."""
        found = [self.tokenizer.eos_token_id] if self.tokenizer.eos_token_id is not None else []
        special = set(self.tokenizer.all_special_ids) | set(self.tokenizer.added_tokens_decoder)
        after = self._after_a_turn()
        return list(dict.fromkeys([*found, *[token for token in self._ids([after])[0][:1] if token in special]])) if after else found

    def _after_a_turn(self) -> str:
        if not self.template:
            return ""
        from jinja2 import TemplateError

        said = "endonym"
        turns = [{"role": "user", "content": "?"}, {"role": "assistant", "content": said}]
        try:
            text = self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=False)
        except (TemplateError, ValueError):
            return ""
        return text.rpartition(said)[2].lstrip()


def template_of(tokenizer: Any) -> str:
    """The chat template that turns are written by; empty where the tokenizer has none."""
    if not getattr(tokenizer, "chat_template", None):
        return ""
    try:
        return tokenizer.get_chat_template()
    except ValueError:  # several named templates, none of them for plain turns
        return ""
