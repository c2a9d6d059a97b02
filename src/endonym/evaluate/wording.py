"""The words of a prompt, in the item's language.

In: an item, the order in which its options are shown, and a language's :class:`Wording`. Out: the text a model sees.
The one thing to know: no text ends with a blank. What a model is to say next begins with ``Wording.gap``, so `` A`` is
scored after ``Answer:`` and ``A`` after ``答案：``. The words are data (``wording.toml``) and a user's file of the same
form is laid over them. The oracle style follows the Tuguesice paper, with texts of our own.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..errors import InputError, TableError, UnknownName
from ..records import Item

LATIN = tuple("ABCDEFGHIJ")
_TABLE = Path(__file__).with_name("wording.toml")
_DIALECTS = {"pt": "pt-PT", "zh-tw": "zh-Hant", "zh-hk": "zh-Hant", "zh-mo": "zh-Hant"}
"""Tags that do not fall back to what stands before their hyphen."""


class Wording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said in one language; ``wording.toml`` says what each field is for."""

    lang: str
    name: str
    question: str
    answer: str
    gap: Literal["", " "]
    choose: str
    short: str
    unknown: str
    native: tuple[str, ...]
    styles: dict[str, str] = {}
    option: str = "{letter}. {text}"
    choice_page: str = "{question}{gap}{stem}\n{options}\n{instruction}{answer}"
    open_page: str = "{question}{gap}{stem}\n{instruction}{answer}"
    check: str = ""

    @property
    def letters(self) -> tuple[str, ...]:
        """The Latin letters, which every language has beside its own."""
        return LATIN


def wording(lang: str, file: str | Path | None = None) -> Wording:
    """Find the words of a language (BCP 47), with those of a user's TOML file laid over them, field by field.

    A tag falls back to the tag before its last hyphen (fr-CA → fr), pt to pt-PT, zh-TW to zh-Hant. Raises UnknownName
    for a language of neither table, TableError for a file that cannot be read or a field that does not fit.
    """
    ours, theirs = _ours(), _read(Path(file)) if file is not None else {}
    base, over = _fallback(lang, ours), _fallback(lang, theirs)
    if base is None and over is None:
        raise UnknownName("wording for the language", lang, {*ours, *theirs})
    words = _overlay(ours[base] if base else {}, theirs[over] if over else {})
    try:
        return msgspec.convert({**words, "lang": over or base}, Wording)
    except msgspec.ValidationError as problem:
        raise TableError(f"{file}: [{over}]: {problem}") from None


def languages() -> tuple[str, ...]:
    """The languages that have words of their own."""
    return tuple(_ours())


def alphabet(words: Wording, n: int, kind: Literal["latin", "native"] = "latin") -> tuple[str, ...]:
    """The letters of ``n`` options; raises InputError where the alphabet has fewer."""
    known = words.letters if kind == "latin" else words.native
    if n > len(known):
        raise InputError(f"{n} options: there are only {len(known)} {kind} letters for {words.lang!r}")
    return known[:n]


def ask_choice(
    item: Item, order: Sequence[int], *, wording: Wording, letters: Literal["latin", "native"] = "latin", instruct: bool = False
) -> str:
    """Write a multiple-choice question: cue and stem, one line an option beginning with its letter, and the answer cue.

    ``order[p]`` is the option shown at position ``p``; ``instruct`` adds the line that asks for one letter.
    """
    marks = alphabet(wording, len(order), letters)
    lines = [_fill(wording, "option", letter=mark, text=item.options[o]) for mark, o in zip(marks, order, strict=True)]
    return _page(wording, "choice_page", stem=item.stem, options="\n".join(lines), instruction=wording.choose if instruct else "")


def ask_open(item: Item, wording: Wording, *, instruct: bool = False, cues: bool = True) -> str:
    """Write an open question between its cues; without ``cues`` the question alone, as the Tuguesice paper asks it."""
    if not cues:
        return f"{item.stem}\n{wording.short}" if instruct else item.stem
    return _page(wording, "open_page", stem=item.stem, instruction=wording.short if instruct else "")


