"""Read which option a written reply chose, if it chose one and only one.

In: the reply, the options in the order shown, the language. Out: a :class:`Reading`: a position in that order or none,
a status, and the name of the rule that decided. The one thing to know: a reply that cannot be read is not a wrong
answer. Statements count by their strength ("the answer is B" before "B. …" before "I think B" before a mere mention),
and among equals the last one. A letter beside the text of another option, or two letters, is no answer.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from ..records import Status
from .folding import fold, lower, strip_thinking
from .grammar import Grammar, Letters, grammar, letters as alphabet, native
from .mentions import Mention, mentions
from .wording import LATIN

FILTERED = frozenset({"content_filter", "refusal", "safety", "SAFETY", "RECITATION", "blocklist"})
_CLOSE = re.compile(r"[\s*_)\]}\"'$`.:]*")
_LETTER_CLOSE = re.compile(r"[*_`\"'$]*([).:\]}]?)[*_`\"'$)\]}]*")
_NOTHING = re.compile(r"[\W_]*")
_BESIDE = re.compile(r"[ \t.:)\]*_,\-–—\"'(}$]*\n?[ \t*_\"'(]*")
_BRACKET = re.compile(r"[(\[]([^)\]]*\w[^)\]]*)[)\]]")
_ANYCUE = re.compile(r"(?m)^[^\n:.,]{1,40}:[\s*_$`\"'(\[]*")
SPLIT = -1
"""The position of a statement that names more than one option."""


class Reading(msgspec.Struct, frozen=True):
    """The position chosen (in the prompt's order) or none, what kind of reply it was, and by which rule."""

    position: int | None
    status: Status
    rule: str


class Statement(NamedTuple):
    """A place in a reply that says what the answer is: the lower ``rank`` the stronger, the later the better."""

    rank: int
    start: int
    position: int
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
    said = fold(strip_thinking(text), lang).strip()
    cut = finish_reason == "length"
    if not said:
        return Reading(None, "truncated" if cut else "unparsed", "empty")
    reply = Reply(said, tuple(options), lang, alphabet(shown, len(options)))
    run_on = reply.grammar.question.search(reply.low)
    if run_on and said[: run_on.start()].strip():
        head = Reply(said[: run_on.start()], tuple(options), lang, reply.letters).read(abstain, cut=False)
        if head.status in ("answered", "abstained"):
            return head
    return reply.read(abstain, cut=cut)


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


class Reply:
    """One reply as it is read: folded text, its lower-case twin of equal length, and where options are named in it."""

    def __init__(self, text: str, options: tuple[str, ...], lang: str, known: Letters) -> None:
        self.text, self.low, self.options, self.lang = text, lower(text, lang), options, lang
        self.grammar: Grammar = grammar(lang)
        self.letters = known
        self.mentions = mentions(self.low, options, lang)
        self.starts = {m.start: m for m in self.mentions}
        self.listed = self._listed()

    def read(self, abstain: int | None, *, cut: bool) -> Reading:
        """Decide: by the strongest last statement, else by what is confessed, declined or merely mentioned."""
        said = [s for s in self.statements() if s.position is not None]
        if said:
            rank = min(s.rank for s in said)
            last = max((s for s in said if s.rank == rank), key=lambda s: s.start)
            if cut and self._cut_short(last):
                return Reading(None, "truncated", last.rule)
            return self._named(last.position, last.rule, abstain)
        named = self.named()
        if self.grammar.unknown.search(self.low):
            return self._confessed(named, abstain)
        if self.grammar.refuse.search(self.low):
            return Reading(None, "refused", "words")
        lost: Status = "truncated" if cut else "unparsed"
        if len(named) != 1 or (cut and not self._leads_off()):
            return Reading(None, lost, "mentions" if named else "nothing")
        return self._named(named.pop(), "mention", abstain)

    def _named(self, position: int, rule: str, abstain: int | None) -> Reading:
        if position == SPLIT:
            return Reading(None, "unparsed", rule)
        return Reading(position, "abstained" if position == abstain else "answered", rule)

    def _confessed(self, named: set[int], abstain: int | None) -> Reading:
        """"I don't know", alone or with something beside it, which then is neither an answer nor a confession."""
        rest = self.grammar.unknown.sub("", self.low)
        others = named - {abstain}
        if len(others) == 1 and self.grammar.but.search(rest):
            return Reading(others.pop(), "answered", "hedged")
        aside = _BRACKET.search(self.grammar.unknown.sub("", self.low))
        if others or aside or any(True for m in self.letters.pattern.finditer(self.text) if self._capital(m)):
            return Reading(None, "unparsed", "hedged")
        return Reading(abstain, "abstained", "words")

    # -- statements ------------------------------------------------------------------------------------------------------

    def statements(self) -> Iterator[Statement]:
        """Everything in the reply that says outright what the answer is."""
        whole = self._whole()
        if whole is not None:
            yield Statement(0, 0, whole, "whole")
            return
        for cue in self.grammar.cue.finditer(self.low):
            yield from self._after_cue(cue.start(), cue.end(), rank=1, rule="cue")
        yield from self._lines()
        for lead in self.grammar.lead.finditer(self.low):
            yield from self._after_cue(lead.start(), lead.end(), rank=3, rule="lead")
        for cue in _ANYCUE.finditer(self.low):
            yield from self._after_cue(cue.start(), cue.end(), rank=3, rule="lead")
        for letter in self.letters.pattern.finditer(self.text):
            if self._capital(letter) and self.grammar.right.match(self.low, letter.end()) and not self._denied(letter.start(), letter.end()):
                yield Statement(1, letter.start(), self.letters.places[letter[0]], "right")

    def _whole(self) -> int | None:
        """The option whose text is the whole reply, but for marks around it."""
        if not self.mentions:
            return None
        found = [m for m in self.mentions if _NOTHING.fullmatch(self.low, 0, m.start) and _NOTHING.fullmatch(self.low, m.end)]
        places = {m.position for m in found}
        alone = self.letters.pattern.search(self.text)
        if alone and found and alone.span() == found[0][:2]:
            places.add(self.letters.places[alone[0]])
        return None if not places else places.pop() if len(places) == 1 else SPLIT

    def _after_cue(self, start: int, end: int, *, rank: int, rule: str) -> Iterator[Statement]:
        place = self._glued(end)
        clause = max(self.low.rfind(sign, 0, start) for sign in ".,;!?\n") + 1
        if self.grammar.doubt.search(self.low, clause, start) or (rank > 1 and self._before_denied(place)):
            return
        mention = self.starts.get(place)
        if mention and mention.end - mention.start > 1:
            if rank == 1 and not self._after_denied(mention.end):
                yield Statement(rank, place, self._with_text(mention), rule)
            return
        letter = self.letters.pattern.match(self.text, place)
        if letter and place not in self.listed and self._stands(letter, rank, self.text[end:place]):
            yield Statement(rank, place, self._with_neighbours(letter), rule)

    def _glued(self, place: int) -> int:
        """Where what follows a cue begins, behind marks, copulas and articles."""
        while True:
            glue = self.grammar.glue.match(self.low, place)
            place = glue.end() if glue else place
            if self.text[place : place + 1] not in self.grammar.articles or self.text[place + 1 : place + 2] != " ":
                return place
            place += 2

    def _stands(self, letter: re.Match[str], rank: int, between: str) -> bool:
        """Whether a letter behind a cue is one, and no article, no small word and no part of what follows."""
        after = self.text[letter.end() : letter.end() + 2]
        if self._after_denied(letter.end()):
            return False
        follows = after[:1].isspace() and after[1:].isalnum() and after[:1] != "\n"
        if not follows:
            return rank == 1 or not after or not after[0].isalnum() or self._unspaced(letter)
        own = self._beside(letter.end(), len(self.text)) is not None
        reason = self.grammar.because.match(self.low, letter.end()) or self.grammar.join.match(self.low, letter.end())
        if reason or own or self.grammar.right.match(self.low, letter.end()):
            return letter[0] not in self.grammar.words or bool(reason or own)
        tied = rank == 1 and not between.isspace()
        return tied and self._capital(letter)

    def _unspaced(self, letter: re.Match[str]) -> bool:
        return not self.text[letter.end()].isascii()

    def _capital(self, letter: re.Match[str]) -> bool:
        """A letter that is evidence where nothing announces it: no small one, no word, and not in an option's text."""
        if letter[0] in self.grammar.words or letter[0].islower():
            return False
        return not any(m.start <= letter.start() < m.end and m.end - m.start > 1 for m in self.mentions)

    # -- lines -----------------------------------------------------------------------------------------------------------

    def _lines(self) -> Iterator[Statement]:
        """Lines that begin with a letter: alone, before their option's text, or first in the reply."""
        start, first = 0, True
        for line in self.text.splitlines(keepends=True):
            letter = self._opening(start)
            if letter and letter.end() <= start + len(line) and letter.start() not in self.listed:
                yield from self._line(letter, start + len(line.rstrip()), first)
            first = first and not line.strip()
            start += len(line)

    def _opening(self, start: int) -> re.Match[str] | None:
        place = self.grammar.opening.match(self.low, start)
        found = place and self.letters.pattern.match(self.text, place.end())
        if found and (mention := self.starts.get(found.start())) and mention.end > found.end():
            return None
        return found or None

    def _line(self, letter: re.Match[str], end: int, first: bool) -> Iterator[Statement]:
        close = _LETTER_CLOSE.match(self.text, letter.end(), end)
        mark, rest = (close[1], close.end()) if close else ("", letter.end())
        if not self.text[rest:end].strip(" .!*_`"):
            if letter[0].isupper() or not letter[0].islower() or letter.start() == 0 or mark:
                yield Statement(1, letter.start(), self._with_neighbours(letter), "line")
            return
        if self._after_denied(letter.end()) or (letter[0].islower() and mark not in (")", ".", ":")):
            return
        position = self._with_neighbours(letter)
        own = self._beside(letter.end(), end)
        if own is not None or (first and self._goes_on(letter, mark, rest, end)):
            yield Statement(2, letter.start(), position, "line")

    def _goes_on(self, letter: re.Match[str], mark: str, rest: int, end: int) -> bool:
        """Whether what follows the first letter of a reply leaves it an answer: a mark, a reason, a denial, another letter."""
        word = letter[0] in self.grammar.words
        tail = self.text[rest:end].lstrip()
        if mark == "." and letter[0] in self.grammar.titles and tail[:1].isupper():
            return False
        if mark or self.grammar.because.match(self.low, rest, end):
            return True
        joined = self.grammar.join.match(self.low, letter.end(), end)
        if joined and self.letters.pattern.match(self.text, joined.end()):
            return True
        return not word and bool(self.grammar.denied.match(self.low, rest, end))

    def _listed(self) -> set[int]:
        """The letters of lines that only list the options: A, then B, …, one a line."""
        runs: list[list[re.Match[str]]] = []
        start = 0
        for line in self.text.splitlines(keepends=True):
            letter = self._opening(start) if line.strip() else None
            if letter and letter.end() < start + len(line.rstrip()):
                place = self.letters.places[letter[0]]
                if runs and runs[-1] and self.letters.places[runs[-1][-1][0]] == place - 1:
                    runs[-1].append(letter)
                else:
                    runs.append([letter] if place == 0 else [])
            start += len(line)
        return {letter.start() for run in runs if len(run) > 1 for letter in run}

    # -- neighbours ------------------------------------------------------------------------------------------------------

    def _with_neighbours(self, letter: re.Match[str]) -> int:
        """The position of a letter, or SPLIT where another letter is joined to it or another option's text stands beside it."""
        position = self.letters.places[letter[0]]
        joined = self.grammar.join.match(self.low, letter.end())
        other = joined and self.letters.pattern.match(self.text, joined.end())
        if other and self.letters.places[other[0]] != position and not self._after_denied(other.end()) and not other[0].islower():
            return SPLIT
        beside = self._beside(letter.end(), len(self.text))
        return position if beside is None or self.options[beside] == self.options[position] else SPLIT

    def _beside(self, place: int, end: int) -> int | None:
        """The option whose text begins right behind a letter, unless it is denied."""
        gap = _BESIDE.match(self.text, place)
        mention = gap and self.starts.get(gap.end())
        return mention.position if mention and mention.start < end and not self._after_denied(mention.end) else None

    def _with_text(self, mention: Mention) -> int:
        """The position of an option's text, or SPLIT where a letter in brackets or another text contradicts it."""
        same = {m.position for m in self.mentions if m.start == mention.start and m.end == mention.end}
        close = _CLOSE.match(self.text, mention.end)
        place = close.end() if close else mention.end
        letter = self.letters.pattern.match(self.text, place + 1) if self.text[place : place + 1] in "([" else None
        if letter and self.letters.places[letter[0]] not in same:
            return SPLIT
        if letter:
            return self.letters.places[letter[0]]
        joined = self.grammar.join.match(self.low, mention.end)
        other = joined and self.starts.get(joined.end())
        if other and other.position not in same and not self._after_denied(other.end) or len(same) > 1:
            return SPLIT
        return mention.position

    def _denied(self, start: int, end: int) -> bool:
        return self._before_denied(start) or self._after_denied(end)

    def _before_denied(self, place: int) -> bool:
        clause = max(self.low.rfind(sign, 0, place) for sign in ".,;:!?\n。，、；：") + 1
        return bool(self.grammar.before.search(self.low, max(clause, place - 60), place))

    def _after_denied(self, place: int) -> bool:
        return bool(self.grammar.after.match(self.low, place))

    # -- mentions --------------------------------------------------------------------------------------------------------

    def named(self) -> set[int]:
        """The positions that are mentioned and not denied: texts of options, and letters in brackets, in bold or labelled."""
        found = {m.position for m in self.mentions if not self._denied(m.start, m.end)}
        for letter in self.letters.pattern.finditer(self.text):
            if self._capital(letter) and self._marked(letter) and not self._denied(letter.start(), letter.end()):
                found.add(self.letters.places[letter[0]])
        return found

    def _marked(self, letter: re.Match[str]) -> bool:
        before, after = self.text[: letter.start()], self.text[letter.end() : letter.end() + 1]
        if before[-1:] in ("(", "[") and after in (")", "]") or before[-2:] == "**":
            return True
        return bool(self.grammar.label.search(self.low, max(0, letter.start() - 20), letter.start()))

    def _leads_off(self) -> bool:
        """Whether a reply that was cut begins with the option it mentions, and could not have gone on to another."""
        first = self.mentions[0] if self.mentions else None
        return bool(first and _NOTHING.fullmatch(self.low, 0, first.start)) and not self._could_grow()

    def _cut_short(self, last: Statement) -> bool:
        return last.rule in ("whole", "cue") and bool(self.mentions) and self._could_grow()

    def _could_grow(self) -> bool:
        """Whether the text ends within what may become the text of a longer option."""
        end = self.mentions[-1]
        stem = self.low[end.start : end.end]
        return end.end == len(self.low) and any(o != stem and o.startswith(stem) for o in (lower(fold(x, self.lang), self.lang) for x in self.options))
