"""Where a reply names options: letters that stand for one, texts of one, and whether a word beside them denies it.

In: a reply, folded, the options in the order shown, the letters that may name them. Out: :class:`Spots`, which says what
is named anywhere, once, at the head or at the end. Nothing here knows what a reply states of its answer.
"""

import re

from .folding import lower
from .grammar import Grammar, Letters, grammar
from .mentions import Mention, folded, mentions

NOTHING = re.compile(r"[\W_]*")
_BESIDE = re.compile(r"[ \t.:)\]*_,\-–—\"'(}$]*\n?[ \t*_\"'(]*")
_CLAUSE = re.compile(r"[.,;:!?\n。，、；：]")
_END = re.compile(r"[*_)\]\"'»」』]*(?:[.,;!?。]|$)")


class Spots:
    """One reply: folded text, its lower-case twin of equal length, and where options are named in it."""

    def __init__(self, text: str, options: tuple[str, ...], lang: str, known: Letters, found: list[Mention] | None = None) -> None:
        self.text, self.low, self.options, self.lang, self.known = text, lower(text, lang), options, lang, known
        self.grammar: Grammar = grammar(lang)
        self.places = known.places
        self.letters = {m.start(): m for m in known.pattern.finditer(text)}
        self.mentions = mentions(self.low, options, lang) if found is None else found
        self.starts = {m.start: m for m in self.mentions}

    def wavers(self) -> bool:
        """Whether more than one option is named in any way, so that one may have been taken back."""
        named = {self.places[m[0]] for m in self.letters.values() if not m[0].islower()}
        return len(named.union([m.position for m in self.mentions])) > 1

    def named(self) -> set[int]:
        """The positions that are mentioned and not denied: texts of options, and letters in brackets, in bold or labelled."""
        found = {m.position for m in self.mentions if not self._denied(m.start, m.end)}
        for letter in self.letters.values():
            if self._evident(letter) and not self._denied(letter.start(), letter.end()):
                found.add(self.places[letter[0]])
        return found

    def ending(self) -> set[int]:
        """The positions of capitals that end a clause, as in "I don't know, but I'd take C"."""
        return {self.places[m[0]] for m in self.letters.values() if self._capital(m) and _END.match(self.text, m.end())}

    def capitals(self) -> bool:
        """Whether any capital stands alone that names an option."""
        return any(map(self._capital, self.letters.values()))

    def leads_off(self) -> bool:
        """Whether a reply that was cut begins with an option's text, and could not have gone on to another's."""
        first = self.mentions[0] if self.mentions else None
        return bool(first and NOTHING.fullmatch(self.low, 0, first.start)) and not self.could_grow()

    def opens(self) -> bool:
        """Whether the reply's first clause ends with an option's text, at most a few words in."""
        first = self.mentions[0] if self.mentions else None
        return bool(first and first.start <= 20 and _END.match(self.text, first.end))

    def could_grow(self) -> bool:
        """Whether the reply ends with a text that may have been about to become that of a longer option."""
        if not self.mentions or self.mentions[-1].end != len(self.low):
            return False
        stem = self.low[self.mentions[-1].start :]
        return any(o != stem and o.startswith(stem) for o in folded(self.options, self.lang))

    def breaks_off(self, start: int) -> bool:
        """Whether the reply ends with a letter on a line of its own, behind others: a list's next, or the first of a word."""
        head, line = self.text[:start].rpartition("\n")[::2]
        letter = self.letters.get(start)
        return bool(letter and head.strip() and NOTHING.fullmatch(line) and NOTHING.fullmatch(self.text, letter.end()))

    def _capital(self, letter: re.Match[str]) -> bool:
        """A letter that is evidence where nothing announces it: no small one, no word, and not in an option's text."""
        if letter[0].islower() or (letter[0] in self.grammar.words and not self._foreign(letter)):
            return False
        return not any(m.start <= letter.start() < m.end and m.end - m.start > 1 for m in self.mentions)

    def _foreign(self, letter: re.Match[str]) -> bool:
        """A Latin letter with a sign of another script right behind it ("A가 맞습니다"), and so no English article."""
        after = self.text[letter.end() : letter.end() + 1]
        return letter[0].isascii() and after.isalpha() and not after.isascii()

    def _evident(self, letter: re.Match[str]) -> bool:
        """A capital in brackets, in bold or labelled; one that is a word, too, where a label stands before it and its clause ends."""
        if self._capital(letter):
            return self._marked(letter)
        return letter[0] in self.grammar.words and bool(_END.match(self.text, letter.end())) and self._labelled(letter)

    def _marked(self, letter: re.Match[str]) -> bool:
        before, after = self.text[: letter.start()], self.text[letter.end() : letter.end() + 1]
        if before[-1:] in ("(", "[") and after in (")", "]") or before[-2:] == "**":
            return True
        return self._labelled(letter)

    def _labelled(self, letter: re.Match[str]) -> bool:
        return bool(self.grammar.label.search(self.low, max(0, letter.start() - 20), letter.start()))

    def _beside(self, place: int, end: int) -> int | None:
        """The option whose text begins right behind a letter, unless it is denied."""
        gap = _BESIDE.match(self.text, place)
        mention = gap and self.starts.get(gap.end())
        return mention.position if mention and mention.start < end and not self._after_denied(mention.end) else None

    def _denied(self, start: int, end: int) -> bool:
        return self._before_denied(start) or self._after_denied(end)

    def _before_denied(self, place: int) -> bool:
        return bool(self.grammar.before.search(self.low, self._clause(place), place))

    def _clause(self, place: int) -> int:
        """Where the clause that holds a place begins, or sixty signs before it."""
        near = max(0, place - 60)
        return max([m.end() for m in _CLAUSE.finditer(self.low, near, place)], default=near)

    def _after_denied(self, place: int) -> bool:
        return bool(self.grammar.after.match(self.low, place))