def system(wording: Wording, style: str, place: str, *, meta: Mapping[str, str] | None = None, name: str = "") -> str:
    """Write the system prompt of a style, "" for "plain"; raises UnknownName for a style the language has no text for."""
    if style == "plain":
        return ""
    if style not in wording.styles:
        raise UnknownName(f"style for {wording.lang}", style, ["plain", *wording.styles])
    text = wording.styles[style]
    return text.replace("{place}", place_name(wording.lang, place, meta=meta, name=name)) if "{place}" in text else text


def oracle(wording: Wording, place: str, *, meta: Mapping[str, str] | None = None, name: str = "") -> str:
    """Write the system prompt that puts a model inside the culture of a place."""
    return system(wording, "oracle", place, meta=meta, name=name)


def place_name(lang: str, place: str, *, meta: Mapping[str, str] | None = None, name: str = "") -> str:
    """Name a place in a language: ``name`` if given, ``meta["place_name"]``, the country's name (CLDR), or ``meta["region"]``.

    A country is an ISO 3166-1 code; a region (ISO 3166-2, as FR-BRE) has no name in CLDR's country list, so it must come
    with one. Anything that has not the form of a code is taken for a name. Raises InputError where there is no name.
    """
    given = name or (meta or {}).get("place_name", "")
    if given or not place.strip():
        return given or _nameless(lang, place)
    head, hyphen, tail = place.partition("-")
    if not (len(head) == 2 and head.isascii() and head.isupper() and (not hyphen or (len(tail) <= 3 and tail.isalnum()))):
        return place
    return ((meta or {}).get("region", "") if hyphen else _territories(lang).get(place, "")) or _nameless(lang, place)


def _nameless(lang: str, place: str) -> str:
    raise InputError(f"place {place!r}: no name is known in {lang!r}; give the item's meta a 'place_name'")


@cache
def _territories(lang: str) -> Mapping[str, str]:
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(lang, sep="-").territories
    except (UnknownLocaleError, ValueError):
        return {}


def _page(words: Wording, page: str, *, instruction: str, **texts: str) -> str:
    line = f"{instruction}\n" if instruction else ""
    return _fill(words, page, question=words.question, gap=words.gap, answer=words.answer, instruction=line, **texts)


def _fill(words: Wording, field: str, **texts: str) -> str:
    try:
        return getattr(words, field).format_map(texts)
    except (KeyError, ValueError, IndexError) as problem:
        known = ", ".join("{" + name + "}" for name in texts)
        raise InputError(f"wording of {words.lang}, {field}: {problem}; what can stand there is {known}") from None


def _fallback(lang: str, tables: Mapping[str, Any]) -> str | None:
    """The name of the table for a language: its own, or that of the nearest tag before a hyphen."""
    names = {name.lower(): name for name in tables}
    tag = lang.strip().replace("_", "-").lower()
    while tag:
        if tag in names:
            return names[tag]
        other = _DIALECTS.get(tag, "").lower()
        if other in names:
            return names[other]
        tag = tag.rpartition("-")[0]
    return None


def _overlay(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    words = {**base, **over}
    if isinstance(over.get("styles"), dict):
        words["styles"] = {**base.get("styles", {}), **over["styles"]}
    return words


@cache
def _ours() -> dict[str, dict[str, Any]]:
    return _read(_TABLE)


def _read(file: Path) -> dict[str, dict[str, Any]]:
    try:
        tables = msgspec.toml.decode(file.read_bytes(), type=dict[str, dict[str, Any]])
    except OSError as problem:
        raise TableError(f"{file}: {problem.strerror}") from None
    except msgspec.DecodeError as problem:
        raise TableError(f"{file}: {problem}") from None
    for lang, words in tables.items():
        for field in words:
            if field not in Wording.__struct_fields__:
                raise UnknownName(f"field in {file} [{lang}],", field, Wording.__struct_fields__)
    return tables
