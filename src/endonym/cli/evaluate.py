"""``endonym evaluate``: a benchmark is put to models in a workspace of its own, and a report is written there."""

from pathlib import Path
from typing import Any

import click
import msgspec

from .. import benchmarks, recipe, store
from ..build.readers import dimension, named
from ..errors import InputError, UnknownName
from ..kitchen import Kitchen, file_name
from ..models import provider
from ..records import Model
from . import common
from .outputs import converted
from .report import finish


class Told(msgspec.Struct, kw_only=True, frozen=True):
    """What the user said of one run."""

    benchmark: benchmarks.Benchmark
    models: tuple[Model, ...]
    responses: str
    said: dict[str, Any]


METHODS = ("letters", "texts", "generate")
READING = (
    click.option("--where", multiple=True, metavar="NAME=VALUE", help="Only items of this dimension; may be repeated."),
    click.option("--sample", default="", metavar="NAME:N", help="N items of each value and language, as entity:1."),
    click.option("--limit", type=click.IntRange(min=1), help="At most so many items, drawn at random by the seed."),
    click.option("--seed", default=0, show_default=True),
    click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be read; they are counted and listed."),
)
ASKING = (
    click.option("--method", default="letters", show_default=True, metavar="NAMES",
                 help="Likelihood of letters, of option texts (by token), or generated text: letters,texts,generate."),
    click.option("--orders", type=click.Choice(["asis", "shuffle", "rotate"]), default="asis", show_default=True,
                 help="Order of the options."),
    click.option("--style", default="plain", show_default=True, metavar="NAMES", help="System prompts, by commas: plain,oracle."),
    click.option("--shots", default="0", show_default=True, metavar="NUMBERS", help="Solved examples before the question, as 0,1,3."),
    click.option("--shots-by", default="", metavar="NAME", help="Stratify the examples by a dimension."),
    click.option("--shots-strata", type=click.Choice(["same", "spread"]), default="same", help="Of the item's stratum, or one of each."),
    click.option("--shots-draw", type=click.Choice(["each", "fixed"]), default="each", help="Drawn for each item, or one set for all."),
    click.option("--letters", type=click.Choice(["latin", "native"]), default="latin", help="Letters of the options."),
    click.option("--words", default="", metavar="FILE", help="A TOML file laid over the wording of the prompts."),
    click.option("--draws", default=1, type=click.IntRange(min=1), help="Answers asked of each prompt."),
    click.option("--max-tokens", default=64, show_default=True, type=click.IntRange(min=1), help="Limit of a generated answer."),
    click.option("--judge", multiple=True, metavar="NAME", help="Who judges open answers: a model, or people; may be repeated."),
    click.option("--reading", type=click.Choice(["strict", "xnationqa-paper"]), default="strict", help="How generated text is read."),
)  # fmt: skip


@click.command()
@click.argument("benchmark")
@click.option("--model", "models", multiple=True, metavar="NAME", help="Whom to ask: provider/name [key=value …]; may be repeated.")
@click.option("--responses", default="", metavar="FILE",
              help="Score outputs made elsewhere: rows item, model, text; or XNationQA's DIR.")
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="The workspace; runs/BENCHMARK if not given.")
@common.options(ASKING)
@common.options(READING)
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and ask nothing.")
@common.options(common.RUNNING)
@common.by_option
@common.json_option
def evaluate(
    benchmark: str, models: tuple[str, ...], responses: str, out: Path | None, dry_run: bool, by: str, as_json: bool, **said: Any
) -> None:
    """Put BENCHMARK to models and write a report.

    BENCHMARK is a shipped name (endonym benchmarks), a workspace, a benchmark.jsonl, or reader:PATH. Run it again to go on
    where it stopped; with another --model and the same --out, to set the models side by side.
    """
    if not models and not responses:
        raise InputError("whom to ask? give --model (endonym models lists what there is) or --responses FILE")
    if responses and not Path(responses).exists():
        raise InputError(f"{responses}: no such file")
    running, found = common.running(said), benchmarks.find(benchmark)
    workspace = out or Path("runs") / found.name
    if responses and Path(responses).is_dir():
        responses = converted(responses, workspace, found, _reading(said))
    told = Told(benchmark=found, models=tuple(map(common.model, models)), responses=responses, said=said)
    if not as_json:
        common.say(f"{told.benchmark.name} → {workspace}")
    with store.lock(workspace, timeout=running.wait), common.watched(workspace, running) as kitchen:
        cooked = plan(workspace, told)
        if dry_run:
            return _dry(kitchen, cooked, as_json)
        store.write_text(workspace / "recipe.toml", recipe.dump(cooked))
        common.cook(kitchen, cooked)
        return finish(workspace, by=common.names(by), as_json=as_json)


