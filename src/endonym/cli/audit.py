"""``endonym audit``: what is wrong with a benchmark, by kind, with examples; and a new benchmark in which the safe part is mended."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click

from .. import benchmarks, store
from ..build.faults import faults
from ..build.native import header
from ..build.readers import read
from ..canonical import canonical
from ..errors import InputError
from ..records import Item
from ..validate.audit import RULE, Audit, Finding, chosen, examine
from ..validate.audit_fix import mended
from . import common

_MARK = {"error": "ERROR", "warning": "warning", "note": "note"}


@click.command()
@click.argument("benchmark")
@click.option("--only", multiple=True, metavar="KIND", help="Look for these kinds alone; may be repeated, or separated by commas.")
@click.option("--limit-examples", "examples", default=2, show_default=True, type=click.IntRange(min=0), help="Examples of each kind.")
@click.option("--years", nargs=2, type=int, default=RULE, show_default=True, help="Least and greatest distance of a wrong year.")
@click.option("--present", type=int, help="The year after which a year is to come; this one if not given.")
@click.option("--fix", "target", metavar="FOLDER", type=click.Path(path_type=Path), help="Write a new benchmark with the safe fixes there.")
@click.option("--strict", is_flag=True, help="Exit with 2 if there is a finding of severity error.")
@common.json_option
def audit(
    benchmark: str, only: tuple[str, ...], examples: int, years: tuple[int, int], target: Path | None, as_json: bool, **said: Any
) -> None:
    """Say what is wrong with BENCHMARK: a shipped name, a workspace, a benchmark.jsonl, or reader:PATH.

    Rows that cannot be read are findings too. Nothing is edited: --fix writes a new folder.
    """
    wanted = tuple(name for text in only for name in common.names(text))
    chosen(wanted)
    source, skipped = benchmarks.find(benchmark), list[str]()
    path = benchmarks.resolve(Path(), source.path)
    if target and target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target}: is there already; --fix writes a new folder and edits nothing")
    items = list(read(reader=source.reader, path=path, skip_bad=True, skipped=skipped))
    present = said["present"] or date.today().year
    found = examine(
        items, faults(reader=source.reader, path=path), skipped, only=wanted, rule=years, present=present, examples=examples
    )  # fmt: skip
    fixed = _fixed(items, target, source, path, wanted) if target else None
    if as_json:
        common.put({"name": source.name, "audit": found, "fixed": fixed})
    else:
        _table(source.name, found)
        _told(fixed, target)
    if said["strict"] and (wrong := [finding.kind for finding in found.findings if finding.severity == "error"]):
        raise InputError(f"{benchmark}: has findings of severity error: {', '.join(wrong)}")


def _table(name: str, found: Audit) -> None:
    """The findings as a table of plain text, an error first, each with its examples."""
    counts = ", ".join(f"{found.count(severity)} of severity {severity}" for severity in ("error", "warning", "note"))
    click.echo(f"{name}: {found.items} items; kinds of findings: {counts}\n")
    if not found.findings:
        click.echo("nothing found")
    width = max((len(finding.kind) for finding in found.findings), default=0)
    for finding in found.findings:
        click.echo(f"{_MARK[finding.severity]:<8} {finding.kind:<{width}} {finding.count:>7} {_unit(finding):<10} {finding.title}")
        for line in _beneath(finding):
            click.echo(f"{'':<8}   {line}")


def _unit(finding: Finding) -> str:
    names = {"entity": "entities", "entry": "entries", "benchmark": "tests"}
    return finding.unit if finding.count == 1 and finding.unit != "benchmark" else names.get(finding.unit, f"{finding.unit}s")


def _beneath(finding: Finding) -> Sequence[str]:
    """Languages where not all have the same share, the examples, and what to do."""
    langs = [f"{lang or '–'} {n}" for lang, n in finding.langs.items()]
    several = [f"items by language: {', '.join(langs)}"] if langs and len(set(finding.langs.values())) > 1 or len(langs) == 1 else []
    fix = f" (--fix {finding.fix})" if finding.fix else ""
    return [*several, *(f"· {example.note}" for example in finding.examples), f"→ {finding.advice}{fix}"]


def _fixed(items: Sequence[Item], target: Path, source: benchmarks.Benchmark, path: Path, only: tuple[str, ...]) -> dict[str, int]:
    """Write the mended benchmark and return what was done, by kind."""
    counts: dict[str, int] = {}
    rows = list(mended(items, counts, only=only))
    head = header(path) if source.reader == "endonym" else None
    first = canonical(head or {"benchmark": {"name": source.name, "origin": f"{source.reader}, mended by endonym audit"}})
    lines = b"".join(canonical(row) + b"\n" for row in rows)
    store.write_text(target / "benchmark.jsonl", (first + b"\n" + lines).decode())
    counts = dict(sorted({**counts, "items": len(rows)}.items()))
    store.write_text(target / "fixes.json", canonical(counts).decode() + "\n")
    return counts


def _told(fixed: dict[str, int] | None, target: Path | None) -> None:
    if fixed is not None:
        done = ", ".join(f"{kind} {n}" for kind, n in fixed.items() if kind != "items") or "nothing had to be mended"
        click.echo(f"\n{target}: {fixed['items']} items; {done}")
