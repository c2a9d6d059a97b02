"""``endonym compare``: workspaces side by side, as Markdown, JSON, or files for a paper."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from ..errors import InputError
from . import common


@click.command()
@click.argument("folders", metavar="DIR…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--specialised", multiple=True, metavar="NAME=BASE", help="A model tuned for the culture, and what it was tuned from.")
@click.option("--correction", type=click.Choice(["holm", "bh", "none"]), default="holm", show_default=True, help="Over all pairs.")
@click.option("--alpha", default=0.05, show_default=True, type=click.FloatRange(0, 1, min_open=True, max_open=True))
@click.option("--draws", default=1000, show_default=True, type=click.IntRange(min=100), help="Bootstrap draws.")
@click.option("--seed", default=0, show_default=True)
@click.option("--out", metavar="FOLDER", type=click.Path(path_type=Path), help="Write the tables there as Markdown, CSV and LaTeX.")
@common.json_option
def compare(folders: tuple[Path, ...], specialised: tuple[str, ...], out: Path | None, as_json: bool, **how: Any) -> None:
    """Set the workspaces DIR side by side.

    Workspaces of one benchmark: their models, on the items that all of them answered, with paired tests. Of several benchmarks: for
    each, plain and oracle accuracy, the gap of a specialised model, headroom and discriminative power.
    """
    from .. import store
    from ..compare import How
    from ..compare import compare as set_side_by_side
    from .tables import csv, latex, markdown

    found = set_side_by_side(folders, How(specialised=dict(map(_named, specialised)), **how))
    tables = list(layout(found))
    if out:
        for table in tables:
            for end, text in (("csv", csv(table)), ("tex", latex(table)), ("md", markdown(table))):
                store.write_text(out / f"{table.stem}.{end}", text)
    if as_json:
        return common.put({"benchmarks": msgspec.to_builtins(found), "out": str(out) if out else None})
    click.echo("\n".join(map(markdown, tables)))
    return None


def _named(text: str) -> tuple[str, str]:
    name, equals, base = text.partition("=")
    if not (name and equals and base):
        raise InputError(f"--specialised {text}: is not of the form NAME=BASE")
    return name, base


def layout(found: list[Any]) -> Iterator[Any]:
    """The tables: the contrast of all benchmarks first, then for each benchmark and way of asking its models and its pairs."""
    if len(found) > 1 or found[0].contrast.deltas or found[0].contrast.gaps:
        yield from _contrast(found)
    for benchmark in found:
        for way in benchmark.ways:
            yield from _way(benchmark, way)


def _way(benchmark: Any, way: Any) -> Iterator[Any]:
    from .tables import Table, number, p_value, percent, signed

    label = ", ".join([benchmark.name, way.way["method"], way.way["style"], f"{way.way['shots']}-shot"])
    stem = "-".join([benchmark.name, *way.way.values()])
    scored = {e.group["model"]: e for e in way.accuracy}
    lacks = f"; {way.left_out:,} left out that some model did not reply to" if way.left_out else ""
    yield Table(
        stem=f"{stem}-models", title=f"{label}: {way.items:,} items that all models replied to{lacks}",
        head=("rank", "ranks", "model", "accuracy", "interval", "best in"),
        rows=[
            (number(r.rank), f"{number(r.low)}–{number(r.high)}", r.name, percent(r.value), _interval(scored[r.name]), percent(r.best))
            for r in way.ranks
        ],
        notes=tuple(dict.fromkeys(e.signature for e in way.accuracy)),
    )  # fmt: skip
    yield Table(
        stem=f"{stem}-pairs", title=f"{label}: pairs; p of McNemar's exact test and of a permutation by entity, adjusted",
        head=("a", "b", "a − b", "only a", "only b", "n", "McNemar", "permutation"),
        rows=[
            (t.a, t.b, signed(t.difference), str(t.a_only), str(t.b_only), str(t.n), p_value(t.mcnemar_adjusted),
             p_value(t.permutation_adjusted)) for t in way.pairs
        ],
    )  # fmt: skip


def _interval(e: Any) -> str:
    from .tables import percent

    return "" if e.low is None else f"{percent(e.low)}–{percent(e.high)}"


def _contrast(found: list[Any]) -> Iterator[Any]:
    """Tuguesice's table 1: a row a model, three columns a benchmark; below it what else the benchmarks differ in."""
    from .tables import Table, percent, signed

    models = sorted({e.group["model"] for b in found for e in (*b.contrast.plain, *b.contrast.oracle)})
    columns = ("plain", "oracle", "Δ")
    cells: dict[tuple[str, str, str], Any] = {}
    notes: list[str] = []
    for b in found:
        for column, estimates in zip(columns, (b.contrast.plain, b.contrast.oracle, [d.estimate for d in b.contrast.deltas]), strict=True):
            cells |= {(b.name, column, e.group["model"]): e.value for e in estimates}
            notes += [e.signature for e in estimates]
    shown = {"plain": percent, "oracle": percent, "Δ": signed}
    yield Table(
        stem="contrast", title="Accuracy, plain and with the oracle",
        head=("model", *(f"{b.name} {column}" for b in found for column in columns)),
        rows=[(model, *(shown[column](cells.get((b.name, column, model))) for b in found for column in columns)) for model in models],
        notes=tuple(dict.fromkeys(notes)),
    )  # fmt: skip
    yield Table(stem="benchmarks", title="What each benchmark tells apart", head=("", *(b.name for b in found)), rows=list(_facts(found)))


def _facts(found: list[Any]) -> Iterator[tuple[str, ...]]:
    """Gaps, headroom and discriminative power, a column a benchmark."""
    from .tables import number, p_value, percent, signed

    ways = {b.name: next((w for w in b.ways if w.way["style"] == "plain"), b.ways[0] if b.ways else None) for b in found}
    gaps = dict.fromkeys((d.test.a, d.test.b, d.estimate.group["style"]) for b in found for d in b.contrast.gaps)
    for gap in gaps:
        held = [{(d.test.a, d.test.b, d.estimate.group["style"]): d for d in b.contrast.gaps}.get(gap) for b in found]
        told = (f"{signed(d.estimate.value)} (p {p_value(d.test.permutation)})" if d else "–" for d in held)
        yield (f"gap of {gap[0]} over {gap[1]}, {gap[2]}", *told)
    shown = [ways[b.name] for b in found]
    yield ("headroom", *("–" if w is None else percent(w.headroom.value) for w in shown))
    yield ("pairs of models told apart", *("–" if w is None else f"{w.separation.separated} of {w.separation.pairs}" for w in shown))
    yield ("of 100 items, pairs told apart", *("–" if w is None else number(w.separation.per_100) for w in shown))
    yield ("items", *("–" if w is None else f"{w.items:,}" for w in shown))
