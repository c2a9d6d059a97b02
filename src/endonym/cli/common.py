"""What the verbs share: progress on stderr, one JSON object on stdout, and models as they are typed."""

import re
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import click
import msgspec

from ..ask import Progress
from ..kitchen import Kitchen
from ..models.endpoints import find_endpoints, load_endpoints, named
from ..purse import Purse
from ..recipe import Recipe
from ..records import Model
from ..spread import Cluster

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")
by_option = click.option("--by", default="", metavar="NAMES", help="Dimensions to group by, separated by commas.")
wait_option = click.option("--wait", default=0.0, metavar="SECONDS", help="Wait for another process that holds the workspace.")
RUNNING = (
    click.option("--retry", is_flag=True, help="Ask again what failed, and nothing else."),
    wait_option,
    click.option("--budget", type=float, metavar="MONEY", help="Stop before the next call could cost more than this in all."),
    click.option("--executor", type=click.Choice(["here", "ray"]), default="here", help="Where local models run."),
    click.option("--ray-address", default="local", show_default=True, metavar="ADDRESS", help="A Ray cluster; local starts one here."),
    click.option("--actors", default=0, help="How many actors hold the model; 0: as many as there is room for."),
    click.option("--actor-cpus", default=1.0, show_default=True),
    click.option("--actor-gpus", default=0.0, show_default=True),
)
folder_argument = click.argument("folder", metavar="DIR", default=".", type=click.Path(path_type=Path))


def say(text: str) -> None:
    """Tell the user something beside the result."""
    click.echo(text, err=True)


def put(value: Any) -> None:
    """Print the one JSON object of ``--json``."""
    click.echo(msgspec.json.encode(value, order="sorted").decode())


def names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def model(text: str) -> Model:
    """Read ``provider/name key=value …``, or a name of ``models.toml`` in its place; raise InputError.

    Values are TOML where they can be, else plain text.
    """
    name, *pairs = re.split(r"\s+(?=[A-Za-z_]\w*=)", text.strip())
    shared = find_endpoints(Path())
    base = named(name, load_endpoints(shared)) if shared and "/" not in name else Model(name=name)
    params: dict[str, Any] = dict(base.params)
    for pair in pairs:
        key, _, value = pair.partition("=")
        params[key] = _literal(value)
    return Model(name=base.name, params=params)


def _literal(value: str) -> Any:
    try:
        return tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        return value


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """How a recipe is run: nothing here changes a number."""

    retry: bool = False
    wait: float = 0.0
    cluster: Cluster | None = None
    budget: float | None = None


def options(group: tuple[Any, ...]) -> Callable[[Any], Any]:
    """Several options as one decorator."""

    def decorate(command: Any) -> Any:
        for option in reversed(group):
            command = option(command)
        return command

    return decorate


def running(said: dict[str, Any]) -> Running:
    """Take the options of ``RUNNING`` out of what the user said."""
    where, address, actors = said.pop("executor"), said.pop("ray_address"), said.pop("actors")
    cluster = Cluster(address=address, actors=actors, cpus=said.pop("actor_cpus"), gpus=said.pop("actor_gpus"))
    held = {name: said.pop(name) for name in ("retry", "wait", "budget")}
    return Running(**held, cluster=cluster if where == "ray" else None)


@contextmanager
def watched(workspace: Path, how: Running) -> Iterator[Kitchen]:
    """A kitchen whose steps are told on stderr, with a progress bar for each model where stderr is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("{task.fields[failed]}"),
    )  # fmt: skip
    with Bars(*columns, console=console, disable=not console.is_terminal) as bars:
        follow = _bar(bars) if console.is_terminal else _lines()

        def notify(table: str, state: str) -> None:
            if state == "done":
                say(f"  {table}")

        purse = None if how.budget is None else Purse(how.budget)
        yield Kitchen(workspace, retry=how.retry, cluster=how.cluster, purse=purse, notify=notify, progress=follow)


def cook(kitchen: Kitchen, cooked: Recipe, *, only: str = "") -> None:
    """Bring tables up to date; what libraries print meanwhile (Ray tells of a dead worker) is kept from stdout, where results stand."""
    with redirect_stdout(sys.stderr):
        kitchen.cook(cooked, only=only)


def _bar(bars: Any) -> Callable[[str], Progress]:
    def start(table: str) -> Progress:
        task = bars.add_task(table, rate="", failed="", total=None)
        began, at_start = time.monotonic(), [-1]

        def advance(done: int, failed: int, total: int) -> None:
            if at_start[0] < 0:
                at_start[0] = done - 1
            rate = f"{(done - at_start[0]) / max(1e-3, time.monotonic() - began):.0f}/s"
            bars.update(task, completed=done, total=total, rate=rate, failed=f"{failed} failed" if failed else "")

        return advance

    return start


def _lines(every: float = 10.0) -> Callable[[str], Progress]:
    """Where there is no terminal: a line now and then, so that a log shows that work goes on."""

    def start(table: str) -> Progress:
        last = [time.monotonic()]

        def advance(done: int, failed: int, total: int) -> None:
            if time.monotonic() - last[0] >= every:
                last[0] = time.monotonic()
                sys.stderr.write(f"  {table}: {done} of {total}{f', {failed} failed' if failed else ''}\n")

        return advance

    return start
