"""The outputs that XNationQA's own script saves, as rows of ``--responses``.

In: a folder of files ``COUNTRY_DOMAIN_MODEL.json`` (``us_national_park_Mixtral-8x7B.json``), each id → language → a list of texts, one a
template, and the items of ``xnationqa``. Out: rows ``item, model, text``. The one thing to know: the script keeps outputs by id, so where
an id stands twice in a file of the data set (once in the published one) the texts are those of the second entry; the first has no
output, and is counted as failed. An exact copy of a question is one item, and has one row.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ..errors import TableError, UnknownName
from ..records import Item
from .lines import content, folder, malformed
from .xnationqa import COUNTRIES, DOMAINS, LANGUAGES

_FILES = "the files COUNTRY_DOMAIN_MODEL.json"
_Texts = dict[str, dict[str, list[str]]]
_Known = dict[str, dict[str, dict[str, str]]]
"""Entity → language → template → item."""


def xnationqa_outputs(path: str | Path, items: Iterable[Item]) -> Iterator[dict[str, str]]:
    """Read every output of a folder, file by file in the order of their names: ``{"item": …, "model": …, "text": …}``.

    ``items`` are all of the data set, or all of what the outputs are about: what is not among them is an error, and so is a list that has
    not one text for each template, for nobody knows then which were asked. Items without an output are no error here: they
    fail where they are scored. Raises TableError ("FILE: id X: what"), InputError for a folder without such files.
    """
    known = _known(items)
    files = sorted(file for file in folder(path, _FILES).iterdir() if file.suffix == ".json")
    if not files:
        raise TableError(f"{path}: holds none of {_FILES}")
    for file in files:
        country, domain, model = named(file)
        given: set[str] = set()
        for ident, languages in _texts(file).items():
            for item, text in _pairs(f"{file}: id {ident}", known.get(f"{DOMAINS[domain]}/{country}/{ident}"), languages):
                if item not in given:
                    given.add(item)
                    yield {"item": item, "model": model, "text": text}


def named(file: Path) -> tuple[str, str, str]:
    """Country, domain and model in a file's name; raise TableError. A model's name may have any sign in it."""
    country, _, rest = file.stem.partition("_")
    domain = next((word for word in sorted(DOMAINS, key=len, reverse=True) if rest.startswith(f"{word}_")), "")
    if country not in COUNTRIES:
        raise TableError(f"{file}: {UnknownName('country of XNationQA', country, COUNTRIES)}; expected {_FILES}")
    if not domain:
        raise TableError(f"{file}: {UnknownName('domain of XNationQA', rest, DOMAINS)}; expected {_FILES}")
    return country, domain, rest[len(domain) + 1 :]


def _known(items: Iterable[Item]) -> _Known:
    """An id that stands twice means its last entry, as in the script that saved by id."""
    known, times = _Known(), dict[str, int]()
    for item in items:
        entity, _, time = item.entity.partition("#")
        if int(time or 1) > times.get(entity, 0):
            times[entity], known[entity] = int(time or 1), {}
        if int(time or 1) == times[entity]:
            known[entity].setdefault(item.lang, {})[item.template] = item.id
    return known


def _texts(file: Path) -> _Texts:
    data = content(file)
    try:
        return msgspec.json.decode(data, type=_Texts)
    except msgspec.ValidationError as error:
        raise TableError(f"{file}: not id → language → list of texts: {error}") from error
    except msgspec.DecodeError as error:
        raise TableError(f"{file}: {malformed(error, data)}") from error


def _pairs(where: str, known: dict[str, dict[str, str]] | None, languages: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Items and texts of one id."""
    if known is None:
        raise TableError(f"{where}: is not in the benchmark")
    for language, texts in languages.items():
        if language not in LANGUAGES:
            raise TableError(f"{where}: {UnknownName('language of XNationQA', language, LANGUAGES)}")
        items = known.get(LANGUAGES[language], {})
        if len(texts) != len(items):
            raise TableError(f"{where}: {language}: {len(texts)} texts, expected {len(items)}, one for each template")
        yield from ((items[template], text) for template, text in zip(sorted(items), texts, strict=True))