def plan(workspace: Path, told: Told) -> recipe.Recipe:
    """The recipe of a run: to what the workspace holds already, only models may be added."""
    source = told.benchmark.within(workspace)
    reading = recipe.Stage(do="build.read", makes="items", settings={**source.settings, **_reading(told.said)})
    responses = benchmarks.relative(told.responses, workspace) if told.responses else ""
    do = "evaluate.answer" if _kind(told.benchmark, told.said["where"]) == "open" else "evaluate.choose"
    models = tuple(_home(m, workspace) for m in told.models)
    judges = tuple(_home(common.model(word), workspace) for word in told.said["judge"])
    if judges and do == "evaluate.choose":
        raise InputError("--judge: is for open questions; which option a model chose needs no judge")
    settings = _asking(told.said, workspace, choice=do == "evaluate.choose", outside=bool(responses))
    asking = recipe.Stage(do=do, makes="ungraded" if judges else "scores", models=models, responses=responses, settings=settings)
    for model in (*models, *judges):
        provider(msgspec.structs.replace(model, params={k: v for k, v in model.params.items() if k != "chat"})).close()
    if (workspace / "recipe.toml").exists():
        asking = _added(workspace, recipe.load(workspace), reading, asking)
    return recipe.Recipe(name=told.benchmark.name, stages=(reading, asking, *_grading(asking, judges)))


def _home(model: Model, workspace: Path) -> Model:
    """A person's sheet, named from here, is named from the workspace in its recipe."""
    sheet = model.params.get("sheet") if model.provider == "people" else None
    return msgspec.structs.replace(model, params={**model.params, "sheet": benchmarks.relative(sheet, workspace)}) if sheet else model


def _grading(asking: recipe.Stage, judges: tuple[Model, ...]) -> tuple[recipe.Stage, ...]:
    """The stages that have replies judged, and lay the first judge's word beside the other marks."""
    if not judges:
        return ()
    said = [f"{asking.makes}/{file_name(m.id)}" for m in asking.models]
    grading = recipe.Stage(do="evaluate.grade", makes="grades", models=judges, settings={"asked": f"{asking.makes}/prompts", "said": said})
    graded = {"scores": asking.makes, "judgments": "grades", "judge": judges[0].id}
    return grading, recipe.Stage(do="evaluate.graded", makes="scores", settings=graded)


def _kind(source: benchmarks.Benchmark, where: tuple[str, ...]) -> str:
    """Whether the first item that fits is an open question; a bad row is told of when the stage reads them all."""
    items = named(source.reader)(benchmarks.resolve(Path(), source.path), skipped=[])
    clauses = [(name, values.split(",")) for name, _, values in (clause.partition("=") for clause in where)]
    return next((item.kind for item in items if all(dimension(item, name) in values for name, values in clauses)), "choice")


def _reading(said: dict[str, Any]) -> dict[str, Any]:
    """What differs from the defaults of ``build.read``; a seed only where something is drawn by it."""
    drawn = said["sample"] or said["limit"]
    found = {"where": list(said["where"]), "sample": said["sample"], "limit": said["limit"], "skip_bad": said["skip_bad"]}
    return {k: v for k, v in {**found, "seed": said["seed"] if drawn else 0}.items() if v}


