"""Item response theory, two parameters: P(right) = 1 / (1 + exp(−a (θ − b))), with a an item's discrimination and b its difficulty.

In: a matrix of right answers, (models, items). Out: a, b of items, θ of models. Fitted by marginal maximum likelihood (Bock and
Aitkin 1981): abilities are integrated out over a standard normal on a grid, items are updated one by one by Newton steps. The
one thing to know: models are few, so weak priors (log a ~ N(0, 0.5²), b ~ N(0, 2²)) keep an item that all models got right
from running away; with 27 models read θ and the order of b, not the third digit of a.
"""

import msgspec
import numpy as np

from ..errors import InputError

_SD_LOG_A, _SD_B = 0.5, 2.0
_LIMIT = 6.0


class Irt(msgspec.Struct, kw_only=True, frozen=True):
    """What was fitted: arrays of (items,) and (models,), the marginal log-likelihood, and whether the steps came to rest."""

    discrimination: np.ndarray
    difficulty: np.ndarray
    ability: np.ndarray
    """Posterior means of θ."""
    ability_error: np.ndarray
    """Posterior standard deviations."""
    loglikelihood: float
    rounds: int
    converged: bool


def fit(right: np.ndarray, *, points: int = 41, rounds: int = 500, near: float = 1e-3) -> Irt:
    """Fit the model to shares right, (models, items), NaN where there is no reply. Raises InputError for fewer than 2 models or items.

    ``near`` is the change of any parameter below which the steps have come to rest.
    """
    if min(right.shape, default=0) < 2:
        raise InputError(f"item response theory needs two models and two items at least; there are {right.shape[0]} and {right.shape[1]}")
    # Items with one pattern of answers have one pair of parameters: it is found once, and counts as often as they are.
    patterns, which, times = np.unique(np.nan_to_num(right, nan=-1.0), axis=1, return_inverse=True, return_counts=True)
    yes, all_ = np.where(patterns >= 0, patterns, 0.0), (patterns >= 0).astype(float)
    grid = np.linspace(-_LIMIT, _LIMIT, points)
    share = np.clip((yes.sum(axis=0) + 0.5) / (all_.sum(axis=0) + 1), 0.02, 0.98)
    items = np.zeros(len(times)), -np.log(share / (1 - share))
    done, step = False, 0
    while step < rounds and not done:
        step += 1
        posterior, _ = _posterior(yes * times, all_ * times, grid, items)
        was, items = items, _update(posterior.T @ yes, posterior.T @ all_, grid, items)
        done = all(bool(np.abs(now - old).max() < near) for now, old in zip(items, was, strict=True))
    posterior, loglikelihood = _posterior(yes * times, all_ * times, grid, items)
    ability = posterior @ grid
    error = np.sqrt(np.maximum(0.0, posterior @ grid**2 - ability**2))
    log_a, b = (values[which.ravel()] for values in items)
    return Irt(
        discrimination=np.exp(log_a), difficulty=b, ability=ability, ability_error=error, loglikelihood=loglikelihood, rounds=step,
        converged=done,
    )  # fmt: skip


def _posterior(yes: np.ndarray, all_: np.ndarray, grid: np.ndarray, items: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, float]:
    """The posterior of each model's ability on the grid, (models, points), and the marginal log-likelihood."""
    log_a, b = items
    weight = np.exp(-grid * grid / 2)
    x = np.exp(log_a) * (grid[:, None] - b)  # (points, items)
    joint = yes @ x.T - all_ @ np.logaddexp(0.0, x).T + np.log(weight / weight.sum())
    most = joint.max(axis=1, keepdims=True)
    likely = np.exp(joint - most)
    total = likely.sum(axis=1, keepdims=True)
    return likely / total, float((most[:, 0] + np.log(total[:, 0])).sum())


def _update(right: np.ndarray, n: np.ndarray, grid: np.ndarray, items: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Newton steps (Fisher scoring) on log a and b of every item from expected counts, (points, items), with priors."""
    log_a, b = (value.copy() for value in items)
    for _ in range(3):
        a, gap = np.exp(log_a), grid[:, None] - b
        p = 1 / (1 + np.exp(-np.clip(a * gap, -35, 35)))
        rest, info = right - n * p, n * p * (1 - p)
        g_a = a * (rest * gap).sum(axis=0) - log_a / _SD_LOG_A**2
        g_b = -a * rest.sum(axis=0) - b / _SD_B**2
        h_aa = a * a * (info * gap * gap).sum(axis=0) + 1 / _SD_LOG_A**2
        h_bb = a * a * info.sum(axis=0) + 1 / _SD_B**2
        h_ab = -a * a * (info * gap).sum(axis=0)
        whole = h_aa * h_bb - h_ab * h_ab
        log_a = np.clip(log_a + np.clip((h_bb * g_a - h_ab * g_b) / whole, -1, 1), -4, 2.5)
        b = np.clip(b + np.clip((h_aa * g_b - h_ab * g_a) / whole, -1, 1), -_LIMIT, _LIMIT)
    return log_a, b
