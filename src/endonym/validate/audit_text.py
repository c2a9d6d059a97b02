"""The characters of every text: what cannot be seen, what is spelt in two ways, what a page or a wrong decoding left behind.

In: items. Out: hits, at most one of a kind an item. The one thing to know: a joiner (U+200C, U+200D) between letters of a script that joins
is spelling, and a mark of direction in a script from right to left is print; both are dirt elsewhere.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ..records import Item
from .audit_hits import JOINERS, Hit, Signs, short

_SUSPECT = re.compile(r"[<&{%*_#\[\]]|''")
"""Without one of these no markup is looked for."""
_ORDINARY = re.compile(r"[ -~\n\t]*\Z")
_DIRECTIONS = "\u200e\u200f\u061c"
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]*(?:\s[^<>]*)?/?>|&(?:[a-zA-Z]{2,8}|#\d{2,6}|#x[0-9a-fA-F]{2,6});|<!--")
_WIKI = re.compile(r"\[\[|\]\]|'{3,}|\[\d{1,3}\]|\[citation needed\]|\*\*\S|__\S+__|^#{1,6} |\]\(https?:", re.M)
_SLOT = re.compile(r"\{\{?[A-Za-z_][\w .-]{0,30}\}?\}|<[A-Z_]{3,}>|\[(?:NAME|PLACE|YEAR|ENTITY|INSERT[^\]]*)\]|%\(?[a-z_]{2,}\)s")
_LATE = "\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122"
"""What the bytes 0x80 to 0x9f are in Windows-1252."""
_DECODED = re.compile(f"[\u00c2-\u00f4][\u0080-\u00bf{_LATE}]{{1,3}}")
_ODD = Signs(lambda sign: sign if sign == "\ufffd" or (unicodedata.category(sign)[0] == "C" and sign not in "\n\t") else "")
_DOUBLE = re.compile(r"(?<=\S) {2,}(?=\S)")
_UNUSUAL = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f]|(?<=[ -~])\u3000|\u3000(?=[ -~])")


def texts(items: Sequence[Item]) -> Iterator[Hit]:
    """Kinds: invisible, control, nfc, mojibake, markup, placeholder, blanks_edge, blanks_double, blanks_unusual, label_blanks."""
    for at, item in enumerate(items):
        told: set[str] = set()
        for field, text in fields(item):
            for kind, what in faults(text):
                if kind not in told and not (field == "prompt" and kind.startswith("blanks")):
                    told.add(kind)
                    yield Hit(kind, (at,), f"{field}: {what}: {short(text)}")
        for key, value in labels(item):
            if value != value.strip():
                yield Hit("label_blanks", (at,), f"{key}: {value!r}")
                break


def fields(item: Item) -> Iterator[tuple[str, str]]:
    """Every text that a reader of an item sees, with the name of its field; of the prompt what stands beside the stem."""
    yield "stem", item.stem
    for n, text in enumerate(item.options):
        yield f"options[{n}]", text
    for n, answer in enumerate(item.accept):
        yield f"accept[{n}]", answer.text
    if item.prompt:
        yield "prompt", item.prompt.replace(item.stem, "", 1)


def labels(item: Item) -> Iterator[tuple[str, str]]:
    """The labels of an item that are grouped by."""
    for key in ("place", "topic", "subset", "entity", "template", "source"):
        yield key, getattr(item, key)
    yield from item.meta.items()


@lru_cache(maxsize=100_000)
def faults(text: str) -> tuple[tuple[str, str], ...]:
    """Every fault of one text: its kind, and what was seen."""
    found: list[tuple[str, str]] = []
    if text != text.strip():
        found.append(("blanks_edge", f"{text[: len(text) - len(text.lstrip())]!r} … {text[len(text.rstrip()) :]!r}"))
    if _DOUBLE.search(text):
        found.append(("blanks_double", "two blanks"))
    if _SUSPECT.search(text):
        found.extend(_marked(text))
    if not _ORDINARY.match(text):
        found.extend(_beyond(text))
    return tuple(found)


def _marked(text: str) -> Iterator[tuple[str, str]]:
    """Slots, and what looks like markup and is no slot."""
    slot = _SLOT.search(text)
    if slot:
        yield "placeholder", slot[0]
    for pattern in (_TAG, _WIKI):
        match = pattern.search(text)
        if match and not (slot and match[0] in slot[0]):
            yield "markup", match[0]


def _beyond(text: str) -> Iterator[tuple[str, str]]:
    """What only a text with more than plain ASCII can have."""
    odd = text.translate(_ODD)
    if odd and (signs := sorted({text[at] for at in unseen(text)})):
        yield "invisible", ", ".join(f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".strip() for sign in signs)
    if dead := [sign for sign in odd if unicodedata.category(sign) != "Cf"]:
        yield "control", f"U+{ord(dead[0]):04X}"
    if not unicodedata.is_normalized("NFC", text):
        yield "nfc", _composed(text)
    if (wrong := _misread(text)) is not None:
        yield "mojibake", wrong
    if match := _UNUSUAL.search(text):
        yield "blanks_unusual", f"U+{ord(match[0]):04X} {unicodedata.name(match[0], '')}"


def _composed(text: str) -> str:
    """The first word that NFC would write otherwise."""
    return next((word for word in text.split() if not unicodedata.is_normalized("NFC", word)), text)


def _misread(text: str) -> str | None:
    """The first piece that is UTF-8 read as Windows-1252, and what it should have been."""
    for match in _DECODED.finditer(text):
        for piece in (match[0], match[0][:3], match[0][:2]):
            try:
                raw = b"".join(sign.encode("cp1252") if ord(sign) > 0xFF else sign.encode("latin-1") for sign in piece)
                return f"{piece} for {raw.decode('utf-8')}"
            except (UnicodeEncodeError, UnicodeDecodeError):
                continue
    return None


def unseen(text: str) -> list[int]:
    """Where the characters of a text stand that nobody sees and no spelling needs."""
    return [at for at, sign in enumerate(text) if unicodedata.category(sign) == "Cf" and not _spelt(text, at)]


def _spelt(text: str, at: int) -> bool:
    """Whether a format character belongs to the spelling: a joiner between letters that join, or in an emoji; a mark of direction."""
    sign, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if sign in JOINERS:
        return (_joins(before) and (_joins(after) or not after or sign == "\u200d")) or (_pictured(before) and _pictured(after))
    if sign in _DIRECTIONS:
        return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)
    return False


def _joins(sign: str) -> bool:
    """Letters and signs of the scripts that joiners are written in: Arabic, Syriac, Mongolian and those of India and around."""
    return bool(sign) and unicodedata.category(sign)[0] in "LM" and (0x0600 <= ord(sign) <= 0x08FF or 0x0900 <= ord(sign) <= 0x1BFF)


def _pictured(sign: str) -> bool:
    return bool(sign) and (unicodedata.category(sign) in ("So", "Sk") or sign == "\ufe0f")
