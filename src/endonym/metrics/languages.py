"""Named groups of languages: XNationQA's West and non-West, and the languages that a model was trained on.

In: a name, or languages. Out: languages (BCP 47), in an order that does not depend on the data. Paper: XNationQA
(papers/xnationqa.md), sections 4, 5.3 and A.4. The one thing to know: ``"all"`` means the languages that are there.
"""

from collections.abc import Iterable

from ..errors import UnknownName

WEST = ("en", "de", "es", "ru")
NON_WEST = ("hi", "ja", "zh")
NAMED: dict[str, tuple[str, ...]] = {"W": WEST, "NW": NON_WEST, "Eng-NW": ("en", *NON_WEST)}

_EVERY = (*WEST, *NON_WEST)
PRETRAINED: dict[str, tuple[str, ...]] = {
    "bloomz": _EVERY,
    "aya": _EVERY,
    "gpt-4": _EVERY,
    "mistral": ("en", "de", "es"),
    "mixtral": ("en", "de", "es"),
    "llama-2": ("en", "de", "es", "ru", "ja", "zh"),
    "llama-3": ("en", "de", "es", "hi"),
}
"""Family of models → the languages of the data set that its training data hold in number, as the paper's appendix A.4 says.

Of GPT-4 the paper knows nothing and takes all seven. Models of one's own: ``total_coverage(langs=("en", "pt"))``.
"""


def pretrained(model: str) -> tuple[str, ...] | None:
    """The languages that a model of the paper was trained on, by its name; none where the paper does not say."""
    bare = model.lower().replace("_", "-").replace("llama2", "llama-2").replace("llama3", "llama-3")
    return next((langs for family, langs in PRETRAINED.items() if family in bare), None)


def chosen(names: str | tuple[str, ...], there: Iterable[str]) -> tuple[str, ...]:
    """The values that a parameter names: ``"all"`` that are there, a named group, or those that are listed.

    Raises UnknownName for a name that is no group.
    """
    if names == "all":
        return tuple(sorted(set(there)))
    if isinstance(names, str):
        if names not in NAMED:
            raise UnknownName("group", names, ["all", *NAMED])
        return NAMED[names]
    return tuple(dict.fromkeys(names))
