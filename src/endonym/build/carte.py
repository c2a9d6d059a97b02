"""CARTE's questions on the regions of France in, items out.

In: JSON lines with ``question``, ``choices`` (a list, or an object letter → text), ``answer`` (a letter, a text, or an index from 0),
``region``, ``domain`` and ``is_carte_lv``. Out: French choice items; CARTE-LV, on linguistic variation, is ``subset="LV"``; every further
key goes into ``meta``. The one thing to know: the letters before the choices are taken off only where every choice carries its own
("A. …", "B) …", "c - …"), and an answer that can be read in two ways which name different options is a fault, never a guess.

Paper: CARTE (papers/carte.md), section 3 and table 1.
"""

import json
import re
import string
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..records import Item, Score
from .lines import Fault, found, rows

REGIONS = {
    "FR-ARA": ("Auvergne-Rhône-Alpes", "ARA"),
    "FR-BFC": ("Bourgogne-Franche-Comté", "BFC"),
    "FR-BRE": ("Bretagne", "BRE"),
    "FR-20R": ("Corse", "COR"),  # ISO 3166-2 has renamed FR-COR to FR-20R
    "FR-CVL": ("Centre-Val de Loire", "CVL"),
    "FR-GES": ("Grand Est", "GE"),
    "FR-HDF": ("Hauts-de-France", "HdF"),
    "FR-IDF": ("Île-de-France", "IdF"),
    "FR-NAQ": ("Nouvelle-Aquitaine", "NA"),
    "FR-NOR": ("Normandie", "NOR"),
    "FR-OCC": ("Occitanie", "OCC"),
    "FR-PAC": ("Provence-Alpes-Côte d'Azur", "PACA"),
    "FR-PDL": ("Pays de la Loire", "PdL"),
}
"""ISO 3166-2 code → the region's name and its abbreviation in the paper."""
FIELDS = ("question", "choices", "answer", "region", "domain", "is_carte_lv")
ABSTAIN = "Je ne sais pas"

_LETTERED = re.compile(r"\s*\(?\s*([A-Za-z])\s*(?:[.):：．）]\s*|\s[-–—]\s+|\s[-–—]$)(.*?)\s*", re.S)
_LETTER = re.compile(r"\(?\s*([A-Za-z])\s*[.):]?")
_LETTERS = re.compile(r"[A-Z](?:(?:\s*[,;/&+]\s*|\s+(?:et|ou|and|or)\s+|\s+)[A-Z])+")
_TAKEN = {"id", *Item.__struct_fields__, *Score.__struct_fields__}
_YES, _NO = ("true", "1"), ("false", "0")


def carte(path: str | Path, *, skipped: list[str] | None = None) -> Iterator[Item]:
    """Read a file of CARTE's questions, in its order.

    ``place`` is the ISO 3166-2 code of a metropolitan region, matched by name or abbreviation without regard to accents, case and
    hyphens; any other region (the paper has "FR" for the whole country) is place "FR". ``meta`` has the region as it is given, the
    domain and every key the format does not name. Raises ``TableError`` ("FILE:LINE: field: what") or, with ``skipped``, appends the
    sentence and goes on; ``InputError`` for a folder, ``StorageError`` for a file that is missing or may not be read.
    """
    name = Path(path).name
    ids: dict[str, tuple[Any, int]] = {}

    def read(number: int, text: str) -> Item:
        row = _row(text)
        _same_id(row.get("id"), number, ids)
        return _item(row, f"{name}:{number}")

    yield from rows(path, read, skipped)


def _row(text: str) -> dict[str, Any]:
    """One line as an object. A key that stands twice has two values, and JSON would keep the last in silence."""
    row = msgspec.json.decode(text)
    if not isinstance(row, dict):
        raise Fault(f"expected an object {{…}} on each line, found {found(row)}")
    json.loads(text, object_pairs_hook=_once)
    return row


