"""Mend what can be mended without a person: an item in, the same or a new item out, with the names of what was done.

In: items. Out: items; an edited one names the item it was made from as its ``parent``. The one thing to know: only what changes no meaning
is done: NFC, characters that nobody sees, blanks, and a row that stands twice. A copy under another template stays, since dropping it
would leave its parallel set without a language.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

import msgspec

from ..records import Accept, Item
from .audit_hits import kinds
from .audit_text import unseen

_BLANKS = re.compile(r"(?<=\S) {2,}(?=\S)")
FIXES = ("invisible", "nfc", "blanks_double", "blanks_edge", "label_blanks", "item_twice")
"""The kinds that are mended, in this order; those of ``kinds.toml`` that have a fix."""


def mended(items: Iterable[Item], counts: dict[str, int], *, only: Iterable[str] = ()) -> Iterator[Item]:
    """Every item, mended where it had to be, each row once; ``counts`` is filled with kind → items mended, and items dropped."""
    wanted = [kind for kind in FIXES if kind in (set(only) or kinds().keys())]
    seen: set[tuple[str, str, str, str]] = set()
    for item in items:
        better, done = mend(item, wanted)
        for kind in done:
            counts[kind] = counts.get(kind, 0) + 1
        row = (better.id, better.entity, better.parallel, better.template)
        if "item_twice" in wanted and row in seen:
            counts["item_twice"] = counts.get("item_twice", 0) + 1
            continue
        seen.add(row)
        yield better


def mend(item: Item, wanted: Iterable[str] = FIXES) -> tuple[Item, list[str]]:
    """One item with its safe fixes, and which of them it needed; itself if none. A stem or option that would be empty is left."""
    done: list[str] = []
    better = item
    for kind in wanted:
        after = _labelled(better) if kind == "label_blanks" else _rewritten(better, kind)
        if after != better:
            better = after
            done.append(kind)
    if better.id != item.id:
        better = msgspec.structs.replace(better, parent=item.id)
    return better, done


def _rewritten(item: Item, kind: str) -> Item:
    """An item whose texts went through one fix. The blank at the end of a published prompt belongs to its cue."""
    texts = {
        "stem": _text(item.stem, kind), "options": tuple(_text(text, kind) for text in item.options),
        "accept": tuple(Accept(text=_text(answer.text, kind), weight=answer.weight) for answer in item.accept),
        "prompt": item.prompt if kind == "blanks_edge" else _text(item.prompt, kind),
    }  # fmt: skip
    return msgspec.structs.replace(item, **texts)


def _text(text: str, kind: str) -> str:
    if kind == "invisible" and not text.isascii():
        dirt = set(unseen(text))
        better = "".join(sign for at, sign in enumerate(text) if at not in dirt) if dirt else text
    elif kind == "nfc":
        better = unicodedata.normalize("NFC", text)
    elif kind == "blanks_double":
        better = _BLANKS.sub(" ", text)
    else:
        better = text.strip() if kind == "blanks_edge" else text
    return better if better.strip() or not text.strip() else text


def _labelled(item: Item) -> Item:
    labels = {key: getattr(item, key).strip() for key in ("place", "topic", "subset", "entity", "template", "source")}
    return msgspec.structs.replace(item, **labels, meta={key: value.strip() for key, value in item.meta.items()})
