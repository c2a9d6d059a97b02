"""Read the numbers, spans and years that options give, so that two of them can be held against each other.

In: an option and the rules of its language. Out: a :class:`Span` (``12 communes``, ``entre 10 et 20 %``, ``XIXe siècle``), or none where
the option is not a quantity as a whole. The one thing to know: a span has a unit, and spans of different units are never compared.
"""

import math
import re
from functools import lru_cache
from typing import Any, NamedTuple

from .check_rules import Rules
from .check_text import bare, plain, words

_ROMAN = re.compile(r"\b(?=[IVX])(X{0,3}(?:IX|IV|V?I{0,3}))(?<=[IVX])(?=(?:e|er|ème|eme|ᵉ)?\b)")
_DIGITS = {"I": 1, "V": 5, "X": 10}
_GROUPED = re.compile(r"(?<=\d)[ .'](?=\d{3}(?!\d))")
_SCALED = re.compile(r"(\d+(?:\.\d+)?) (1000000000|1000000|1000)\b")  # 1,2 million, 3 mille
_NUMBER = r"\d+(?:\.\d+)?"
_UNIT = r"[^\W\d]*[%€°]?"


class Span(NamedTuple):
    """From ``low`` to ``high`` in a unit; a single value has both equal."""

    low: float
    high: float
    unit: str

    @property
    def point(self) -> bool:
        return self.low == self.high

    def meets(self, other: "Span") -> bool:
        """Whether some value lies in both; two spans that only touch do not meet, a value on the edge of a span does."""
        if self.unit != other.unit and self.unit and other.unit:
            return False
        low, high = max(self.low, other.low), min(self.high, other.high)
        return low < high or (low == high and (self.point or other.point))


def _arabic(match: re.Match[str]) -> str:
    letters = [_DIGITS[c] for c in match[1]]
    after = [*letters[1:], 0]
    return str(sum(-n if n < m else n for n, m in zip(letters, after, strict=True)))


def figures(text: str, rules: Rules) -> str:
    """The text in lower case with its numbers in digits: XIXe → 19e, 1 500 → 1500, douze → 12, 1,5 → 1.5."""
    text = _GROUPED.sub("", plain(_ROMAN.sub(_arabic, text))) if rules.decimal == "," else _english(text)
    if rules.decimal == ",":
        text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    return _counted(text, rules) if rules.lists.numbers else text


def _english(text: str) -> str:
    return re.sub(r"(?<=\d)[, ](?=\d{3}(?!\d))", "", plain(_ROMAN.sub(_arabic, text)))


def _counted(text: str, rules: Rules) -> str:
    """Put digits for every run of number words."""
    numbers, out, run = _numbers(rules), [], []
    for token in [*re.split(r"([\s'-]+)", text), ""]:
        joins = bool(run) and (not token.strip(" -") or token in rules.lists.words.get("number_joins", ()))
        if token in numbers or (joins and token):
            run.append(token)
        else:
            out += _flushed(run, numbers)
            run = []
            out.append(token)
    return _SCALED.sub(_scaled, " ".join("".join(out).split()))


def _scaled(match: re.Match[str]) -> str:
    return f"{float(match[1]) * int(match[2]):.0f}"


def _flushed(run: list[str], numbers: dict[str, int]) -> list[str]:
    last = max((n for n, t in enumerate(run) if t in numbers), default=-1)
    if last < 0:
        return run
    value = _sum([numbers[t] for t in run[: last + 1] if t in numbers])
    if value == 1 and last == 0:
        return run  # an article as often as a number
    return [str(value), *run[last + 1 :]]


def _sum(values: list[int]) -> int:
    """Add up number words in their order: quatre vingt dix sept, deux cent mille, ciento cinco."""
    total = current = 0
    for value in values:
        if value >= 1000:
            total, current = total + max(current, 1) * value, 0
        elif value == 100 or (value == 20 and 2 <= current % 100 <= 9):
            current = max(current, 1) * value if current < 100 else current + value
        else:
            current += value
    return total + current


@lru_cache(maxsize=64)
def _plain_keys(pairs: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return {plain(word): value for word, value in pairs}


def _numbers(rules: Rules) -> dict[str, int]:
    return _plain_keys(tuple(rules.lists.numbers.items()))


def span(text: str, rules: Rules) -> Span | None:
    """What an option says as a quantity; None where it says anything else."""
    share = _plain_keys(tuple(rules.lists.shares.items())).get(plain(text))
    if share is not None:
        return Span(share, share, "%")
    if not any(c.isdigit() for c in text) and not _ROMAN.search(text) and _numbers(rules).keys().isdisjoint(words(text)):
        return None
    said = figures(text, rules).rstrip(" .")
    if not any(c.isdigit() for c in said):
        return None
    for kind in ("century", "decade", "range", "more", "less", "point"):
        for part in rules.lists.patterns.get(kind, ()):
            if match := _full(bare(part), said):
                return _read(kind, match, rules)
    return None


@lru_cache(maxsize=256)
def _compiled(part: str) -> re.Pattern[str]:
    for name in "ab":
        number = rf"(?P<{name}>{_NUMBER})(?:\s?(?P<unit_{name}>{_UNIT}))"
        part = re.sub(rf"(?<!\?P)<{name}>", lambda _, number=number: number, part)
    return re.compile(part + r"\s?(?P<unit>[^\d]*)")


def _full(part: str, said: str) -> re.Match[str] | None:
    return _compiled(part).fullmatch(said)


def _read(kind: str, match: re.Match[str], rules: Rules) -> Span:
    found = match.groupdict()
    a, b = float(found["a"]), float(found.get("b") or found["a"])
    said = " ".join(w for w in (found.get("unit_b") or found.get("unit_a"), found["unit"]) if w).strip()
    if kind == "century":
        return Span(100 * a - 99, 100 * a, "")
    if kind == "decade":
        return Span(a, a + 9, "")
    unit, factor = _plain_keys(tuple(rules.lists.units.items())).get(said, (said, 1.0))
    if kind == "more":
        return Span(math.nextafter(a * factor, math.inf), math.inf, unit)
    if kind == "less":
        return Span(-math.inf, math.nextafter(a * factor, -math.inf), unit)
    return Span(min(a, b) * factor, max(a, b) * factor, unit)
