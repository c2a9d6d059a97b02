"""Tuguesice-PT's table 1: every model asked plainly and with the system prompt that names the culture, and the difference.

In: a workspace with scores of two styles, ``plain`` and ``oracle``. Out: a profile. The one thing to know: plain and oracle are over all
replies of each style, as in the paper, and Δ is over the items that got a reply in both, so that it has the interval of a
paired difference; without failed calls it is their difference to the last digit. Benchmarks put side by side (the paper's
BLEnD-PT) are the values of ``subset``.

Paper: Tuguesice-PT (papers/tuguesice.tex), table 1.
"""

from pathlib import Path

import polars as pl

from ... import plots
from ...metrics import accuracy, oracle_delta
from ...records import Estimate
from .data import Data, Figure, Profile
from .sheet import Cell, Row, Sheet, share


def profile(every: Data, *, borders: Path | None = None) -> Profile:
    """Everything of Tuguesice that the workspace can give."""
    made = Profile(paper="tuguesice")
    shots = every.scores["shots"].unique().sort().to_list()
    data = every.only(every.scores.filter(pl.col("shots") == shots[0]))
    if len(shots) > 1:
        made.notes.append(f"{shots[0]} examples only; set aside: {', '.join(map(str, shots[1:]))}.")
    styles = set(data.scores["style"].unique())
    if missing := [style for style in ("plain", "oracle") if style not in styles]:
        made.missing.append(f"Table 1, Δ: no prompt has the style {' or '.join(missing)} (--style plain,oracle).")
    subsets = sorted(set(data.scores["subset"].unique()))
    parts = [(name or every.space.name, data.where("subset", name)) for name in subsets]
    cells: dict[str, list[Cell]] = {model: [] for model in data.models}
    for _, part in parts:
        by_style, delta = part.estimate(accuracy, ("style",)), part.estimate(oracle_delta)
        for model, row in cells.items():
            row += [share(by_style.get((model, style))) for style in ("plain", "oracle")]
            row.append(points(delta.get((model,))))
    scorer = data.space.shared.get("scorer", "")
    made.sheets.append(Sheet(
        name="table-1", caption="Accuracy (%): the question only (plain), and after a system prompt that names the culture (oracle).",
        first="model", spans=tuple((name, 3) for name, _ in parts), columns=("plain", "oracle", "Δ") * len(parts),
        rows=tuple(Row(name=model, cells=tuple(row)) for model, row in cells.items()),
        notes=("Δ in points, over the items that got a reply in both styles.", *([f"Scorer: {scorer}."] if scorer else [])),
    ))  # fmt: skip
    made.figures += _deltas(data, made)
    return made


def points(estimate: Estimate | None) -> Cell:
    """A difference in points, whole as the paper prints it."""
    if estimate is None or estimate.value is None:
        return Cell(estimates=(estimate,) if estimate else ())
    text = f"{100 * estimate.value:.0f}"
    return Cell(text="0" if text == "-0" else text, estimates=(estimate,), value=estimate.value)


def _deltas(data: Data, made: Profile) -> list[Figure]:
    """Not in the paper: the two styles side by side."""
    found = [e for e in data.estimate(accuracy, ("style",)).values() if e.group["style"] in {"plain", "oracle"}]
    if len({e.group["style"] for e in found}) < 2:
        return []
    chart = plots.panels(found, panel="model", along="style", columns=4)
    return [Figure(name="figure-styles", caption="Accuracy by style, with 95 % intervals.", chart=chart, estimates=found)]


__all__ = ["profile"]
