"""Facts in, multiple-choice items out: the same question from several templates in several languages.

In: sources (``fact``: slot → a year or codes of areas; ``labels``: slot → language → text), a TOML file of templates and of the
forms of countries' names, and a table of areas. Out: items, one for each source × template × language, in that order.
The one thing to know: distractors, order and gold position are chosen once for a source and a template, as values, and only
then written in each language; so the translations of an item are parallel, whatever languages are asked for.
Paper: XNationQA, section 3.
"""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NoReturn

from ..canonical import digest
from ..errors import InputError, TableError, UnknownName
from ..records import Item, Record, Source
from . import distractors as wrong
from . import lines

VERSION = "2"
MAKER = "endonym/templates"
_BRACES = re.compile(r"\{(\w+)\}")


class Domain(Record, frozen=True):
    """One kind of fact: the slot that holds the answer, what the answer is, and language → the wordings of its question."""

    slot: str
    kind: Literal["year", "area"]
    templates: dict[str, tuple[str, ...]]


class Country(Record, frozen=True):
    """A country as questions need it: its English name, and language → form → text (``of_country = "der Vereinigten Staaten"``)."""

    name: str
    forms: dict[str, dict[str, str]]


class Wording(Record, frozen=True):
    """The whole file of templates: languages (BCP 47), topic → domain, ISO 3166-1 alpha-2 → country."""

    languages: tuple[str, ...]
    domains: dict[str, Domain]
    countries: dict[str, Country]


class _Choice(Record, frozen=True):
    """What is chosen once for all languages: the values in their order, and where the true one stands."""

    values: tuple[str, ...]
    gold: int


class _Given(Record, frozen=True):
    """The settings of one run, and what was read from its files."""

    wording: Wording
    areas: dict[str, wrong.Area]
    langs: tuple[str, ...]
    distractors: int
    seed: int
    latest: int
    bounds: tuple[int, int]


def templates(sources: Iterable[Source], *, file: Path, areas: Path, langs: tuple[str, ...] = (), distractors: int = 3,
              seed: int = 0, latest: int = 2025, near: int = wrong.NEAR, far: int = wrong.FAR) -> Iterator[Item]:  # fmt: skip
    """Make items of facts; gold positions are balanced within 1 over all questions of one language.

    ``langs``: BCP 47, empty for all languages of ``file``. Wrong years are ``near`` to ``far`` (5 to 10, the paper's rule) away from the
    right one and not after ``latest``. Where a fact lists several values, the first is the gold and none of the others is a distractor;
    nor is an area in which a true one lies, or that lies in one.
    Raises ``InputError`` naming the source, the slot and the language for a missing label, an unknown area, too few distractors, or
    templates that are equal once filled; ``UnknownName`` for a language or topic that the file has not; ``TableError`` for a bad file.
    """
    if distractors < 1:
        raise InputError(f"distractors: {distractors}; a choice needs at least one")
    if not 1 <= near <= far:
        raise InputError(f"near, far: {near} and {far} are no bounds; a wrong year is at least 1 year away, and far is not below near")
    wording = read_wording(Path(file))
    for lang in langs:
        if lang not in wording.languages:
            raise UnknownName(f"language in {file}", lang, wording.languages)
    table, langs = wrong.areas(areas), tuple(langs) or wording.languages
    given = _Given(
        wording=wording, areas=table, langs=langs, distractors=distractors, seed=seed, latest=latest, bounds=(near, far)
    )  # fmt: skip
    positions = _positions(distractors + 1, seed)
    seen: set[str] = set()
    for source in sources:
        if source.id in seen:
            raise InputError(f"{source.id}: id: stands twice")
        seen.add(source.id)
        yield from _items(source, given, positions)


def read_wording(path: Path) -> Wording:
    """Read a file of templates. Raises ``TableError`` naming the domain and language that lack a template, ``StorageError``."""
    wording = lines.toml(path, Wording)
    for topic, domain in wording.domains.items():
        counts = {lang: len(domain.templates.get(lang, ())) for lang in wording.languages}
        most = max(counts.values(), default=0)
        for lang, count in counts.items():
            if count < most or not count:
                raise TableError(f"{path}: domains.{topic}.templates.{lang}: has {count} templates, another language has {most}")
    return wording


def _positions(options: int, seed: int) -> Iterator[int]:
    """Gold positions without end: every block of ``options`` holds each position once, in an order of its own."""
    block = 0
    while True:
        order = list(range(options))
        random.Random(digest(["positions", seed, block])).shuffle(order)
        yield from order
        block += 1


