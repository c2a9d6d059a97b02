"""What many people answered to one open question in, its accepted answers out, each with the number of people who gave it.

In: for each person, the answers as they were written. Out: ``Accept``s, the most given first. The one thing to know: two answers are
one where they differ in nothing but case, blanks, quotation marks, apostrophes and hyphens, punctuation at the ends, the digits' script,
or an article at the head. Accents make two answers (avó, avô), and so do a word and its plural. A person has one vote for an answer.
Source: BLEnD (Myung et al. 2024), section 3: annotators' answers are kept with their votes.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from ..records import Accept
from .compose_item import folded

_ENDS = " .,;:!?¿¡()[]-…"
_BETWEEN = re.compile(r"[;|\n；]")
_DIGIT = re.compile(r"[^\D0-9]")


def apart(text: str) -> list[str]:
    """The answers of one cell: between semicolons, upright strokes or line breaks; a comma may be part of an answer."""
    return [part for raw in _BETWEEN.split(text) if (part := unicodedata.normalize("NFC", " ".join(raw.split())).strip(" .,;:"))]


def same(text: str, articles: Sequence[str] = ()) -> str:
    """An answer as it is compared; "" where nothing is left of it."""
    bare = folded(_DIGIT.sub(lambda sign: str(unicodedata.decimal(sign[0])), text)).strip(_ENDS)
    for article in sorted(articles, key=len, reverse=True):
        head = article if article.endswith("'") else f"{article} "
        if bare.startswith(head) and bare[len(head) :].strip(_ENDS):
            return bare[len(head) :].strip(_ENDS)
    return bare


def tally(said: Iterable[tuple[str, Sequence[str]]], articles: Sequence[str] = ()) -> tuple[Accept, ...]:
    """Count who gave which answer: pairs of a person and answers, in. Of equal answers the commonest spelling stands, then the first."""
    voters: dict[str, set[str]] = {}
    spellings: dict[str, Counter[str]] = {}
    for person, answers in said:
        for text in answers:
            if key := same(text, articles):
                voters.setdefault(key, set()).add(person)
                spellings.setdefault(key, Counter())[text.strip()] += 1
    ranked = sorted(voters, key=lambda key: -len(voters[key]))
    return tuple(Accept(text=spellings[key].most_common(1)[0][0], weight=float(len(voters[key]))) for key in ranked)
