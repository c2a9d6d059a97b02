"""CARTE's tables 1 to 5 and 7 and its figures 1 and 2, for the regions of any country.

In: a workspace whose items have ``place`` (ISO 3166-2), ``topic`` and, for the subset on linguistic variation, ``subset="LV"``. Out: a
profile. The one thing to know: tiers of difficulty are made of the models at hand, at the fewest examples, as in section 3.4; the
paper's text does not give the thresholds of its table 2, and those here (thirds) are in the signature.

Paper: CARTE (papers/carte.md).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from ... import plots
from ...build.carte import REGIONS
from ...metrics import accuracy, difficulty, macro, position_bias
from ...records import Estimate
from .. import words
from .data import Data, Figure, Profile, ordered, plainest
from .sheet import Cell, Row, Sheet, count, share

TIERS = ("Easy", "Medium", "Hard")
LV = "LV"
ABBREVIATIONS = {code: short for code, (_, short) in REGIONS.items()}


def profile(every: Data, *, borders: Path | None = None) -> Profile:
    """Everything of CARTE that the workspace can give."""
    made = Profile(paper="carte")
    data = plainest(every, made.notes)
    regions = ordered({item.place for item in data.space.items.values()} - {""}, tuple(REGIONS))
    if not regions:
        made.missing.append("Tables 1, 4 and 5, figure 1: no question states its region (place).")
    made.sheets += [*_counts(data, regions, made), *_tiers(data, made), *_shots(every, data, made)]
    made.sheets += [*_regions(data, regions, made), *_topics(data, made)]
    made.figures += [*_map(data, regions, borders), *_bias(every, data, made)]
    return made


def short(code: str) -> str:
    """A region's abbreviation in the paper; of another country, its code without the country's."""
    return ABBREVIATIONS.get(code) or code.partition("-")[2] or code or words.NOT_STATED


def _explained(regions: Sequence[str]) -> tuple[str, ...]:
    known = [f"{short(code)}: {REGIONS[code][0]}" for code in regions if code in REGIONS]
    return (", ".join(known) + ".",) if known else ()


def _counts(data: Data, regions: Sequence[str], made: Profile) -> Iterator[Sheet]:
    """Table 1, and table 5 of the subset."""
    if not regions:
        return
    items = data.space.items.values()
    cells = Counter((item.topic, item.place) for item in items)
    topics = sorted({topic for topic, _ in cells})
    rows = [(topic or words.NOT_STATED, [cells[topic, place] for place in regions]) for topic in topics]
    rows.append(("Total", [sum(column) for column in zip(*(numbers for _, numbers in rows), strict=True)]))
    yield Sheet(
        name="table-1", caption="Number of questions per category and region.", first="Topic", columns=(*map(short, regions), "Total"),
        rows=tuple(Row(name=name, cells=(*map(count, numbers), count(sum(numbers)))) for name, numbers in rows), best="",
        notes=_explained(regions),
    )  # fmt: skip
    varied = Counter(item.place for item in items if item.subset == LV)
    if not varied:
        made.missing.append('Table 5 and table 4 (b): no question is of the subset "LV" (linguistic variation).')
        return
    numbers = [varied[place] for place in regions]
    yield Sheet(
        name="table-5", caption="Number of questions per region in the subset on linguistic variation.", first="",
        columns=(*map(short, regions), "Total"), rows=(Row(name="LV", cells=(*map(count, numbers), count(sum(numbers)))),), best="",
        notes=_explained(regions),
    )  # fmt: skip


def _tiers(data: Data, made: Profile) -> Iterator[Sheet]:
    """Table 2."""
    if len(data.models) < 2:
        made.missing.append("Table 2, and tiers in table 3: difficulty is the share of models that are right, and there is one model.")
        return
    items = difficulty.items(data.scores).filter(pl.col("share").is_not_null())
    whole, context = len(items), {**data.space.shared, "models": len(data.models)}
    rows = []
    for tier in TIERS:
        (estimate,) = difficulty(tier=tier).estimate(data.scores, context=context, draws=data.draws, seed=data.seed)
        part = items.filter(pl.col("tier") == tier)
        mean = part["share"].mean() if len(part) else None
        right = Cell(text=f"{100 * float(mean):.2f}") if isinstance(mean, float) else Cell()  # type: ignore[arg-type]
        rows.append(Row(name=tier, cells=(count(len(part)), share(estimate), right)))
    yield Sheet(
        name="table-2", caption="Difficulty: the share of models that answer a question right.", first="Tier", best="",
        columns=("Questions", "Questions %", "Models right %"), rows=tuple(rows),
        notes=(f"Easy: at least {difficulty.easy:.2f} of {len(data.models)} models right; hard: at most {difficulty.hard:.2f}; "
               f"{whole} questions that some model replied to.",),
    )  # fmt: skip


def _shots(every: Data, data: Data, made: Profile) -> Iterator[Sheet]:
    """Table 3: one style, every number of examples."""
    all_shots = plainest(every, [], shots=False)
    tiered = "tier" not in data.scores.columns and len(data.models) > 1
    scores = difficulty.tiers(all_shots.scores, of=data.scores) if tiered else all_shots.scores
    kinds = sorted(scores["shots"].unique().to_list())
    if kinds == [0]:
        made.missing.append("Table 3 beyond 0 shots: models were asked without examples only (--shots 0,1,3).")
    told = all_shots.only(scores)
    whole, by_tier = told.estimate(accuracy, ("shots",)), told.estimate(accuracy, ("shots", "tier")) if tiered else {}
    mean = told.estimate(macro(over="shots")) if len(kinds) > 1 else {}
    tiers = [t for t in TIERS if any(key[2] == t for key in by_tier)]
    rows = []
    for model in told.models:
        cells = [share(e) for k in map(str, kinds) for e in (*(by_tier.get((model, k, t)) for t in tiers), whole.get((model, k)))]
        rows.append(Row(name=model, cells=(*cells, *([share(mean.get((model,)))] if mean else []))))
    yield Sheet(
        name="table-3", caption="Accuracy (%) by number of examples" + (" and tier of difficulty." if tiers else "."), first="Model",
        spans=(*((f"{k}-shot", len(tiers) + 1) for k in kinds), *([("", 1)] if mean else [])),
        columns=(*(name for _ in kinds for name in (*tiers, "All")), *(["Avg"] if mean else [])), rows=tuple(rows), best="second",
        notes=("Bold: the best of a column; underlined: the second. Avg is the mean of All over the numbers of examples.",),
    )  # fmt: skip


def _regions(data: Data, regions: Sequence[str], made: Profile) -> Iterator[Sheet]:
    """Table 4 (a) and (b)."""
    if not regions:
        return
    parts = [("(a) all", data), ("(b) LV", data.where("subset", LV))]
    rows = []
    for section, part in parts:
        found = part.estimate(accuracy, ("place",)) if len(part.scores) else {}
        rows += [
            Row(name=model, section=section, cells=tuple(share(found.get((model, place))) for place in regions)) for model in part.models
        ]
    yield Sheet(
        name="table-4", caption="Accuracy (%) by region, for all questions and for those on linguistic variation.", first="Model",
        columns=tuple(map(short, regions)), rows=tuple(rows), notes=("Bold: the best of a region.", *_explained(regions)),
    )  # fmt: skip


def _topics(data: Data, made: Profile) -> Iterator[Sheet]:
    """Table 7."""
    topics = sorted(set(data.scores["topic"]) - {""})
    if not topics:
        made.missing.append("Table 7: no question states its topic.")
        return
    found = data.estimate(accuracy, ("topic",))
    rows = tuple(Row(name=model, cells=tuple(share(found.get((model, topic))) for topic in topics)) for model in data.models)
    yield Sheet(
        name="table-7", caption="Accuracy (%) by topic.", first="Model", columns=tuple(topics), rows=rows,
        notes=("Bold: the best of a topic.",),
    )  # fmt: skip


def _map(data: Data, regions: Sequence[str], borders: Path | None) -> Iterator[Figure]:
    """Figure 1."""
    if not regions:
        return
    found = data.overall(macro(over="model"), ("place",))
    estimates = [found[place] for place in regions if place in found]
    chart = plots.choropleth(estimates, by="place", names={code: short(code) for code in regions}, file=borders, title="Mean accuracy")
    yield Figure(
        name="figure-1", caption="Mean accuracy by region over all models; the scale begins at the least value, not at 0.", chart=chart,
        estimates=estimates,
    )  # fmt: skip


def _bias(every: Data, data: Data, made: Profile) -> Iterator[Figure]:
    """Figure 2."""
    estimates: list[Estimate] = [e for e in data.estimate(position_bias).values() if e.value is not None]
    if not estimates:
        made.missing.append("Figure 2: no model chose among options, so there are no positions.")
        return
    chart = plots.bars(estimates, by="model", title="Positional bias (0: even, 1: always one position)", percent=False)
    caption = "Positional bias: 0 for choices spread evenly, 1 for a model that always chooses one position; with 95 % intervals."
    yield Figure(name="figure-2", caption=caption, chart=chart, estimates=estimates)


__all__ = ["profile"]
