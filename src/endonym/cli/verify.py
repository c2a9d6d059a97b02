"""``endonym verify``: hold every table of a workspace to its manifest, first to last."""

from pathlib import Path

import click

from .. import store
from ..errors import InputError
from . import common


@click.command()
@common.folder_argument
@common.json_option
def verify(folder: Path, as_json: bool) -> None:
    """Walk the chain of tables in the workspace DIR; name the first that was changed, and exit with 4."""
    tables = folder / "tables"
    if not tables.is_dir():
        raise InputError(f"{folder}: holds no tables")
    count = store.verify(tables)
    if as_json:
        return common.put({"tables": count, "intact": True})
    return click.echo(f"{count} tables, every one as it was written")
