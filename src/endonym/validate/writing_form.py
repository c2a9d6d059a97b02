"""Checks of the form of a question: how long, how involved, which words, and whether it is one question at all.

In: a view. Out: findings. The one thing to know: all that depends on a language is counted by its lists and patterns; there is no
parser, so a clause is a word that opens one. Paper: Tuguesice, guidelines L1 (complexity) and L7 (yes or no).
"""

import re
from collections.abc import Iterator

from .check_text import words
from .writing_view import Check, Finding, View

_PARTS = re.compile(r"[.!?…]+\s+(?=[^\W\d_])")
_MARKS = "?？؟;՞"


def mark(view: View) -> Iterator[Finding]:
    """No question mark at the end."""
    stem = view.text.stem
    if stem and stem[-1] not in _MARKS and not view.words.search("commands", view.text.low):
        yield Finding(stem[-1])


def length(view: View) -> Iterator[Finding]:
    """More words than are easily read: first a warning, then an error."""
    count = len(view.text.tokens)
    if count > view.limit("length", "words"):
        yield Finding(str(count), "error" if count > view.limit("length", "most") else None)


def clauses(view: View) -> Iterator[Finding]:
    """Something is said before anything is asked, or there are too many words that open a clause."""
    opened = view.words.search("preamble", view.text.low)
    openers = _clauses(view)
    many = len(openers) >= view.limit("clauses", "most") and len(view.text.tokens) > view.limit("clauses", "words")
    if opened or many:
        yield Finding(opened or " … ".join(openers))


def _clauses(view: View) -> list[str]:
    """Words that open a subordinate clause, less those that ask."""
    asking, opening = view.words.pattern("asking"), view.words.pattern("clause")
    left = asking.sub(" ", view.text.low) if asking else view.text.low
    return [m[0] for m in opening.finditer(left)] if opening else []


def parts(view: View) -> Iterator[Finding]:
    """Two questions, or a statement before the question."""
    stem = view.text.stem
    if stem.count("?") > 1 or (stem.endswith("?") and _PARTS.search(_without_short(view, stem))):
        yield Finding(stem)


def _without_short(view: View, stem: str) -> str:
    """The stem without the point of abbreviations (D. Afonso, St. George), which end no sentence."""
    return re.sub(r"\b(\w{1,3})\.(?=\s)", r"\1", stem)


def rare(view: View) -> Iterator[Finding]:
    """A word from the lists of rare ones (``*``: any ending), or one of very many letters."""
    found = view.words.phrases("rare").first(view.text.stem)
    long = next((t for t in view.text.tokens if len(t) >= view.limit("rare", "letters") and "-" not in t), "")
    if found or long:
        yield Finding(found or long)


def yes_no(view: View) -> Iterator[Finding]:
    """The answer is yes or no, or nothing in the question asks for anything else."""
    text, said = view.text, view.words
    if text.bare_answer and text.bare_answer[0] in said.bag("yes_no") and len(text.bare_answer) < 3:
        yield Finding(text.answer)
    elif text.stem.endswith(tuple(_MARKS)) and len(text.tokens) > 2 and said.pattern("asks") and _asks_nothing(view):
        yield Finding(text.tokens[0])


def _asks_nothing(view: View) -> bool:
    opened = view.words.search("yes_no", view.text.low)
    return bool(opened) or not view.words.search("asks", view.text.low)


def language(view: View) -> Iterator[Finding]:
    """There are small words that only another language has, and hardly any that only the question's own has."""
    from .writing_words import languages, of

    said = words(view.text.stem)
    own = view.words.lang
    if not own or len(said) < view.limit("language", "words"):
        return
    mine = view.words.bag("small")
    for lang in languages():
        theirs = of(lang).bag("small")
        foreign, native = sum(w in theirs - mine for w in said), sum(w in mine - theirs for w in said)
        if lang != own and foreign >= 2 and foreign > 2 * native:
            yield Finding(lang)
            return


CHECKS: dict[str, Check] = {
    "mark": mark, "length": length, "clauses": clauses, "parts": parts, "rare": rare, "yes-no": yes_no, "language": language,
}  # fmt: skip
