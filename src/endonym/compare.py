"""Workspaces side by side: models on one benchmark with paired tests, or two benchmarks on the same models.

In: workspaces. Out: numbers, tests and ranks for each benchmark and way of asking, on the items that every model replied to;
and, for several benchmarks or styles, Tuguesice's contrast (table 1 and section 5): plain, oracle, Δ, the gap between a model tuned
for a culture and its base, headroom, and discriminative power. The one thing to know: workspaces of one version of a benchmark
are one table; two versions never are, and that is an IntegrityError.
"""

import contextlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import msgspec
import polars as pl

from . import store
from .errors import InputError, IntegrityError, UnknownName
from .metrics import accuracy, frame, headroom, oracle_delta, specialisation_gap
from .metrics.ranking import Rank, ranking
from .metrics.separation import Separation, separation
from .metrics.tests import Comparison, Correction, adjusted
from .metrics.tests import compare as compare_sides
from .metrics.units import REPLIED
from .records import Estimate

WAY = ("method", "style", "shots")


class Side(msgspec.Struct, kw_only=True, frozen=True):
    """One workspace: what its benchmark is called, which version of it was read, and its scores."""

    folder: str
    name: str
    source: str
    """The hash of what the items were read from; two parts of one file have the same."""
    items: frozenset[str]
    scores: pl.DataFrame
    sha256: str


class Way(msgspec.Struct, kw_only=True, frozen=True):
    """The models of one benchmark, asked in one way, on the items that all of them replied to."""

    way: dict[str, str]
    items: int
    left_out: int
    accuracy: list[Estimate]
    ranks: list[Rank]
    pairs: list[Comparison]
    headroom: Estimate
    separation: Separation


class Delta(msgspec.Struct, kw_only=True, frozen=True):
    """A paired difference: an estimate with its interval, and its tests."""

    estimate: Estimate
    test: Comparison


class Contrast(msgspec.Struct, kw_only=True, frozen=True):
    """What a benchmark shows of styles and of tuning, asked by the first of its methods and with the fewest shots."""

    way: dict[str, str]
    plain: list[Estimate]
    oracle: list[Estimate]
    deltas: list[Delta]
    """Oracle less plain, for each model; p adjusted over the models."""
    gaps: list[Delta]
    """Specialised less base, in each style."""


class Benchmark(msgspec.Struct, kw_only=True, frozen=True):
    """All that is said of one benchmark."""

    name: str
    version: str
    workspaces: list[str]
    ways: list[Way]
    contrast: Contrast


class How(msgspec.Struct, kw_only=True, frozen=True):
    """How workspaces are compared."""

    specialised: dict[str, str] = {}
    """Model tuned for the culture → the model that it was tuned from."""
    correction: Correction = "holm"
    alpha: float = 0.05
    draws: int = 1000
    seed: int = 0


def compare(folders: Sequence[Path], how: How | None = None) -> list[Benchmark]:
    """Compare workspaces; one entry for each benchmark, in the order in which they were named.

    Raises IntegrityError where tables were changed or two versions of one benchmark would meet; InputError for a folder without
    scores, or one model alone on one benchmark; UnknownName for a model of ``specialised`` that nobody asked.
    """
    how = how or How()
    families = _families([_load(folder) for folder in folders])
    tables = [_merged(family) for family in families]
    asked = {model for scores in tables for model in scores["model"].unique()}
    for name in sorted({*how.specialised, *how.specialised.values()} - asked):
        raise UnknownName("model", name, asked)
    if len(tables) == 1 and len(asked) == 1 and tables[0]["style"].n_unique() == 1:
        raise InputError("there is one model, asked in one style: nothing to compare it with")
    return [_benchmark(family, scores, how) for family, scores in zip(families, tables, strict=True)]


def _load(folder: Path) -> Side:
    tables = folder / "tables"
    if not (tables / "scores.jsonl").exists():
        raise InputError(f"{folder}: holds no scores; endonym evaluate or endonym run makes them")
    store.verify(tables)
    manifest = store.vouched(tables / "scores.jsonl")
    table = next((name for parameter, name in store.parts(manifest) if parameter == "items"), "items")
    read = store.vouched(tables / f"{table}.jsonl")
    source = next((value for key, value in sorted(read.inputs.items()) if key.startswith("file:")), read.sha256)
    scores = frame(tables / "scores.jsonl")
    if not len(scores):
        raise InputError(f"{folder}: its table of scores is empty")
    items = frozenset(scores["item"].unique())
    return Side(folder=str(folder), name=_name(folder), source=source, items=items, scores=scores, sha256=manifest.sha256)


