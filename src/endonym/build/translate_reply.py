"""What came back for one item in one language, read: its texts, and which of them were not asked for at all.

In: the item, the replies and what is fixed. Out: a ``Reply``, or a ``Reject`` with its reason. The one thing to know: a text that is known
(a label, a term of the glossary, a number) is taken as it is known, whatever a model wrote in its place.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..models.translating import said
from ..records import Item, Response
from .compose_json import Reject, questions
from .lines import found
from .translate_page import parts
from .translate_terms import KEPT, Fixed, Terms, folded

FILTERED = frozenset({"content_filter", "refusal", "safety", "SAFETY", "RECITATION", "blocklist"})
ENGINES = frozenset({"mt", "deepl", "google"})
MT, MODEL, PEOPLE, TRANSLITERATED = "mt", "model", "people", "transliteration"


class Reply(NamedTuple):
    """``texts``: the stem, then options or answers. ``made``: how those came about that are fixed, "" for the others. ``terms``: what the
    glossary asks of each. ``spelt``: what the model says it wrote by its sound."""

    texts: tuple[str, ...]
    made: tuple[str, ...]
    terms: tuple[dict[str, tuple[str, ...]], ...]
    spelt: tuple[str, ...] = ()


def fixed_of(item: Item, lang: str, terms: Terms) -> list[Fixed | None]:
    """What of an item need not be asked for; the stem always is."""
    stem, *others = parts(item)
    return [None, *(terms.fixed(text, item, lang) for text in others)] if stem else []


def reply_of(item: Item, lang: str, replies: Mapping[str, Response | None], terms: Terms) -> Reply:
    """Read the replies for an item: one for all of it (""), or one for each text (by its number). Raises ``Reject``."""
    fixed = fixed_of(item, lang, terms)
    for response in replies.values():
        _whole(response)
    there = {part: response for part, response in replies.items() if response}
    texts, spelt = _object(there[""], item) if "" in there else (_plain(there, fixed), ())
    texts = [known.text if known else text for known, text in zip(fixed, texts, strict=True)]
    made = tuple(known.made if known else "" for known in fixed)
    wanted = tuple(terms.terms_in(text, lang) for text in parts(item))
    return Reply(tuple(texts), made, wanted, tuple(_spelt(spelt, item, texts)))


def _whole(response: Response | None) -> None:
    if response is None:
        raise Reject("missing", "no reply came for one of its texts")
    if response.error:
        raise Reject("failed", response.error)
    if response.finish_reason in FILTERED:
        raise Reject("refused", f"the reply was refused: {response.text[:120] or response.finish_reason}")


def _plain(replies: Mapping[str, Response], fixed: list[Fixed | None]) -> list[str]:
    """Texts that were translated one by one."""
    for part, response in replies.items():
        if response.finish_reason == "length":
            raise Reject("truncated", f"text {part} was cut at the limit of tokens: {response.text[-80:]!r}")
    texts = [_text(said(replies[str(n)].text), f"text {n}") if str(n) in replies else "" for n in range(len(fixed))]
    if lost := [n for n, text in enumerate(texts) if not text and fixed[n] is None]:
        raise Reject("missing", f"text {lost[0]} was not asked for; the glossary or the labels are others than those of the prompts")
    return texts


def _object(response: Response, item: Item) -> tuple[list[str], tuple[str, ...]]:
    """The JSON object of a model: texts, and what it says it transliterated."""
    written = questions(response.text, cut=response.finish_reason == "length")
    if len(written) != 1 or not isinstance(written[0], dict):
        raise Reject("malformed", f"expected one JSON object, found {len(written)} values")
    raw: dict[str, Any] = written[0]
    options, wanted = raw.get("options"), len(parts(item)) - 1
    if not isinstance(options, list):
        raise Reject("fields", f"options: {'is missing' if 'options' not in raw else f'expected a list, found {found(options)}'}")
    if len(options) != wanted:
        raise Reject("options", f"options: {len(options)} came back for {wanted}")
    texts = [_text(raw.get("question"), "question"), *(_text(option, f"options[{n}]") for n, option in enumerate(options))]
    spelt = raw.get("transliterated", [])
    if not isinstance(spelt, list) or not all(isinstance(one, str) for one in spelt):
        raise Reject("fields", f"transliterated: expected a list of texts, found {found(spelt)}")
    return texts, tuple(_text(one, "transliterated") for one in spelt)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise Reject("fields", f"{name}: {'is missing' if value is None else 'expected text, found ' + found(value)}")
    if not value.strip():
        raise Reject("fields", f"{name}: is empty")
    return unicodedata.normalize("NFC", " ".join(value.split()))


def _spelt(names: tuple[str, ...], item: Item, texts: list[str]) -> list[str]:
    """What was transliterated, as it stands in the translation; a model that lists originals is understood."""
    before, kept = [folded(text) for text in parts(item)], list[str]()
    for name in names:
        if any(folded(name) in folded(text) for text in texts):
            kept.append(name)
        elif folded(name) in before:
            kept.append(texts[before.index(folded(name))])
        else:
            raise Reject("fields", f"transliterated: {name!r} stands in none of the translated texts")
    return kept


def made_by(model: str, before: str, after: str, reply: Reply) -> str:
    """How a text was made that was asked for."""
    if before.strip() == after:
        return KEPT
    if any(folded(name) == folded(after) for name in reply.spelt):
        return TRANSLITERATED
    provider = model.partition("/")[0]
    return MT if provider in ENGINES else PEOPLE if provider == "people" else MODEL
