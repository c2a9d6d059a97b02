"""``endonym benchmarks``: what comes with the package, and what can be read."""

import click

from .. import benchmarks as shelf
from ..build import READERS
from ..build.native import header
from . import common


@click.command()
@common.json_option
def benchmarks(as_json: bool) -> None:
    """List the benchmarks that come with the package, and the readers of known data sets."""
    found = [(name, header(shelf.data() / name / "benchmark.jsonl")) for name in shelf.shipped()]
    if as_json:
        return common.put({"benchmarks": dict(found), "readers": sorted(READERS)})
    for name, head in found:
        click.echo(f"{name:<18} {head.title.removeprefix(f'{name}: ') if head else ''}")
        if head:
            click.echo(f"{'':<18} {', '.join(head.languages)}; {head.licence}; version {head.version}")
    for reader in sorted(READERS):
        click.echo(f"{reader + ':PATH':<18} reader")
    return None
