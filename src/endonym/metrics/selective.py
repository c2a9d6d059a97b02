"""Knowing when not to answer: the risk-coverage curve (El-Yaniv and Wiener 2010).

In: scores, and, where there is one, the confidence of each choice. Out: for each group points (coverage, risk): if only the most
confident share ``coverage`` of replies is kept, the share ``risk`` of these that is wrong. The one thing to know: scores hold no
confidence. It comes from the responses (``confidence``, the probability of the likeliest option among the options). Without it the
curve has one point: the coverage that the model chose by abstaining, and its risk there. Accuracy at that point is
``accuracy(over="answered")``, and 1 − coverage is what ``abstention``, ``unparsed`` and the other statuses add up to.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from ..records import Response
from .frame import groups
from .units import REPLIED


def confidence(responses: Iterable[Response], *, per_token: bool = False) -> pl.DataFrame:
    """``prompt``, ``model``, ``confidence`` of the responses with log-likelihoods: the greatest of their probabilities, summing to 1.

    ``per_token`` divides each by its number of tokens first, as the method ``texts`` does when it chooses.
    """
    rows = []
    for response in responses:
        if response.error or not response.loglikelihoods:
            continue
        values = np.array(response.loglikelihoods)
        if per_token:
            values = values / np.maximum(1, response.lengths)
        rows.append((response.prompt, response.model, float(1 / np.exp(values - values.max()).sum())))
    return pl.DataFrame(rows, schema={"prompt": pl.String, "model": pl.String, "confidence": pl.Float64}, orient="row")


def risk_coverage(scores: pl.DataFrame, confidence: pl.DataFrame | None = None, *, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """One row a point: the group, ``coverage``, ``risk``, ``threshold`` (null where there is no confidence), ``n``; from few to all.

    Coverage is of all replies that came; what abstained or cannot be read is never covered. Equal confidences are one point.
    """
    named: dict[str, type[pl.DataType]] = dict.fromkeys(by, pl.String)
    schema = {**named, "coverage": pl.Float64, "risk": pl.Float64, "threshold": pl.Float64, "n": pl.Int64}
    if confidence is not None:
        once = confidence.unique(["prompt", "model"], maintain_order=True, keep="first")
        scores = scores.join(once, on=["prompt", "model"], how="left", maintain_order="left")
    rows = [[*group.values(), *point] for group, part in groups(scores, by) for point in _points(part)]
    return pl.DataFrame(rows, schema=schema, orient="row")


def area(curve: pl.DataFrame) -> float | None:
    """The area under one group's curve, the mean risk over its coverages (AURC, less is better); None for a single point."""
    if len(curve) < 2:
        return None
    coverage, risk = curve["coverage"].to_numpy(), curve["risk"].to_numpy()
    return float((np.diff(coverage, prepend=0.0) * risk).sum() / coverage[-1])


def _points(part: pl.DataFrame) -> list[tuple[float, float, float | None, int]]:
    replies = len(part.filter(REPLIED))
    chose = part.filter(pl.col("status") == "answered")
    if "confidence" in part.columns:
        chose = chose.filter(pl.col("confidence").is_not_null())
    if not len(chose):
        return []
    wrong = (~chose["right"]).to_numpy().astype(float)
    if "confidence" not in part.columns:
        return [(len(chose) / replies, float(wrong.mean()), None, len(chose))]
    sure = chose["confidence"].to_numpy()
    order = np.argsort(-sure, kind="stable")
    sure, errors = sure[order], np.cumsum(wrong[order])
    last = np.flatnonzero(np.append(np.diff(sure) != 0, True))
    return [(float((i + 1) / replies), float(errors[i] / (i + 1)), float(sure[i]), int(i + 1)) for i in last]
