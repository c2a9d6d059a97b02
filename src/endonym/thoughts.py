"""What a model thought before it spoke, taken off its reply.

In: a reply. Out: what was said. The one thing to know: :func:`strip_thinking` is for replies that are read for an answer, and takes off a
chat's own marks too; :func:`without_thoughts` leaves all else as it is, for JSON, lists and translations are told apart by their signs.
"""

import re

_THOUGHT = re.compile(
    r"(?s)<(think|thinking|thought|reasoning|reflection)>.*?</\1>|\[THINK\].*?\[/THINK\]|◁think▷.*?◁/think▷|<\|channel\|>analysis.*?<\|end\|>"
)
_CLOSE = re.compile(r"(?s)^.*(?:</(?:think|thinking|thought|reasoning|reflection)>|\[/THINK\]|◁/think▷)")
_OPEN = re.compile(r"(?s)(?:<(?:think|thinking|thought|reasoning|reflection)>|\[THINK\]|◁think▷|<\|channel\|>analysis).*$")
_TAGS = re.compile(r"<\|(?:start|end|return|message|channel|im_start|im_end|eot_id)\|>(?:assistant|final)?|</?s>|<end_of_turn>|<eos>")
_NAMED = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.S | re.I)


def strip_thinking(text: str) -> str:
    """Leave out what a model thought before it spoke; a thought that is never closed runs to the end of the text."""
    if "<" not in text and "[" not in text and "◁" not in text:
        return text
    return _TAGS.sub("", _OPEN.sub("", _CLOSE.sub("", _THOUGHT.sub("", text))))


def without_thoughts(text: str) -> str:
    """Leave out the thoughts that stand between tags; one that is never closed runs to the end of the text."""
    return _NAMED.sub("", text)
