"""The words before and after a published question, as "Question:" and "Answer:", in items whose ``prompt`` is fixed.

In: items. Out: hits. The one thing to know: a cue is foreign where another language's file has it and the item's own has not, or it is in
another script, or where it is what most prompts of another language in this benchmark say; a spelling of the right language that most
prompts do not use is only noted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ..records import Item
from .audit_hits import Hit, short, squashed
from .audit_language import Words, languages
from .audit_scripts import expected, scripts

LONGEST = 40
"""What is longer than this before a question is an instruction, and no prefix."""
Ends = tuple[str, str]


def cues(items: Sequence[Item]) -> Iterator[Hit]:
    """Kinds: cue_language, cue_missing, prefix_missing, cue_blank, cue_varies."""
    found = {at: ends(item) for at, item in enumerate(items) if item.prompt}
    usual: tuple[defaultdict[str, Counter[str]], ...] = (defaultdict(Counter), defaultdict(Counter))
    blank: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for at, pair in found.items():
        for side, text in zip(usual, pair, strict=True):
            side[items[at].lang][text.strip()] += 1
        if pair[1].strip():
            blank[items[at].lang][pair[1] != pair[1].rstrip()] += 1
    most = tuple({lang: counts.most_common(1)[0][0] for lang, counts in side.items()} for side in usual)
    blanks = {lang: counts.most_common(1)[0][0] for lang, counts in blank.items()}
    for at, pair in found.items():
        yield from _held(at, items[at], pair, most)
        cue, lang = pair[1], items[at].lang
        if cue.strip() and (cue != cue.rstrip()) != blanks[lang]:
            yield Hit("cue_blank", (at,), f"{cue!r}, where most prompts in {lang} end {'with' if blanks[lang] else 'without'} a blank")


def ends(item: Item) -> Ends:
    """What stands before the stem on its line, and after the last option (or the stem): prefix and cue, blanks kept."""
    start = item.prompt.find(item.stem)
    if start < 0:
        return "", ""
    last = item.options[-1] if item.options else item.stem
    end = item.prompt.rfind(last, start)
    prefix = item.prompt[:start].rpartition("\n")[2]
    cue = item.prompt[end + len(last) :].rpartition("\n")[2] if end >= 0 else ""
    return (prefix if len(prefix) <= LONGEST else ""), (cue if len(cue) <= LONGEST else "")


def _held(at: int, item: Item, pair: Ends, most: tuple[dict[str, str], ...]) -> Iterator[Hit]:
    foreign, varies = "", ""
    for n, (text, side) in enumerate(zip(pair, most, strict=True)):
        plain, usual = text.strip(), side[item.lang]
        if not plain:
            if usual:
                yield Hit("cue_missing" if n else "prefix_missing", (at,), f"{item.lang}: no {usual!r}: {short(item.prompt, 60)}")
        elif why := _foreign(plain, item.lang, n, side):
            foreign = foreign or f"{plain!r} is {why}, the question is {item.lang}: {short(item.stem, 60)}"
        elif plain != usual:
            varies = varies or f"{plain!r} for {usual!r}"
    if foreign:
        yield Hit("cue_language", (at,), foreign)
    elif varies:
        yield Hit("cue_varies", (at,), f"{item.lang}: {varies}")


def _foreign(text: str, lang: str, side: int, most: dict[str, str]) -> str:
    """The language that a cue is in, if it is not the item's; an empty string where it may be the item's own."""
    base, plain = lang.partition("-")[0], squashed(text)
    if not base or plain in _known(base, side):
        return ""
    if other := next((name for name in languages() if name != base and plain in _known(name, side)), ""):
        return other
    wanted, letters = expected(lang), scripts(text)
    if wanted and letters and not any(script in wanted for script in letters):
        return next(iter(letters)).lower()
    if text == most[lang]:
        return ""
    return next((other for other, usual in most.items() if other.partition("-")[0] != base and usual == text), "")


def _known(lang: str, side: int) -> set[str]:
    """A language's cues as they are compared; side 0 stands before the question, 1 after it."""
    words = languages().get(lang, Words())
    return {squashed(text) for text in (words.answer if side else words.question)}
