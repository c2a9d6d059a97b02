"""What a report is written from: the scores of a workspace, and the facts that its manifests hold about them.

In: a workspace. Out: one table of scores, the items' names, and for every model the facts that go into signatures. The one
thing to know: numbers of two versions of a benchmark never meet in one table, so every table that the scores rest on is
held to its manifest, and every manifest to the tables that it names.
"""

import contextlib
import gc
import inspect
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from .. import stages, store
from ..errors import IntegrityError, UnknownName
from ..metrics import frame
from ..records import Item, Judgment, Manifest, Model
from .agreement import Agreement, agreements

_RESERVED = {"seed", "draws", "level", "cluster", "ci", "model", "benchmark"}
"""Words that a signature uses already; a setting of the evaluation with such a name is called ``evaluate.…``."""
SERIES = ("method", "style", "shots")
"""What sets the scores of one model apart, beside the questions: such scores are never averaged."""


class Workspace(msgspec.Struct, kw_only=True):
    """The tables that the scores rest on, and what is known of them."""

    folder: Path
    name: str
    scores: pl.DataFrame
    manifest: Manifest
    items: dict[str, Item]
    prompts: Path | None
    answers: dict[str, Path]
    """Model → its table of responses."""
    shared: dict[str, str]
    """Facts of the run that are the same for every number."""
    models: dict[str, dict[str, str]]
    """Model → facts."""
    judged: list[Agreement]
    """What judges said of the replies, and how far they agree, by criterion."""
    skipped: int

    @property
    def series(self) -> tuple[str, ...]:
        """The dimensions whose values get a column each: the model, and what else differs among its scores."""
        return ("model", *(name for name in SERIES if self.scores[name].n_unique() > 1))

    @property
    def facts(self) -> list[dict[str, str]]:
        """All facts that stand in signatures: those of the run, then of each model."""
        return [self.shared, *({k: v for k, v in self.context(m).items() if k not in self.shared} for m in self.models)]

    def context(self, model: str) -> dict[str, str]:
        """The facts of a signature: those of the run, then those of the model."""
        return {**self.shared, "model": model, **{f"model.{key}": value for key, value in self.models.get(model, {}).items()}}


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Keep the collector of cyclic garbage from looking through millions of rows again and again, where there is none to be found."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def load(folder: Path) -> Workspace:
    """Read a workspace. Raises IntegrityError where its tables do not belong together, TableError, StorageError."""
    tables = folder / "tables"
    held: dict[str, Manifest] = {}
    manifest = _hold(tables, "scores", held)
    chain = _chain("scores", held)
    made_from = {key: tables for name in chain for key, tables in _inputs(held[name]).items()}
    table = made_from.get("items", ["items"])[0]
    items, vouched = tables / f"{table}.jsonl", _hold(tables, table, held)
    asked = made_from.get("prompts", [])
    known = {item.id: item for item in store.read(items, Item)}
    scores = frame(tables / "scores.jsonl")
    _belong(scores, known, items)
    answers = dict(_answers(tables, held, made_from.get("responses", [])))
    name, settings = _name(folder), _settings([held[name] for name in [*asked, *chain[::-1]]])
    return Workspace(
        folder=folder, name=name, scores=scores, manifest=manifest, items=known, prompts=tables / f"{asked[0]}.jsonl" if asked else None,
        answers={model: path for model, (path, _) in answers.items()}, models={model: facts for model, (_, facts) in answers.items()},
        shared={"benchmark": f"{name}@{vouched.sha256[:12]}", **_part(vouched), **_shared(scores), **settings},
        judged=agreements(j for table in made_from.get("judgments", []) for j in store.rows(tables / f"{table}.jsonl", Judgment)),
        skipped=int(vouched.facts.get("skipped", "0")),
    )  # fmt: skip


def _chain(name: str, held: dict[str, Manifest]) -> list[str]:
    """The tables of scores from the last back to the first: scores that were refined (by a judge's word) rest on other scores."""
    chain = [name]
    while (before := _inputs(held[chain[-1]]).get("scores")) and before[0] not in chain:
        chain.append(before[0])
    return chain


