"""Countries in, their administrative areas out: ISO 3166-2 codes with names in any languages, and how each name was made.

In: countries, languages and, if a recipe names it, a table of sources of the topic ``area`` (``build.knowledge`` mines it). Out: areas.
The one thing to know: a name comes from the knowledge base if it has one, else from the translations of iso-codes, else from ISO 3166-2
itself where its spelling is in an official language of the country; else there is none. No name is guessed, none is transliterated.
Data: pycountry (iso-codes), CLDR's official languages by Babel.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import InputError, Unavailable, UnknownName
from ..records import Source
from .distractors import Area

VERSION = "1"
BASE, TRANSLATED, ISO, UNTRANSLATED = "knowledge base", "iso-codes", "ISO 3166-2", "ISO 3166-2, not translated"
LOCALES = {"zh": "zh_CN", "zh-hans": "zh_CN", "zh-hant": "zh_TW", "pt-br": "pt_BR", "no": "nb"}
"""Languages whose translations have another name; all others: BCP 47 with an underscore."""


def areas(known: Iterable[Source] = (), *, countries: tuple[str, ...], langs: tuple[str, ...], level: int = 1,
          kinds: tuple[str, ...] = (), as_written: bool = False, skipped: list[str] | None = None) -> Iterator[Area]:  # fmt: skip
    """The areas of each country, in the order of their codes; ``made`` says of each language where the name comes from.

    ``level``: 1 for areas that lie in no other, 2 for those in them, 0 for all. ``kinds``: ISO's words, as "Region"; empty: all.
    ``as_written``: where a language has no name, take it as ISO 3166-2 writes it, and say so.
    ``skipped`` gets a line for each name that nobody has. Raises ``UnknownName`` for a country or kind, ``InputError``, ``Unavailable``.
    """
    if level < 0:
        raise InputError(f"level: {level} is no level; 0 is all of them")
    named = _named(known)
    for country in countries:
        held = _subdivisions(country)
        chosen = [area for area in held.values() if level in (0, _level(area, held)) and (not kinds or area.type in kinds)]
        if kinds and not chosen:
            raise UnknownName(f"kind of area of {country}", kinds[0], {area.type for area in held.values()})
        for area in chosen:
            made = {lang: _label(area, lang, named.get(area.code, {}), as_written) for lang in langs}
            yield _area(area, held, made, skipped)


def _named(known: Iterable[Source]) -> dict[str, Mapping[str, str]]:
    """Code → names, of a table of mined areas."""
    return {code: source.labels.get("entity", {}) for source in known for code in source.fact.get("code", "").split()}


def _subdivisions(country: str) -> dict[str, Any]:
    """All areas of a country, by code. Raises ``UnknownName``."""
    book = _pycountry()
    if book.countries.get(alpha_2=country) is None:
        raise UnknownName("country (ISO 3166-1 alpha-2)", country, [one.alpha_2 for one in book.countries])
    return {area.code: area for area in sorted(book.subdivisions.get(country_code=country) or (), key=lambda area: area.code)}


def _parents(area: Any, held: Mapping[str, Any]) -> list[str]:
    """The areas in which an area lies, the nearest first."""
    found: list[str] = []
    while area is not None and area.parent_code and area.parent_code not in found:
        found.append(area.parent_code)
        area = held.get(area.parent_code)
    return found


def _level(area: Any, held: Mapping[str, Any]) -> int:
    return 1 + len(_parents(area, held))


def _area(area: Any, held: Mapping[str, Any], made: Mapping[str, tuple[str, str]], skipped: list[str] | None) -> Area:
    if skipped is not None:
        missing = [lang for lang, (text, _) in made.items() if not text]
        skipped += [f"{area.code}: has no name in the language {lang!r} (ISO 3166-2 has {area.name!r})" for lang in missing]
    labels = {lang: text for lang, (text, _) in made.items() if text}
    how = {lang: made[lang][1] for lang in labels}
    return Area(code=area.code, place=area.country_code, labels=labels, parents=tuple(_parents(area, held)), made=how)


def _label(area: Any, lang: str, names: Mapping[str, str], as_written: bool) -> tuple[str, str]:
    """A name and where it comes from; both empty where there is none. What ISO adds in brackets is another name, and left out."""
    if text := names.get(lang, "").strip():
        return text, BASE
    if text := _translations(lang).get(area.name, ""):
        return text.partition(" [")[0], TRANSLATED
    plain = area.name.partition(" [")[0]
    if lang.partition("-")[0] in official(area.country_code):
        return plain, ISO
    return (plain, UNTRANSLATED) if as_written else ("", "")


@lru_cache(64)
def _translations(lang: str) -> Mapping[str, str]:
    """The names of ISO 3166-2 → those in a language; empty where iso-codes has none. A translation that says the same is one too."""
    from babel.messages.mofile import read_mo

    name = LOCALES.get(lang.lower(), lang.replace("-", "_"))
    for folder in (name, name.partition("_")[0]):
        path = Path(_pycountry().LOCALES_DIR) / folder / "LC_MESSAGES" / "iso3166-2.mo"
        if path.is_file():
            with path.open("rb") as file:
                return {str(message.id): str(message.string) for message in read_mo(file) if message.id and message.string}
    return {}


@lru_cache(300)
def official(country: str) -> frozenset[str]:
    """The official languages of a country that CLDR knows, of its parts too, without their scripts."""
    from babel.languages import get_official_languages

    return frozenset(one.partition("_")[0] for one in get_official_languages(country, regional=True, de_facto=True))


def _pycountry() -> Any:
    try:
        import pycountry
    except ImportError as error:
        raise Unavailable("areas need pycountry: pip install 'endonym[knowledge]'") from error
    return pycountry
