"""The quality of translations in numbers, one for each language: cosine, BLEU and chrF of back-translations, people's ratings.

In: items, and what was judged of them: cosines (``validate.similarity``), back-translations (``validate.backtranslate``), ratings from 1
to 5 (``validate.judge`` under the guidelines ``translation``). Out: estimates with intervals, the table 1 of XNationQA. The one thing to
know: BLEU and chrF are of the whole language, by sacrebleu and with its signature; intervals draw whole entities, whose wordings are not
independent; what has no value is counted in the note and stands in no mean.

Paper: XNationQA, section 3 and table 1, appendix B.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from .. import __version__
from ..errors import InputError
from ..records import Estimate, Item, Judgment
from .agreement import PEOPLE
from .coefficients import Drawn
from .translation import COSINE, key, number, pivots
from .translation_back import BACK, texts
from .translation_scores import Measure, bleu, chrf

VERSION = "1"
RATED = ("grammar", "fluency", "cohesion")
HUMAN = "rating"
"""The mean of the ratings of an item, over criteria and judges."""


class _Given(msgspec.Struct, frozen=True, kw_only=True):
    items: Mapping[str, Item]
    originals: Mapping[str, Item]
    pivot: str
    tokenize: str
    drawn: Drawn

    def estimate(self, name: str, rows: Sequence[tuple[str, Sequence[float]]], of: Callable[[np.ndarray], float | None],
                 said: tuple[dict[str, str], str, str]) -> Estimate:  # fmt: skip
        """``rows``: the cluster and the numbers of each item. ``said``: group, signature, and a note on what is missing."""
        group, signature, missing = said
        sums: dict[str, np.ndarray] = {}
        for cluster, numbers in rows:
            sums[cluster] = sums.get(cluster, 0.0) + np.asarray(numbers, dtype=float)
        how = f"cluster:entity|ci:bootstrap/{self.drawn.draws}|seed:{self.drawn.seed}|confidence:{self.drawn.level:g}"
        signature = f"{name}|{signature}|{how}|endonym:{__version__}"
        if not rows:
            return Estimate(metric=name, value=None, group=group, signature=signature, note=missing or "nothing was judged")
        held = np.array([sums[cluster] for cluster in sorted(sums)])
        low, high, note = self.drawn.interval(held, lambda drawn: of(drawn.sum(axis=0)))
        note = "; ".join(filter(None, (note.replace("one item", "one entity"), missing)))
        value = of(held.sum(axis=0))
        return Estimate(metric=name, value=value, low=low, high=high, n=len(rows), group=group, signature=signature, note=note)


def translation(items: Iterable[Item], judgments: Iterable[Judgment], *, pivot: str = "en", criteria: tuple[str, ...] = RATED,
                tokenize: str = "", draws: int = 1000, seed: int = 0) -> Iterator[Estimate]:  # fmt: skip
    """Estimate every measure that was taken, by language and judge.

    ``criteria``: what was rated from 1 to 5; ratings are means over the judges, people and models apart. ``tokenize``: sacrebleu's
    tokeniser, if not the one for the pivot. Raises InputError where no item is in the pivot or nothing of this kind was judged.
    """
    if draws < 1:
        raise InputError(f"draws: {draws}; at least one")
    every = {item.id: item for item in items}
    originals, drawn = pivots(every.values(), pivot), Drawn(draws=draws, seed=seed)
    given = _Given(items=every, originals=originals, pivot=pivot, tokenize=tokenize, drawn=drawn)
    said: dict[str, dict[tuple[str, str], list[Judgment]]] = defaultdict(lambda: defaultdict(list))
    for judgment in judgments:
        if judgment.item in every and judgment.criterion in (COSINE, BACK, *criteria):
            said[judgment.criterion][every[judgment.item].lang, _judge(judgment)].append(judgment)
    if not said:
        raise InputError(f"judgments: none is of {COSINE}, {BACK}, {', '.join(criteria)} of these items")
    for (lang, judge), found in sorted(said[COSINE].items()):
        yield _cosine(found, {"lang": lang, "judge": judge}, given)
    for (lang, judge), found in sorted(said[BACK].items()):
        yield from _back(found, {"lang": lang, "judge": judge}, given)
    yield from _ratings({name: said[name] for name in criteria if name in said}, given)


def _judge(judgment: Judgment) -> str:
    if judgment.criterion in (COSINE, BACK):
        return judgment.judge
    return "people" if judgment.judge.startswith(PEOPLE) else "models"


def _missing(found: Sequence[Judgment]) -> str:
    counts = Counter(j.status for j in found if j.status != "answered")
    return f"of {len(found)}, " + ", ".join(f"{n} {status}" for status, n in sorted(counts.items())) if counts else ""


def _cluster(item: Item) -> str:
    return item.entity or key(item)


def _mean(sums: np.ndarray) -> float | None:
    return float(sums[1] / sums[0]) if sums[0] else None


def _cosine(found: Sequence[Judgment], group: dict[str, str], given: _Given) -> Estimate:
    values = [(given.items[j.item], number(j)) for j in found]
    rows = [(_cluster(item), (1.0, value)) for item, value in values if value is not None]
    told = " ".join(sorted({j.guideline.removeprefix(f"{COSINE}/") for j in found}))
    return given.estimate(COSINE, rows, _mean, (group, told, _missing(found)))


def _back(found: Sequence[Judgment], group: dict[str, str], given: _Given) -> Iterator[Estimate]:
    """BLEU and chrF of one language: from the sums of its segments' counts."""
    held = list(texts(found, given.items, given.originals))
    for measure in (bleu(given.pivot, given.tokenize), chrf()):
        yield _overlap(measure, held, (group, _missing(found)), given)


