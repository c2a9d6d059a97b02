"""What a reply says outright of its answer, and what it merely mentions.

In: a reply, folded, the options in the order shown, the letters that may name them. Out: :class:`Statement` records
and the set of positions mentioned. The one thing to know: a letter counts only where it stands as one. It is no article, no
abbreviation, no part of an option's text or of a list of all options, and nothing beside it contradicts or denies it.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from .mentions import Mention
from .spots import NOTHING, Spots

_CLOSE = re.compile(r"[\s*_)\]}\"'$`.:]*")
_LETTER_CLOSE = re.compile(r"[*_`\"'$]*([).:\]}]?)[*_`\"'$)\]}]*")
_TICKS = "✅✔✓☑"
_ANYCUE = re.compile(r"(?m)^[^\n:.,]{1,40}:[\s*_$`\"'(\[]*")
SPLIT = -1
"""The position of a statement that names more than one option."""


class Statement(NamedTuple):
    """A place in a reply that says what the answer is, and what it says."""

    start: int
    position: int
    rule: str


class Reply(Spots):
    """One reply as it is read: what it says outright of its answer."""

    def part(self, start: int, end: int | None = None) -> "Reply":
        """A stretch of the reply, read for itself."""
        return Reply(self.text[start:end], self.options, self.lang, self.known)

    @cached_property
    def listed(self) -> set[int]:
        """Where letters stand that only list the options."""
        if len(self.letters) < 2:
            return set()
        return self._listed_inline() | (self._listed_by_line() if "\n" in self.text else set())

    @cached_property
    def _rows(self) -> list[tuple[int, str, re.Match[str] | None]]:
        """The lines with their ends: where each starts, its text, and the letter that it begins with."""
        rows, start = [], 0
        for line in self.text.splitlines(keepends=True):
            rows.append((start, line, self._opening(start) if line.strip() else None))
            start += len(line)
        return rows

    def statements(self) -> list[Statement]:
        """The strongest statements in the reply of what the answer is; weaker ones are not looked for beside them."""
        if not self.letters and not self.mentions:
            return []
        whole = self._whole()
        if whole is not None:
            return [Statement(0, whole, "whole")]
        return list(self._cued()) or [s for s in self._lines() if s] or list(self._led())

    def _cued(self) -> Iterator[Statement]:
        for cue in self.grammar.cue.finditer(self.low):
            yield from self._after_cue(cue, strong=True)
        for start, letter in self.letters.items():
            if letter[0].islower():
                continue
            right = self.grammar.right.match(self.low, letter.end())
            evident = right and (right[0][-1] in _TICKS or self._capital(letter))
            if evident and not self._denied(start, letter.end()):
                yield Statement(start, self.places[letter[0]], "right")
        yield from self._lines(alone=True)

    def _led(self) -> Iterator[Statement]:
        for pattern in (self.grammar.lead, _ANYCUE):
            for lead in pattern.finditer(self.low):
                yield from self._after_cue(lead, strong=False)

    def _whole(self) -> int | None:
        """The option whose text is the whole reply, but for marks around it."""
        if not self.mentions:
            return None
        found = [m for m in self.mentions if NOTHING.fullmatch(self.low, 0, m.start) and NOTHING.fullmatch(self.low, m.end)]
        places = {m.position for m in found}
        alone = self.letters.get(found[0].start) if found else None
        if alone and alone.end() == found[0].end:
            places.add(self.places[alone[0]])
        return None if not places else places.pop() if len(places) == 1 else SPLIT

    def _after_cue(self, cue: re.Match[str], *, strong: bool) -> Iterator[Statement]:
        place = self.glued(cue.end())
        if place not in self.starts and place not in self.letters:
            place = max((start for start in self.letters if cue.end() <= start < place), default=place)
        mention, letter = self.starts.get(place), self.letters.get(place)
        if not (mention or letter) or place in self.listed or self._taken_back(cue.start(), place, strong):
            return
        if mention and mention.end - mention.start > 1:
            if (strong or " " in cue[0] or "'" in cue[0]) and not self._after_denied(mention.end):
                yield Statement(place, self._with_text(mention), "cue" if strong else "lead")
        elif letter and self._stands(letter, strong, tied=" " in cue[0] or not self.text[cue.end() : place].isspace()):
            yield Statement(place, self._with_neighbours(letter), "cue" if strong else "lead")

    def _taken_back(self, start: int, place: int, strong: bool) -> bool:
        """Whether "I don't think that" stands before a cue, or a denial before what a lead leads to."""
        doubted = self.grammar.doubt.search(self.low, self._clause(start), start)
        return bool(doubted) or (not strong and self._before_denied(place))

    def glued(self, place: int) -> int:
        """Where what follows a cue begins, behind marks, copulas and articles."""
        while True:
            glue = self.grammar.glue.match(self.low, place)
            place = glue.end() if glue else place
            if self.text[place : place + 1] not in self.grammar.articles or self.text[place + 1 : place + 2] != " ":
                return place
            place += 2

    def _stands(self, letter: re.Match[str], strong: bool, *, tied: bool) -> bool:
        """Whether a letter behind a cue is one, and no article, no small word and no part of what follows."""
        after = self.text[letter.end() : letter.end() + 2]
        own = self._beside(letter.end(), len(self.text)) is not None
        if self._after_denied(letter.end()) and not own:
            return False
        follows = after[:1].isspace() and after[1:].isalnum() and after[:1] != "\n"
        if not follows:
            return strong or not after[:1].isalnum() or not after.isascii()
        reason = self.grammar.because.match(self.low, letter.end()) or self.grammar.join.match(self.low, letter.end())
        if reason or own or self.grammar.right.match(self.low, letter.end()):
            return letter[0] not in self.grammar.words or bool(reason or own)
        return strong and tied and self._capital(letter)

    def _lines(self, *, alone: bool = False) -> Iterator[Statement]:
        """Lines that begin with a letter: before its option's text, first in the reply, or, if ``alone``, with nothing else."""
        first = True
        for start, line, letter in self._rows:
            end = start + len(line.rstrip())
            if letter and letter.end() <= end and letter.start() not in self.listed:
                close = _LETTER_CLOSE.match(self.text, letter.end(), end)
                mark, rest = (close[1], close.end()) if close else ("", letter.end())
                empty = not self.text[rest:end].strip(" .!?*_`\"'$")
                if empty == alone and (self._alone(letter, mark) if alone else self._begins(letter, mark, rest, end, first)):
                    yield Statement(letter.start(), self._with_neighbours(letter), "line")
            first = first and not line.strip()

    def _alone(self, letter: re.Match[str], mark: str) -> bool:
        return not letter[0].islower() or bool(mark) or NOTHING.fullmatch(self.low, 0, letter.start()) is not None

    def _opening(self, start: int) -> re.Match[str] | None:
        """The letter with which a line begins, behind marks and labels, unless an option's text begins there."""
        place = self.grammar.opening.match(self.low, start)
        found = self.letters.get(place.end()) if place else None
        mention = self.starts.get(found.start()) if found else None
        return None if found is None or (mention and mention.end > found.end()) else found

    def _begins(self, letter: re.Match[str], mark: str, rest: int, end: int, first: bool) -> bool:
        if letter[0].islower() and mark not in (")", ".", ":"):
            return False
        if self._beside(letter.end(), end) is not None:
            return True
        return first and not self._after_denied(letter.end()) and self._goes_on(letter, mark, rest, end)

    def _goes_on(self, letter: re.Match[str], mark: str, rest: int, end: int) -> bool:
        """Whether what follows the first letter of a reply leaves it an answer: a mark, a reason, a denial, another letter."""
        word = letter[0] in self.grammar.words
        tail = self.text[rest:end].lstrip()
        if mark == "." and letter[0] in self.grammar.titles and tail[:1].isupper():
            return False
        if mark or self.grammar.because.match(self.low, rest, end):
            return True
        joined = self.grammar.join.match(self.low, letter.end(), end)
        if joined and joined.end() in self.letters:
            return True
        return not word and bool(self.grammar.denied.match(self.low, rest, end))

    def _listed_by_line(self) -> set[int]:
        """The letters of lines that only list the options: A, then B, …, all with or all without a text, but for the last line."""
        runs: list[list[tuple[int, int, bool]]] = []
        for start, line, letter in self._rows:
            if letter:
                place, alone = self.places[letter[0]], not self.text[letter.end() : start + len(line)].strip(" \n.*)")
                before = runs[-1][-1] if runs and runs[-1] else (0, -1, False)
                if before[1] == place - 1 >= 0 and (before[2] == alone or start + len(line) == len(self.text)):
                    runs[-1].append((letter.start(), place, alone))
                else:
                    runs.append([(letter.start(), place, alone)] if place == 0 else [])
        return {spot for run in runs if len(run) > 1 for spot, _, _ in run}

    def _listed_inline(self) -> set[int]:
        """The letters of all options in their order, each with its own text, wherever they stand: the question said again."""
        if len(self.mentions) < len(self.options) or len(self.options) < 3:
            return set()
        own = [start for start, m in self.letters.items() if self._beside(m.end(), len(self.text)) == self.places[m[0]]]
        return set(own) if [self.places[self.letters[start][0]] for start in own] == list(range(len(self.options))) else set()

    def _with_neighbours(self, letter: re.Match[str]) -> int:
        """The position of a letter, or SPLIT where another letter is joined to it or another option's text stands beside it."""
        position = self.places[letter[0]]
        joined = self.grammar.join.match(self.low, letter.end())
        other = joined and self.letters.get(joined.end())
        if other and self.places[other[0]] != position and not self._after_denied(other.end()) and not other[0].islower():
            return SPLIT
        beside = self._beside(letter.end(), len(self.text))
        if beside is None or self.options[beside] == self.options[position]:
            return position
        word = letter[0] in self.grammar.prefixed and self.text[letter.end()] == " "
        return beside if word or self.known.other.get(letter[0]) == beside else SPLIT

    def _with_text(self, mention: Mention) -> int:
        """The position of an option's text, or SPLIT where a letter in brackets or another text contradicts it."""
        same = {m.position for m in self.mentions if m.start == mention.start and m.end == mention.end}
        close = _CLOSE.match(self.text, mention.end)
        place = close.end() if close else mention.end
        letter = self.letters.get(place + 1) if self.text[place : place + 1] in "([" else None
        if letter and self.places[letter[0]] not in same:
            return SPLIT
        if letter:
            return self.places[letter[0]]
        joined = self.grammar.join.match(self.low, mention.end)
        other = joined and self.starts.get(joined.end())
        if other and other.position not in same and not self._after_denied(other.end) or len(same) > 1:
            return SPLIT
        return mention.position
