"""Are some regions known better than others? Regions, countries or topics of one model compared, with clustered errors.

In: scores of one model. Out: each region's accuracy and its distance from the mean of the regions, and one test for all of them. The
one thing to know: the model is the linear one, right ~ region, whose coefficients are the accuracies themselves, with a covariance
that is robust to clusters (Liang and Zeger 1986, with the usual small-sample factor); unlike a logistic one it does not break
down where a region is all right. The joint test is Wald's F with (regions − 1, clusters − 1) degrees of freedom; beside it a
permutation of whole clusters over the regions, which asks less of the sample's size.
"""

import msgspec
import numpy as np
import polars as pl

from ..errors import InputError
from .base import mark
from .frame import dimension
from .units import REPLIED

_BLOCK = 4_000_000


class Region(msgspec.Struct, kw_only=True, frozen=True):
    """One region: its accuracy, and its distance from the unweighted mean of the regions, with error and two-sided p."""

    name: str
    n: int
    clusters: int
    accuracy: float
    error: float
    distance: float
    distance_error: float
    p: float | None
    p_adjusted: float | None = None


class Regions(msgspec.Struct, kw_only=True, frozen=True):
    """All regions, and whether they differ at all; None where a test does not exist, and ``note`` says why."""

    regions: list[Region]
    wald_f: float | None
    df: tuple[int, int]
    p_wald: float | None
    p_permutation: float | None
    note: str = ""


def compare_regions(scores: pl.DataFrame, *, over: str = "place", cluster: str = "entity", draws: int = 2000, seed: int = 0) -> Regions:
    """Compare the accuracies in the values of a dimension; rows that state none are left out.

    Raises InputError where scores are of several models, or there are not two regions; UnknownName.
    """
    if scores["model"].n_unique() > 1:
        raise InputError("regions are compared for one model at a time: filter the scores by model")
    column = dimension(scores, over)
    part = mark(scores, cluster).filter(REPLIED & pl.col(column).cast(pl.String).fill_null("").ne(""))
    names, at = np.unique(part[column].cast(pl.String).to_numpy(), return_inverse=True)
    if len(names) < 2:
        raise InputError(f"{over}: {len(names)} value to compare; at least two are needed")
    _, code = np.unique(part["|cluster"].to_numpy(), return_inverse=True)
    right = part["right"].cast(pl.Float64).to_numpy()
    means, covariance = cluster_means(right, at, code)
    f, df, p = _wald(means, covariance, int(code.max()) + 1)
    note = "" if p is not None else "in some regions the answers do not vary: no Wald test"
    flips = _permuted(right, at, code, (draws, seed))
    if flips is None:
        note = "; ".join(filter(None, (note, "clusters span regions: no permutation")))
    return Regions(regions=_each(names, (right, at, code), means, covariance), wald_f=f, df=df, p_wald=p, p_permutation=flips, note=note)


def cluster_means(right: np.ndarray, at: np.ndarray, code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means by region and their cluster-robust covariance: the least squares of right on indicators of the regions.

    The factor is G / (G − 1) · (N − 1) / (N − K) for G clusters, N rows and K regions, as statsmodels and Stata have it.
    """
    k, g, n = int(at.max()) + 1, int(code.max()) + 1, len(right)
    size = np.bincount(at, minlength=k)
    means = np.bincount(at, right, minlength=k) / size
    scores = np.zeros((g, k))
    np.add.at(scores, (code, at), right - means[at])
    factor = g / (g - 1) * (n - 1) / (n - k) if g > 1 and n > k else np.nan
    return means, factor * (scores.T @ scores) / np.outer(size, size)


def _wald(means: np.ndarray, covariance: np.ndarray, clusters: int) -> tuple[float | None, tuple[int, int], float | None]:
    from scipy.stats import f as fisher

    k = len(means)
    df = (k - 1, clusters - 1)
    contrast = np.eye(k)[1:] - np.eye(k)[0]
    middle = contrast @ covariance @ contrast.T
    if np.isnan(middle).any() or np.linalg.matrix_rank(middle) < k - 1 or (np.diag(covariance) <= 0).any():
        return None, df, None
    distance = contrast @ means
    value = float(distance @ np.linalg.solve(middle, distance)) / (k - 1)
    return value, df, float(fisher.sf(value, *df))


def _each(names: np.ndarray, data: tuple[np.ndarray, np.ndarray, np.ndarray], means: np.ndarray, covariance: np.ndarray) -> list[Region]:
    from scipy.special import stdtr

    from .tests import adjusted

    _, at, code = data
    k = len(means)
    centre = np.eye(k) - 1 / k
    distances, errors = centre @ means, np.sqrt(np.diag(centre @ covariance @ centre.T))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(int(code.max()), -np.abs(distances / errors))
    told = [float(value) if error > 0 else None for value, error in zip(p, errors, strict=True)]
    return [
        Region(
            name=str(name), n=int((at == i).sum()), clusters=len(np.unique(code[at == i])), accuracy=float(means[i]),
            error=float(np.sqrt(covariance[i, i])), distance=float(distances[i]), distance_error=float(errors[i]), p=told[i],
            p_adjusted=step,
        )  # fmt: skip
        for i, (name, step) in enumerate(zip(names, adjusted(told), strict=True))
    ]


def _permuted(right: np.ndarray, at: np.ndarray, code: np.ndarray, plan: tuple[int, int]) -> float | None:
    """p of the variance between regions when clusters are dealt over the regions anew; None where a cluster is in two regions."""
    draws, seed = plan
    g, k = int(code.max()) + 1, int(at.max()) + 1
    home = np.zeros(g, dtype=int)
    home[code] = at
    if (home[code] != at).any():
        return None
    n, hits = np.bincount(code, minlength=g).astype(float), np.bincount(code, right, minlength=g)
    rng, grand = np.random.default_rng(seed), right.mean()

    def between(homes: np.ndarray) -> np.ndarray:
        """(draws, clusters) → (draws,): Σ n (mean − grand mean)² over regions."""
        shift = np.arange(len(homes))[:, None] * k
        flat = (homes + shift).ravel()
        rows, rights = (np.bincount(flat, np.tile(v, len(homes)), minlength=len(homes) * k).reshape(-1, k) for v in (n, hits))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.nansum(rows * (rights / rows - grand) ** 2, axis=1)

    seen, beyond, step = between(home[None])[0] - 1e-9, 0, max(1, _BLOCK // g)
    for start in range(0, draws, step):
        beyond += int((between(rng.permuted(np.tile(home, (min(step, draws - start), 1)), axis=1)) >= seen).sum())
    return (beyond + 1) / (draws + 1)
