"""Read the score or the label that a judge gave in a written reply, if the reply gives one and only one.

In: the reply, the guideline, the language of its file. Out: a :class:`Rating`: a value as text or none, a status, and a note that
says why there is none. The one thing to know: a score that is not on the scale is invalid and is never clamped or rounded, and a
reply without a score has no score, never a middle one. Statements count by strength: a number alone, then "score: 4", then a
sentence that gives one ("a score of 4", "4 out of 5"), then a line that begins or ends with one; among equals the last.
"""

import re
from functools import cache

import msgspec

from ..records import Guideline, Status
from .vocabulary import Vocabulary, plain, vocabulary

FILTERED = frozenset({"content_filter", "refusal", "safety", "SAFETY", "RECITATION", "blocklist"})
_SCALE = "§"
"""Stands where the scale was named, so that its bounds are not taken for scores; a number right after it is one."""

_RUBRIC = re.compile(r"(?<![\w.,])\d+\s*=\s*(?=[^\W\d])")
"""A line of a scale told again, "1 = bad, 5 = good": more than one of them is no score."""


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """The value that was read, as text; empty where there is none, and ``note`` says why."""

    value: str = ""
    status: Status = "answered"
    note: str = ""


def rating(text: str, told: Guideline, *, lang: str = "en", finish_reason: str = "") -> Rating:
    """Read one reply to one guideline: a whole number on its scale, or one of its answers."""
    if finish_reason in FILTERED:
        return Rating(status="refused", note="the judge's reply was filtered")
    said = plain(text)
    lost: Status = "truncated" if finish_reason == "length" else "unparsed"
    if not said:
        return Rating(status=lost, note="the reply is empty")
    if not told.scale:
        found = label(said, told.answers, vocabulary(lang))
        return Rating(value=found) if found else Rating(status=lost, note="the reply names none of the answers, or several")
    return _score(said, told.scale, told.criterion, _grammar(lang, told.scale), lost)


def label(said: str, answers: tuple[str, ...], words: Vocabulary) -> str:
    """The answer named: alone, or after the last word for a verdict, or the only one that is named and not denied."""
    names = {a.strip().casefold(): a for a in answers}
    low, either = said.casefold(), "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if (bare := low.strip(" .!\"'()[]:")) in names:
        return names[bare]
    led = re.findall(rf"(?<!\w)(?:{words.cues})\W{{0,6}}(?:(?:{words.links})\s+)*({either})(?!\w)", low)
    if led:
        return names[led[-1]]
    seen = [(m[1], low[: m.start()].rsplit("\n", 1)[-1][-12:]) for m in re.finditer(rf"(?<!\w)({either})(?!\w)", low)]
    if any(re.search(rf"(?<!\w)(?:{words.denied})\s+\S{{0,6}}\s*$", before) for _, before in seen):
        return ""
    named = {name for name, _ in seen}
    return names[named.pop()] if len(named) == 1 else ""


class _Grammar(msgspec.Struct, frozen=True):
    """The patterns of one language and one scale."""

    words: Vocabulary
    scale: re.Pattern[str]
    whole: re.Pattern[str]
    labelled: re.Pattern[str]
    given: re.Pattern[str]
    verb: re.Pattern[str]
    after: re.Pattern[str]
    fraction: re.Pattern[str]
    lead: re.Pattern[str]
    last: re.Pattern[str]


@cache
def _grammar(lang: str, scale: tuple[int, int]) -> _Grammar:
    words, (low, high) = vocabulary(lang), scale
    spelt, links = words.spelt(scale), rf"(?:(?:{words.links})\s+)"
    digits = r"[-−]?\d+(?:[.,]\d+)?(?!\d)"
    again = rf"(?:\s*[/÷]\s*|\s+\(?(?:{words.out_of})\s+)(?P<of>\d+|(?:{spelt})(?!\w))|\s*(?:-|–|—|(?<=\s)(?:{words.either}))\s*\d+"
    rest = rf"(?!\s*(?:{words.counted})(?!\w))(?P<tail>{again})?(?![\d%])"
    number, wide = (rf"(?P<n>{digits}|(?<!\w)(?:{w})(?!\w)){rest}" for w in (spelt, f"{spelt}|{words.one}"))
    end = rf"\s*(?:{words.units}|\((?:{spelt}|{words.one})\))?\s*[.!)\]\"'>]*\s*$"
    stop = rf"(?=\s*(?:$|[.,;:!?)\]»\"'\n—–-]|(?:{words.units}|{words.because}|{words.either})(?!\w)))"
    named = rf"(?<!\w)(?:{words.cues}|@@)(?!\w)[^\n:=|\d]{{0,60}}?[:=|→]+|{_SCALE}\W*?"
    verb = rf"(?:{words.verbs})(?!\w)[^\d.;:!?\n]{{0,60}}?(?<!\w)"
    fraction = rf"(?<![\w.,/])(?P<n>{digits}|{spelt})(?P<tail>(?:\s*/\s*|\s+(?:{words.out_of})\s+)(?P<of>\d+|{spelt}))(?![\d/])"
    ranged = rf"(?<![\d/]){low}\s*(?:-|–|—|\.\.+|…|(?<=\s)(?:{words.ranges}))\s*{high}(?!\d)|{words.betweens(low, high)}"
    patterns = {
        "scale": ranged,
        "whole": rf"^\W*?{wide}{end}",
        "labelled": rf"(?:{named})[\s|]*{links}*[\[(<]*{wide}",
        "given": rf"(?<!\w)(?:{words.cues})(?!\w)\s+{links}{{0,4}}\(?{number}",
        "verb": rf"(?<!\w)(?:{verb}|(?:{words.told})\s+)\(?{number}{stop}",
        "after": rf"(?<![\w.,/]){number}\s*(?:{words.units})?\s+(?:{words.after})(?!\w)",
        "fraction": fraction,
        "lead": rf"^\W*?{number}\s*(?:[.:,)\]=—–-]|$|(?:{words.because})(?!\w))",
        "last": rf"^(?:.*(?<!\w)(?:{words.so})\s*[,:]?\s*)?\W*?{number}{end}",
    }
    return _Grammar(words=words, **{name: re.compile(pattern, re.IGNORECASE) for name, pattern in patterns.items()})


