"""Do models know more when asked in one group of languages than in another? XNationQA's W against NW (section 5.2, table 7).

In: scores. Out: for each group, the difference with tests. The one thing to know: the paper gives p-values and leaves open which
test they come from. The same entities are asked in both groups, so the test to read is the paired one, by entity: a permutation of
signs, and Wilcoxon's signed ranks. Beside them stands the plain unpaired one, a z-test of two proportions over questions (its square is
the chi-square without correction), which takes 16 answers about one entity for 16 independent ones and so says too much.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import polars as pl

from .coverage import known
from .frame import groups
from .languages import chosen
from .tests import sign_flip
from .units import REPLIED, RIGHT


class Contrast(msgspec.Struct, kw_only=True, frozen=True):
    """Languages ``a`` against languages ``b``; p-values are two-sided; a number that does not exist is None, ``note`` says why."""

    group: dict[str, str]
    a: str
    b: str
    entities: int
    questions: tuple[int, int] = (0, 0)
    score_a: float | None = None
    """The mean over entities of their mean over languages."""
    score_b: float | None = None
    difference: float | None = None
    permutation: float | None = None
    wilcoxon: float | None = None
    unpaired_z: float | None = None
    unpaired: float | None = None
    note: str = ""


def contrast_languages(
    scores: pl.DataFrame, *, a: str | tuple[str, ...] = "W", b: str | tuple[str, ...] = "NW", by: Sequence[str] = ("model", "topic"),
    draws: int = 10_000, seed: int = 0,
) -> list[Contrast]:  # fmt: skip
    """Compare two groups of languages within each group of scores: named groups (W, NW), or tuples of languages.

    An entity counts if it got a reply in at least one language of each side. Raises UnknownName.
    """
    sides = [chosen(name, ()) for name in (a, b)]
    names = [name if isinstance(name, str) else ",".join(name) for name in (a, b)]
    return [_contrast(part, group, sides, names, (draws, seed)) for group, part in groups(scores, by)]


def _contrast(part: pl.DataFrame, group: dict[str, str], sides: list[tuple[str, ...]], names: list[str],
              plan: tuple[int, int]) -> Contrast:  # fmt: skip
    a, b = names
    means = np.column_stack([_mean(known(part, langs)[1]) for langs in sides])
    means = means[~np.isnan(means).any(axis=1)]
    if not len(means):
        return Contrast(group=group, a=a, b=b, entities=0, note=f"no entity with a reply in {a} and in {b}")
    difference = means[:, 0] - means[:, 1]
    counts = [part.filter(REPLIED & pl.col("lang").is_in(langs)).select(pl.len(), RIGHT.sum()).row(0) for langs in sides]
    z, p = two_proportions(*counts[0], *counts[1])
    flip = float(sign_flip(difference[None], draws=plan[0], seed=plan[1])[0])
    score_a, score_b = (float(m) for m in means.mean(axis=0))
    return Contrast(
        group=group, a=a, b=b, entities=len(means), questions=(counts[0][0], counts[1][0]), score_a=score_a, score_b=score_b,
        difference=float(difference.mean()), permutation=flip, wilcoxon=wilcoxon(difference), unpaired_z=z, unpaired=p,
        note="no entity differs" if not difference.any() else "",
    )  # fmt: skip


def _mean(shares: np.ndarray) -> np.ndarray:
    """The mean over languages with a reply, NaN where there is none: (entities, langs) → (entities,)."""
    there = ~np.isnan(shares)
    with np.errstate(invalid="ignore"):
        return np.where(there, shares, 0.0).sum(axis=1) / there.sum(axis=1)


def wilcoxon(differences: np.ndarray) -> float | None:
    """Two-sided p of Wilcoxon's signed ranks, zeros kept as Pratt (1959) does; None where nothing differs."""
    from scipy.stats import wilcoxon as test

    if not differences.any():
        return None
    found: Any = test(differences, zero_method="pratt", method="asymptotic")
    return float(found.pvalue)


def two_proportions(n_a: int, right_a: int, n_b: int, right_b: int) -> tuple[float | None, float | None]:
    """z and two-sided p of two independent proportions with the pooled variance; None where there is no variance."""
    from scipy.stats import norm

    if not n_a or not n_b:
        return None, None
    pooled = (right_a + right_b) / (n_a + n_b)
    variance = pooled * (1 - pooled) * (1 / n_a + 1 / n_b)
    if variance <= 0:
        return None, None
    z = (right_a / n_a - right_b / n_b) / variance**0.5
    return float(z), float(2 * norm.sf(abs(z)))
