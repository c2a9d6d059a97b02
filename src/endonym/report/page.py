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
from .agreement import Agreement, Coefficient
from .disputed import SHOWN, Disputed
from .figures import Figure
from .numbers import Numbers
from .sample import OUTCOMES, Sample
from .workspace import Workspace

SPOKEN = (
    "any", "(empty reply)", "right answer", "log-likelihoods", "{n} of {total} prompts", "unpacking: {n} of {total} prompts",
    "This browser cannot unpack the questions (it has no DecompressionStream); they are in tables/, word for word.", "of", "right",
    "question",
)
"""What the page's script says."""
_HERE = Path(__file__).parent / "template"


def page(space: Workspace, numbers: Numbers, drawn: Mapping[str, Figure], rows: Sample, apart: Disputed) -> str:
    """Write the whole page."""
    marks = words.Marks(space.facts)
    # In the order of the page, so that letters are met in their order.
    models, sections = list(_models(space, numbers, marks)), list(_sections(space, numbers, drawn, marks))
    script = _file("page.js")
    return _environment().get_template("page.html").render(
        name=space.name, lede=_lede(space), models=models, sections=sections,
        overview=drawn.get("models"), positions=drawn.get("positions"),
        gaps=numbers.gaps, counts=[_counts(row, space.series) for row in numbers.counts], status_names=list(map(words.say, STATUSES)),
        rows=embed(_head(rows)) if rows.rows else "", chunks=rows.chunks(), sample_note=_sample_note(space, len(rows.rows)),
        judged=list(map(_judged, space.judged)), apart=_apart(apart, space.series), lang=words.tongue(),
        signatures=[{"mark": mark, "text": text} for text, mark in marks.said.items()], shared=list(space.shared.items()),
        model_facts=[{"name": name, "facts": list(facts.items())} for name, facts in space.models.items()],
        open=any(item.kind == "open" for item in space.items.values()), level="95\u202f%" if words.tongue() == "fr" else "95 %",
        version=__version__, scores_hash=space.manifest.sha256[:16], style=_file("page.css"), script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )  # fmt: skip


def _environment() -> Any:
    import jinja2

    loader = jinja2.FileSystemLoader(_HERE)
    made = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals |= {"_": words.say, "_h": _marked}
    return made


def _marked(text: str, **values: Any) -> Any:
    """A sentence of the template that holds tags of its own; values in it are escaped."""
    from markupsafe import Markup

    return Markup(words.say(text)).format(**values)


def _head(rows: Sample) -> dict[str, Any]:
    """What the script needs to read the rows, and its words."""
    said = {text: words.say(text) for text in SPOKEN}
    outcomes = [words.say(outcome) for outcome in OUTCOMES]
    return {
        "models": rows.models, "labels": list(map(words.dimension, rows.labels)), "outcomes": outcomes, "words": said,
        "total": len(rows.rows), "lang": words.tongue(),
    }  # fmt: skip


def _judged(found: Agreement) -> dict[str, Any]:
    """What the page shows of the judges of one criterion."""
    values = sorted({value for counts in found.values.values() for value in counts})
    judges = [{"name": judge, "counts": [words.whole(counts.get(v, 0)) for v in values]} for judge, counts in found.values.items()]
    pairs = [{"a": a, "b": b, **_coefficient(c)} for (a, b), c in found.pairs.items()]
    return {
        "criterion": found.criterion, "values": list(map(words.say, values)), "judges": judges, "pairs": pairs,
        "alpha": _coefficient(found.alpha) if len(judges) > 1 else None,
    }  # fmt: skip


def _apart(found: Disputed, series: Sequence[str]) -> dict[str, Any] | None:
    """What the page shows of scorers that differ; nothing where there is but one."""
    if not found.pairs:
        return None
    counted = ("n", "both", "only_a", "only_b", "neither")
    counts = [[words.whole(pair[name]) for name in counted] for pair in found.pairs]
    pairs = [{"name": words.series(p, series), "a": p["a"], "b": p["b"], "counts": c} for p, c in zip(found.pairs, counts, strict=True)]
    rows = [
        {**{k: row[k] for k in ("question", "accepted", "reply")}, "name": words.series(row, series),
         "marks": [words.say(row[name]) if row[name] else "–" for name in found.scorers]}
        for row in found.rows[:SHOWN]
    ]  # fmt: skip
    return {"scorers": found.scorers, "pairs": pairs, "rows": rows, "all": words.whole(len(found.rows)), "shown": len(rows)}


def _coefficient(c: Coefficient) -> dict[str, Any]:
    value = words.say("n/a") if c.value is None else words.decimal(c.value, 2)
    return {"value": value, "n": words.whole(c.n), "same": words.percent(c.same), "note": words.say(c.note) if c.note else ""}


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
    return {"name": words.series(row, series), "counts": [words.whole(row[name]) for name in (*STATUSES, "prompts")]}


def _lede(space: Workspace) -> str:
    """What was asked, of whom, in one sentence."""
    items = space.items.values()
    langs, places = {i.lang for i in items if i.lang}, {i.place for i in items if i.place}
    parts = [words.plural(len(space.items), "question")]
    for name, values, one, more in (("lang", langs, "in {what}", "in {n} languages"), ("place", places, "on {what}", "on {n} places")):
        if values:
            what = words.value(name, sorted(values)[0])
            parts.append(words.many(len(values), one, more, what=what) if len(values) == 1 else words.many(len(values), more, more))
    return f"{' '.join(parts)}{words.many(space.scores['model'].n_unique(), ', put to {n} model.', ', put to {n} models.')}"


def _sample_note(space: Workspace, shown: int) -> str:
    total = space.scores["prompt"].n_unique()
    if shown == total:
        return words.many(total, "{n} prompt, with every reply word for word.", "All {n} prompts, with every reply word for word.")
    text = (
        "{shown} of {n} prompts, evenly spaced over the whole table and with examples of every status; replies are word for word. "
        "All of them are in tables/."
    )
    return words.many(total, text, text, shown=words.whole(shown))
