"""XNationQA's tables 1 to 4, 7 and 8, for any domains, countries and languages.

In: a workspace whose items have ``lang``, ``place`` (countries), ``topic`` (domains) and ``entity``. Out: a profile. The one thing to
know: an accuracy in one language is over all questions in it (the paper's numbers are multiples of one of its counts of
questions), and AVG, AVG_W and AVG_NW are means of these over languages, not over questions.

Paper: XNationQA (papers/xnationqa.md).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from ... import store
from ...errors import InputError
from ...metrics import accuracy, macro, pretrained, smooth_coverage, total_coverage
from ...metrics.contrasts import contrast_languages
from ...metrics.languages import NAMED, NON_WEST, WEST
from ...records import Estimate
from .. import words
from .data import LABEL, Data, Profile, ordered, plainest
from .nations import DOMAINS, LANGS, PLACES, figures
from .sheet import NOTHING, Cell, Row, Sheet, share, spread

MEASURES = {"cosine": "Cos-sim", "bleu": "BLEU", "chrf": "chrF", "rating": "H-Eval"}
"""Measures of translations, in the paper's order, with the paper's names; others (grammar, fluency, …) stand after them."""


def profile(every: Data, *, borders: Path | None = None) -> Profile:
    """Everything of XNationQA that the workspace can give."""
    made = Profile(paper="xnationqa")
    data = plainest(every, made.notes)
    langs = ordered(set(data.scores["lang"]) - {""}, LANGS)
    if not langs:
        made.missing.append("Everything: no question states its language.")
        return made
    made.sheets += [*_translations(data, langs, made), *_accuracies(data, langs), *_coverage(data, langs, made), _smooth(data)]
    made.sheets += [*_tests(data, langs, made), *_deviations(data, langs, made)]
    made.figures += figures(data, langs, made)
    return made


def domains(data: Data) -> list[tuple[str, str]]:
    """The topics that there are, in the paper's order, with the paper's names."""
    return [(topic, DOMAINS.get(topic, topic or words.NOT_STATED)) for topic in ordered(set(data.scores["topic"]), tuple(DOMAINS))]


def _translations(data: Data, langs: list[str], made: Profile) -> Iterator[Sheet]:
    """Table 1: the estimates of any table that ``validate.translation`` made; a row a measure, and a judge where several took it."""
    said: dict[tuple[str, str], dict[str, Estimate]] = {}
    for path in sorted((data.space.folder / "tables").glob("*.jsonl")):
        found = store.manifest(path)
        if found and found.stage == "validate.translation":
            for e in store.read(path, Estimate):
                said.setdefault((e.metric, e.group.get("judge", "")), {})[e.group.get("lang", "")] = e
    columns = [lang for lang in langs if any(lang in row for row in said.values())]
    if not columns:
        made.missing.append("Table 1: the workspace holds no scores of its translations (embedding cosine, back-translation BLEU, people).")
        return
    keys = [key for name in ordered({metric for metric, _ in said}, tuple(MEASURES)) for key in sorted(said) if key[0] == name]
    several = {metric for metric, _ in keys if sum(key[0] == metric for key in keys) > 1}
    rows = tuple(
        Row(name=MEASURES.get(metric, metric) + (f" ({judge})" if metric in several else ""), cells=_measured(said[metric, judge], columns))
        for metric, judge in keys
    )
    yield Sheet(
        name="table-1", caption="Quality of the translations.", first="Score", columns=(*map(str.upper, columns), "AVG"), rows=rows,
        best="", notes=("AVG is the mean over languages.",),
    )  # fmt: skip


def _measured(found: Mapping[str, Estimate], columns: list[str]) -> tuple[Cell, ...]:
    """A measure in each language and its mean over those that have it."""
    there = [e.value for lang in columns if (e := found.get(lang)) and e.value is not None]
    cells = [Cell() if e is None else Cell(text=_two(e.value), estimates=(e,), value=e.value) for e in map(found.get, columns)]
    return (*cells, Cell(text=_two(sum(there) / len(there) if there else None)))


def _two(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"


def _accuracies(data: Data, langs: list[str]) -> Iterator[Sheet]:
    """Table 2."""
    sides = [(name, tuple(lang for lang in NAMED[name] if lang in langs)) for name in ("W", "NW")]
    averages = [("AVG", macro(only=tuple(langs))), *((f"AVG_{name}", macro(only=group)) for name, group in sides if group)]
    rows = []
    for topic, title in domains(data):
        part = data.topics[topic]
        found = part.estimate(accuracy, ("lang",))
        means = [part.estimate(metric) for _, metric in averages]
        for model in data.models:
            cells = [*(share(found.get((model, lang))) for lang in langs), *(share(mean.get((model,))) for mean in means)]
            rows.append(Row(name=model, section=title, cells=tuple(cells)))
    told = "; ".join(f"AVG_{name} is the mean over {', '.join(map(str.upper, group))}" for name, group in sides if group)
    yield Sheet(
        name="table-2", caption="Accuracy (%) by language, over all countries.", first="Model", rows=tuple(rows),
        columns=(*map(str.upper, langs), *(name for name, _ in averages)), notes=(f"AVG is the mean over languages; {told}.",),
    )  # fmt: skip


def _coverage(data: Data, langs: list[str], made: Profile) -> Iterator[Sheet]:
    """Table 3."""
    west, mixed = (tuple(lang for lang in NAMED[name] if lang in langs) for name in ("W", "Eng-NW"))
    trained = _trained(data, langs, made)
    rows = []
    for topic, title in domains(data):
        part = data.topics[topic]
        found = [part.estimate(total_coverage(langs=group)) if len(group) > 1 else {} for group in (tuple(langs), west, mixed)]
        for model in data.models:
            known = model in trained and model in part.parts
            own = part.only(part.parts[model]).estimate(total_coverage(langs=trained[model])) if known else {}
            columns = (found[0], own, found[1], found[2])
            rows.append(Row(name=model, section=title, cells=tuple(share(column.get((model,))) for column in columns)))
    yield Sheet(
        name="table-3", caption="Total Coverage (%).", first="Model", columns=("TC (All)", "TC (Pre-Train)", "TC (W)", "TC (Eng-NW)"),
        rows=tuple(rows),
        notes=("An entity is known in a language if three quarters of its questions are right; a dash: nothing is known in any language.",),
    )  # fmt: skip


def _trained(data: Data, langs: list[str], made: Profile) -> dict[str, tuple[str, ...]]:
    """Model → the languages of its training data: from ``pretrained.toml`` in the workspace, else as the paper says."""
    told, file = dict[str, tuple[str, ...]](), data.space.folder / "pretrained.toml"
    if file.is_file():
        told = _read(file)
    found, unknown = {}, []
    for label in data.models:
        model = label.partition(" · ")[0]
        spoken = told.get(model) or told.get(model.partition("/")[2]) or pretrained(model)
        if spoken is None:
            unknown.append(model)
        elif there := tuple(lang for lang in langs if lang in spoken):
            found[label] = there
    if unknown:
        names = ", ".join(unknown[:6]) + (" …" if len(unknown) > 6 else "")
        made.missing.append(
            f'Table 3, TC (Pre-Train) of {names}: nobody said which languages they were trained on; write lines such as "{unknown[0]}" = '
            f'["en", "de"] in pretrained.toml in the workspace.'
        )
    return found


def _read(file: Path) -> Mapping[str, tuple[str, ...]]:
    try:
        return msgspec.toml.decode(file.read_bytes(), type=dict[str, tuple[str, ...]])
    except (OSError, msgspec.DecodeError) as problem:
        raise InputError(f"{file}: expected lines MODEL = [LANGUAGES]: {problem}") from problem


def _smooth(data: Data) -> Sheet:
    """Table 4."""
    columns = domains(data)
    found = [data.topics[topic].estimate(smooth_coverage) for topic, _ in columns]
    rows = tuple(Row(name=model, cells=tuple(share(column.get((model,))) for column in found)) for model in data.models)
    caption, titles = "Smooth Coverage (%) over all languages.", tuple(title for _, title in columns)
    return Sheet(name="table-4", caption=caption, first="Model", columns=titles, rows=rows)


def _tests(data: Data, langs: list[str], made: Profile) -> Iterator[Sheet]:
    """Table 7."""
    if not set(WEST) & set(langs) or not set(NON_WEST) & set(langs):
        made.missing.append("Table 7: needs languages of the West (en, de, es, ru) and others (hi, ja, zh).")
        return
    columns = domains(data)
    found = {(c.group[LABEL], c.group["topic"]): c for c in contrast_languages(data.scores, by=(LABEL, "topic"), seed=data.seed)}
    kinds = (("unpaired z", "unpaired"), ("paired permutation", "permutation"), ("paired Wilcoxon", "wilcoxon"))
    rows = [
        Row(name=model, section=f"p, {kind}", cells=tuple(_p(getattr(found.get((model, topic)), field, None)) for topic, _ in columns))
        for kind, field in kinds
        for model in data.models
    ]
    rows += [
        Row(name=model, section="W − NW, points", cells=tuple(_points(found.get((model, topic))) for topic, _ in columns))
        for model in data.models
    ]
    yield Sheet(
        name="table-7", caption="Do models do better in Western languages? Two-sided p-values, and the difference.", first="Model",
        columns=tuple(title for _, title in columns), rows=tuple(rows), best="",
        notes=("The paper does not name its test. The same entities are asked in all languages, so the paired tests, by entity, are the "
               "ones to read; the unpaired one takes answers about one entity for independent.",),
    )  # fmt: skip


def _p(value: float | None) -> Cell:
    return Cell() if value is None else Cell(text=f"{value:.3f}" if value >= 0.001 else f"{value:.1e}")


def _points(contrast: object) -> Cell:
    difference = getattr(contrast, "difference", None)
    return Cell() if difference is None else Cell(text=f"{100 * difference:+.2f}".replace("-", "−"))


def _deviations(data: Data, langs: list[str], made: Profile) -> Iterator[Sheet]:
    """Table 8."""
    places = ordered(set(data.scores["place"]) - {""}, PLACES)
    if not places:
        made.missing.append("Table 8: no question states its country.")
        return
    rows = []
    for topic, title in domains(data):
        part = data.topics[topic]
        mean, deviation = (part.estimate(macro(only=tuple(langs), statistic=kind), ("place",)) for kind in ("mean", "sd"))
        rows += [
            Row(name=model, section=title, cells=tuple(spread(mean.get((model, p)), deviation.get((model, p))) for p in places))
            for model in data.models
        ]
    yield Sheet(
        name="table-8", caption="Accuracy (%) and its standard deviation over languages, by country.", first="Model", columns=tuple(places),
        rows=tuple(rows), best="", notes=("The standard deviation is the population's, divided by the number of languages.",),
    )  # fmt: skip
