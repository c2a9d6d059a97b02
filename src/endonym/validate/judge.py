"""Have items judged under guidelines, by models and by people: the same page, the same reading.

In: items (and, to read, prompts and what the judges said). Out: a prompt for each item and guideline, then as many judgments. The one
thing to know: the item stands between marks that nothing in it can close, and a reply that gives no score on the scale is unparsed,
a failed call failed; neither becomes a middle value. A judge that made the item is asked like any other, and its judgment says so.

Paper: CARTE, section 4 and appendix B.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import InputError
from ..records import Guideline, Item, Judgment, Message, Prompt, Response, same_model
from . import guidelines as shelf
from .fields import clauses, fits
from .guidelines import Form, Guidelines
from .rating import Rating, rating

VERSION = "1"
OPEN, CLOSE = "<<<", ">>>"
OWN = "judged by the model that made the item"
_MARK = re.compile(r"<{2,}|>{2,}")
_HIDDEN = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0b-\x1f\x7f]")


def write(items: Iterable[Item], *, file: Path | None = None, shipped: str = "lv.fr", criteria: tuple[str, ...] = (),
          where: tuple[str, ...] = (), max_tokens: int = 256) -> Iterator[Prompt]:  # fmt: skip
    """Put every guideline of ``file``, or of the shipped file ``shipped``, to every item that fits ``where`` (``subset=LV``).

    ``criteria`` names those that are wanted, if not all. Raises TableError for a bad file, UnknownName for a criterion that it has
    not, InputError for a guideline with neither answers nor scale.
    """
    told, wanted = shelf.find(file, shipped).only(criteria), clauses(where)
    for each in told.guidelines:
        if not each.answers and not each.scale:
            raise InputError(f"guideline {each.id}: scale: a judge needs a scale or answers to choose from")
    for item in (item for item in items if fits(item, wanted)):
        for each in told.guidelines:
            turns = (Message(role="user", content=page(each, item, told.form)),)
            yield Prompt(item=item.id, messages=turns, method=f"judge:{each.id}", gap=" ", max_tokens=max_tokens)


def page(told: Guideline, item: Item, form: Form) -> str:
    """What a judge sees: the guideline, the item between marks, and what to reply."""
    examples = [*(f"{form.good}: {g}" for g in told.good), *(f"{form.bad}: {b}" for b in told.bad)]
    head = [told.question, told.advice.strip(), *examples, "", form.material]
    return "\n".join([*head, OPEN, *_item(item, form), CLOSE, "", told.question, _ask(told, form), f"{form.score}:"])


def _ask(told: Guideline, form: Form) -> str:
    if told.scale:
        return form.reply.replace("{low}", str(told.scale[0])).replace("{high}", str(told.scale[1]))
    return form.choose.replace("{answers}", ", ".join(told.answers))


def _item(item: Item, form: Form) -> Iterator[str]:
    """The lines of an item; a line break within a field is indented, so that no field can pass for the next."""
    yield f"{form.question}: {_safe(item.stem)}"
    if item.place:
        yield f"{form.place}: {_safe(item.place)}"
    if item.kind == "choice":
        yield f"{form.options}:"
        yield from (f"- {_safe(option)}" for option in item.options)
    right = item.options[item.gold] if item.gold is not None else "; ".join(a.text for a in item.accept)
    yield f"{form.gold}: {_safe(right)}"


def _safe(text: str) -> str:
    """A text that can neither open nor close the marks, hides nothing, and stays within its field."""
    bare = _MARK.sub(lambda m: ("‹" if m[0][0] == "<" else "›") * len(m[0]), _HIDDEN.sub("", text))
    return re.sub(r"\s*[\n\u2028\u2029\x85]\s*", "\n    ", bare.strip())


def read(responses: Iterable[Response], prompts: Iterable[Prompt], items: Iterable[Item], *, file: Path | None = None,
         shipped: str = "lv.fr", criteria: tuple[str, ...] = ()) -> Iterator[Judgment]:  # fmt: skip
    """Take every response for a judgment. Raises as ``write`` does, and InputError where the guidelines are not those that were asked."""
    told = shelf.find(file, shipped).only(criteria)
    by = {f"judge:{each.id}": each for each in told.guidelines}
    asked, makers = {p.id: p for p in prompts}, {i.id: i.maker for i in items}
    for response in responses:
        prompt = asked[response.prompt]
        if prompt.method not in by:
            asked_for = prompt.method.removeprefix("judge:")
            raise InputError(f"{asked_for}: this guideline was asked and is not in the file; bring the prompts up to date")
        yield _judgment(response, prompt.item, by[prompt.method], told, makers.get(prompt.item, ""))


def _judgment(response: Response, item: str, each: Guideline, told: Guidelines, maker: str) -> Judgment:
    own = OWN if same_model(maker, response.model) else ""
    if response.error:
        found = Rating(status="failed", note=f"the call failed: {response.error}")
    else:
        found = rating(response.text, each, lang=told.form.lang, finish_reason=response.finish_reason)
    return Judgment(
        item=item, judge=response.model, criterion=each.criterion, value=found.value, status=found.status, guideline=each.id,
        note="; ".join(filter(None, (found.note, own))),
    )  # fmt: skip