def _asking(said: dict[str, Any], workspace: Path, *, choice: bool, outside: bool) -> dict[str, Any]:
    """What differs from the defaults of ``evaluate.choose`` or ``evaluate.answer``."""
    shots = {"k": _numbers(said["shots"]), "by": said["shots_by"], "strata": said["shots_strata"], "draw": said["shots_draw"]}
    some = max(shots["k"]) > 0
    found: dict[str, Any] = {"styles": list(common.names(said["style"])), "draws": said["draws"], "max_tokens": said["max_tokens"]}
    defaults: dict[str, Any] = {"styles": ["plain"], "draws": 1, "max_tokens": 64, "letters": "latin", "reading": "strict", "seed": 0}
    if choice:
        found |= {key: said[key] for key in ("orders", "letters", "reading")}
        found["method"] = "generate" if outside else _methods(said["method"])
    if some:
        found |= {"pool": "items", "shots": {k: v for k, v in shots.items() if v and v not in ("same", "each")}}
    if said["words"]:
        found["words"] = benchmarks.relative(said["words"], workspace)
    found["seed"] = said["seed"] if some or said["orders"] == "shuffle" else 0
    return {k: v for k, v in found.items() if k not in defaults or v != defaults[k]}


def _methods(text: str) -> str | list[str]:
    """One way of asking by its name, several as a list."""
    parts = common.names(text)
    for part in parts or ("",):
        if part not in METHODS:
            raise UnknownName("way of asking (--method)", part, METHODS)
    return list(parts) if len(parts) != 1 else parts[0]


def _numbers(text: str) -> list[int]:
    parts = common.names(text)
    if not parts or not all(part.isdigit() for part in parts):
        raise InputError(f"--shots {text}: is not a list of numbers, as 0,1,3")
    return [int(part) for part in parts]


def _added(workspace: Path, old: recipe.Recipe, reading: recipe.Stage, asking: recipe.Stage) -> recipe.Stage:
    here = workspace / "tables" / asking.makes
    kept = [m for stage in old.stages for m in stage.models if (here / f"{file_name(m.id)}.jsonl").exists()]
    if len(old.stages) < 2 or old.stages[0] != reading or _bare(old.stages[1]) != _bare(asking):
        if not kept and [s.do for s in old.stages][:2] == [reading.do, asking.do]:
            return asking  # nobody has answered yet, so nothing is lost
        other = _differences(old, reading, asking)
        raise InputError(f"{workspace}: holds another run ({other}); give another --out, or endonym run {workspace}")
    models = {m.id: m for m in (*kept, *asking.models)}
    return msgspec.structs.replace(asking, models=tuple(models.values()), responses=asking.responses or old.stages[1].responses)


def _bare(stage: recipe.Stage) -> recipe.Stage:
    return msgspec.structs.replace(stage, models=(), responses="")


def _differences(old: recipe.Recipe, *new: recipe.Stage) -> str:
    if [(s.do, s.makes) for s in old.stages[:2]] != [(s.do, s.makes) for s in new]:
        return "its recipe has other stages"
    pairs = [(was.settings, now.settings) for was, now in zip(old.stages, new, strict=False)]
    keys = [(k, was.get(k), now.get(k)) for was, now in pairs for k in sorted({*was, *now}) if was.get(k) != now.get(k)]
    return "; ".join(f"{key} is {was!r} there, {now!r} here" for key, was, now in keys)


def _dry(kitchen: Kitchen, cooked: recipe.Recipe, as_json: bool) -> None:
    plans = kitchen.rehearse(cooked)
    if as_json:
        numbers = ("prompts", "calls", "tokens_in", "tokens_out", "money")
        return common.put({"dry_run": [{"model": m.id, **{name: getattr(p, name) for name in numbers}} for m, p in plans]})
    for model, planned in plans:
        money = "no price known" if planned.money is None else f"at most {planned.money:.4g}"
        common.say(f"  {model.id}: {planned.prompts} prompts, {planned.calls} to be asked (the others are known or copies), about")
        common.say(f"    {planned.tokens_in} tokens in and at most {planned.tokens_out} out; {money}")
    return None
