"""One question as a model wrote it in, an item out; or the reason why it is none.

In: a JSON object with ``question``, ``options`` (four), ``answer``, ``topic``, ``region``, ``evidence`` and perhaps ``kind``. Out: an item
whose last option is the fixed "don't know". The one thing to know: the evidence must stand in the document, word for word: only
blanks, quotation marks, apostrophes, hyphens, invisible signs, ligatures and case may differ, so that an invention is found.
Paper: CARTE, sections 3.2 and 4.
"""

import re
import unicodedata
from typing import Any

from ..records import Item, Record, Source
from . import carte
from .compose_json import Reject
from .compose_wording import Places, Wording, plain
from .lines import Fault, found

OPTIONS = 4
LEAST = 3
"""Words of a quotation at least: fewer would stand in any document."""

_QUOTES = re.compile("[\"“”„‟«»‹›]|''|``")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ´`′", "'") | dict.fromkeys("‐‑‒–—−", "-") | {"ﬁ": "fi", "ﬂ": "fl", "…": "..."})
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_BEFORE = re.compile(r"\s+(?=[,.;:!?%)\]])")


class Given(Record, frozen=True):
    """What every question of a run is held to."""

    wording: Wording
    regions: dict[str, tuple[str, ...]]
    subset: str = ""


def item(raw: Any, source: Source, maker: str, given: Given, places: Places) -> Item:
    """Read one question. Raises ``Reject`` naming what is wrong with it."""
    if not isinstance(raw, dict):
        raise Reject("fields", f"expected an object with the fields of a question, found {found(raw)}")
    stem, topic, region, quote = (_text(raw, name) for name in ("question", "topic", "region", "evidence"))
    options = _options(raw.get("options"), given.wording.abstain)
    gold = _gold(raw, options)
    place = places.code(region)
    if not place:
        raise Reject("region", f"{region!r} is none of the regions of {places.country}")
    known = {plain(name): name for name in given.wording.topics}
    if plain(topic) not in known:
        raise Reject("topic", f"{topic!r} is none of the {len(known)} topics")
    held_to(quote, source)
    kind = raw["kind"].strip() if isinstance(raw.get("kind"), str) else ""
    meta = {"evidence": quote, "region": given.regions[place][0], **({"form": kind} if kind else {})}
    return Item(
        stem=stem, options=(*options, given.wording.abstain), gold=gold, abstain=len(options), lang=given.wording.lang, place=place,
        topic=known[plain(topic)], subset=given.subset, source=source.id, maker=maker, meta=meta,
    )  # fmt: skip


def _text(raw: dict[str, Any], name: str) -> str:
    value = raw.get(name)
    if not isinstance(value, str) or not value.strip():
        reason = name if name in ("evidence", "topic", "region") else "fields"
        raise Reject(reason, f"{name}: {'is missing' if name not in raw else f'expected text, found {found(value)}'}")
    return unicodedata.normalize("NFC", " ".join(value.split()))


def _options(value: Any, abstain: str) -> tuple[str, ...]:
    """Four different options without their letters; a last one that only says "don't know" is ours and is taken off."""
    if not isinstance(value, list):
        raise Reject("options", f"options: expected a list of {OPTIONS} texts, found {found(value)}")
    try:
        options = carte.choices([" ".join(o.split()) if isinstance(o, str) else o for o in value])
    except Fault as fault:
        raise Reject("options", str(fault).replace("choices", "options")) from None
    unsure = [n for n, option in enumerate(options) if plain(option) == plain(abstain)]
    if unsure == [OPTIONS]:
        options, unsure = options[:OPTIONS], []
    if len(options) != OPTIONS or unsure:
        also = f", one of them {abstain!r}" if unsure else ""
        raise Reject("options", f"options: {len(options)} were written{also}, expected {OPTIONS}")
    if len({plain(option) or option for option in options}) < OPTIONS:
        raise Reject("options", "options: two differ in nothing but case, accents or punctuation")
    return options


def _gold(raw: dict[str, Any], options: tuple[str, ...]) -> int:
    answer = raw.get("answer")
    if not isinstance(answer, str) or not answer.strip():
        raise Reject("answer", f"answer: {'is missing' if 'answer' not in raw else f'expected a letter, found {found(answer)}'}")
    try:
        return carte.key(" ".join(answer.split()), options)
    except Fault as fault:
        raise Reject("answer", str(fault)) from None


def held_to(quote: str, source: Source) -> None:
    """Raise ``Reject`` unless a quotation stands in a document, from word to word."""
    bare = folded(quote).strip(" .,;:!?-")
    if len(bare.split()) < LEAST:
        raise Reject("evidence", f"evidence: {quote!r} is shorter than {LEAST} words, and would stand anywhere")
    if not re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", folded(f"{source.title}\n{source.text}")):
        raise Reject("evidence", f"evidence: does not stand in {source.id}: {quote[:120]!r}")


def folded(text: str) -> str:
    """A text as quotations are compared: one blank for any, no quotation marks, straight apostrophes and hyphens, no case."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFC", text)).translate(_APOSTROPHES)
    return _BEFORE.sub("", " ".join(_QUOTES.sub(" ", text).split())).casefold()
