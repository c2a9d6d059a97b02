"""The words of the pages: a key and what it says in each language; one TOML file a language in ``words``.

In: a language, a key, values. Out: a sentence. The one thing to know: another language is another file with the same keys, and no
Python; a test holds the files to each other.
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import UnknownName

FOLDER = Path(__file__).parent / "words"


@cache
def languages() -> tuple[str, ...]:
    """The languages that there is a file for, English first."""
    return tuple(sorted((p.stem for p in FOLDER.glob("*.toml")), key=lambda lang: (lang != "en", lang)))


@cache
def catalogue(lang: str) -> Mapping[str, str]:
    """All keys of a language. Raises UnknownName."""
    if lang not in languages():
        raise UnknownName("language of the pages", lang, languages())
    return tomllib.loads((FOLDER / f"{lang}.toml").read_text(encoding="utf-8"))


def speaker(lang: str) -> Callable[..., str]:
    """A function from a key and values to a sentence; with ``n``, ``KEY.one`` is taken where the language counts ``n`` as one."""
    table = catalogue(lang)

    def say(key: str, /, **values: Any) -> str:
        if "n" in values and f"{key}.one" in table and (values["n"] == 1 or (values["n"] == 0 and lang in ("fr", "pt"))):
            key = f"{key}.one"
        said = table[key]
        return said.format(**values) if values else said

    return say


def known(lang: str, key: str) -> str:
    """A sentence by its key, or the text itself where it is no key: what a check wrote in words of its own."""
    return catalogue(lang).get(key, key)


def choose(*wishes: str) -> str:
    """The first language of some wishes (tags, or an Accept-Language header) that there is a file for; else English."""
    for wish in wishes:
        for part in wish.split(","):
            tag = part.split(";")[0].strip().lower().partition("-")[0]
            if tag in languages():
                return tag
    return "en"
