"""Log-likelihoods of short texts out of the log-probabilities that a server reports for the next token.

In: a prompt's continuations and the most likely first tokens (natural logarithms). Out: one log-likelihood a
continuation, with its length in tokens, or nothing. The one thing to know: a server shows the top 20 or fewer, so an
option that is not among them is known only to be *at most* as likely as the last that was shown. Such a value is marked
by the length 0: a bound from above, just below everything measured. Where no option was shown there is no answer to
read here, and the generated text is left to speak.
"""

import math
from collections.abc import Iterable, Sequence

import msgspec

from .wire import Logprobs, Top

BELOW = 1e-4
"""How far under the least reported token a bound is put, so that it never ties with a measured option."""
_MARKS = "▁Ġ"

Scores = tuple[tuple[float, ...], tuple[int, ...]]
NONE: Scores = ((), ())


def tops_of(logprobs: Logprobs | None) -> list[tuple[str, float]]:
    """The candidates for the first token, without blanks around them; an empty list where the server gives none."""
    if logprobs is None:
        return []
    if logprobs.content:
        return [(_plain(_token(top)), top.logprob) for top in logprobs.content[0].top_logprobs or () if top.logprob is not None]
    first = logprobs.top_logprobs[0] if logprobs.top_logprobs else None
    return [(_plain(token), value) for token, value in (first or {}).items() if value is not None]


def scores(continuations: Sequence[str], tops: list[tuple[str, float]]) -> Scores:
    """Score continuations by the first token; ``"A"`` and ``" A"`` are one option, and their probabilities are added.

    Nothing is scored where no continuation is among the tops, nor where a top is the beginning of one that is not: then
    the continuation has several tokens, and its likelihood is not to be had from the first.
    """
    wanted = [c.strip() for c in continuations]
    found = [_logsumexp([value for token, value in tops if token == text]) for text in wanted]
    missing = [text for text, value in zip(wanted, found, strict=True) if value is None]
    if len(missing) == len(wanted) or any(_begins(text, token) for text in missing for token, _ in tops):
        return NONE
    bound = min(value for _, value in tops) - BELOW
    return tuple(bound if v is None else v for v in found), tuple(0 if v is None else 1 for v in found)


def echoed(continuation: str, logprobs: Logprobs | None) -> tuple[float, int] | None:
    """Sum the tokens of a continuation at the end of an echoed prompt; None where they cannot be told from the prompt's.

    One more token is generated after the prompt (not every server takes 0) and left out. The tokens' own texts are
    joined, because offsets are counted differently where a server shows a BOS.
    """
    if logprobs is None or not logprobs.tokens or not logprobs.token_logprobs:
        return None
    text, total, length = "", 0.0, 0
    for token, value in reversed(list(zip(logprobs.tokens, logprobs.token_logprobs, strict=False))[:-1]):
        if len(text) >= len(continuation) or value is None:
            break
        text, total, length = token + text, total + value, length + 1
    return (total, length) if text == continuation else None


def _token(top: Top) -> str:
    """The token's text; half a character is written out of its bytes, so that it matches no whole one."""
    if "\ufffd" not in top.token and not top.token.startswith("bytes:"):
        return top.token
    try:
        return bytes(msgspec.json.decode(top.bytes, type=list[int])).decode("utf-8", "surrogateescape")
    except (msgspec.DecodeError, ValueError):
        return top.token


def _plain(token: str) -> str:
    """Take off blanks, and the marks that some servers leave for them (but ``Ġ`` alone is a letter of Maltese)."""
    bare = token.strip()
    return bare.lstrip(_MARKS) or bare


def _begins(text: str, token: str) -> bool:
    """Whether a token may be the beginning of a text; half a character may begin any that is not ASCII."""
    if "\ufffd" in token:
        return not text.isascii()
    return bool(token) and text.encode().startswith(token.encode("utf-8", "surrogateescape"))


def _logsumexp(values: Iterable[float]) -> float | None:
    values = list(values)
    if not values:
        return None
    top = max(values)
    return min(0.0, top + math.log(sum(math.exp(v - top) for v in values)))
