"""``endonym run``: bring a workspace up to date with its recipe."""

from pathlib import Path
from typing import Any

import click

from .. import recipe, store
from . import common
from .report import finish


@click.command()
@common.folder_argument
@click.argument("table", default="")
@common.options(common.RUNNING)
@common.by_option
@common.json_option
def run(folder: Path, table: str, by: str, as_json: bool, **said: Any) -> None:
    """Bring the tables of the workspace DIR up to date, all of them or those up to TABLE."""
    if not table and not (folder / "recipe.toml").exists() and (Path() / "recipe.toml").exists():
        folder, table = Path(), str(folder)
    cooked, running = recipe.load(folder), common.running(said)
    with store.lock(folder, timeout=running.wait), common.watched(folder, running) as kitchen:
        common.cook(kitchen, cooked, only=table)
        if (folder / "tables" / "scores.jsonl").exists() and table in ("", "scores"):
            return finish(folder, by=common.names(by), as_json=as_json)
    return common.put({"out": str(folder)}) if as_json else None