def _inputs(found: Manifest) -> dict[str, list[str]]:
    """Parameter of a stage → the tables that it was read from."""
    made_from = dict[str, list[str]]()
    for parameter, table in store.parts(found):
        made_from.setdefault(parameter, []).append(table)
    return made_from


def _hold(tables: Path, name: str, seen: dict[str, Manifest]) -> Manifest:
    """Hold a table, and those that it was made from, to what their manifests say."""
    if name in seen:
        return seen[name]
    path = tables / f"{name}.jsonl"
    found = seen[name] = store.vouched(path)
    for parameter, table in store.parts(found):
        was, now = found.inputs[f"{parameter}:{table}"], _hold(tables, table, seen).sha256
        if was != now:
            of = "benchmark" if parameter == "items" else "table"
            raise IntegrityError(
                f"{path}: was made from another version of {table} ({was[:12]}) than the one here ({now[:12]}); numbers of two "
                f"versions of one {of} are not put side by side: bring the workspace up to date with endonym run"
            )
    return found


def _belong(scores: pl.DataFrame, items: dict[str, Item], path: Path) -> None:
    """An item's id is a hash of its content, so that a score of another version of an item does not fit any item."""
    strange = sorted(set(scores["item"].unique()) - items.keys())
    if strange:
        raise IntegrityError(f"{path}: lacks {len(strange)} items that have a score, such as {strange[0]}: scores of another version?")


def _answers(tables: Path, held: dict[str, Manifest], names: list[str]) -> Iterator[tuple[str, tuple[Path, dict[str, str]]]]:
    for name in names:
        path, found = tables / f"{name}.jsonl", held[name]
        params = {key: value for key, value in found.params.items() if key != "model"}
        said = str(found.params.get("model", name.rpartition("/")[2]))
        # The id of a model that was asked here counts its settings in; outputs made elsewhere have a name only.
        ident = Model(name=said, params=params).id if found.stage == "ask" else said
        files = {key.partition(":")[2]: value for key, value in found.inputs.items() if key.startswith("file:")}
        facts = {**{key: str(value) for key, value in params.items()}, **files, **found.facts}
        yield ident, (path, {key: _short(value) for key, value in sorted(facts.items())})


def _short(value: str) -> str:
    """A hash is told by its first digits."""
    return value[:16] if len(value) == 64 and set(value) <= set("0123456789abcdef") else value


def _shared(scores: pl.DataFrame) -> dict[str, str]:
    return {name: ",".join(map(str, scores[name].unique().sort())) for name in SERIES if len(scores)}


def _part(items: Manifest) -> dict[str, str]:
    """Which part of the benchmark was asked, where it was not all of it: an estimate from a sample says so."""
    told = {key: items.params[key] for key in ("where", "sample", "limit") if items.params.get(key)}
    if told.keys() & {"sample", "limit"}:
        told["sample.seed"] = items.params.get("seed", 0)
    return {key: ",".join(value) if isinstance(value, list) else str(value) for key, value in told.items()}


def _settings(manifests: list[Manifest]) -> dict[str, str]:
    """The settings of the stages that made prompts and scores, defaults too."""
    told: dict[str, Any] = {}
    for found in manifests:
        stage = found.stage.removesuffix(".write").removesuffix(".read")
        told |= {**_defaults(found.stage), **found.params, "stage": f"{stage}/{found.version}"}
    return {f"evaluate.{key}" if key in _RESERVED else key: str(value) for key, value in told.items() if key not in {*SERIES, "styles"}}


def _defaults(stage: str) -> dict[str, Any]:
    """The plain default values of a stage's settings: text and numbers; what is more than that is told where it is given."""
    do, _, half = stage.rpartition(".")
    with contextlib.suppress(UnknownName, AttributeError):
        function = getattr(stages.stage(do), half)
        parameters = inspect.signature(function).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and isinstance(p.default, str | int | float)}
    return {}


def _name(folder: Path) -> str:
    """What the recipe calls the benchmark, else the folder's name."""
    with contextlib.suppress(OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        named = tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8")).get("name")
        if isinstance(named, str) and named:
            return named
    return folder.resolve().name
