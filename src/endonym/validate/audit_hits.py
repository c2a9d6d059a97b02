"""What the parts of the audit share: a hit and its kinds, and when two texts are the same or one holds the other.

In: texts. Out: their folded forms, cached, since options repeat over templates and languages. The one thing to know: a kind is data
(``data/audit/kinds.toml``): its gravity, what one finding of it is, its name and what to do; a part yields only kinds that stand there.
"""

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from ..records import Item

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
DATA = Path(__file__).parent.parent / "data" / "audit"
JOINERS = "\u200c\u200d"
"""They are letters' business where a script joins (Devanagari, Arabic), and invisible dirt elsewhere."""


class Kind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of fault, as ``kinds.toml`` has it."""

    severity: Severity
    unit: Literal["item", "entity", "set", "question", "entry", "benchmark"]
    title: str
    advice: str
    fix: str = ""


class Hit(NamedTuple):
    """One finding of one kind: the items that it touches, by their place in the table, and what is wrong with them."""

    kind: str
    items: tuple[int, ...]
    note: str


@cache
def kinds() -> dict[str, Kind]:
    """Every kind, in the order of the file: those of the raw rows first, those of open items last."""
    return msgspec.convert(tomllib.loads((DATA / "kinds.toml").read_text(encoding="utf-8")), dict[str, Kind])


class Signs(dict[int, Any]):
    """A table of ``str.translate`` that works out a character when it meets it first."""

    def __init__(self, of: Any) -> None:
        super().__init__()
        self.of = of

    def __missing__(self, code: int) -> Any:
        self[code] = found = self.of(chr(code))
        return found


def _same(sign: str) -> str:
    category = unicodedata.category(sign)
    if category == "Cf":
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(sign))
    if category == "Zs":
        return " "
    if category == "Pd":
        return "-"
    if 0xFF01 <= ord(sign) <= 0xFF5E:  # full-width forms; ² and ① stay what they are
        return chr(ord(sign) - 0xFEE0)
    return "'" if sign in "’‘ʼ′" else '"' if sign in "“”„«»" else sign


def _squashed(sign: str) -> str:
    return sign if unicodedata.category(sign)[0] in "LMN" else ""


_SAME, _SQUASHED = Signs(_same), Signs(_squashed)


@lru_cache(maxsize=200_000)
def same(text: str) -> str:
    """A text as it is compared: NFC, case, digits of every script, widths, dashes, quotes and blanks folded, the invisible left out."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_SAME)
    return " ".join(text.casefold().split())


def squashed(text: str) -> str:
    """The letters, signs and digits of a text alone, case folded."""
    return same(text).translate(_SQUASHED)


@lru_cache(maxsize=50_000)
def speaks(text: str) -> bool:
    """Whether a text has a letter or a digit at all."""
    return any(unicodedata.category(sign)[0] in "LN" for sign in text)


def holds(outer: str, inner: str) -> bool:
    """Whether a text holds another as whole words; in a script without blanks, anywhere. Both as ``same`` makes them."""
    at = outer.find(inner) if inner else -1
    while at >= 0:
        end = at + len(inner)
        if _free(outer[at - 1 : at], inner[0]) and _free(outer[end : end + 1], inner[-1]):
            return True
        at = outer.find(inner, at + 1)
    return False


def _free(beside: str, edge: str) -> bool:
    """Whether a word may end between its edge and what stands beside it."""
    if not beside or unicodedata.category(beside)[0] not in "LMN":
        return True
    pair = {_unspaced(beside), _unspaced(edge)}
    return pair not in ({"kana"}, {""})


def _unspaced(sign: str) -> str:
    """Of what kind a letter of a script without blanks is: a katakana word ends where the katakana end."""
    code = ord(sign)
    if 0x30A0 <= code <= 0x30FF or 0x31F0 <= code <= 0x31FF:
        return "kana"
    if 0x3040 <= code <= 0x309F or 0x3400 <= code <= 0x9FFF or 0x20000 <= code <= 0x3FFFF:
        return "han"
    return "other" if 0x0E00 <= code <= 0x0EFF or 0x1000 <= code <= 0x109F or 0x1780 <= code <= 0x17FF else ""


_ERA = re.compile(r"\s*(?:b\.? ?c\.?(?: ?e\.?)?|v\. ?chr\.?|a\. ?(?:de )?c\.?|до н\. ?э\.?|ईसा पूर्व|ई\.? ?पू\.?|公元前|紀元前|前)\s*")
_YEAR = re.compile(r"(\d{1,5})\s*(?:年|г\.|год)?")


@lru_cache(maxsize=50_000)
def year(text: str) -> int | None:
    """The year that an option is, before our era as a negative number; None where it is none. Without an era it has 3 or 4 digits."""
    plain, before = _ERA.subn("", same(text))
    match = _YEAR.fullmatch(plain)
    if not match or before > 1 or not (before or 2 < len(match[1]) < 5):
        return None
    return -int(match[1]) if before else int(match[1])


@lru_cache(maxsize=50_000)
def number(text: str) -> str | None:
    """An option that says the same in every language: a year, or digits with their signs; None where a word stands in it."""
    found = year(text)
    if found is not None:
        return str(found)
    plain = same(text)
    digits = any(sign.isdigit() for sign in plain)
    return plain if digits and not any(unicodedata.category(sign)[0] in "LM" for sign in plain) else None


def unit(item: Item) -> str:
    """What an item is one of, for tests that want independent draws: its entity, else its parallel set, else itself."""
    return item.entity or item.parallel or item.id


def name(item: Item) -> str:
    """The name of an item's entity where a data set gives it, as it is compared."""
    return same(item.meta.get("entity_name", ""))


def short(text: str, most: int = 80) -> str:
    """A text in one line, shown so that what cannot be seen is seen."""
    shown = "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"
