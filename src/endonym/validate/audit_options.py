"""What is wrong within one item: options, key and accepted answers.

In: items. Out: hits. The one thing to know: options are compared as ``same`` folds them, so that 1889 and १८८९ are one option, and Saxony
is held by Saxony-Anhalt, as a word; numbers hold no numbers.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations

from ..records import Item
from .audit_hits import Hit, holds, number, same, short, speaks

_LETTERED = re.compile(r"\(?([A-Ha-h])[.)：:]\s?\S")
LONGER, BY = 2.0, 15
"""A right answer is suspiciously long from twice its longest distractor on, and so many characters more."""


def options(items: Sequence[Item]) -> Iterator[Hit]:
    """Kinds: options_equal, gold_twice, options_contain, option_blank, option_count, option_letters, gold_in_stem, gold_long, accept_*."""
    usual = _usual(items)
    for at, item in enumerate(items):
        if item.kind == "open":
            yield from _accepted(at, item)
            continue
        folded = [same(text) for text in item.options]
        yield from _compared(at, item, folded)
        yield from _looks(at, item, folded)
        if usual and len(folded) != usual:
            yield Hit("option_count", (at,), f"{len(folded)} options, where nearly all have {usual}: {short(item.stem)}")


def _usual(items: Sequence[Item]) -> int:
    """The number of options that nine items in ten have; 0 where there is none such."""
    numbers = Counter(len(item.options) for item in items if item.kind == "choice")
    most = numbers.most_common(1)
    return most[0][0] if most and most[0][1] >= 0.9 * numbers.total() else 0


def _compared(at: int, item: Item, folded: list[str]) -> Iterator[Hit]:
    counts = Counter(folded)
    twice = [text for text, n in counts.items() if n > 1]
    shown = " / ".join(item.options)
    if twice:
        yield Hit("options_equal", (at,), f"{twice[0]} stands {counts[twice[0]]} times: {shown}")
        if item.gold is not None and folded[item.gold] in twice:
            yield Hit("gold_twice", (at,), f"the answer, {folded[item.gold]}, stands twice: {shown}")
    words = [text for text in counts if number(text) is None and speaks(text)]
    inside = next(((outer, inner) for outer, inner in permutations(words, 2) if holds(outer, inner)), None)
    if inside:
        yield Hit("options_contain", (at,), f"{inside[0]} holds {inside[1]}: {shown}")


def _looks(at: int, item: Item, folded: list[str]) -> Iterator[Hit]:
    if blank := [text for text in item.options if not speaks(text)]:
        yield Hit("option_blank", (at,), f"{blank[0]!r} among {' / '.join(map(short, item.options))}")
    letters = [match[1].upper() for match in map(_LETTERED.match, item.options) if match]
    if "".join(letters) == "ABCDEFGH"[: len(folded)]:
        yield Hit("option_letters", (at,), " / ".join(item.options))
    if item.gold is None:
        return
    gold, others = folded[item.gold], [text for n, text in enumerate(folded) if n not in (item.gold, item.abstain)]
    stem = same(item.stem)
    if _tells(gold) and holds(stem, gold) and not any(holds(stem, text) for text in others if text != gold):
        yield Hit("gold_in_stem", (at,), f"{gold} stands in: {short(item.stem)}")
    longest = max(map(len, others), default=0)
    if len(gold) >= LONGER * longest and len(gold) - longest >= BY and others:
        yield Hit("gold_long", (at,), f"{len(gold)} characters, the longest distractor {longest}: {short(item.options[item.gold])}")


def _tells(gold: str) -> bool:
    """Whether a text is long enough to be an answer that a question gives away: three characters, or two beyond the alphabets."""
    return len(gold) >= (3 if gold.isascii() or number(gold) is not None else 2)


def _accepted(at: int, item: Item) -> Iterator[Hit]:
    texts = [answer.text for answer in item.accept]
    folded = [same(text) for text in texts]
    if blank := [text for text in texts if not speaks(text)]:
        yield Hit("accept_blank", (at,), f"{blank[0]!r}: {short(item.stem)}")
    if brief := [text for text in folded if len(text) == 1 and speaks(text)]:
        yield Hit("accept_short", (at,), f"{brief[0]!r}: {short(item.stem)}")
    if len(set(folded)) < len(folded):
        again = next(text for text, n in Counter(folded).items() if n > 1)
        yield Hit("accept_twice", (at,), f"{again}: {short(item.stem)}")
    stem = same(item.stem)
    if given := [text for text in folded if _tells(text) and holds(stem, text)]:
        yield Hit("gold_in_stem", (at,), f"{given[0]} stands in: {short(item.stem)}")
