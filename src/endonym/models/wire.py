"""What is sent to an OpenAI-compatible server and what comes back, as typed JSON.

In: a prompt. Out: the bodies of its requests, and a ``Reply`` read from the bytes of an answer. The one thing to know:
servers differ in what they leave out, so every field of a reply may be missing, and fields nobody reads are skipped
without being built. Source: the OpenAI API reference (chat completions; completions, legacy), and the replies of
llama-server and vLLM.
"""

from typing import Any

import msgspec

from ..records import Message, Prompt
from .account import Settings

GENERATED = 64
"""Tokens of a generated answer where the prompt sets no limit."""
CHAT, COMPLETIONS = "/chat/completions", "/completions"

_encode = msgspec.json.Encoder().encode


class Top(msgspec.Struct):
    """A candidate for one token."""

    token: str = ""
    logprob: float | None = None
    bytes: msgspec.Raw = msgspec.Raw()


class Token(msgspec.Struct):
    """A token of the reply with the candidates for its place."""

    top_logprobs: list[Top] | None = None


class Logprobs(msgspec.Struct):
    """Both shapes: ``content`` (chat; llama-server for completions too), or the three parallel lists of completions."""

    content: list[Token] | None = None
    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None
    top_logprobs: list[dict[str, float | None] | None] | None = None
    text_offset: list[int] | None = None


class Turn(msgspec.Struct):
    """The assistant's turn. ``reasoning_content`` is not read: thoughts are no answer."""

    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None


class Choice(msgspec.Struct):
    message: Turn | None = None
    text: str | None = None
    finish_reason: str | None = None
    logprobs: Logprobs | None = None
    error: Any = None


class Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Reply(msgspec.Struct):
    choices: list[Choice] | None = None
    usage: Usage | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    error: Any = None


decode = msgspec.json.Decoder(Reply).decode
"""Read a reply; raises msgspec.DecodeError for what is no JSON, its subclass ValidationError for another shape."""


class Bodies:
    """Writes the requests of one model: what never changes is laid out once."""

    def __init__(self, name: str, read: Settings) -> None:
        self._read, self.tops = read, read.top_logprobs
        temperature = read.temperature
        if temperature is None and read.max_tokens_field == "max_tokens":
            temperature = 0.0
        fixed = {"model": name, "temperature": temperature, "top_p": read.top_p, "stop": read.stop}
        self._fixed = {k: v for k, v in fixed.items() if v is not None}
        self._spread = bool(temperature)

    def __call__(self, prompt: Prompt) -> list[bytes]:
        """The bodies of a prompt's requests: one, or with ``score="echo"`` one for each continuation."""
        if prompt.continuations and self._read.score == "echo":
            text = prompt.messages[0].content
            return [self._body(prompt, {"prompt": text + c, "echo": True, "logprobs": 1}, 1) for c in prompt.continuations]
        limit = prompt.max_tokens or (1 if prompt.continuations else GENERATED)
        return [self._body(prompt, self._shown(prompt), limit)]

    def _shown(self, prompt: Prompt) -> dict[str, Any]:
        if prompt.chat:
            extra = {"logprobs": True, "top_logprobs": self.tops} if prompt.continuations else {}
            return {"messages": prompt.messages, **extra}
        text = prompt.messages[0].content
        if not prompt.continuations:
            return {"prompt": text}
        # A blank at the end of the cue belongs to the letter: most vocabularies have " A" as one token, and score "A" after " " oddly.
        return {"prompt": text.rstrip(" ") or text, "logprobs": self.tops}

    def _body(self, prompt: Prompt, shown: dict[str, Any], limit: int) -> bytes:
        body = {**self._fixed, **shown, (self._read.max_tokens_field if prompt.chat else "max_tokens"): limit}
        if (seed := self._read.seed) is not None:
            body["seed"] = seed + prompt.draw if self._spread else seed
        return _encode({**body, **self._read.extra_body})


def path(prompt: Prompt) -> str:
    """Which of the two doors a prompt goes through."""
    return CHAT if prompt.chat else COMPLETIONS


def trial(*, chat: bool) -> Prompt:
    """The smallest prompt with continuations, to see whether a server gives log-probabilities."""
    return Prompt(item="", messages=(Message(role="user", content="Say A."),), continuations=("A",), chat=chat)


def text_of(choice: Choice) -> tuple[str, str]:
    """The text of an answer and why it ended; a refusal in a field of its own is the text, and the reason."""
    reason = choice.finish_reason or ""
    if choice.message is None:
        return choice.text or "", reason
    content = choice.message.content
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if part.get("type") == "text")
    return (content or choice.message.refusal, "refusal") if choice.message.refusal else (content or "", reason)


def error_of(error: Any) -> tuple[str, str, int]:
    """Message, code and status out of the many shapes of an error: a text, ``{message, code, type}``, ``{detail: …}``."""
    if not isinstance(error, dict):
        return ("" if error is None else str(error)), "", 0
    message = error.get("message") or error.get("detail") or error.get("error") or error
    code = error.get("code") or error.get("type") or ""
    status = code if isinstance(code, int) else int(code) if isinstance(code, str) and code.isdecimal() else 0
    return (message if isinstance(message, str) else _encode(message).decode()), str(code), status


def error_in(raw: bytes) -> tuple[str, str]:
    """Message and code of the body of a refused request, whatever it is made of."""
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return " ".join(raw.decode("utf-8", "replace").split()), ""
    if isinstance(body, list) and body:
        body = body[0]
    message, code, _ = error_of(body.get("error", body) if isinstance(body, dict) else body)
    return " ".join(message.split()), code