def _overlap(measure: Measure, held: Sequence[tuple[Item, str, str]], said: tuple[dict[str, str], str], given: _Given) -> Estimate:
    counts = measure.counts([text for _, text, _ in held], [original for _, _, original in held]) if held else np.zeros((0, 1))
    rows = [(_cluster(item), list(numbers)) for (item, _, _), numbers in zip(held, counts, strict=True)]
    group, missing = said
    signature = f"{measure.signature}|pivot:{given.pivot}|back:{group['judge']}"
    return given.estimate(measure.name, rows, measure.whole, (group, signature, missing))


def _ratings(said: Mapping[str, Mapping[tuple[str, str], Sequence[Judgment]]], given: _Given) -> Iterator[Estimate]:
    """Each criterion, then all of them together: an item's number is the mean of its criteria, each the mean of its judges."""
    for group in sorted({group for found in said.values() for group in found}):
        lang, judges = group
        means = {name: _by_item(found.get(group, ())) for name, found in said.items()}
        for name, values in means.items():
            found = said[name].get(group, ())
            guidelines = ",".join(sorted({j.guideline for j in found})) or "none"
            rows = [(_cluster(given.items[item]), (1.0, value)) for item, value in values.items()]
            yield given.estimate(name, rows, _mean, ({"lang": lang, "judge": judges}, f"guideline:{guidelines}", _missing(found)))
        whole = [item for item in next(iter(means.values())) if all(item in values for values in means.values())]
        rows = [(_cluster(given.items[item]), (1.0, sum(v[item] for v in means.values()) / len(means))) for item in whole]
        lost = len({item for values in means.values() for item in values}) - len(whole)
        note = f"{lost} items lack a criterion" if lost else ""
        yield given.estimate(HUMAN, rows, _mean, ({"lang": lang, "judge": judges}, f"criteria:{','.join(means)}", note))


def _by_item(found: Sequence[Judgment]) -> dict[str, float]:
    """Item → the mean over its judges."""
    values: dict[str, list[float]] = defaultdict(list)
    for judgment in found:
        if (value := number(judgment)) is not None:
            values[judgment.item].append(value)
    return {item: sum(some) / len(some) for item, some in values.items()}
