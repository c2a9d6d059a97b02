"""Scores to a page and to the tables and figures of a paper.

In: a workspace with ``tables/scores.jsonl``. Out: ``report/index.html`` (one page that loads nothing), ``report/tables/*.csv, *.md,
*.tex`` and ``report/plots/*.svg``. The one thing to know: every number is an estimate with an interval and a signature, and
the same workspace gives the same bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import store
from ..metrics import fact
from ..records import STATUSES, Estimate
from . import words
from .disputed import Disputed, disputed
from .figures import figures
from .numbers import Numbers, count
from .page import page
from .sample import sample
from .tables import as_csv, as_latex, as_markdown, counts_csv
from .workspace import Workspace, load, undisturbed


def report(
    workspace: Path, *, by: Sequence[str] = ("lang", "place", "topic"), draws: int = 1000, seed: int = 0, lang: str = "en"
) -> list[Estimate]:  # fmt: skip
    """Write a workspace's report and return its estimates: those of each model first, then those of each group.

    ``by`` names dimensions: fields of a score (lang, place, topic, entity, template, …) or keys of ``meta`` (region, tier, …);
    ``draws`` and ``seed`` are the bootstrap's; ``lang`` is the language of the page (en, fr). Raises UnknownName for a dimension or
    a language that is not there, IntegrityError where scores and questions are not of one version, TableError and StorageError.
    """
    with words.speaking(lang), undisturbed():
        return _written(workspace, by, draws, seed)


def _written(workspace: Path, by: Sequence[str], draws: int, seed: int) -> list[Estimate]:
    space = load(workspace)
    numbers = count(space, by=by, draws=draws, seed=seed)
    apart, out, drawn = disputed(space), workspace / "report", figures(numbers, space.series)
    for name, text in _files(space, numbers, apart):
        store.write_text(out / "tables" / name, text)
    for name, figure in drawn.items():
        store.write_text(out / "plots" / f"{name}.svg", figure.svg)
    store.write_text(out / "index.html", page(space, numbers, drawn, sample(space), apart))
    return numbers.all


def summary(estimates: Sequence[Estimate], statuses: Mapping[str, int], out: str) -> dict[str, Any]:
    """What ``--json`` prints: shares are fractions from 0 to 1, and a number that does not exist is null."""
    fields = ("metric", "value", "low", "high", "n", "group", "signature")
    rows = [{**{name: getattr(e, name) for name in fields}, **({"note": e.note} if e.note else {})} for e in estimates]
    return {"estimates": rows, "statuses": {status: statuses.get(status, 0) for status in STATUSES}, "out": out}


def _files(space: Workspace, numbers: Numbers, apart: Disputed) -> Iterator[tuple[str, str]]:
    """The tables: one for the models, one for each dimension, and the counts."""
    facts = ["|".join(fact(key, value) for key, value in known.items()) for known in space.facts]
    yield "models.csv", as_csv(numbers.headline)
    yield "statuses.csv", counts_csv(numbers.counts)
    yield "positions.csv", counts_csv(numbers.positions)
    if apart.pairs:
        yield "scorers.csv", counts_csv(apart.pairs)
        yield "disputed.csv", counts_csv(apart.rows)
    for grid in (numbers.overall(space.series), *numbers.grids(space.series)):
        if grid.dimension:
            yield f"{grid.stem}.csv", as_csv(grid.estimates)
        yield f"{grid.stem}.md", as_markdown(grid, words.Marks(space.facts), facts)
        yield f"{grid.stem}.tex", as_latex(grid, words.Marks(space.facts), facts)