def _name(folder: Path) -> str:
    with contextlib.suppress(OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        named = tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8")).get("name")
        if isinstance(named, str) and named:
            return named
    return folder.resolve().name


def _families(sides: list[Side]) -> list[list[Side]]:
    """Workspaces of one version of a benchmark together; raise IntegrityError where two versions would meet."""
    for a, b in combinations(sides, 2):
        alike = len(a.items & b.items) / len(a.items | b.items) > 0.5
        if a.source != b.source and (a.name == b.name or alike):
            why = f"both are called {a.name}" if a.name == b.name else "most of their items are the same"
            raise IntegrityError(
                f"{a.folder} and {b.folder}: hold two versions of one benchmark ({a.source[:12]} and {b.source[:12]}; {why}); "
                "numbers of two versions are not put in one table"
            )
    found: dict[str, list[Side]] = {}
    for side in sides:
        found.setdefault(side.source, []).append(side)
    return list(found.values())


def _merged(family: list[Side]) -> pl.DataFrame:
    """The scores of a family; a model that was asked in two workspaces is two, named with its workspace."""
    times: dict[str, int] = {}
    for side in family:
        for model in side.scores["model"].unique():
            times[model] = times.get(model, 0) + 1
    twice = [model for model, n in times.items() if n > 1]
    parts = []
    for side in family:
        named = pl.when(pl.col("model").is_in(twice)).then(pl.col("model") + f" @ {side.folder}").otherwise(pl.col("model"))
        parts.append(side.scores.with_columns(named.alias("model")))
    return pl.concat(parts, how="diagonal_relaxed")


def _benchmark(family: list[Side], scores: pl.DataFrame, how: How) -> Benchmark:
    version = family[0].source[:12]
    context = {"benchmark": f"{family[0].name}@{version}", "scores": ",".join(side.sha256[:12] for side in family)}
    return Benchmark(
        name=family[0].name, version=version, workspaces=[side.folder for side in family], ways=list(_ways(scores, context, how)),
        contrast=_contrast(scores, context, how),
    )  # fmt: skip


def _ways(scores: pl.DataFrame, context: Mapping[str, str], how: How) -> Iterator[Way]:
    for (method, style, shots), part in sorted(scores.partition_by(WAY, as_dict=True).items()):
        if part["model"].n_unique() < 2:
            continue
        way = {"method": str(method), "style": str(style), "shots": str(shots)}
        shared, left_out = _shared(part)
        told = {**context, **way}
        tests = compare_sides(shared, correction=how.correction, seed=how.seed) if len(shared) else []
        (above,) = headroom.estimate(shared, context=told, draws=how.draws, seed=how.seed)
        yield Way(
            way=way, items=shared["item"].n_unique(), left_out=left_out, pairs=tests, headroom=above,
            accuracy=accuracy.estimate(shared, by=("model",), context=told, draws=how.draws, seed=how.seed),
            ranks=ranking(shared, draws=how.draws, seed=how.seed) if len(shared) else [],
            separation=separation(part, alpha=how.alpha, correction=how.correction, seed=how.seed),
        )  # fmt: skip


def _shared(part: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The scores of the items that every model replied to, and how many items some model lacks."""
    models = part["model"].n_unique()
    replied = part.filter(REPLIED).group_by("item").agg(pl.col("model").n_unique().alias("models"))
    kept = replied.filter(pl.col("models") == models)["item"]
    return part.filter(pl.col("item").is_in(kept.implode())), part["item"].n_unique() - len(kept)


def _contrast(scores: pl.DataFrame, context: Mapping[str, str], how: How) -> Contrast:
    method, shots = scores.select("method", "shots").unique().sort("method", "shots").row(0)
    way = {"method": str(method), "shots": str(shots)}
    scores = scores.filter((pl.col("method") == method) & (pl.col("shots") == shots))
    context = {**context, **way}
    by = {style: scores.filter(pl.col("style") == style) for style in ("plain", "oracle")}
    known = {
        style: accuracy.estimate(part, by=("model",), context={**context, "style": style}, draws=how.draws, seed=how.seed)
        for style, part in by.items()
    }
    return Contrast(
        way=way, plain=known["plain"], oracle=known["oracle"], deltas=_deltas(scores, context, how) if len(by["oracle"]) else [],
        gaps=list(_gaps(scores, context, how)),
    )  # fmt: skip


def _deltas(scores: pl.DataFrame, context: Mapping[str, str], how: How) -> list[Delta]:
    estimates = oracle_delta.estimate(scores, by=("model",), context=context, draws=how.draws, seed=how.seed)
    there = [e for e in estimates if e.value is not None]
    tests = [_test(scores.filter(pl.col("model") == e.group["model"]), ("style", "oracle", "plain"), how) for e in there]
    steps = [adjusted([getattr(t, name) for t in tests], how.correction) for name in ("mcnemar", "permutation")]
    return [
        Delta(estimate=e, test=msgspec.structs.replace(t, mcnemar_adjusted=m, permutation_adjusted=p))
        for e, t, m, p in zip(there, tests, *steps, strict=True)
    ]


def _gaps(scores: pl.DataFrame, context: Mapping[str, str], how: How) -> Iterator[Delta]:
    for specialised, base in how.specialised.items():
        metric = specialisation_gap(specialised=specialised, base=base)
        for e in metric.estimate(scores, by=("style",), context=context, draws=how.draws, seed=how.seed):
            if e.value is not None:
                yield Delta(estimate=e, test=_test(scores.filter(pl.col("style") == e.group["style"]), ("model", specialised, base), how))


def _test(scores: pl.DataFrame, sides: tuple[str, str, str], how: How) -> Comparison:
    over, a, b = sides
    return compare_sides(scores, over=over, a=a, b=b, correction=how.correction, seed=how.seed)[0]
