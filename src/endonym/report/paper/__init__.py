"""The tables and figures of a paper, from the scores of a workspace: ``report/paper/NAME``. Add a paper: a file here and a line below.

In: a workspace. Out: for every table LaTeX (booktabs), Markdown and CSV, for every figure SVG, PDF, PNG and a CSV of what is drawn, and
``index.md``, which says what each is, and what is missing and why. The one thing to know: a profile writes what the scores can
give; a table that they cannot give is named, never left out in silence.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from ... import plots, store
from ...errors import UnknownName
from ..workspace import load, undisturbed
from . import sheet
from .data import Figure, Profile, asked

PAPERS = ("carte", "tuguesice", "xnationqa")


def paper(workspace: Path, name: str, *, borders: Path | None = None, draws: int = 1000, seed: int = 0) -> Profile:
    """Write the profile of a paper and return it.

    ``borders`` is a map that ``python -m endonym.plots.geometry`` made, for a country that none is shipped of. Raises UnknownName for
    a paper that is on no shelf, IntegrityError where scores and questions are not of one version, InputError for a file that
    is no map, TableError and StorageError.
    """
    if name not in PAPERS:
        raise UnknownName("paper", name, PAPERS)
    profile: Callable[..., Profile] = import_module(f".{name}", __name__).profile
    with undisturbed():
        space, notes = load(workspace), list[str]()
        made = profile(asked(space, draws=draws, seed=seed, notes=notes), borders=borders)
        made.notes[:0] = notes
        folder = workspace / "report" / "paper" / name
        for file, content in _files(made, space.name):
            with store.replacing(folder / file) as out:
                out.write(content if isinstance(content, bytes) else content.encode())
    return made


def _files(made: Profile, benchmark: str) -> Iterator[tuple[str, str | bytes]]:
    for one in made.sheets:
        yield f"{one.name}.tex", sheet.as_latex(one)
        yield f"{one.name}.md", sheet.as_markdown(one)
        yield f"{one.name}.csv", sheet.as_csv(one)
    for figure in made.figures:
        yield from _drawn(figure)
    yield "index.md", _index(made, benchmark)


def _drawn(figure: Figure) -> Iterator[tuple[str, str | bytes]]:
    drawn = plots.svg(figure.chart, label=figure.caption, name=figure.name)
    yield f"{figure.name}.svg", plots.on_paper(drawn)
    yield f"{figure.name}.pdf", plots.pdf(drawn)
    yield f"{figure.name}.png", plots.png(drawn)
    yield f"{figure.name}.csv", sheet.figure_csv(figure.estimates)


def _index(made: Profile, benchmark: str) -> str:
    """What was written, what is missing and why."""
    lines = [f"# {benchmark}: tables and figures after {made.paper}", ""]
    lines += [f"- {one.name} (.tex, .md, .csv): {one.caption}" for one in made.sheets]
    lines += [f"- {one.name} (.svg, .pdf, .png, .csv): {one.caption}" for one in made.figures]
    lines += ["", "## What is missing", "", *(f"- {text}" for text in made.missing or ["Nothing."])]
    lines += ["", "## Notes", "", *(f"- {text}" for text in made.notes)] if made.notes else []
    lines += ["", "Shares in tables are per cent; in CSV files they are from 0 to 1, each with its interval and signature."]
    return "\n".join(lines) + "\n"


__all__ = ["PAPERS", "Profile", "paper"]
