"""Read which option a written reply chose, if it chose one and only one.

In: the reply, the options in the order shown, the language. Out: a :class:`Reading`: a position in that order or none,
a status, and the name of the rule that decided. The one thing to know: a reply that cannot be read is not a wrong
answer. Statements count by their strength ("the answer is B" before "B. …" before "I think B" before a mere mention),
and among equals the last one. A letter beside the text of another option, or two letters, is no answer.
"""

import re
from collections.abc import Sequence

import msgspec

from ..records import Status
from ..thoughts import strip_thinking
from .folding import fold
from .grammar import letters as alphabet
from .grammar import native
from .looser import look_again
from .statements import SPLIT, Reply, Statement
from .wording import LATIN

FILTERED = frozenset({"content_filter", "refusal", "safety", "SAFETY", "RECITATION", "blocklist"})
_DECIDED = ("answered", "abstained")
_OUTRIGHT = ("whole", "cue", "right", "line", "lead")
_TAGS = re.compile(
    r"[<\[](?:/?(?:b|i|u|p|em|br|div|span|code|mark|strong|s|bos|eos|pad|start_of_turn|end_of_turn)\s*/?>|\|[^|<>\n]{1,30}\|>|/?INST\])"
)
"""Tags of HTML, and tokens of chat templates that a model wrote out."""
_BRACKET = re.compile(r"[(\[][^)\]]*\w[^)\]]*[)\]]")


class Reading(msgspec.Struct, frozen=True):
    """The position chosen (in the prompt's order) or none, what kind of reply it was, and by which rule."""

    position: int | None
    status: Status
    rule: str


def read_choice(
    text: str, *, options: Sequence[str], lang: str, finish_reason: str = "", letters: Sequence[Sequence[str]] | None = None,
    abstain: int | None = None,
) -> Reading:  # fmt: skip
    """Read one reply. ``letters`` are the alphabets that may name options, the one shown first; ``None``: Latin, then native.

    A capital of another script that looks like a letter of the first alphabet is read as that letter. ``abstain`` is the
    position of the option "I don't know"; choosing it and saying it are both "abstained".
    """
    if finish_reason in FILTERED:
        return Reading(None, "refused", "finish_reason")
    shown = tuple(map(tuple, letters)) if letters is not None else (LATIN, native(lang))
    said = _said(text, lang)
    cut = finish_reason == "length"
    if not said:
        return Reading(None, "truncated" if cut else "unparsed", "empty")
    known = alphabet(shown, len(options))
    reply = Reply(said, tuple(options), lang, known)
    head = _before_the_next(reply, abstain) if "\n" in said else None
    return head or _read(reply, abstain, cut=cut)


def read_open(text: str, *, lang: str, finish_reason: str = "") -> Status:
    """Say what kind of reply to an open question this is: an answer, right or wrong, unless it says that it is none."""
    if finish_reason in FILTERED:
        return "refused"
    said = _said(text, lang)
    if not said:
        return "truncated" if finish_reason == "length" else "unparsed"
    reply = Reply(said, ("\0", "\1"), lang, alphabet((LATIN,), 2))
    rest = reply.grammar.unknown.sub("", reply.low)
    if rest != reply.low and not reply.grammar.but.search(rest):
        return "abstained"
    return "refused" if reply.grammar.refuse.search(reply.low) else "answered"


def read_xnationqa_paper(text: str, *, options: Sequence[str]) -> Reading:
    """Read as XNationQA's numbers were made: the first option text found in the output, else the first of "A." "B." "C." "D.".

    Lenient: substrings count, denials are not seen, and the first is the one that the output names first; of texts that
    begin at one place, the one that stands first in the prompt.
    """
    for rule, names in (("text", options), ("letter", [f"{letter}." for letter in LATIN[: len(options)]])):
        found = [(text.find(name), position) for position, name in enumerate(names) if name and name in text]
        if found:
            return Reading(min(found)[1], "answered", rule)
    return Reading(None, "unparsed", "none")


