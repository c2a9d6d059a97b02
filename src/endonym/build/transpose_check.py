"""What a moved question is held to: it names its new country, nothing of the old one, it is a question, and in its language.

In: what a model or a person wrote, and the item that it was made from. Out: a question (a ``Source``), or a ``Reject`` with a reason that
can be counted. The one thing to know: a country is named by its name or by its people's; both are data (``names`` of a file of words).
Paper: Tuguesice, section 2 (questions that make no sense in the country that they were moved to).
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any

from ..canonical import digest
from ..records import Accept, Item, Source
from .compose_item import folded
from .compose_json import Reject, questions
from .compose_wording import read_wording
from .lines import found
from .transpose_page import FOLDER, Wording, country, shipped

MARKS = ("?", "？", "؟")
"""Signs that end a question: Latin, full-width, Arabic; in Greek it is a semicolon."""
LEAST = 4
"""Words from which on a language is told."""
_HALF = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


def raw(text: str, *, cut: bool) -> dict[str, Any]:
    """The one JSON object of a reply. Raises ``Reject``: truncated, malformed."""
    written = questions(text, cut=cut)
    if len(written) != 1 or not isinstance(written[0], dict):
        raise Reject("malformed", f"expected one JSON object, found {len(written)} values")
    if _HALF.search(json.dumps(written[0], ensure_ascii=False)):
        raise Reject("malformed", "holds half of a sign (a lone surrogate), which no table can hold")
    return written[0]


def question(written: dict[str, Any], item: Item, place: str, told: Wording) -> str:
    """The question of a reply. Raises ``Reject``: unfit (the model says so), fields, and as ``hold`` does."""
    fits, why = written.get("fits", True), written.get("why", "")
    if not isinstance(fits, bool):
        raise Reject("fields", f"fits: expected true or false, found {found(fits)}")
    if not fits:
        reason = why if isinstance(why, str) and why.strip() else "no reason given"
        raise Reject("unfit", f"the model says that it cannot be moved: {reason}")
    text = one_line(written.get("question"), "question")
    hold(text, item, place, told)
    return text


def one_line(value: Any, name: str) -> str:
    """A text without blanks to spare. Raises ``Reject`` for what is none."""
    if not isinstance(value, str) or not value.strip():
        what = "is missing" if value is None else "is empty" if isinstance(value, str) else f"expected text, found {found(value)}"
        raise Reject("fields", f"{name}: {what}")
    return unicodedata.normalize("NFC", " ".join(value.split()))


def hold(text: str, item: Item, place: str, told: Wording) -> None:
    """Raise ``Reject``: question, target, source, language, untranslated."""
    marked(text, told.lang)
    here, there = names(place, told), names(item.place, told)
    if not any(pattern(name).search(text) for name in here):
        raise Reject("target", f"{country(place, told.lang)} is not named: {text[:120]!r}")
    for name in there:
        if name not in here and (seen := pattern(name).search(text)):
            raise Reject("source", f"{seen[0]!r} still names {country(item.place, told.lang)}: {text[:120]!r}")
    if other := other_language(text, told):
        raise Reject("language", f"reads like {other!r}, not {told.lang!r}: {text[:120]!r}")
    if folded(text) == folded(item.stem):
        raise Reject("untranslated", f"came back as it was: {text[:120]!r}")


def marked(text: str, lang: str) -> None:
    """Raise ``Reject`` unless a text ends as a question does."""
    if not text.rstrip(" \"'»”)").endswith((*MARKS, *([";"] if lang[:2] == "el" else []))):
        raise Reject("question", f"does not end with a question mark: {text[:120]!r}")


def names(place: str, told: Wording) -> tuple[str, ...]:
    """How a country and its people are named in the language of a file."""
    return (country(place, told.lang), *told.names.get(place.partition("-")[0].upper(), ()))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A name as it is looked for: whole words; in lower case it finds any case, a capital only itself; ``*`` is any ending."""
    bare = re.escape(name).replace(r"\*", r"\w*")
    return re.compile(rf"(?<![\w-]){bare}(?!\w)", re.I if name == name.lower() else 0)


def other_language(text: str, told: Wording) -> str:
    """The language of which a text has more frequent words than of its own; "" where there is none, or too few words."""
    words = [word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", text))]
    if len(words) < LEAST:
        return ""
    own, base = _share(words, frozenset(told.common)), told.lang.partition("-")[0]
    others = {lang: _share(words, common) for lang, common in _lists().items() if lang.partition("-")[0] != base}
    nearest = max(others, key=lambda lang: others[lang], default="")
    return nearest if nearest and others[nearest] > own else ""


@cache
def _lists() -> dict[str, frozenset[str]]:
    """Language → its frequent words, of the files of this stage and of those by which documents become questions."""
    folder = FOLDER.parent / "compose"
    composing = {each.lang: each.common for each in map(read_wording, sorted(folder.glob("*.toml")))}
    own = {lang: each.common for lang, each in shipped().items()}
    return {lang: frozenset(words) for lang, words in {**composing, **own}.items()}


def _share(words: Sequence[str], common: frozenset[str]) -> float:
    return sum(word in common or bool(common & set(re.split("[-'’]", word))) for word in words) / len(words)


def source(text: str, item: Item, place: str, told: Wording, maker: str) -> Source:
    """A moved question, without its answers: what people revise and answer. ``labels``: the original, and a model's answers."""
    return Source(
        id=digest(["transposed", told.lang, place, text]), text=text, lang=told.lang, place=place, topic=item.topic,
        fact={"item": item.id, "from": item.place, "maker": maker}, labels={"original": {item.lang or "und": item.stem}},
    )  # fmt: skip


def item(asked: Source, accept: tuple[Accept, ...], *, subset: str, meta: dict[str, str]) -> Item:
    """A question with its answers: an open item, whose parent is the item that it was made from."""
    told = {"from": asked.fact["from"]} if asked.fact.get("from") else {}
    return Item(
        stem=asked.text, kind="open", accept=accept, lang=asked.lang, place=asked.place, topic=asked.topic, subset=subset,
        source=asked.id, parent=asked.fact.get("item", ""), maker=asked.fact.get("maker", ""), meta={**told, **meta},
    )  # fmt: skip