def _once(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise Fault(f"{key}: stands twice in the row")
        seen.add(key)


def _same_id(value: Any, number: int, ids: dict[str, tuple[Any, int]]) -> None:
    """1 and "1" are two ids in JSON and one in every table made of it."""
    if value is None:
        return
    before, line = ids.setdefault(str(value), (value, number))
    if type(before) is not type(value):
        raise Fault(f"id: {found(value)} here and {found(before)} in line {line} would be one id; write ids as text")


def _item(row: dict[str, Any], source: str) -> Item:
    stem, region, domain = (_text(row, field) for field in ("question", "region", "domain"))
    options = choices(_needed(row, "choices"))
    gold = key(_needed(row, "answer"), options)
    abstain = next((n for n, option in enumerate(options) if _plain(option) == _plain(ABSTAIN)), None)
    if abstain == gold:
        raise Fault(f"answer: is {options[gold]!r}, which is never right")
    return Item(
        stem=stem, options=options, gold=gold, abstain=abstain, lang="fr", place=place(region), topic=domain,
        subset="LV" if _lv(row) else "", source=source, maker="carte", meta=_meta(row, region, domain),
    )  # fmt: skip


def _needed(row: dict[str, Any], field: str) -> Any:
    if field not in row:
        raise Fault(f"{field}: is missing; the row has {', '.join(row) or 'no field'}")
    return row[field]


def _text(row: dict[str, Any], field: str) -> str:
    value = _needed(row, field)
    if not isinstance(value, str):
        raise Fault(f"{field}: expected text, found {found(value)}")
    if not value.strip():
        raise Fault(f"{field}: is empty")
    return value.strip()


def choices(value: Any) -> tuple[str, ...]:
    """The texts of the options, without their letters. Raises ``Fault`` where one is no text or empty, or two are equal."""
    texts = _by_letter(value) if isinstance(value, dict) else value
    if not isinstance(texts, list):
        raise Fault(f"choices: expected a list of texts, or an object letter → text, found {found(value)}")
    if len(texts) < 2:
        raise Fault(f"choices: {len(texts)} options, expected at least two")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise Fault(f"choices[{number}]: expected text, found {found(text)}")
    options = _bare(texts)
    for number, option in enumerate(options):
        if not option:
            raise Fault(f"choices[{number}]: is empty, found {found(texts[number])}")
        if option in options[:number]:
            raise Fault(f"choices[{number}]: equals choices[{options.index(option)}], {option!r}")
    return options


def _by_letter(value: dict[str, Any]) -> list[Any]:
    letters = {letter.strip().upper(): text for letter, text in value.items()}
    expected = list(string.ascii_uppercase[: len(value)])
    if sorted(letters) != expected:
        raise Fault(f"choices: letters {', '.join(value)}, expected {', '.join(expected)}")
    return [letters[letter] for letter in expected]


def _bare(texts: list[str]) -> tuple[str, ...]:
    """Take the letters off where every choice carries its own; "Je ne sais pas" may stand without. Else the texts are as given."""
    marks = [_LETTERED.fullmatch(text) for text in texts]
    letters = [mark[1].upper() if mark else "" for mark in marks]
    expected = list(string.ascii_uppercase[: len(texts)])
    free = [not mark and _plain(text) == _plain(ABSTAIN) for mark, text in zip(marks, texts, strict=True)]
    if any(marks) and all(letter == own or none for letter, own, none in zip(letters, expected, free, strict=True)):
        return tuple(_nfc(mark[2] if mark else text) for mark, text in zip(marks, texts, strict=True))
    if sorted(letters) == expected:
        raise Fault(f"choices: letters stand in the order {', '.join(letters)}, so that an answer 'B' would be two options")
    return tuple(_nfc(text) for text in texts)


def key(answer: Any, options: tuple[str, ...]) -> int:
    """The index of the gold. Raises ``Fault`` where the answer names no option, or more than one."""
    value = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        two = "two golds, " if isinstance(value, list) and len(value) > 1 else ""
        raise Fault(f"answer: {two}expected one letter, text or index, found {json.dumps(value, ensure_ascii=False)}")
    text = _nfc(str(value))
    golds = _same_text(text, options)
    if isinstance(value, int):
        golds |= {value} & set(range(len(options)))
    else:
        golds |= _lettered(text, options, alone=not golds)
    if len(golds) == 1:
        return golds.pop()
    if golds:
        named = " and ".join(repr(options[gold]) for gold in sorted(golds))
        raise Fault(f"answer: two golds, {found(value)} names {named}")
    raise Fault(f"answer: {found(value)} names none of the {len(options)} options; expected a letter, a text or an index from 0")


def _lettered(text: str, options: tuple[str, ...], *, alone: bool) -> set[int]:
    """What an answer names by its letter: "B", "b)", or "B. text" where no option is the whole of it (``alone``)."""
    letter = _LETTER.fullmatch(text)
    if letter:
        return {_index(letter[1])} & set(range(len(options)))
    mark = _LETTERED.fullmatch(text)
    if not alone or not mark:
        if alone and _LETTERS.fullmatch(text):
            raise Fault(f"answer: two golds, {found(text)}")
        return set()
    golds = _same_text(_nfc(mark[2]), options)
    if not golds or _index(mark[1]) >= len(options):
        raise Fault(f"answer: {found(text)} has a {'letter' if golds else 'text'} that is no option")
    return {_index(mark[1])} if _index(mark[1]) in golds else golds | {_index(mark[1])}


def _index(letter: str) -> int:
    return string.ascii_uppercase.index(letter.upper())


def _same_text(text: str, options: tuple[str, ...]) -> set[int]:
    """Options of this text; only where there is none, options that differ in case alone."""
    exact = {n for n, option in enumerate(options) if option == text}
    return exact or {n for n, option in enumerate(options) if option.casefold() == text.casefold()}


def _lv(row: dict[str, Any]) -> bool:
    """Whether a question is in CARTE-LV; a file without the column has no such questions."""
    value = row.get("is_carte_lv", False)
    word = json.dumps(value) if isinstance(value, bool | int) else value.strip().lower() if isinstance(value, str) else ""
    if word not in _YES + _NO:
        raise Fault(f"is_carte_lv: expected true or false, found {found(value)}")
    return word in _YES


def place(region: str) -> str:
    """ISO 3166-2 code of a metropolitan region, by name, abbreviation or code; "FR" for any other text."""
    return _PLACES.get(_plain(region), "FR")


def _meta(row: dict[str, Any], region: str, domain: str) -> dict[str, str]:
    """Keys of a row that the format does not name, as texts; null is no value. A name that items or scores use is set apart."""
    meta = {"region": region, "domain": domain}
    for name, value in row.items():
        if name in FIELDS or value is None:
            continue
        apart = f"published_{name}" if name in _TAKEN else name
        meta[apart] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return meta


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _plain(text: str) -> str:
    """A name without accents, case, hyphens, apostrophes and further punctuation."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", bare))


_PLACES = {_plain(name): code for code, names in REGIONS.items() for name in (*names, code, code[3:])} | {"fr cor": "FR-20R"}
