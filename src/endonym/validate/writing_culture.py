"""A culture as the checks of writing know it: its own names, its places and people, its slang, and its variety of the language.

In: a TOML file (``data/cultures/PLACE.toml``, or a group's own of the same form). Out: a :class:`Culture`. The one thing to know: words
are written as :mod:`.check_text` looks for them: with a capital they are found with a capital only, ``*`` stands for any ending. A place
without a file is a culture of which only the names of the country are known. Paper: Tuguesice, guidelines E1, E4 and D1.
"""

import difflib
from functools import cache
from pathlib import Path

import msgspec

from ..canonical import Record
from ..errors import TableError

SHIPPED = Path(__file__).parent.parent / "data" / "cultures"


class Pair(Record, frozen=True):
    """A form of another variety of the language, and what is said here. ``sure``: it has no other meaning here."""

    word: str
    use: str
    of: str = ""
    sure: bool = True


class Culture(Record, frozen=True):
    """One culture. ``place`` is ISO 3166, ``lang`` BCP 47, ``sisters`` places that share the language."""

    place: str
    lang: str = ""
    own: tuple[str, ...] = ()
    """Names of the place and of its people, in any language: what a question need not say."""
    places: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    """Names by which people are known: whole names or surnames."""
    given: tuple[str, ...] = ()
    """First names: with a capitalised word after it, one is the name of a person."""
    names: tuple[str, ...] = ()
    """Other proper names: works, brands, clubs, newspapers, institutions."""
    allowed: tuple[str, ...] = ()
    """What is written with a capital here and tells nothing: feasts, offices."""
    slang: tuple[str, ...] = ()
    sisters: tuple[str, ...] = ()
    variety: tuple[Pair, ...] = ()


def culture(path: Path) -> Culture:
    """Read the file of a culture. Raises TableError naming file and field for one that is missing or wrong in anything."""
    try:
        found = msgspec.toml.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"), type=Culture)
    except OSError as problem:
        raise TableError(f"{path}: {(problem.strerror or str(problem)).lower()}") from problem
    except (ValueError, msgspec.DecodeError) as problem:
        raise TableError(f"{path}: not a culture: {_meant(str(problem))}") from problem
    if not found.place.strip():
        raise TableError(f"{path}: place: is empty")
    for field in ("own", "places", "people", "given", "names", "allowed", "slang"):
        _no_empty(path, field, getattr(found, field))
    for n, pair in enumerate(found.variety):
        if not pair.word.strip() or not pair.use.strip():
            raise TableError(f"{path}: variety[{n}]: word and use: neither may be empty")
    return found


def _no_empty(path: Path, field: str, words: tuple[str, ...]) -> None:
    empty = [n for n, word in enumerate(words) if not word.strip("* ")]
    if empty:
        raise TableError(f"{path}: {field}[{empty[0]}]: is empty, and an empty word is found everywhere")


def _meant(problem: str) -> str:
    """The decoder's sentence, with what an unknown field was probably meant to be."""
    if "unknown field" not in problem:
        return problem
    name = problem.split("`")[1]
    known = Pair.__struct_fields__ if "variety" in problem else Culture.__struct_fields__
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return problem + (f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(known)}")


held = cache(culture)
"""The same, each file read once: a program that goes on running does not see later edits."""


@cache
def known(name: str) -> Culture:
    """The culture of a place (``PT``), of a file (``culture.toml``), or of a place without one: the names of the country alone.

    Raises TableError for a bad file.
    """
    if name.endswith(".toml"):
        return held(Path(name))
    path = SHIPPED / f"{name.lower()}.toml"
    return held(path) if name and path.is_file() else Culture(place=name, own=_country(name))


def _country(place: str) -> tuple[str, ...]:
    """What a country is called in the languages of the checks and in English; nothing for a place that is no country."""
    from babel import Locale

    from .writing_words import languages

    names = {Locale(lang).territories.get(place.upper(), "") for lang in {"en", *languages()}} if place else set()
    return tuple(sorted(names - {""}))
