"""``endonym show``: what a benchmark holds, or one of its items as a model sees it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from .. import benchmarks
from ..build.readers import read
from ..errors import UnknownName
from ..evaluate import choose
from ..records import Item
from . import common


@click.command()
@click.argument("benchmark")
@click.option("--item", "wanted", default="", metavar="ID", help="Show one item, by its id or the beginning of it.")
@click.option("--where", multiple=True, metavar="NAME=VALUE")
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be read.")
@common.json_option
def show(benchmark: str, wanted: str, where: tuple[str, ...], skip_bad: bool, as_json: bool) -> None:
    """Show how many items BENCHMARK holds by dimension, or one ITEM of it."""
    source = benchmarks.find(benchmark)
    skipped: list[str] = []
    path = benchmarks.resolve(Path(), source.path)
    items = list(read(reader=source.reader, path=path, where=where, skip_bad=skip_bad, skipped=skipped))
    if wanted:
        return _item(_one(items, wanted), as_json)
    counts = {name: dict(Counter(getattr(i, name) for i in items)) for name in ("kind", "lang", "place", "topic", "subset")}
    odd = {name: n for name, n in _oddities(source.reader, items).items() if n}
    if as_json:
        return common.put({"name": source.name, "items": len(items), "skipped": skipped, "counts": counts, "oddities": odd})
    return _counts(benchmark, items, skipped, {**counts, "oddities": odd})


def _oddities(reader: str, items: Sequence[Item]) -> dict[str, int]:
    """What is strange in a published data set, kept as it is and counted: zero-width characters, copies, cues in another language."""
    if reader != "xnationqa":
        return {}
    from ..build.xnationqa import oddities

    return dict(oddities(items))


def _one(items: Sequence[Item], wanted: str) -> Item:
    found = [i for i in items if i.id.startswith(wanted)]
    if not found:
        raise UnknownName("item", wanted, (i.id for i in items))
    return found[0]


def _counts(name: str, items: Sequence[Item], skipped: Sequence[str], counts: dict[str, dict[str, int]]) -> None:
    distinct = len({i.id for i in items})
    entities = len({i.entity for i in items if i.entity})
    click.echo(f"{name}: {len(items)} items ({distinct} distinct), {entities} entities, {len(skipped)} skipped")
    for dimension, values in counts.items():
        if values and set(values) != {""}:
            click.echo(f"  {dimension}: " + ", ".join(f"{value or '–'} {n}" for value, n in sorted(values.items())))
    click.echo(f"  the first item: endonym show {name} --item {items[0].id}")


def _item(item: Item, as_json: bool) -> None:
    if as_json:
        return common.put({"id": item.id, "item": item})
    if item.kind == "choice":
        click.echo(next(iter(choose.write([item]))).messages[0].content)
    else:
        click.echo(item.stem)
    click.echo()
    for name in ("lang", "place", "topic", "subset", "entity", "template", "source", "meta"):
        if value := getattr(item, name):
            click.echo(f"{name}: {value}")
    return None
