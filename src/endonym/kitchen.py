"""Bring a workspace up to date with its recipe, by key: same key, nothing to do.

In: a workspace and its recipe. Out: ``tables/NAME.jsonl``, each with its manifest; for a stage that asks also
``tables/NAME/prompts.jsonl`` and one table of responses for each model. A setting annotated ``Path`` is a file or a
folder: its content is part of the key.
"""

import inspect
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from . import benchmarks, outside, store
from .ask import Asking, Plan, Progress, lane, together
from .cache import Cache
from .errors import IntegrityError, ModelError, RecipeError, UnknownName
from .models import provider
from .purse import Purse
from .recipe import Recipe, Stage, keywords
from .records import Manifest, Model, Prompt, Response
from .spread import Cluster
from .stages import version


class Step(msgspec.Struct, kw_only=True):
    """One table to be made: where, from what, how."""

    target: Path
    plan: Manifest
    make: Callable[[], Iterable[Any]]
    facts: Callable[[], Mapping[str, str]] = dict
    model: Model | None = None

    @property
    def fresh(self) -> bool:
        """Whether the table is there, made of the same things in the same way."""
        found = store.manifest(self.target)
        return found is not None and self.target.exists() and found.key == self.plan.key

    @property
    def failed(self) -> int:
        """How many of a model's calls failed when the table was made."""
        found = store.manifest(self.target)
        return found.statuses.get("failed", 0) if found and self.model else 0


class State(msgspec.Struct, kw_only=True, frozen=True):
    """How a table stands: ``fresh``, ``stale``, ``missing``, ``changed`` by another hand, or ``waiting`` for people."""

    table: str
    state: str
    rows: int = 0
    failed: int = 0
    waiting: int = 0
    note: str = ""


Notify = Callable[[str, str], None]
"""Called with a table's name and ``fresh``, ``working`` or ``done``."""


