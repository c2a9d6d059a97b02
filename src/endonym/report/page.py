"""The page of a report: one HTML file that loads nothing.

In: a workspace's numbers, figures and sample. Out: HTML. The one thing to know: what models and items say reaches the page in
two ways only, through the template's escaping or as JSON without ``<``, which the page's script puts in as text; and the
page forbids every script but its own (Content-Security-Policy with the script's hash).
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .. import __version__
from ..records import STATUSES, Estimate
from . import cells, words
from .figures import Figure
from .numbers import Numbers
from .workspace import Workspace

_HERE = Path(__file__).parent / "template"


def page(space: Workspace, numbers: Numbers, drawn: Mapping[str, Figure], rows: Sequence[Mapping[str, Any]]) -> str:
    """Write the whole page."""
    marks = words.Marks(space.facts)
    # In the order of the page, so that letters are met in their order.
    models, sections = list(_models(space, numbers, marks)), list(_sections(space, numbers, drawn, marks))
    script = _file("page.js")
    return _environment().get_template("page.html").render(
        name=space.name, lede=_lede(space), models=models, sections=sections,
        overview=drawn.get("models"), positions=drawn.get("positions"),
        gaps=numbers.gaps, counts=[_counts(row, space.series) for row in numbers.counts], status_names=STATUSES,
        rows=embed({"rows": rows, "statuses": STATUSES[1:]}) if rows else "", sample_note=_sample_note(space, len(rows)),
        signatures=[{"mark": mark, "text": text} for text, mark in marks.said.items()], shared=list(space.shared.items()),
        model_facts=[{"name": name, "facts": list(facts.items())} for name, facts in space.models.items()],
        open=any(item.kind == "open" for item in space.items.values()), level="95 %",
        version=__version__, scores_hash=space.manifest.sha256[:16], style=_file("page.css"), script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )  # fmt: skip


def _environment() -> Any:
    import jinja2

    loader = jinja2.FileSystemLoader(_HERE)
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@cache
def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def embed(value: Any) -> str:
    """JSON that may stand within a script element: no ``</script>``, no ``<!--``, and no line separators of JavaScript."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    # Half of a surrogate pair cannot be written as UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")


def _models(space: Workspace, numbers: Numbers, marks: words.Marks) -> Iterator[dict[str, Any]]:
    """Every series, the most accurate first; one without an accuracy last."""
    found: dict[tuple[str, ...], dict[str, Estimate]] = {}
    for e in numbers.headline:
        found.setdefault(_key(e.group, space.series), {})[e.metric] = e
    counts = {_key(row, space.series): row for row in numbers.counts}
    for key in sorted(found, key=lambda k: (-1.0 if (v := found[k]["accuracy"].value) is None else v), reverse=True):
        name = words.series(dict(zip(space.series, key, strict=True)), space.series)
        yield {"name": name, **cells.model(found[key], counts[key], marks)}


def _sections(space: Workspace, numbers: Numbers, drawn: Mapping[str, Figure], marks: words.Marks) -> Iterator[dict[str, Any]]:
    chances = {_key(e.group, space.series): e.value for e in numbers.headline if e.metric == "chance"}
    for grid in numbers.grids(space.series):
        files = [f"tables/{grid.stem}.{kind}" for kind in ("csv", "md", "tex")]
        files += [f"plots/{grid.stem}.svg"] if grid.stem in drawn else []
        yield {**cells.section(grid, marks, chances, files), "figure": drawn.get(grid.stem)}


def _key(group: Mapping[str, Any], series: Sequence[str]) -> tuple[str, ...]:
    return tuple(group[name] for name in series)


def _counts(row: Mapping[str, Any], series: Sequence[str]) -> dict[str, Any]:
    return {"name": words.series(row, series), "counts": [f"{row[name]:,}" for name in (*STATUSES, "prompts")]}


def _lede(space: Workspace) -> str:
    """What was asked, of whom, in one sentence."""
    items = space.items.values()
    langs, places = {i.lang for i in items if i.lang}, {i.place for i in items if i.place}
    parts = [words.plural(len(space.items), "question")]
    if langs:
        parts.append(f"in {words.plural(len(langs), 'language')}" if len(langs) > 1 else f"in {words.value('lang', *langs)}")
    if places:
        parts.append(f"on {words.plural(len(places), 'place')}" if len(places) > 1 else f"on {words.value('place', *places)}")
    return f"{' '.join(parts)}, put to {words.plural(space.scores['model'].n_unique(), 'model')}."


def _sample_note(space: Workspace, shown: int) -> str:
    total = space.scores["prompt"].n_unique()
    if shown == total:
        return f"All {words.plural(total, 'prompt')}, with every reply word for word."
    return (
        f"{shown:,} of {total:,} prompts, evenly spaced over the whole table and with examples of every status; "
        "replies are word for word. All of them are in tables/scores."
    )
