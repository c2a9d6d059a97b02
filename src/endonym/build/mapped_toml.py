"""A mapping file in, its meaning out: which column of a data set is what, as ``mapped`` reads it.

In: a TOML file, a user's own or one of ``data/mappings``. Out: one ``Mapping`` for each version of a row (a question in two languages
is two versions). The one thing to know: ``like = "blend"`` begins with a shipped mapping and lays the file's own lines over it, and
``[[versions]]`` are such lines too, laid over the rest of the file, one item each.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..errors import TableError, UnknownName
from ..records import Item, Record, Score
from . import MAPPINGS, lines

Answers = Literal["letter", "index0", "index1", "text"]
DIMENSIONS = ("lang", "place", "topic", "subset", "entity", "template", "parallel")


class Columns(Record, frozen=True):
    """The columns of a data set, by what they hold.

    A name may lead into an object by dots (``idks.idk``), or be a text with columns in braces (``{file.country}/{ID}``). ``file.NAME``
    is a part of the file's path that ``files`` names, ``join.NAME`` a column of the joined file. ``spare``: options that may be empty.
    """

    id: str = ""
    stem: str = ""
    options: str | tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    answer: str = ""
    prompt: str = ""
    lang: str = ""
    place: str = ""
    topic: str = ""
    subset: str = ""
    entity: str = ""
    template: str = ""
    parallel: str = ""


class Fixed(Record, frozen=True):
    """What is the same for every row; ``abstain`` is the text of the option that says "I do not know"."""

    lang: str = ""
    place: str = ""
    topic: str = ""
    subset: str = ""
    abstain: str = ""


class Accepting(Record, frozen=True):
    """Where accepted answers stand: a text (cut at ``separator``), a list of texts, or a list of objects.

    Of an object, ``text`` names the fields that hold a text or a list of them, and ``votes`` the field with their weight.
    """

    column: str = ""
    text: tuple[str, ...] = ()
    votes: str = ""
    separator: str = ""


class Invalid(Record, frozen=True):
    """A rule of the data set itself by which a row does not count: a sum of columns from ``least`` upwards, or an empty column."""

    why: str
    sum: tuple[str, ...] = ()
    least: float = 1
    empty: str = ""


class Joined(Record, frozen=True):
    """Another file beside that of the rows (CSV), found by the value of ``on``, which is a column of both."""

    file: str
    on: str


class Prompts(Record, frozen=True):
    """A file (CSV) of prompts: the text in ``column`` of the row whose ``on`` is ``row``; the question takes the place of ``slot``."""

    file: str
    on: str
    row: str
    column: str
    slot: str = "{q}"


class Mapping(Record, frozen=True):
    """One mapping. ``files``: patterns of paths, of which the first that fits any file counts; ``{NAME}`` is a part of the path,
    ``{NAME:a,b}`` one of these, ``*`` any.

    Of a JSON file, ``at`` leads by dots to the rows; where these are the values of an object, its keys are the column ``key``.
    ``values``: dimension → value of the column → what it becomes; ``"*"`` is any other value, ``"@languages"`` and ``"@countries"`` look
    it up among the English names of CLDR, with a ``?`` at their ends what is not there becomes empty. ``meta``: dimension → column.
    """

    name: str = ""
    title: str = ""
    origin: str = ""
    licence: str = ""
    paper: str = ""
    kind: Literal["choice", "open"] = "choice"
    files: tuple[str, ...] = ()
    at: str = ""
    key: str = ""
    delimiter: str = ""
    answers: Answers = "letter"
    separator: str = ""
    columns: Columns = Columns()
    fixed: Fixed = Fixed()
    values: dict[str, dict[str, str]] = {}
    meta: dict[str, str] = {}
    accept: Accepting = Accepting()
    invalid: tuple[Invalid, ...] = ()
    join: Joined | None = None
    prompts: Prompts | None = None


_KNOWN = sorted({name for kind in (Mapping, Columns, Fixed, Accepting, Invalid, Joined, Prompts) for name in kind.__struct_fields__})
_TAKEN = {"id", *Item.__struct_fields__, *Score.__struct_fields__}


def read_mapping(path: Path) -> tuple[Mapping, ...]:
    """The versions of a mapping file, at least one. Raises ``TableError`` naming file and key, ``StorageError`` for a missing file."""
    told = _told(Path(path), ())
    versions = told.pop("versions", [{}])
    made = tuple(_mapping(path, _over(told, own), n) for n, own in enumerate(versions, 1))
    if not made:
        raise TableError(f"{path}: versions: is empty")
    return made


def _told(path: Path, before: tuple[str, ...]) -> dict[str, Any]:
    """A file's lines laid over those of the mapping that it is like."""
    try:
        found = tomllib.loads(lines.content(lines.file(path)).decode())
    except (tomllib.TOMLDecodeError, lines.Fault) as error:
        raise TableError(f"{path}: {error}") from error
    found.setdefault("name", path.stem)
    like = found.pop("like", "")
    if not like:
        return found
    if like not in MAPPINGS:
        raise TableError(f"{path}: like: {UnknownName('shipped mapping', like, MAPPINGS)}")
    if like in before:
        raise TableError(f"{path}: like: {like!r} is like itself")
    return _over(_told(MAPPINGS[like], (*before, like)), found)


