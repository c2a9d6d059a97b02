"""A recipe is a list of stages, and a stage is a function: this reads the list, ``kitchen`` brings it up to date.

In: ``recipe.toml``. Out: stages with their settings. A key of a ``[[stage]]`` is a keyword of its function; a key that
names a positional parameter says which table, or tables, to read it from.
"""

import inspect
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from .errors import RecipeError, UnknownName
from .records import Model
from .stages import stage


class Stage(msgspec.Struct, kw_only=True, frozen=True):
    """One ``[[stage]]``: what to do, the table that it makes, whom to ask, and its settings."""

    do: str
    makes: str
    models: tuple[Model, ...] = ()
    responses: str = ""
    settings: dict[str, Any] = {}

    @property
    def code(self) -> Any:
        """The function of a pure stage, or the module of one that asks; raise UnknownName."""
        return stage(self.do)

    @property
    def asks(self) -> bool:
        return inspect.ismodule(self.code)


class Recipe(msgspec.Struct, kw_only=True, frozen=True):
    """The stages of a workspace in their order, and what the benchmark is called."""

    name: str
    stages: tuple[Stage, ...]


def load(workspace: Path) -> Recipe:
    """Read a workspace's ``recipe.toml``; raise RecipeError naming the file, the stage and the key."""
    path = workspace / "recipe.toml"
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as problem:
        raise RecipeError(f"{path}: no such file, so {workspace} is no workspace (endonym evaluate and endonym new make one)") from problem
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise RecipeError(f"{path}: {problem}") from problem
    if unknown := found.keys() - {"stage", "name"}:
        raise RecipeError(f"{path}: {UnknownName('key', min(unknown), ['name', 'stage'])}")
    return Recipe(name=found.get("name", workspace.resolve().name), stages=tuple(_stages(path, found.get("stage", []))))


def _stages(path: Path, sections: Any) -> list[Stage]:
    found: list[Stage] = []
    for number, section in enumerate(sections, 1):
        where = f"{path}: stage {number}"
        for key in ("do", "makes"):
            if not isinstance(section.get(key), str):
                raise RecipeError(f"{where}: {key}: is missing")
        plain = {k: v for k, v in section.items() if k not in ("do", "makes", "models", "responses")}
        models = tuple(_model(where, spec) for spec in section.get("models", []))
        each = Stage(do=section["do"], makes=section["makes"], models=models, responses=section.get("responses", ""), settings=plain)
        try:
            hold(each)
        except (UnknownName, RecipeError) as problem:
            raise RecipeError(f"{where}: {problem}") from problem
        found.append(each)
    return found


def _model(where: str, spec: Any) -> Model:
    try:
        return msgspec.convert({"name": spec} if isinstance(spec, str) else spec, Model)
    except msgspec.ValidationError as problem:
        raise RecipeError(f"{where}: models: {problem}") from problem


def hold(each: Stage) -> None:
    """Hold a stage's settings to the parameters of its code; raise UnknownName for one that it does not have."""
    functions = [each.code.write, each.code.read] if each.asks else [each.code]
    known = {name for function in functions for name in inspect.signature(function).parameters}
    for key in each.settings:
        if key not in known:
            raise UnknownName(f"setting of {each.do}", key, known - {"skipped"})
    if each.models and not each.asks:
        raise RecipeError(f"models: {each.do} asks nobody")


def keywords(function: Callable[..., Any]) -> set[str]:
    """The names of a function's settings: its keyword-only parameters."""
    return {n for n, p in inspect.signature(function).parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}


def dump(recipe: Recipe) -> str:
    """Write a recipe as TOML: ``load`` reads the same from it."""
    lines = [f"name = {_toml(recipe.name)}"]
    for each in recipe.stages:
        pairs: dict[str, Any] = {"do": each.do, "makes": each.makes, **each.settings}
        if each.responses:
            pairs["responses"] = each.responses
        if each.models:
            pairs["models"] = [{"name": m.name, **({"params": m.params} if m.params else {})} for m in each.models]
        lines += ["", "[[stage]]", *(f"{k} = {_toml(v)}" for k, v in pairs.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return msgspec.json.encode(value).decode()  # a JSON string, number or boolean is a TOML one