class Kitchen:
    """A workspace being brought up to date."""

    def __init__(self, workspace: Path, *, retry: bool = False, cache: Path | None = None, cluster: Cluster | None = None,
                 purse: Purse | None = None, notify: Notify | None = None,
                 progress: Callable[[str], Progress] | None = None) -> None:  # fmt: skip
        self.workspace, self.tables, self.retry = workspace, workspace / "tables", retry
        self.cache, self.cluster, self.purse = cache or workspace / "cache.db", cluster, purse
        self.stopped = threading.Event()
        self.asking: dict[str, Stage] = {}
        """Table → the stage that asks for it: ``"TABLE/*"`` stands for its tables of responses in other stages."""
        self.notify = notify or (lambda table, state: None)
        self.progress = progress or (lambda table: lambda done, failed, total: None)

    def cook(self, recipe: Recipe, *, only: str = "") -> None:
        """Bring every table up to date, or those up to the one that ``only`` names, by its table or by what it does.

        Every model of a stage is asked before an error of one of them is raised (ModelError, Waiting).
        """
        self._expect(recipe)
        for each in recipe.stages[: _last(recipe, only)]:
            for steps in self.rounds(each):
                if troubles := self._bring_all(steps):
                    raise type(troubles[-1])("; ".join(map(str, troubles)))

    def _expect(self, recipe: Recipe) -> None:
        self.asking = {each.makes: each for each in recipe.stages if each.asks}

    def _bring_all(self, steps: list[Step]) -> list[ModelError]:
        """Models on several servers are asked side by side, unless they share a purse or a cluster."""
        self.stopped.clear()
        lanes: dict[str, list[Callable[[], None]]] = {}
        for step in steps:
            alone = not step.model or self.purse or self.cluster or len(steps) == 1
            lanes.setdefault("" if alone or not step.model else lane(step.model), []).append(partial(self.bring, step))
        with closing(Cache(self.cache)) if len(lanes) > 1 else nullcontext():  # so that not all of them make the file at once
            return together(list(lanes.values()), self.stopped)

    def bring(self, step: Step) -> None:
        """Make one table unless it is there already."""
        name = self.name(step.target)
        if step.fresh and not (self.retry and step.failed):
            store.vouched(step.target)
            return self.notify(name, "fresh")
        self.notify(name, "working")
        store.write(step.target, step.make(), step.plan, facts=step.facts)
        return self.notify(name, "done")

    def survey(self, recipe: Recipe) -> Iterator[State]:
        """Say how every table stands, without making any."""
        self._expect(recipe)
        stale, told = set[str](), set[str]()
        for each in recipe.stages:
            note, state = "", "missing"
            try:
                for step in self.steps(each):
                    found = self._state(step, stale)
                    told.add(found.table)
                    if found.state != "fresh":
                        stale.add(found.table)
                    yield found
            except IntegrityError as problem:
                note, state = str(problem), "changed" if "changed" in str(problem) else "missing"
            if each.makes not in told:
                stale.add(each.makes)
                yield State(table=each.makes, state=state, note=note)

    def _state(self, step: Step, stale: set[str]) -> State:
        found, name = store.manifest(step.target), self.name(step.target)
        made_from = {table for _, table in store.parts(step.plan)}
        state = "missing" if found is None else "fresh" if step.fresh and not made_from & stale else "stale"
        waiting = getattr(provider(self._home(step.model)), "waiting", None) if step.model and state != "fresh" else None
        rows = waiting(store.read(self._prompts(step), Prompt)) if waiting else 0
        return State(table=name, state="waiting" if rows else state, rows=found.rows if found else 0, failed=step.failed, waiting=rows)

    def _prompts(self, step: Step) -> Path:
        return self.tables / f"{store.parts(step.plan)[0][1]}.jsonl"

    def rehearse(self, recipe: Recipe) -> list[tuple[Model, Plan]]:
        """Make the tables that cost nothing, and plan for each model the calls that the cache does not save."""
        self._expect(recipe)
        return [plan for each in recipe.stages for plan in self._rehearsed(each)]

    def _rehearsed(self, each: Stage) -> Iterator[tuple[Model, Plan]]:
        for step in self.steps(each):
            if step.model:
                with Asking(self._home(step.model), self.cache) as asking:
                    yield step.model, asking.plan(store.read(self._prompts(step), Prompt))
            elif step.plan.stage.endswith(".read") and each.asks:
                return
            else:
                self.bring(step)

    def name(self, target: Path) -> str:
        return store.table_name(self.tables, target)

    def steps(self, each: Stage) -> Iterator[Step]:
        """The tables of a stage in their order; each is worked out when those before it stand."""
        return chain.from_iterable(self.rounds(each))

    def rounds(self, each: Stage) -> Iterator[list[Step]]:
        """The same; those of one list need not wait for each other."""
        target = self.tables / f"{each.makes}.jsonl"
        if not each.asks:
            yield [self._pure(each.code, each.do, target, each.settings)]
            return
        prompts = self.tables / each.makes / "prompts.jsonl"
        yield [self._pure(each.code.write, f"{each.do}.write", prompts, each.settings)]
        said = list(self._answers(each, prompts))
        yield said
        if any(store.manifest(s.target) is None for s in said):
            return  # somebody has not answered yet
        bound = {"responses": [self.name(s.target) for s in said], "prompts": self.name(prompts)}
        yield [self._pure(each.code.read, f"{each.do}.read", target, {**each.settings, **bound})]

    def _answers(self, each: Stage, prompts: Path) -> Iterator[Step]:
        room = self.tables / each.makes
        for model in each.models:
            yield self._ask(model, prompts, room / f"{file_name(model.id)}.jsonl")
        if each.responses:
            file = (self.workspace / each.responses).resolve()
            for name in outside.models(file):
                settings = {"prompts": self.name(prompts), "file": each.responses, "model": name}
                yield self._pure(outside.responses, "outside", room / f"{file_name(name)}.jsonl", settings)

    def _pure(self, function: Callable[..., Iterable[Any]], name: str, target: Path, settings: Mapping[str, Any]) -> Step:
        hints, own = get_type_hints(function), keywords(function)
        tables = {p: self._paths(settings.get(p, p)) for p, bound in _positional(function).items() if bound or p in settings}
        inputs = {f"{p}:{self.name(path)}": store.vouched(path).sha256 for p, paths in tables.items() for path in paths}
        told = {k: v for k, v in settings.items() if k in own}
        values = {k: self._value(v, hints[k]) for k, v in told.items()}
        files = {**_shipped(function), **values}  # lists that come with the package are part of the key too
        inputs |= {f"file:{k}": store.sha256(v) for k, v in files.items() if isinstance(v, Path)}
        skipped: list[str] = []
        if "skipped" in own:
            values["skipped"] = skipped

        def make() -> Iterable[Any]:
            return function(*(store.Table(paths, get_args(hints[p])[0]) for p, paths in tables.items()), **values)

        plan = Manifest(stage=name, params=told, inputs=inputs, version=version(function))
        return Step(target=target, plan=plan, make=make, facts=partial(self._skipped, target, skipped))

    def _paths(self, names: str | list[str]) -> list[Path]:
        return [self.tables / f"{table}.jsonl" for name in ([names] if isinstance(names, str) else names) for table in self._tables(name)]

    def _tables(self, name: str) -> list[str]:
        stage, star, _ = name.partition("/*")
        if not star:
            return [name]
        if stage not in self.asking:
            raise RecipeError(f"{self.workspace / 'recipe.toml'}: {name}: {UnknownName('stage that asks', stage, self.asking)}")
        each = self.asking[stage]
        file = (self.workspace / each.responses).resolve()
        names = [*(m.id for m in each.models), *(outside.models(file) if each.responses and file.exists() else ())]
        return [f"{stage}/{file_name(name)}" for name in names]

    def _home(self, model: Model) -> Model:
        """A person's sheet lies in the workspace, wherever the command is called; the recipe's words stay what names the model."""
        if model.provider != "people" or "sheet" not in model.params:
            return model
        return msgspec.structs.replace(model, params={**model.params, "sheet": str(self.workspace / model.params["sheet"])})

    def _skipped(self, target: Path, skipped: list[str]) -> dict[str, str]:
        """Keep the list of rows that a reader had to leave out beside the table, and their number in its manifest."""
        listing = target.with_suffix(".skipped.txt")
        if skipped:
            store.write_text(listing, "\n".join(skipped) + "\n")
        else:
            listing.unlink(missing_ok=True)
        return {"skipped": str(len(skipped))} if skipped else {}

    def _ask(self, model: Model, prompts: Path, target: Path) -> Step:
        inputs = {f"prompts:{self.name(prompts)}": store.vouched(prompts).sha256}
        plan = Manifest(stage="ask", params={"model": model.name, **model.params}, inputs=inputs, version=version(Asking))
        learned: dict[str, str] = {}

        def make() -> Iterator[Response]:
            table = store.read(prompts, Prompt)
            with Asking(self._home(model), self.cache, self.progress(self.name(target)), self.cluster, self.purse) as asking:
                asking.stopped = self.stopped
                asking.run(table)
                yield from asking.collect(table)
                learned.update(asking.facts())

        return Step(target=target, plan=plan, make=make, facts=lambda: learned, model=model)

    def _value(self, value: Any, hint: Any) -> Any:
        """Turn what TOML can say into what a stage expects; a path is relative to the workspace."""
        if hint in (Path, Path | None):
            return benchmarks.resolve(self.workspace, value)
        try:
            return msgspec.convert(value, hint)
        except msgspec.ValidationError as problem:
            raise RecipeError(f"{self.workspace / 'recipe.toml'}: {value!r}: {problem}") from problem


def _last(recipe: Recipe, only: str) -> int | None:
    """How many stages to go through; raise UnknownName for a stage that the recipe has not."""
    if not only:
        return None
    for names in ([s.makes for s in recipe.stages], [s.do for s in recipe.stages]):
        if only in names:
            return names.index(only) + 1
    raise UnknownName("stage or table", only, [s.makes for s in recipe.stages])


def _positional(function: Callable[..., Any]) -> dict[str, bool]:
    """The tables of a stage, and whether each must be there: one with a default is read only where a recipe names it."""
    kinds = inspect.signature(function).parameters
    own = keywords(function)
    return {name: p.default is inspect.Parameter.empty for name, p in kinds.items() if name not in own}


def _shipped(function: Callable[..., Any]) -> dict[str, Path]:
    """The settings of a stage whose default is a file or a folder."""
    return {name: p.default for name, p in inspect.signature(function).parameters.items() if isinstance(p.default, Path)}


def file_name(model: str) -> str:
    """A model's name as a file's: ``local/smollm2`` → ``local--smollm2``."""
    return re.sub(r"[^\w.@+-]+", "--", model).strip("-.")
