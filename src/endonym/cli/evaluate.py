"""``endonym evaluate``: a benchmark is put to models in a workspace of its own, and a report is written there."""

from pathlib import Path
from typing import Any

import click
import msgspec

from .. import benchmarks, recipe, store
from ..errors import InputError
from ..kitchen import Kitchen, file_name
from ..models import provider
from ..records import Model
from . import common
from .report import finish


class Told(msgspec.Struct, kw_only=True, frozen=True):
    """What the user said of one run."""

    benchmark: benchmarks.Benchmark
    models: tuple[Model, ...]
    responses: str
    reading: dict[str, object]
    choosing: dict[str, object]


@click.command()
@click.argument("benchmark")
@click.option("--model", "models", multiple=True, metavar="NAME", help="Whom to ask: provider/name [key=value …]; may be repeated.")
@click.option("--responses", default="", metavar="FILE", help="Score outputs made elsewhere: rows item, model, text [, prompt].")
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="The workspace; runs/BENCHMARK if not given.")
@click.option("--method", type=click.Choice(["letters", "texts", "generate"]), default="letters", show_default=True,
              help="Likelihood of letters, of option texts (by token), or generated text.")  # fmt: skip
@click.option("--orders", type=click.Choice(["asis", "shuffle", "rotate"]), default="asis", show_default=True, help="Order of the options.")
@click.option("--where", multiple=True, metavar="NAME=VALUE", help="Only items of this dimension; may be repeated.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many items, drawn at random by the seed.")
@click.option("--seed", default=0, show_default=True)
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be read; they are counted and listed.")
@click.option("--retry", is_flag=True, help="Ask again what failed.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and ask nothing.")
@common.by_option
@common.wait_option
@common.json_option
def evaluate(benchmark: str, models: tuple[str, ...], responses: str, out: Path | None, retry: bool, dry_run: bool,
             by: str, wait: float, as_json: bool, **said: Any) -> None:  # fmt: skip
    """Put BENCHMARK to models and write a report.

    BENCHMARK is a shipped name (endonym benchmarks), a workspace, a benchmark.jsonl, or reader:PATH. Run it again to go on
    where it stopped; with another --model and the same --out, to set the models side by side.
    """
    if not models and not responses:
        raise InputError("whom to ask? give --model (endonym models lists what there is) or --responses FILE")
    if responses and not Path(responses).is_file():
        raise InputError(f"{responses}: no such file")
    told = _told(benchmarks.find(benchmark), tuple(map(common.model, models)), responses, said)
    workspace = out or Path("runs") / told.benchmark.name
    if not as_json:
        common.say(f"{told.benchmark.name} → {workspace}")
    with store.lock(workspace, timeout=wait), common.watched(workspace, retry=retry) as kitchen:
        cooked = plan(workspace, told)
        if dry_run:
            return _dry(kitchen, cooked, as_json)
        store.write_text(workspace / "recipe.toml", recipe.dump(cooked))
        kitchen.cook(cooked)
        return finish(workspace, by=common.names(by), as_json=as_json)


def _told(source: benchmarks.Benchmark, models: tuple[Model, ...], responses: str, said: dict[str, Any]) -> Told:
    """What differs from the defaults; a seed only where something is drawn by it."""
    limit, orders = said["limit"] or 0, said["orders"]
    reading = {"where": list(said["where"]), "limit": limit, "seed": said["seed"] if limit else 0, "skip_bad": said["skip_bad"]}
    method = "generate" if responses else said["method"]
    choosing = {"method": method, "orders": orders, "seed": said["seed"] if orders == "shuffle" else 0}
    return Told(
        benchmark=source, models=models, responses=responses,
        reading={k: v for k, v in reading.items() if v}, choosing={k: v for k, v in choosing.items() if v},
    )  # fmt: skip


def plan(workspace: Path, told: Told) -> recipe.Recipe:
    """The recipe of a run: to what the workspace holds already, only models may be added."""
    source = told.benchmark.within(workspace)
    reading = recipe.Stage(do="build.read", makes="items", settings={"reader": source.reader, "path": source.path, **told.reading})
    responses = benchmarks.relative(told.responses, workspace) if told.responses else ""
    choosing = recipe.Stage(do="evaluate.choose", makes="scores", models=told.models, responses=responses, settings=told.choosing)
    for model in told.models:
        provider(model).close()
    if (workspace / "recipe.toml").exists():
        choosing = _added(workspace, recipe.load(workspace), reading, choosing)
    return recipe.Recipe(name=told.benchmark.name, stages=(reading, choosing))


def _added(workspace: Path, old: recipe.Recipe, reading: recipe.Stage, choosing: recipe.Stage) -> recipe.Stage:
    if len(old.stages) != 2 or old.stages[0] != reading or _bare(old.stages[1]) != _bare(choosing):
        other = _differences(old, reading, choosing)
        raise InputError(f"{workspace}: holds another run ({other}); give another --out, or endonym run {workspace}")
    here = workspace / "tables" / choosing.makes
    kept = [m for m in old.stages[1].models if (here / f"{file_name(m.id)}.jsonl").exists()]
    models = {m.id: m for m in (*kept, *choosing.models)}
    responses = choosing.responses or old.stages[1].responses
    return msgspec.structs.replace(choosing, models=tuple(models.values()), responses=responses)


def _bare(stage: recipe.Stage) -> recipe.Stage:
    return msgspec.structs.replace(stage, models=(), responses="")


def _differences(old: recipe.Recipe, *new: recipe.Stage) -> str:
    if [s.do for s in old.stages] != [s.do for s in new]:
        return "its recipe has other stages"
    pairs = [(was.settings, now.settings) for was, now in zip(old.stages, new, strict=True)]
    keys = [(k, was.get(k), now.get(k)) for was, now in pairs for k in sorted({*was, *now}) if was.get(k) != now.get(k)]
    return "; ".join(f"{key} is {was!r} there, {now!r} here" for key, was, now in keys)


def _dry(kitchen: Kitchen, cooked: recipe.Recipe, as_json: bool) -> None:
    plans = kitchen.rehearse(cooked)
    if as_json:
        return common.put({"dry_run": [{"model": m.id, "prompts": p.prompts, "calls": p.calls} for m, p in plans]})
    for model, planned in plans:
        common.say(f"  {model.id}: {planned.prompts} prompts, {planned.calls} to be asked; the others are known or copies")
    return None
