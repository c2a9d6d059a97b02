"""Whether a text is in the language that it says, by py3langid (Lui and Baldwin 2012; n-grams of bytes, naive Bayes).

In: a text, its language and the languages it might be in instead. Out: the other language, where one is much more likely. The one thing
to know: names of places, quotations and short texts are left out, for they are in no language.
"""

from functools import cache
from typing import Any

from ..errors import Unavailable
from .check_rules import Rules
from .check_text import unquoted

__all__ = ["other_language"]


@cache
def _identifier(among: tuple[str, ...]) -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as problem:
        raise Unavailable("the check of the language needs py3langid: pip install py3langid, or skip = ['language']") from problem
    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(sorted(set(among)))
    return found


def other_language(text: str, rules: Rules, *, least: int, sure: float) -> str:
    """The language that a text is in instead of its own; "" where it is its own, too short, or nothing is sure.

    ``least``: the least number of words that must be left; ``sure``: the least confidence, 0 to 1.
    """
    own, among = rules.lists.lang.partition("-")[0], rules.lists.among
    left = _without_names(unquoted(text), rules)
    if not among or len(left.split()) < least:
        return ""
    lang, confidence = _identifier((own, *among)).classify(left)
    if lang == own or confidence < sure:
        return ""
    return str(lang)


def _without_names(text: str, rules: Rules) -> str:
    """The text without the words that are written with a capital, save the first: names are in no language."""
    first, *rest = text.replace("«…»", " ").split() or [""]
    return " ".join([first, *(w for w in rest if not w.strip("([«\"'¿¡")[:1].isupper() and not w[:1].isdigit())])
