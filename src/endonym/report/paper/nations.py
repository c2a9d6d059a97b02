"""XNationQA's figures 2 to 13: radars, counts, coverage by pairs of languages, bars, heat maps.

In: scores by language, country and domain. Out: figures. The one thing to know: estimates of figures are in a CSV beside each,
as those of tables are; a figure of a domain that the paper lacks bears its name in place of a number.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ... import plots
from ...metrics import accuracy, macro, pairwise, total_coverage
from ...records import Estimate
from .. import words
from .data import LABEL, Data, Figure, Profile, ordered

LANGS = ("en", "de", "es", "hi", "ru", "ja", "zh")
PLACES = ("US", "CN", "IN", "GB", "JP", "DE", "RU", "MX", "ES")
DOMAINS = {"monument": "Monuments", "leader": "Leaders", "war": "Wars", "park": "National Parks"}
"""The topics of the readers, in the paper's order."""
BARS = {"leader": "5", "monument": "6", "war": "7", "park": "8"}
HEAT = {"leader": "9", "monument": "10", "park": "11", "war": "12"}


def figures(data: Data, langs: Sequence[str], made: Profile) -> Iterator[Figure]:
    """All of them, as far as the scores go."""
    places = ordered(set(data.scores["place"]) - {""}, PLACES)
    if not places:
        made.missing.append("Figures 2, 3 and 5 to 13: no question states its country.")
    elif len(places) < 3 or len(langs) < 2:
        made.missing.append(f"Figure 2: a radar needs three countries and two languages; there are {len(places)} and {len(langs)}.")
    else:
        found = _laid(data, langs, places)
        chart = plots.radar(found, panel=LABEL, axes="place", lines="lang")
        caption = "Accuracy by country (axes) and language (lines), a panel a model; the rim is 100 %."
        yield Figure(name="figure-2", caption=caption, chart=chart, estimates=found)
    if places:
        yield _entities(data, places)
    yield from _pairs(data, langs, made)
    for topic in ordered(set(data.scores["topic"]), tuple(BARS)) if places else ():
        yield from _domain(data, topic, langs, places)
    if places:
        means = data.estimate(macro(only=tuple(langs)), ("place",))
        found = [means[model, place] for model in data.models for place in places if (model, place) in means]
        chart = plots.panels(found, panel=LABEL, along="place", columns=3)
        caption = "Accuracy by country, the mean over languages, with 95 % intervals."
        yield Figure(name="figure-13", caption=caption, chart=chart, estimates=found)


def _laid(data: Data, langs: Sequence[str], places: Sequence[str]) -> list[Estimate]:
    """Accuracy by model, country and language, in the paper's order."""
    found = data.estimate(accuracy, ("place", "lang"))
    keys = [(model, place, lang) for model in data.models for place in places for lang in langs]
    return [found[key] for key in keys if key in found]


def _entities(data: Data, places: Sequence[str]) -> Figure:
    """Figure 3."""
    seen = {(item.place, item.topic, item.entity) for item in data.space.items.values() if item.entity}
    topics = ordered({topic for _, topic, _ in seen}, tuple(DOMAINS))
    table = [
        {"place": place, "topic": DOMAINS.get(topic, topic), "count": n}
        for place in places
        for topic in topics
        if (n := sum((p, t) == (place, topic) for p, t, _ in seen))
    ]
    chart = plots.stacks(table, along="place", colour="topic")
    counts = [
        Estimate(metric="entities", value=row["count"], n=row["count"], group={"place": row["place"], "topic": row["topic"]})
        for row in table
    ]
    return Figure(name="figure-3", caption="Number of entities by country and domain.", chart=chart, estimates=counts)


def _pairs(data: Data, langs: Sequence[str], made: Profile) -> Iterator[Figure]:
    """Figure 4: both halves, and the diagonal left empty."""
    if len(langs) < 2:
        made.missing.append("Figure 4: coverage of pairs needs two languages.")
        return
    found: list[Estimate] = []
    for model, part in data.parts.items():
        context = data.space.context(model.partition(" · ")[0])
        made_of = pairwise(part, total_coverage(langs=tuple(langs)), context=context, draws=data.draws, seed=data.seed)
        found += [msgspec.structs.replace(e, group={LABEL: model, **e.group}) for e in made_of]
    nothing = Estimate(metric="total_coverage", value=None)  # the diagonal: a language covers itself
    both = {(e.group[LABEL], a, b): e for e in found for a, b in _turns(e)}
    cells = [
        msgspec.structs.replace(both.get((model, a, b), nothing), group={LABEL: model, "a": a, "b": b})
        for model in data.models for a in langs for b in langs if (model, a, b) in both or a == b
    ]  # fmt: skip
    chart = plots.heatmap(cells, down="a", across="b", panel=LABEL, title="Total Coverage")
    caption = "Total Coverage of every pair of languages, per cent, a panel a model."
    yield Figure(name="figure-4", caption=caption, chart=chart, estimates=found)


def _turns(e: Estimate) -> tuple[tuple[str, str], tuple[str, str]]:
    a, b = e.group["lang.a"], e.group["lang.b"]
    return (a, b), (b, a)


def _domain(data: Data, topic: str, langs: Sequence[str], places: Sequence[str]) -> Iterator[Figure]:
    """Figures 5 to 8 and 9 to 12."""
    found, name = _laid(data.topics[topic], langs, places), DOMAINS.get(topic, topic or words.NOT_STATED)
    slug = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in topic) or "none"
    chart = plots.panels(found, panel=LABEL, along="place", colour="lang")
    caption = f"{name}: accuracy by country and language, a panel a model."
    yield Figure(name=f"figure-{BARS.get(topic, f'bars-{slug}')}", caption=caption, chart=chart, estimates=found)
    chart = plots.heatmap(found, down="place", across="lang", panel=LABEL)
    caption = f"{name}: accuracy by country and language, per cent, a panel a model."
    yield Figure(name=f"figure-{HEAT.get(topic, f'heat-{slug}')}", caption=caption, chart=chart, estimates=found)
