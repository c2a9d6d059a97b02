"""What asking would cost: tokens and money, before the first call.

In: prompts (walked once, none kept) and a model. Out: a ``Bill``. The one thing to know: tokens are estimated by a rule
of thumb and not by the model's tokenizer: a token for every four bytes of UTF-8, one for every Chinese, Japanese or
Korean character, and four for each turn. Answers are reckoned at their limit, so the bill is rather high than low.
"""

import re
from collections.abc import Iterable

import msgspec

from ..records import Model, Prompt
from .wire import GENERATED

BYTES_A_TOKEN = 4
TOKENS_A_TURN = 4
_CJK = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """Prompts, tokens in and out, and money in the currency of the prices; None where the model has no price."""

    prompts: int
    tokens_in: int
    tokens_out: int
    money: float | None = None


def bill(prompts: Iterable[Prompt], model: Model) -> Bill:
    """Estimate what prompts would cost. Sources of the prices: ``price_in`` and ``price_out`` of the model's params."""
    number = given = taken = 0
    echo = model.params.get("score") == "echo"
    for prompt in prompts:
        calls = len(prompt.continuations) if echo and prompt.continuations else 1
        number += 1
        given += tokens_in(prompt) * calls
        taken += tokens_out(prompt) * calls
    return Bill(prompts=number, tokens_in=given, tokens_out=taken, money=price(model, given, taken))


def price(model: Model, tokens_in: int, tokens_out: int) -> float | None:
    """Money for so many tokens, by the model's prices per million tokens; None where a price is not given."""
    given, taken = model.params.get("price_in"), model.params.get("price_out")
    return None if given is None or taken is None else (tokens_in * given + tokens_out * taken) / 1_000_000


def tokens(text: str) -> int:
    """Estimate the tokens of a text by the rule above."""
    if text.isascii():
        return -(-len(text) // BYTES_A_TOKEN)
    signs = _CJK.findall(text)
    rest = len(text.encode("utf-8", "surrogatepass")) - sum(len(s.encode()) for s in signs)
    return len(signs) + -(-rest // BYTES_A_TOKEN)


def tokens_in(prompt: Prompt) -> int:
    """Estimate what is sent for a prompt."""
    return sum(tokens(message.content) + TOKENS_A_TURN for message in prompt.messages)


def tokens_out(prompt: Prompt) -> int:
    """The most that can come back for a prompt."""
    return prompt.max_tokens or (1 if prompt.continuations else GENERATED)
