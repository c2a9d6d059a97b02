"""What models made of each question: whether they know it (D2), and whether they answer it alike as people of a sister culture (D3).

In: open items, and the scores of ``evaluate.answer`` asked ``plain``, ``oracle`` and, where sister cultures are compared, ``oracle:PLACE``
(``data/probe/sisters.toml`` has the words of that style; it is a file for ``evaluate.answer``'s ``words``). Out: judgments, one for each
model and style, and a warning where a question does not tell models apart. The one thing to know: a reply that failed or could not be
read is neither right nor wrong, and a question that nobody answered is not called hard. Paper: Tuguesice, guidelines D2 and D3, §5.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..errors import InputError
from ..records import Item, Judgment, Score
from . import writing_words

VERSION = "1"
PLAIN, SISTER = "plain", "oracle:"
READ = ("answered", "abstained")
Readings = Mapping[str, Mapping[str, Sequence[Score]]]
"""Style → model → scores (over draws)."""


def probe(items: Iterable[Item], scores: Iterable[Score], *, shots: int = 0, share: float = 1.0, notes: str = "") -> Iterator[Judgment]:
    """Say of each item what each model said to it, then what that means.

    Criterion ``probe/STYLE``; value ``right``, ``wrong``, or for a sister culture ``same`` (the accepted answer was given from there too)
    and ``other``; none, with its status, where no reply could be read. A model asked several times is right if at least half of its
    readings are. ``check/known`` warns where ``share`` (above 0, at most 1) of the models that answered plain, or more, are right;
    ``check/same-there`` where at least half give the accepted answer as from a sister culture. ``notes``: language of the warnings, the
    item's if not given. Raises InputError for another share, and for an item that was put to no model.
    """
    if not 0 < share <= 1:
        raise InputError(f"share: {share} is not above 0 and at most 1")
    held = _gathered(scores, shots)
    for item in items:
        if item.id not in held:
            raise InputError(f"item {item.id}: has no score with shots {shots}: were the models asked these items, or an earlier version?")
        said = [judged for style, models in held[item.id].items() for judged in _of_style(item, style, models)]
        yield from said
        yield from _meant(item, said, share, writing_words.of(notes or item.lang))


def _gathered(scores: Iterable[Score], shots: int) -> dict[str, dict[str, dict[str, list[Score]]]]:
    held: dict[str, dict[str, dict[str, list[Score]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for score in scores:
        if score.shots == shots:
            held[score.item][score.style][score.model].append(score)
    return held


def _of_style(item: Item, style: str, models: Mapping[str, Sequence[Score]]) -> Iterator[Judgment]:
    guideline = "D3" if style.startswith(SISTER) else "D2"
    yes, no = ("same", "other") if guideline == "D3" else ("right", "wrong")
    for model, scores in models.items():
        read = [s.right for s in scores if s.status in READ]
        value = "" if not read else yes if 2 * sum(read) >= len(read) else no
        note = f"{sum(read)} right of {len(read)} replies" if len(scores) > 1 else ""
        status = "answered" if read else scores[0].status
        yield Judgment(item=item.id, judge=model, criterion=f"probe/{style}", value=value, status=status, guideline=guideline, note=note)


def _meant(item: Item, said: Sequence[Judgment], share: float, words: writing_words.Words) -> Iterator[Judgment]:
    """The warnings about one item, by style."""
    by_style: dict[str, list[str]] = defaultdict(list)
    for judgment in said:
        if judgment.value:
            by_style[judgment.criterion.removeprefix("probe/")].append(judgment.value)
    for style, values in by_style.items():
        count = sum(v in ("right", "same") for v in values)
        if style == PLAIN and count >= share * len(values):
            yield _warning(item, words, "known", f"{count}/{len(values)}")
        elif style.startswith(SISTER) and 2 * count >= len(values):
            yield _warning(item, words, "same-there", f"{style.removeprefix(SISTER)}: {count}/{len(values)}")


def _warning(item: Item, words: writing_words.Words, name: str, what: str) -> Judgment:
    rule = writing_words.rules()[name]
    note = words.message(name, what=what)
    return Judgment(item=item.id, judge=f"check/{name}", criterion=name, value=rule.value, guideline=rule.guideline, note=note)
