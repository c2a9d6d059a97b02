"""Translations are translated back, by any provider, and compared with the original: what was lost on the way shows.

In: items, of which those with one ``parallel`` are translations of each other; to read, what came back. Out: a prompt for every item in a
language other than the pivot; then as many judgments: ``value`` is the chrF of the one text (0 to 100), ``note`` the text that came back,
word for word, from which ``validate.translation`` computes BLEU and chrF of a language. The one thing to know: a back-translation
judges two translators at once; a poor score may be the fault of the one who translated back.

Paper: XNationQA, section 3 (back-translation); Post 2018 (a BLEU is a BLEU only with its signature); Popović 2015 (chrF).
"""

from collections.abc import Iterable, Iterator, Mapping

from ..models import translating
from ..records import Item, Judgment, Prompt, Response, Status
from .translation import What, key, pivots, shown
from .translation_scores import chrf

VERSION = "1"
BACK = "backtranslation"


def write(items: Iterable[Item], *, pivot: str = "en", what: What = "stem") -> Iterator[Prompt]:
    """Have every item that has a parallel in the pivot translated into it. Raises InputError where no item is in the pivot."""
    every = list(items)
    originals = pivots(every, pivot)
    for item in every:
        if item.lang != pivot and key(item) in originals:
            turns = translating.turns(shown(item, what), item.lang, pivot)
            yield Prompt(item=item.id, messages=turns, method=f"translate:{pivot}:{what}", max_tokens=translating.TOKENS)


def read(responses: Iterable[Response], prompts: Iterable[Prompt], items: Iterable[Item], *, pivot: str = "en",
         what: What = "stem") -> Iterator[Judgment]:  # fmt: skip
    """One judgment for each response; the settings are those of ``write``."""
    every = list(items)
    originals, known, asked = pivots(every, pivot), {item.id: item for item in every}, {p.id: p.item for p in prompts}
    measure = chrf()
    for response in responses:
        item = known[asked[response.prompt]]
        text = translating.said(response.text)
        status = _status(response, text)
        value = f"{measure.one(text, _original(originals[key(item)], what)):.2f}" if status == "answered" else ""
        yield Judgment(
            item=item.id, judge=response.model, criterion=BACK, value=value, status=status, guideline=f"{what}/{pivot}/{measure.signature}",
            note=response.error or text,
        )  # fmt: skip


def _status(response: Response, text: str) -> Status:
    if response.error:
        return "failed"
    if response.finish_reason == "length":
        return "truncated"
    if response.finish_reason in ("content_filter", "refusal", "safety"):
        return "refused"
    return "answered" if text else "unparsed"


def texts(judgments: Iterable[Judgment], items: Mapping[str, Item], originals: Mapping[str, Item]) -> Iterator[tuple[Item, str, str]]:
    """What came back and what it is compared with: (item, back-translation, original) of those that were answered."""
    for judgment in judgments:
        what: What = "question" if judgment.guideline.startswith("question/") else "stem"
        item = items.get(judgment.item)
        if judgment.status == "answered" and item and key(item) in originals:
            yield item, judgment.note, _original(originals[key(item)], what)


def _original(item: Item, what: What) -> str:
    """In one line, as what came back is."""
    return " ".join(shown(item, what).split())
