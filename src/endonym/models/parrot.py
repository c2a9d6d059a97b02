"""A model that needs no network: it says what its params tell it to. For tests and first steps."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import Unsupported
from ..records import Model, Prompt, Response
from .base import Need, settings


class Parrot:
    """Answers each prompt with ``says``: a text, a list to go round by the prompt's id, or a mapping from a part of the prompt to a text.

    Where log-likelihoods are asked, the continuation equal to what it says gets −0.1 and every other −3.
    ``fails`` lists parts of prompts for which the call fails; ``logprobs = false`` makes it a chat-only server.
    """

    cached = True
    deterministic = True
    DEFAULTS: dict[str, Any] = {"says": "A", "fails": [], "logprobs": True, "finish_reason": "stop"}

    def __init__(self, model: Model) -> None:
        self.model, self.params = model, settings(model, self.DEFAULTS)

    def check(self, need: Need) -> None:
        if need.continuations and not self.params["logprobs"]:
            raise Unsupported(f"{self.model.name} gives no log-likelihoods; ask with --method generate")

    def facts(self) -> dict[str, str]:
        return {"engine": "parrot"}

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        for prompt in prompts:
            shown = prompt.messages[-1].content
            if any(part in shown for part in self.params["fails"]):
                yield Response(prompt=prompt.id, model=self.model.name, error="the parrot would not")
                continue
            text = self._says(shown, prompt.id)
            likelihoods = tuple(-0.1 if c.strip() == text else -3.0 for c in prompt.continuations)
            yield Response(
                prompt=prompt.id, model=self.model.name, text="" if likelihoods else text, loglikelihoods=likelihoods,
                lengths=tuple(1 for _ in likelihoods), finish_reason=self.params["finish_reason"],
            )  # fmt: skip

    def _says(self, shown: str, key: str) -> str:
        says = self.params["says"]
        if isinstance(says, dict):
            return next((text for part, text in says.items() if part in shown), "")
        lines = says if isinstance(says, list) else [says]
        return str(lines[int(key, 16) % len(lines)])

    def close(self) -> None:
        pass