def _items(source: Source, given: _Given, positions: Iterator[int]) -> Iterator[Item]:
    if source.topic not in given.wording.domains:
        raise UnknownName(f"domain (topic of {source.id})", source.topic, given.wording.domains)
    if source.place not in given.wording.countries:
        raise UnknownName(f"country (place of {source.id})", source.place, given.wording.countries)
    domain, country = given.wording.domains[source.topic], given.wording.countries[source.place]
    stems = {lang: _stems(source, domain, country, lang) for lang in given.langs}
    for n in range(len(domain.templates[given.langs[0]])):
        choice = _choice(source, domain, n, given, next(positions))
        for lang in given.langs:
            yield Item(
                stem=stems[lang][n], options=_options(source, domain, choice, given, lang), gold=choice.gold, lang=lang,
                place=source.place, topic=source.topic, entity=source.id, template=str(n + 1), parallel=f"{source.id}/{n + 1}",
                source=source.id, maker=MAKER, meta={"domain": source.topic, "country": country.name},
            )  # fmt: skip


def _choice(source: Source, domain: Domain, template: int, given: _Given, position: int) -> _Choice:
    """Draw the distractors of one question; the draw hangs on the seed, the source and the template, not on other sources."""
    rng = random.Random(digest(["distractors", given.seed, source.id, template]))
    values = source.fact.get(domain.slot, "").split()
    if not values:
        _fault(source, domain.slot, "the fact has no value")
    draw = _years if domain.kind == "year" else _elsewhere
    try:
        others = draw(source, values, given, rng)
    except wrong.TooFew as error:
        _fault(source, domain.slot, f"{error} (in the languages {', '.join(given.langs)})")
    return _Choice(values=(*others[:position], values[0], *others[position:]), gold=position)


def _years(source: Source, values: Sequence[str], given: _Given, rng: random.Random) -> list[str]:
    slot = given.wording.domains[source.topic].slot
    for value in values:
        if not re.fullmatch("[1-9][0-9]{0,3}", value):
            _fault(source, slot, f"{value!r} is no year (1 to 9999, in digits)")
    gold, *others = map(int, values)
    return [str(year) for year in wrong.near(gold, given.distractors, given.latest, rng, bounds=given.bounds, true=others)]


def _elsewhere(source: Source, values: Sequence[str], given: _Given, rng: random.Random) -> list[str]:
    gold = _area(source, given.wording.domains[source.topic].slot, values, given)
    return wrong.elsewhere(gold, values, given.areas, given.distractors, rng, langs=given.wording.languages)


def _area(source: Source, slot: str, codes: Sequence[str], given: _Given) -> wrong.Area:
    """The gold's area, once all codes of the fact are known and lie in its country."""
    for code in codes:
        if code not in given.areas:
            known = sorted(c for c, area in given.areas.items() if area.place == source.place)
            _fault(source, slot, str(UnknownName("area", code, known)))
        if given.areas[code].place != source.place:
            _fault(source, slot, f"the area {code!r} lies in {given.areas[code].place}, the source in {source.place}")
    return given.areas[codes[0]]


def _options(source: Source, domain: Domain, choice: _Choice, given: _Given, lang: str) -> tuple[str, ...]:
    if domain.kind == "year":
        return choice.values
    for code in choice.values:
        if not given.areas[code].labels.get(lang, "").strip():
            _fault(source, domain.slot, f"the area {code!r} has no label in the language {lang!r}")
    return tuple(given.areas[code].labels[lang] for code in choice.values)


def _stems(source: Source, domain: Domain, country: Country, lang: str) -> list[str]:
    """The filled templates of one language, all of them different."""
    stems = [_filled(template, source, country, lang) for template in domain.templates[lang]]
    first: dict[str, int] = {}
    for n, stem in enumerate(stems, 1):
        if first.setdefault(stem, n) != n:
            _fault(source, domain.slot, f"templates {first[stem]} and {n} of {source.topic!r} are equal in the language {lang!r}")
    return stems


def _filled(template: str, source: Source, country: Country, lang: str) -> str:
    """Replace every name in braces: by a label of the source if it has that slot, else by a form of the country's name."""
    forms: Mapping[str, str] = country.forms.get(lang, {})

    def text(match: re.Match[str]) -> str:
        name = match[1]
        plain = name[0].lower() + name[1:]
        found = forms.get(plain, "") if plain in forms else source.labels.get(plain, {}).get(lang, "")
        if not found.strip():
            _fault(source, plain, f"has no label in the language {lang!r}, and {country.name} no such form")
        return found if name == plain else found[0].upper() + found[1:]

    return _BRACES.sub(text, template)


def _fault(source: Source, slot: str, what: str) -> NoReturn:
    raise InputError(f"{source.id}: {slot}: {what}")
