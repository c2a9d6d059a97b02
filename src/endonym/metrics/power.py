"""How small a difference these questions can show: the minimum detectable difference, paired and unpaired.

In: the number of questions, what is known of the answers, α and power. Out: a difference of accuracies. The one thing to know:
questions that fall together are worth fewer; the design effect (Kish 1965) is how many times larger the variance of the mean is than
it would be with as many independent questions, and n is divided by it. Paired: Connor (1987) for McNemar's test.
"""

import msgspec
import numpy as np
import polars as pl

from ..errors import InputError
from .matrix import matrix, summed


class Detectable(msgspec.Struct, kw_only=True, frozen=True):
    """Smallest true differences that two sides would show with the given power; None where there is none below 1."""

    a: str
    b: str
    n: int
    discordant: float
    """The share of questions that exactly one side got right."""
    design_effect: float
    """Of the paired difference."""
    design_effect_unpaired: float
    """The mean of those of the two accuracies."""
    paired: float | None
    unpaired: float | None


def _z(alpha: float, power: float) -> tuple[float, float]:
    from scipy.stats import norm

    if not (0 < alpha < 1 and 0 < power < 1):
        raise InputError(f"alpha {alpha} and power {power} are to be between 0 and 1")
    return float(norm.isf(alpha / 2)), float(norm.ppf(power))


def minimum_detectable(n: float, *, share: float = 0.5, alpha: float = 0.05, power: float = 0.8,
                       design_effect: float = 1.0) -> float | None:  # fmt: skip
    """Two sides with ``n`` independent questions each, about ``share`` right: the smallest difference that a z-test shows.

    (z_{α/2} + z_power) √(2 share (1 − share) · design effect / n); None where it would be 1 or more.
    """
    a, b = _z(alpha, power)
    found = (a + b) * (2 * share * (1 - share) * design_effect / n) ** 0.5
    return found if found < 1 else None


def minimum_detectable_paired(n: float, discordant: float, *, alpha: float = 0.05, power: float = 0.8,
                              design_effect: float = 1.0) -> float | None:  # fmt: skip
    """Two sides on the same ``n`` questions, of which a share ``discordant`` is got right by one side only: McNemar's test.

    Connor's δ solves z_{α/2} √d + z_power √(d − δ²) = δ √(n / design effect); None where no δ up to ``discordant`` does.
    """
    a, b = _z(alpha, power)
    worth = n / design_effect
    # Squared: δ² (worth + b²) − 2 a √(d · worth) δ + d (a² − b²) = 0, the greater root.
    half = a * (discordant * worth) ** 0.5
    root = half * half - (worth + b * b) * discordant * (a * a - b * b)
    if root < 0 or discordant <= 0:
        return None
    found = (half + root**0.5) / (worth + b * b)
    return found if found <= discordant else None


def design_effect(values: np.ndarray, clusters: np.ndarray) -> float:
    """The variance of the mean of clustered values over that of independent ones, (n,) and (n,) codes; 1 where nothing varies.

    Linearised: Σ_c (Σ_{i in c} (x_i − mean))² · G / (G − 1) over Σ_i (x_i − mean)² · n / (n − 1).
    """
    n, groups = len(values), len(np.unique(clusters))
    rest = values - values.mean() if n else values
    if groups < 2 or not rest.any():
        return 1.0
    together = summed(rest[None], clusters)[0]
    return float((together**2).sum() * groups / (groups - 1) / ((rest**2).sum() * n / (n - 1)))


def detectable(scores: pl.DataFrame, a: str, b: str, *, over: str = "model", cluster: str = "entity", alpha: float = 0.05,
               power: float = 0.8) -> Detectable:  # fmt: skip
    """What the questions that two sides share can show, with the discordance and design effects found in their scores.

    A design effect below 1 (clusters more even than chance) is taken as 1. Raises InputError where they share no question.
    """
    laid = matrix(scores, over=over, cluster=cluster)
    both = laid.only(~(np.isnan(laid.at(a)) | np.isnan(laid.at(b))))
    n = len(both.items)
    if not n:
        raise InputError(f"{a} and {b} share no question")
    x, y = both.at(a), both.at(b)
    discordant, share = float(((x > 0.5) != (y > 0.5)).mean()), float((x.mean() + y.mean()) / 2)
    paired = max(1.0, design_effect(x - y, both.clusters))
    alone = max(1.0, float(np.mean([design_effect(side, both.clusters) for side in (x, y)])))
    return Detectable(
        a=a, b=b, n=n, discordant=discordant, design_effect=paired, design_effect_unpaired=alone,
        paired=minimum_detectable_paired(n, discordant, alpha=alpha, power=power, design_effect=paired),
        unpaired=minimum_detectable(n, share=share, alpha=alpha, power=power, design_effect=alone),
    )  # fmt: skip