def _over(under: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Lay one table over another; a table within goes over a table, anything else takes the place of what is there."""
    pairs = {key: _over(under[key], value) if isinstance(value, dict) and isinstance(under.get(key), dict) else value
             for key, value in own.items()}  # fmt: skip
    return {**under, **pairs}


def _mapping(path: Path, told: dict[str, Any], number: int) -> Mapping:
    try:
        made = msgspec.convert(told, Mapping)
        _hold(made)
    except (ValueError, msgspec.ValidationError) as error:
        where = f"{path}: version {number}" if number > 1 else str(path)
        raise TableError(f"{where}: {lines.sentence(error, _KNOWN)}") from error
    return made


def _hold(told: Mapping) -> None:
    """Say what a mapping lacks. Raises ``Fault``."""
    columns = told.columns
    if not columns.stem:
        raise lines.Fault("columns.stem: is missing; which column holds the question?")
    if not (columns.lang or told.fixed.lang):
        raise lines.Fault("fixed.lang: is missing; say the language (BCP 47) there, or its column in columns.lang")
    if told.kind == "choice" and not (columns.options and columns.answer):
        raise lines.Fault("columns: a choice needs options and answer")
    if told.kind == "open" and not told.accept.column:
        raise lines.Fault("accept.column: is missing; which column holds the accepted answers?")
    for name in told.values:
        if name not in DIMENSIONS:
            raise lines.Fault(f"values: {UnknownName('dimension', name, DIMENSIONS)}")
    if taken := sorted(_TAKEN & told.meta.keys()):
        raise lines.Fault(f"meta.{taken[0]}: is a name that items and scores use; give the dimension another one")
    for rule in told.invalid:
        if bool(rule.sum) == bool(rule.empty):
            raise lines.Fault("invalid: a rule names either the columns of a sum or one that is empty")


def named_columns(told: Mapping) -> dict[str, str]:
    """Place in the mapping → the column of the rows that it names."""
    return {place: name for place, name in _named(told) if not name.startswith(("file.", "join."))}


def joined_columns(told: Mapping) -> list[str]:
    """The columns of the joined file that a mapping names, each as ``join.NAME``."""
    return sorted({name for _, name in _named(told) if name.startswith("join.")})


def _named(told: Mapping) -> list[tuple[str, str]]:
    plain = msgspec.structs.asdict(told.columns)
    found = {f"columns.{place}": value for place, value in plain.items() if isinstance(value, str)}
    for place in ("options", "spare"):
        if isinstance(plain[place], tuple):
            found |= {f"columns.{place}[{n}]": name for n, name in enumerate(plain[place])}
    found |= {f"meta.{name}": column for name, column in told.meta.items()} | {"accept.column": told.accept.column}
    for n, rule in enumerate(told.invalid):
        found |= {f"invalid[{n}].sum[{at}]": name for at, name in enumerate(rule.sum)} | {f"invalid[{n}].empty": rule.empty}
    found |= {"join.on": told.join.on} if told.join else {}
    return [(place, part) for place, value in found.items() for part in _parts(value)]


def _parts(column: str) -> list[str]:
    """The columns of which a text in braces is made, or the column itself."""
    return re.findall(r"\{([^{}]+)\}", column) or ([column] if column else [])
