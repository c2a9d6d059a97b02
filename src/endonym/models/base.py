"""What every provider is: someone who is given prompts and gives responses, in any order, one for each.

A provider is made from a :class:`~endonym.records.Model`; the part of the model's name before the first slash picks
it, and the model's params are its settings.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import msgspec

from ..errors import UnknownName
from ..records import Model, Prompt, Response


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """What a set of prompts asks of a model, told to it before the first call."""

    continuations: bool = False
    generate: bool = False
    chat: bool = False

    @classmethod
    def of(cls, prompt: Prompt) -> "Need":
        return cls(continuations=bool(prompt.continuations), generate=not prompt.continuations, chat=prompt.chat)


class Provider(Protocol):
    """Someone who answers prompts."""

    cached: bool
    """Whether an answer, once given, may be given again from memory. People may change their minds."""

    def __init__(self, model: Model) -> None: ...

    def check(self, need: Need) -> None:
        """Raise Unsupported or Unavailable, before the first call, where such prompts cannot be answered."""
        ...

    def facts(self) -> dict[str, str]:
        """What identifies the model beyond its name: engine, precision, hashes, revision; for manifest and signature."""
        ...

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        """Give one response for each prompt, in any order; a failed call is a Response with an error."""
        ...

    def close(self) -> None:
        """Let go of memory, processes and connections."""
        ...


def settings(model: Model, known: dict[str, Any]) -> dict[str, Any]:
    """Lay a model's params over a provider's defaults; raise UnknownName for a key the provider does not have."""
    for key in model.params:
        if key not in known:
            raise UnknownName(f"setting of {model.name}", key, known)
    return {**known, **model.params}
