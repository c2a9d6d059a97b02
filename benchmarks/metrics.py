"""What the metrics cost: every metric with 1,000 bootstrap draws, and the statistics, on simulated scores of the papers' size.

27 models × 2,431 items (CARTE's shape: one language, 13 regions) and 8 models × 49,280 questions (XNationQA's: 1,760 entities, 7
languages, 4 templates). One row of the table a metric; seconds on the wall and of the processors.

    python benchmarks/metrics.py [--draws 1000]
"""

import argparse
import resource
import time
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from endonym.metrics import METRICS, Metric, accuracy, frame, macro, pairwise, position_bias, specialisation_gap, total_coverage
from endonym.metrics.contrasts import contrast_languages
from endonym.metrics.irt import fit
from endonym.metrics.items import analyse
from endonym.metrics.matrix import matrix
from endonym.metrics.power import detectable
from endonym.metrics.ranking import ranking
from endonym.metrics.regions import compare_regions
from endonym.metrics.separation import separation, subset
from endonym.metrics.tests import compare
from endonym.metrics.tiers import difficulty


def table(models: int, cells: list[dict[str, str]], seed: int) -> pl.DataFrame:
    """Scores of models that differ in ability on questions that differ in difficulty; 2 % are no answer."""
    rng, n = np.random.default_rng(seed), len(cells)
    base, hard = pl.DataFrame(cells), rng.normal(size=n)
    parts = []
    for m in range(models):
        right = rng.random(n) < 1 / (1 + np.exp(hard - rng.normal()))
        gold, status = rng.integers(0, 4, n), np.where(rng.random(n) < 0.02, "unparsed", "answered")
        position = np.where(right, gold, (gold + rng.integers(1, 4, n)) % 4)
        parts.append(
            base.with_columns(
                pl.lit(f"model-{m:02}").alias("model"), pl.Series("status", status), pl.Series("right", right & (status == "answered")),
                pl.Series("position", position), pl.Series("choice", position), pl.Series("gold_position", gold),
                pl.Series("prompt", base["item"]), pl.lit(4).alias("options"), pl.lit("letters").alias("method"),
                pl.lit("plain").alias("style"), pl.lit(0).alias("shots"), pl.lit(0).alias("draw"), pl.lit("").alias("subset"),
            )
        )  # fmt: skip
    return pl.concat([frame([]), pl.concat(parts)], how="diagonal_relaxed")


def carte() -> pl.DataFrame:
    cells = [
        {"item": f"i{i}", "lang": "fr", "place": f"FR-{i % 13:02}", "topic": f"t{i % 14}", "entity": "", "template": "", "parallel": ""}
        for i in range(2431)
    ]  # fmt: skip
    return table(27, cells, 1)


def xnationqa() -> pl.DataFrame:
    cells = [
        {"item": f"{e}.{t}.{lang}", "lang": lang, "place": f"P{e % 9}", "topic": f"d{e % 4}", "entity": f"e{e}", "template": str(t),
         "parallel": f"{e}/{t}"}
        for e in range(1760) for lang in ("en", "de", "es", "hi", "ru", "ja", "zh") for t in range(4)
    ]  # fmt: skip
    return table(8, cells, 2)


def tasks(scores: pl.DataFrame, draws: int, several: bool) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every metric, by model and by model and topic, then the statistics."""
    first, second = scores["model"].unique().sort()[:2]
    more: list[Metric] = [position_bias(gold="balanced"), specialisation_gap(specialised=first, base=second), difficulty(tier="Hard")]
    if several:
        more += [macro(only="W"), macro(only="NW"), macro(statistic="sd"), total_coverage(langs="W"), total_coverage(langs="Eng-NW")]
    crossing = {"headroom", "specialisation_gap", "difficulty"}
    for metric in [*METRICS.values(), *more]:
        by = () if metric.name in crossing else ("model",)
        yield repr(metric), lambda m=metric, by=by: m.estimate(scores, by=by, draws=draws)
    for metric in (accuracy, total_coverage if several else position_bias):
        for name in ("topic", "place"):
            yield f"{metric!r} by model and {name}", lambda m=metric, n=name: m.estimate(scores, by=("model", n), draws=draws)
    if several:
        yield "pairwise coverage, 21 pairs × model × topic", lambda: pairwise(scores, by=("model", "topic"), draws=draws)
        yield "W against NW", lambda: contrast_languages(scores)
    yield "all pairs of models, two tests", lambda: compare(scores)
    yield "ranking", lambda: ranking(scores, draws=draws)
    yield "regions of one model", lambda: compare_regions(scores.filter(pl.col("model") == first))
    yield "detectable difference", lambda: detectable(scores, first, second)
    yield "item analysis", lambda: analyse(scores)
    yield "2PL", lambda: fit(matrix(scores, unit="item").right[:, :2431])
    yield "separation, 100 sets of 100 items", lambda: separation(scores)
    yield "fewest items", lambda: subset(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    whole = 0.0
    for name, scores, several in (("27 × 2,431", carte(), False), ("8 × 49,280", xnationqa(), True)):
        print(f"{name}\n{'wall':>8}{'CPU':>8}  what")
        total, spent = 0.0, time.process_time()
        for what, task in tasks(scores, draws, several):
            begin, used = time.perf_counter(), time.process_time()
            task()
            took = time.perf_counter() - begin
            total += took
            print(f"{took:8.2f}{time.process_time() - used:8.2f}  {what}", flush=True)
        whole += total
        print(f"{total:8.2f}{time.process_time() - spent:8.2f}  in all\n")
    print(f"{whole:8.2f}  together on the wall; most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
