"""Whether a question was asked before: by its words, and by its meaning where somebody lends a measure of it.

In: a question, and others. Out: the nearest and how near it is, 0 to 1. The one thing to know: question words and articles are left out
first, for they make all questions alike; with the same answer, less likeness is enough. Near duplicates are taken out by the
adjudicators in the paper (Tuguesice, section 4); rapidfuzz: Levenshtein on sorted words.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from .check_text import words
from .writing_view import Asked, Finding, View
from .writing_words import Words

Alike = Callable[[str, Sequence[str]], Sequence[float]]
"""From a text and others to a likeness for each, 0 to 1: the cosines of embeddings, for instance."""


def nearest(question: Asked, others: Sequence[Asked], said: Words) -> tuple[float, Asked | None]:
    """The question most like another, by words: the share of letters that need no change, words sorted, small words left out."""
    from rapidfuzz import fuzz, process

    own = _content(question.stem, said)
    if not own:
        return 0.0, None
    listed = [_content(o.stem, said) for o in others]
    found = process.extract(own, listed, scorer=fuzz.token_sort_ratio, limit=2)
    return next(((score / 100, others[n]) for _, score, n in found if others[n].id != question.id), (0.0, None))


@lru_cache(maxsize=1 << 14)
def _content(stem: str, said: Words) -> str:
    return " ".join(w for w in words(stem) if w not in said.bag("small"))


def duplicate(view: View, others: Sequence[Asked], alike: Alike | None = None) -> Iterator[Finding]:
    """An error for nearly the same words; a warning for like words, for half like ones with the same answer, or for the same meaning."""
    likeness, other = nearest(view.question, others, view.words)
    if other and likeness >= view.limit("duplicate", "same"):
        yield Finding(other.stem, "error")
    elif other and likeness >= view.limit("duplicate", "like" if not _same_answer(view.question, other) else "like_answered"):
        yield Finding(other.stem)
    elif alike and others:
        cosines = list(alike(view.text.stem, [o.stem for o in others]))
        best = max(range(len(others)), key=cosines.__getitem__)
        if cosines[best] >= view.limit("duplicate", "meaning"):
            yield Finding(others[best].stem)


def _same_answer(one: Asked, other: Asked) -> bool:
    return bool({words(a.text) for a in one.accept} & {words(a.text) for a in other.accept})