def _score(said: str, scale: tuple[int, int], criterion: str, grammar: _Grammar, lost: Status) -> Rating:
    """The last of the strongest statements."""
    said = grammar.scale.sub(_SCALE, said)
    if len(_RUBRIC.findall(said)) > 1:
        said = _RUBRIC.sub("", said)
    for statements in (_alone, _labelled, _sentences, _lines):
        if found := statements(said, criterion, grammar):
            return _valued(found[-1], scale, grammar, lost)
    return Rating(status=lost, note="the reply gives no score")


def _alone(said: str, criterion: str, grammar: _Grammar) -> list[re.Match[str]]:
    found = grammar.whole.match(said)
    return [found] if found else []


def _labelled(said: str, criterion: str, grammar: _Grammar) -> list[re.Match[str]]:
    """"Score: 4", and the criterion's own name as a label."""
    pattern = re.compile(grammar.labelled.pattern.replace("@@", re.escape(criterion)), re.IGNORECASE)
    return list(pattern.finditer(said))


def _sentences(said: str, criterion: str, grammar: _Grammar) -> list[re.Match[str]]:
    """Scores given in a sentence, in their order; what is denied or only imagined is none."""
    patterns = (grammar.given, grammar.verb, grammar.after, grammar.fraction)
    found = [m for pattern in patterns for m in pattern.finditer(said) if not _imagined(said, m, grammar.words)]
    return sorted(found, key=lambda m: m.start("n"))


def _imagined(said: str, found: re.Match[str], words: Vocabulary) -> bool:
    """Whether a score is denied ("not a 5") or talked of as what would be ("a score of 5 would need")."""
    clause = re.split(r"[.;:!?\n,]", said[: found.start("n")])[-1]
    if re.search(rf"(?<!\w)(?:{words.denied}|{words.unless})(?!\w)", clause, re.IGNORECASE):
        return True
    return bool(re.match(rf"[\s)]*(?:{words.would})(?!\w)", said[found.end() :], re.IGNORECASE))


def _lines(said: str, criterion: str, grammar: _Grammar) -> list[re.Match[str]]:
    """A last line that is a number or concludes with one; else numbers that lead lines, if they are all one and the same."""
    lines = [line for line in said.split("\n") if line.strip()]
    if last := grammar.last.match(lines[-1]):
        return [last] if not _imagined(lines[-1], last, grammar.words) else []
    leads = [m for m in map(grammar.lead.match, lines) if m]
    return leads if leads and grammar.lead.match(lines[0]) and len({m["n"] for m in leads}) == 1 else []


def _valued(found: re.Match[str], scale: tuple[int, int], grammar: _Grammar, lost: Status) -> Rating:
    """The number of a statement, if it is a whole one on the scale."""
    low, high = scale
    said, tail, of = found["n"].replace("−", "-"), found["tail"], found["of"]
    words = grammar.words
    if tail and not of:
        return Rating(status=lost, note=f"{found['n']}{tail} is more than one score")
    if of and words.value(of) != high:
        return Rating(status=lost, note=f"{found['n']}{tail} is not on the scale from {low} to {high}")
    value = words.value(said)
    if value is None or value != int(value):
        return Rating(status=lost, note=f"{said} is no whole number")
    if not low <= value <= high:
        return Rating(status=lost, note=f"{said} is not on the scale from {low} to {high}")
    return Rating(value=str(int(value)))
