"""A model's reply in, the list of questions that it wrote out; or the reason why there is none.

In: the text of a reply. Out: JSON values, one a question. The one thing to know: only what cannot change a word is mended: thoughts and
text around the JSON, a code fence, a comma before a closing bracket, typographic quotation marks used as delimiters. JSON that is cut
off, invalid escapes, a field that stands twice or two values after each other are a ``Reject``, never put together.
"""

import json
import re
from typing import Any, NoReturn

from ..thoughts import without_thoughts

_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*$", re.M)
_START = re.compile(r"\{\s*(?:[\"“”„«}])|\[\s*(?:[\"“”„«{\[\]])")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_TYPOGRAPHIC = re.compile(r"(?:[“„”]([^“”„«»\"\\\x00-\x1f]*)[”“]|«\s*([^“”„«»\"\\\x00-\x1f]*?)\s*»)(?=\s*[:,\]}])")
_TRAILING = re.compile(r",(?=\s*[\]}])")


class Reject(Exception):
    """Why a candidate becomes no item: a reason that can be counted, and a note that teaches."""

    def __init__(self, reason: str, note: str) -> None:
        super().__init__(f"{reason}: {note}")
        self.reason, self.note = reason, note


def questions(text: str, *, cut: bool = False) -> list[Any]:
    """The questions of a reply, unread. ``cut``: the model was stopped by its limit of tokens.

    Raises ``Reject`` with the reason ``truncated`` or ``malformed``.
    """
    said = _unfenced(without_thoughts(text).strip())
    start = _START.search(said)
    if not start:
        raise Reject("truncated", "the limit of tokens cut it before any JSON") if cut else Reject("malformed", "the reply holds no JSON")
    value, rest = _value(said[start.start() :], cut)
    if _START.search(rest):
        raise Reject("malformed", "there are two JSON values after each other; which one is meant is not guessed")
    if isinstance(value, dict):
        value = [value] if "question" in value else value.get("questions")
    if not isinstance(value, list):
        raise Reject("malformed", 'the JSON is no {"questions": […]}')
    return value


def _unfenced(text: str) -> str:
    """What stands in the one code fence, if there is one."""
    marks = list(_FENCE.finditer(text))
    if len(marks) > 2:
        raise Reject("malformed", "there are several blocks of code; which one is meant is not guessed")
    if not marks:
        return text
    inside = text[marks[0].end() : marks[1].start() if len(marks) == 2 else len(text)]
    return inside if len(marks) == 2 or not text[: marks[0].start()].strip() else text[: marks[0].start()] + inside


def _value(text: str, cut: bool) -> tuple[Any, str]:
    """The first JSON value of a text, mended where that is safe, and what follows it."""
    try:
        return _decoded(text)
    except json.JSONDecodeError:
        pass
    mended = _mended(text)
    try:
        return _decoded(mended)
    except json.JSONDecodeError as problem:
        whole = len(mended.rstrip())
        if cut or problem.pos >= whole or problem.msg.startswith("Unterminated string") and "\n" not in mended[problem.pos : whole]:
            raise Reject("truncated", f"the JSON is cut off after {whole} characters") from None
        raise Reject("malformed", f"no JSON at character {problem.pos + 1}: {problem.msg}: …{_around(mended, problem.pos)}…") from None


def _around(text: str, at: int) -> str:
    return " ".join(text[max(0, at - 30) : at + 30].split())


def _decoded(text: str) -> tuple[Any, str]:
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)
    try:
        value, end = decoder.raw_decode(text)
    except RecursionError:
        raise Reject("malformed", "the JSON is nested too deeply") from None
    return value, text[end:]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Reject("malformed", f"the field {next(n for n in names if names.count(n) > 1)!r} stands twice in one question")
    return found


def _no_number(word: str) -> NoReturn:
    raise Reject("malformed", f"{word} is no JSON")


def _mended(text: str) -> str:
    """The same without commas before closing brackets, and with straight quotes for typographic ones that delimit."""
    out: list[str] = []
    at = 0
    while at < len(text):
        if string := _STRING.match(text, at):
            out.append(string[0])
            at = string.end()
        elif quoted := _TYPOGRAPHIC.match(text, at):
            out.append(json.dumps(quoted[1] if quoted[1] is not None else quoted[2], ensure_ascii=False))
            at = quoted.end()
        elif text[at] == '"':
            return "".join(out) + text[at:]  # a string that does not end well: nothing behind it can be trusted
        else:
            out.append("" if _TRAILING.match(text, at) else text[at])
            at += 1
    return "".join(out)