def _said(text: str, lang: str) -> str:
    """What a reply says once thoughts, tags and the spellings of one text are out of the way."""
    return _TAGS.sub("", fold(strip_thinking(text), lang)).strip()


def _before_the_next(reply: Reply, abstain: int | None) -> Reading | None:
    """Read what stands before a model goes on to the next question, or says all options again behind a lone answer."""
    asked = reply.grammar.question.search(reply.low)
    for stop, rules in ((asked and asked.start(), None), (min(reply.listed, default=None), ("line", "whole"))):
        if stop and reply.text[:stop].strip():
            head = _read(reply.part(0, stop), abstain, cut=False)
            if head.status in _DECIDED and (rules is None or head.rule in rules):
                return head
    return None


def _read(reply: Reply, abstain: int | None, *, cut: bool) -> Reading:
    """Read what a reply says after it corrected itself, else the whole of it, else, if it is whole, whatever else may name an option."""
    if reply.wavers():
        for turn in reversed(list(reply.grammar.retract.finditer(reply.low))):
            if reply.text[: turn.start()].strip():
                behind = reply.part(turn.end())
                rest = _decide(behind, abstain, cut=cut)
                if rest.status in _DECIDED and (rest.rule in _OUTRIGHT or (rest.rule == "mention" and behind.opens())):
                    return rest
    found = _decide(reply, abstain, cut=cut)
    if not cut and (found.rule == "nothing" or (found.status == "abstained" and found.rule == "words")):
        look = look_again(reply, abstain)
        again = look and _decide(Reply(look.text, look.options, reply.lang, reply.known, look.found), abstain, cut=False)
        if look and again and again.status == "answered":
            return Reading(again.position, again.status, look.name)
    return found


def _decide(reply: Reply, abstain: int | None, *, cut: bool) -> Reading:
    """By the last of the strongest statements, else by what is confessed, declined or merely mentioned."""
    said = [s for s in reply.statements() if not (cut and reply.breaks_off(s.start))]
    lost: Status = "truncated" if cut else "unparsed"
    if said:
        last = max(said)
        if _goes_round(reply, said, cut=cut):
            return Reading(None, "unparsed", last.rule)
        grown = cut and last.rule in ("whole", "cue", "lead") and reply.could_grow()
        return Reading(None, lost, last.rule) if grown else _named(last.position, last.rule, abstain)
    named = reply.named()
    if reply.grammar.unknown.search(reply.low):
        return _confessed(reply, named, abstain)
    if reply.grammar.refuse.search(reply.low):
        return Reading(None, "refused", "words")
    if len(named) != 1 or (cut and not reply.leads_off()):
        return Reading(None, lost, "mentions" if named else "nothing")
    return _named(named.pop(), "mention", abstain)


def _goes_round(reply: Reply, said: list[Statement], *, cut: bool) -> bool:
    """Whether at least half of the lines state an answer, and three differ: nobody thinking aloud, unless it ends on the third."""
    rows = {reply.text.count("\n", 0, s.start) for s in said}
    lines = sum(map(bool, map(str.strip, reply.text.splitlines())))
    return len(rows) > (2 if cut else 3) and 2 * len(rows) >= lines and len({s.position for s in said}) > 2


def _named(position: int, rule: str, abstain: int | None) -> Reading:
    if position == SPLIT:
        return Reading(None, "unparsed", rule)
    return Reading(position, "abstained" if position == abstain else "answered", rule)


def _confessed(reply: Reply, named: set[int], abstain: int | None) -> Reading:
    """Read "I don't know": alone it abstains; with something beside it, it is neither an answer nor a confession."""
    rest = reply.grammar.unknown.sub("", reply.low)
    others = named - {abstain}
    if reply.grammar.but.search(rest):
        others = others or reply.ending() - {abstain}
        if len(others) == 1:
            return Reading(others.pop(), "answered", "hedged")
    if others or _BRACKET.search(rest) or reply.capitals():
        return Reading(None, "unparsed", "hedged")
    return Reading(abstain, "abstained", "words")
