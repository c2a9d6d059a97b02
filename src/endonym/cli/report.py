"""``endonym report``: the numbers of a workspace, by the groups that are asked for."""

from pathlib import Path

import click

from .. import store
from ..errors import InputError
from ..records import Estimate
from . import common

DEFAULT_BY = ("lang", "place", "topic")


@click.command()
@common.folder_argument
@common.by_option
@click.option("--draws", default=1000, show_default=True, type=click.IntRange(min=100), help="Bootstrap draws.")
@click.option("--seed", default=0, show_default=True)
@common.wait_option
@common.json_option
def report(folder: Path, by: str, draws: int, seed: int, wait: float, as_json: bool) -> None:
    """Write the report of the workspace DIR anew, grouped --by dimensions such as lang,domain,place."""
    if not (folder / "tables" / "scores.jsonl").exists():
        raise InputError(f"{folder}: holds no scores yet; endonym evaluate or endonym run makes them")
    with store.lock(folder, timeout=wait):
        finish(folder, by=common.names(by), as_json=as_json, draws=draws, seed=seed)


def finish(workspace: Path, *, by: tuple[str, ...], as_json: bool, draws: int = 1000, seed: int = 0) -> None:
    """Write the report and tell what it found: a short table, or one JSON object."""
    from ..report import report as write
    from ..report import summary

    estimates = write(workspace, by=by or DEFAULT_BY, draws=draws, seed=seed)
    manifest = store.vouched(workspace / "tables" / "scores.jsonl")
    statuses = dict(manifest.statuses)
    if as_json:
        return common.put(summary(estimates, statuses, str(workspace)))
    for line in headlines(estimates):
        click.echo(line)
    click.echo("  ".join(f"{count} {status}" for status, count in statuses.items()))
    if statuses.get("failed"):
        common.say(f"{statuses['failed']} calls failed; ask them again with --retry")
    click.echo(f"report: {workspace / 'report' / 'index.html'}")
    return None


def headlines(estimates: list[Estimate]) -> list[str]:
    """One line a model for the numbers that are not of a group."""
    rows = [e for e in estimates if set(e.group) <= {"model"} and e.value is not None]
    width = max((len(e.group.get("model", "")) for e in rows), default=0)
    return [f"{e.group.get('model', ''):{width}}  {e.metric:<22} {e.value:.3f}{_interval(e)}  n={e.n}" for e in rows]


def _interval(e: Estimate) -> str:
    return "" if e.low is None or e.high is None else f"  [{e.low:.3f}, {e.high:.3f}]"
