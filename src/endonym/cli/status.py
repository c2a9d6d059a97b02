"""``endonym status``: how every table of a workspace stands."""

from pathlib import Path

import click

from .. import recipe
from ..kitchen import Kitchen, State
from . import common


@click.command()
@common.folder_argument
@common.json_option
def status(folder: Path, as_json: bool) -> None:
    """Say which tables of the workspace DIR are fresh, stale, missing or waiting for people, and how many rows failed."""
    states = list(Kitchen(folder).survey(recipe.load(folder)))
    if as_json:
        return common.put({"tables": states})
    width = max(len(s.table) for s in states) if states else 0
    for each in states:
        click.echo(f"{each.table:{width}}  {each.state:<8}{told(each)}")
    return None


def told(state: State) -> str:
    """What else there is to say of a table."""
    parts = [f"{state.rows} rows" if state.rows else "", f"{state.failed} failed (--retry)" if state.failed else ""]
    parts += [f"{state.waiting} rows wait for people" if state.waiting else "", state.note]
    return "  ".join(filter(None, parts))
