"""Long documents in, passages out: cut at sections and paragraphs, with an overlap, so that each fits a model's budget.

In: sources. Out: sources; one that fits goes through as it is, another becomes ``ID#1``, ``ID#2``, … with the same place, topic, language
and origin. The one thing to know: every word of a document is in at least one of its passages, and each passage but the first repeats
the last paragraphs of the one before, as far as ``overlap`` words reach; the headings above a passage stand at its beginning.
"""

import re
from collections.abc import Iterable, Iterator

import msgspec

from ..errors import InputError
from ..records import Source

VERSION = "1"
_HEADING = re.compile(r"(#{1,6}) +\S")
_SENTENCE = re.compile(r"(?<=[.!?…»\"])\s+")


def split(sources: Iterable[Source], *, words: int = 1200, overlap: int = 80) -> Iterator[Source]:
    """Cut what is longer than ``words`` words (apart by blanks); an overlap is at most half of them. Raises ``InputError``."""
    if words < 20 or not 0 <= overlap <= words // 2:
        raise InputError(f"words: {words}, overlap: {overlap}; there must be at least 20 words, and an overlap of at most half of them")
    for source in sources:
        if length(source.text) <= words:
            yield source
            continue
        for number, text in enumerate(passages(source.text, words, overlap), 1):
            yield msgspec.structs.replace(source, id=f"{source.id}#{number}", text=text)


def length(text: str) -> int:
    """Words, apart by blanks."""
    return len(text.split())


class _Block(msgspec.Struct, frozen=True):
    """A paragraph, or a part of one, and the headings above it."""

    text: str
    above: tuple[str, ...]
    words: int


def passages(text: str, words: int, overlap: int) -> Iterator[str]:
    """The passages of one text. A section begins a new passage where the one before is more than half full."""
    here: list[_Block] = []
    fresh = 0  # blocks of ``here`` that stand in no passage before
    for block in _blocks(text, words):
        full = _words(here) + block.words > words
        turn = bool(here) and here[-1].above != block.above and _words(here) * 2 > words
        if fresh and (full or turn):
            yield _written(here)
            here, fresh = _tail(here, min(overlap, words - block.words)), 0
        here.append(block)
        fresh += 1
    if fresh:
        yield _written(here)


def _words(blocks: list[_Block]) -> int:
    return sum(block.words for block in blocks)


def _tail(blocks: list[_Block], overlap: int) -> list[_Block]:
    """The last blocks of a passage that are together no longer than the overlap."""
    kept: list[_Block] = []
    for block in reversed(blocks):
        if _words(kept) + block.words > overlap:
            break
        kept.insert(0, block)
    return kept


def _written(blocks: list[_Block]) -> str:
    """A passage: the headings of its first block, then a heading wherever another section begins."""
    out: list[str] = []
    above: tuple[str, ...] = ()
    for block in blocks:
        same = next((n for n, (a, b) in enumerate(zip(above, block.above, strict=False)) if a != b), min(len(above), len(block.above)))
        out += [*block.above[same:], *([block.text] if block.text else [])]
        above = block.above
    return "\n\n".join(out)


def _blocks(text: str, words: int) -> Iterator[_Block]:
    """Paragraphs with the headings above them; one that is longer than a passage is cut between sentences, else between words."""
    above: list[str] = []
    pending = False  # a heading with nothing below it yet
    for paragraph in re.split(r"\n\s*\n", text):
        first, _, rest = paragraph.strip().partition("\n")
        if heading := _HEADING.match(first):
            if pending:
                yield _Block("", tuple(above), 0)
            above = [h for h in above if h.index(" ") < len(heading[1])] + [first]
            paragraph, pending = rest, True
        if paragraph.strip():
            pending = False
            yield from (_Block(part, tuple(above), length(part)) for part in _parts(paragraph.strip(), words))
    if pending:
        yield _Block("", tuple(above), 0)


def _parts(paragraph: str, words: int) -> Iterator[str]:
    """A paragraph in pieces of at most half a passage, where it does not fit whole."""
    if length(paragraph) <= words:
        yield paragraph
        return
    most, here = max(1, words // 2), list[str]()
    for sentence in _SENTENCE.split(paragraph):
        for piece in _pieces(sentence, most):
            if here and length(" ".join(here)) + length(piece) > most:
                yield " ".join(here)
                here = []
            here.append(piece)
    if here:
        yield " ".join(here)


def _pieces(sentence: str, most: int) -> Iterator[str]:
    found = sentence.split()
    if len(found) <= most:
        yield sentence
        return
    yield from (" ".join(found[at : at + most]) for at in range(0, len(found), most))
