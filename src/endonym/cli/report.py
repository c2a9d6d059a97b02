"""``endonym report``: the numbers of a workspace, by the groups that are asked for."""

from pathlib import Path
from typing import Any

import click

from .. import store
from ..errors import InputError
from ..records import Estimate
from . import common

DEFAULT_BY = ("lang", "place", "topic")


@click.command()
@common.folder_argument
@common.by_option
@click.option("--paper", "papers", multiple=True, metavar="NAME", help="Write a paper's tables and figures: carte, xnationqa, tuguesice.")
@click.option("--map", "borders", type=click.Path(path_type=Path), help="Borders for a map: a file of endonym.plots.geometry.")
@click.option("--lang", default="en", show_default=True, metavar="LANGUAGE", help="The language of the page: en or fr.")
@click.option("--draws", default=1000, show_default=True, type=click.IntRange(min=100), help="Bootstrap draws.")
@click.option("--seed", default=0, show_default=True)
@common.wait_option
@common.json_option
def report(
    folder: Path, by: str, papers: tuple[str, ...], borders: Path | None, wait: float, as_json: bool, **how: Any
) -> None:
    """Write the report of the workspace DIR anew, grouped --by dimensions such as lang,domain,place.

    With --paper, write the tables and figures of a paper in its place, under report/paper/NAME.
    """
    if not (folder / "tables" / "scores.jsonl").exists():
        raise InputError(f"{folder}: holds no scores yet; endonym evaluate or endonym run makes them")
    with store.lock(folder, timeout=wait):
        if papers:
            how.pop("lang")
            return write_papers(folder, papers, borders, as_json=as_json, **how)
        return finish(folder, by=common.names(by), as_json=as_json, **how)


def write_papers(folder: Path, papers: tuple[str, ...], borders: Path | None, *, as_json: bool, **how: Any) -> None:
    """Write the profiles of papers and tell what each lacks: lines, or one JSON object."""
    from ..report import summary
    from ..report.paper import paper

    made = {name: paper(folder, name, borders=borders, **how) for name in dict.fromkeys(papers)}
    places = {name: folder / "report" / "paper" / name for name in made}
    if as_json:
        return common.put({
            name: {
                "estimates": summary(profile.estimates, {}, "")["estimates"], "missing": profile.missing, "notes": profile.notes,
                "tables": [one.name for one in profile.sheets], "figures": [one.name for one in profile.figures], "out": str(places[name]),
            }
            for name, profile in made.items()
        })  # fmt: skip
    for name, profile in made.items():
        click.echo(f"{name}: {len(profile.sheets)} tables, {len(profile.figures)} figures: {places[name] / 'index.md'}")
        for text in profile.missing:
            common.say(f"  missing: {text}")
    return None


def finish(workspace: Path, *, by: tuple[str, ...], as_json: bool, **how: Any) -> None:
    """Write the report and tell what it found: a short table, or one JSON object."""
    from ..report import report as write
    from ..report import summary

    estimates = write(workspace, by=by or DEFAULT_BY, **how)
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
    """One line for each number of a model (and way of asking, style, shots) that is of no group."""
    from ..metrics.units import SERIES

    rows = [(_whose(e, SERIES), e) for e in estimates if set(e.group) <= set(SERIES) and e.value is not None]
    width, wide = (max(map(len, texts), default=0) for texts in ([who for who, _ in rows], [e.metric for _, e in rows]))
    return [f"{who:{width}}  {e.metric:<{wide}}  {e.value:.3f}{_interval(e)}  n={e.n}" for who, e in rows]


def _whose(e: Estimate, names: tuple[str, ...]) -> str:
    said = [f"{e.group[name]}-shot" if name == "shots" else e.group[name] for name in names if name in e.group]
    return " · ".join(said)


def _interval(e: Estimate) -> str:
    return "" if e.low is None or e.high is None else f"  [{e.low:.3f}, {e.high:.3f}]"
