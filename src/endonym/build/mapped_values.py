"""A row in, what a mapping says of it out: texts, dimensions, options and gold, accepted answers, and whether the row counts.

In: a row of any shape and the names of columns. Out: plain values, all text in NFC without blanks at its ends. The one thing to know:
every function here raises ``Fault("column: what")`` with the data set's own word for the column, so that the user finds it.
"""

import difflib
import json
import re
import string
import unicodedata
from collections.abc import Mapping as Table
from functools import lru_cache
from typing import Any

from ..errors import UnknownName
from ..records import Accept
from . import carte
from .lines import Fault, found
from .mapped_file import Row
from .mapped_toml import Accepting, Answers, Columns, Invalid

_LETTER = re.compile(r"\(?\s*([A-Za-z])\s*[.):]?")


def value(row: Row, column: str) -> Any:
    """What stands in a column; dots lead into objects. Raises ``Fault`` saying which columns there are."""
    if column in row:
        return row[column]
    if column.startswith("join."):
        return None  # the joined file is not there, or has no such row
    here: Any = row
    for part in column.split("."):
        if not isinstance(here, dict) or part not in here:
            raise Fault(f"{column}: is missing; {_there(column, part, here)}")
        here = here[part]
    return here


def _there(column: str, part: str, here: Any) -> str:
    """What is there in place of a column, with the one that was probably meant."""
    if not isinstance(here, dict):
        return f"found {found(here)} where an object has {part!r}"
    names = [name for name in here if not name.startswith(("file.", "join."))]
    close = difflib.get_close_matches(part, names, n=1, cutoff=0.5)
    shown = ", ".join(repr(name) for name in names[:12]) or "no field"
    if column.startswith("file."):
        return "the file's path has no such part (files, in the mapping, says where it stands)"
    return f"the row has {shown}" + (f"; did you mean {close[0]!r}?" if close else "")


def text(row: Row, column: str) -> str:
    """A column as text, empty for null; a column in braces is filled in."""
    if column not in row and "{" in column:
        return re.sub(r"\{([^{}]+)\}", lambda match: plain(value(row, match[1])), column)
    return plain(value(row, column))


def plain(given: Any) -> str:
    """A value as text: null is empty, 3.0 is 3, lists and objects are JSON."""
    if given is None:
        return ""
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    if not isinstance(given, str):
        given = json.dumps(given, ensure_ascii=False, default=str)
    return unicodedata.normalize("NFC", given).strip()


def needed(row: Row, column: str) -> str:
    """A column that must say something, and be a text."""
    given = value(row, column) if "{" not in column else text(row, column)
    if given is not None and not isinstance(given, str):
        raise Fault(f"{column}: expected text, found {found(given)}")
    if not plain(given):
        raise Fault(f"{column}: is empty")
    return plain(given)


def meant(given: str, column: str, table: Table[str, str]) -> str:
    """What a value becomes by a table of values; an empty one stays empty, and without a table every one stays what it is."""
    if not given or not table or given in table:
        return table.get(given, given)
    folded = {key.casefold(): code for key, code in table.items()}
    other = table.get("*")
    if given.casefold() in folded:
        return folded[given.casefold()]
    if other in ("@languages", "@countries", "@languages?", "@countries?"):
        known = english(other.strip("@?"))
        if given.casefold() in known or other.endswith("?"):
            return known.get(given.casefold(), "")
    elif other is not None:
        return other
    raise Fault(f"{column}: {UnknownName('value in the table of the mapping', given, [key for key in table if key != '*'])}")


@lru_cache(2)
def english(kind: str) -> Table[str, str]:
    """CLDR's English names, case folded → codes: languages → BCP 47, countries → ISO 3166-1 alpha-2."""
    from babel import Locale

    locale = Locale("en")
    names = locale.languages if kind == "languages" else {code: name for code, name in locale.territories.items() if len(code) == 2}
    return {str(name).casefold(): str(code).replace("_", "-") for code, name in names.items()}


def options(row: Row, told: Columns, separator: str = "") -> tuple[str, ...]:
    """The texts of the options: of one column each, or of one that holds a list, an object letter → text, or either as JSON.

    Letters before the texts are taken off where every option has its own. Raises ``Fault`` for an empty option, and for two that are equal.
    """
    columns = (told.options,) if isinstance(told.options, str) else told.options
    if len(columns) == 1:
        return _named(_listed(value(row, columns[0]), columns[0], separator), {"choices": columns[0]})
    texts = [text(row, column) for column in columns]
    spare = [part for column in told.spare if (part := text(row, column))]
    named = {f"choices[{n}]": column for n, column in enumerate((*columns, *told.spare))}
    return _named([*texts, *spare], named)


def _named(texts: Any, names: dict[str, str]) -> tuple[str, ...]:
    """Options as the reader of CARTE reads them, with this data set's names in what it says."""
    try:
        return carte.choices(texts)
    except Fault as error:
        said = str(error)
        for own, name in sorted(names.items(), key=lambda pair: -len(pair[0])):
            said = said.replace(own, name)
        raise Fault(said) from error


def _listed(given: Any, column: str, separator: str) -> Any:
    """A list or an object, given as one or as text."""
    if not isinstance(given, str):
        return {letter: plain(part) for letter, part in given.items()} if isinstance(given, dict) else _texts(given)
    if given.lstrip()[:1] in ("[", "{"):
        try:
            return _listed(json.loads(given), column, "")
        except json.JSONDecodeError as error:
            raise Fault(f"{column}: no JSON, {error.msg} at its character {error.colno}") from error
    if not separator:
        raise Fault(f"{column}: expected a list or an object, found {found(given)}; a mapping names the separator of a text")
    return [plain(part) for part in given.split(separator)]


def _texts(given: Any) -> Any:
    return [plain(part) for part in given] if isinstance(given, list | tuple) else given


def gold(row: Row, column: str, texts: tuple[str, ...], how: Answers) -> int:
    """The index of the right option. Raises ``Fault`` where the answer names none, or two."""
    said = text(row, column)
    if how == "text":
        same = [n for n, option in enumerate(texts) if option == said] or [
            n for n, option in enumerate(texts) if option.casefold() == said.casefold()
        ]
        if len(same) != 1:
            raise Fault(f"{column}: {said!r} is {'none' if not same else 'more than one'} of the options {', '.join(map(repr, texts))}")
        return same[0]
    at = _index(said, column, how)
    if not 0 <= at < len(texts):
        raise Fault(f"{column}: {said!r} names none of the {len(texts)} options")
    return at


def _index(said: str, column: str, how: Answers) -> int:
    if how == "letter":
        match = _LETTER.fullmatch(said)
        if match:
            return string.ascii_uppercase.index(match[1].upper())
        hint = "; a mapping has answers = index0 or index1 for numbers, text for texts" if said else ""
        raise Fault(f"{column}: expected a letter, found {said!r}{hint}")
    if not re.fullmatch(r"[0-9]+", said):
        raise Fault(f"{column}: expected an index from {how[-1]}, found {said!r}")
    return int(said) - (how == "index1")


def accepted(row: Row, told: Accepting) -> tuple[tuple[Accept, ...], list[str]]:
    """Accepted answers, the same text once with its greatest weight; and what is to be said of those left out.

    An empty answer matches anything, and a single small letter stands in almost every reply: both are left out. Raises ``Fault`` where none
    is left.
    """
    weights: dict[str, float] = {}
    notes: list[str] = []
    for where, answer, weight in _answers(row, told):
        if why := _useless(answer):
            notes.append(f"{where}: {why}; this answer is left out")
            continue
        weights[answer] = max(weight, weights.get(answer, 0.0))
    if not weights:
        raise Fault(f"{told.column}: holds no accepted answer" + (f" ({notes[0]})" if notes else ""))
    return tuple(Accept(text=answer, weight=weight) for answer, weight in weights.items()), notes


def _useless(answer: str) -> str:
    if not answer:
        return "is empty, and an empty answer matches anything"
    if not any(c.isalnum() for c in answer):
        return f"{answer!r} has no letter and no digit"
    return f"{answer!r} is one small letter, which almost every reply has" if len(answer) == 1 and answer.islower() else ""


def _answers(row: Row, told: Accepting) -> list[tuple[str, str, float]]:
    """(where it stands, text, weight) of every answer, in the data set's order."""
    given = value(row, told.column)
    if isinstance(given, str) and given.lstrip()[:1] == "[":
        given = _listed(given, told.column, "")
    if not told.text:
        parts = given.split(told.separator) if isinstance(given, str) and told.separator else given
        parts = parts if isinstance(parts, list) else [parts]
        return [(_at(told.column, n, len(parts)), plain(part), 1.0) for n, part in enumerate(parts)]
    if not isinstance(given, list):
        raise Fault(f"{told.column}: expected a list of objects, found {found(given)}")
    return [answer for n, part in enumerate(given) for answer in _votes(part, f"{told.column}[{n}]", told)]


def _votes(part: Any, where: str, told: Accepting) -> list[tuple[str, str, float]]:
    if not isinstance(part, dict):
        raise Fault(f"{where}: expected an object, found {found(part)}")
    weight: Any = part.get(told.votes) if told.votes else 1.0
    if isinstance(weight, bool) or not isinstance(weight, int | float) or weight <= 0:
        raise Fault(f"{where}.{told.votes}: expected a number above 0, found {found(weight)}")
    answers: list[tuple[str, str, float]] = []
    for name in told.text:
        if name not in part:
            raise Fault(f"{where}.{name}: is missing; {_there(name, name, part)}")
        texts = part[name] if isinstance(part[name], list) else [part[name]]
        answers += [(f"{where}.{_at(name, n, len(texts))}", plain(one), float(weight)) for n, one in enumerate(texts)]
    return answers


def _at(name: str, number: int, of: int) -> str:
    return f"{name}[{number}]" if of > 1 else name


def invalid(row: Row, rules: tuple[Invalid, ...]) -> str:
    """Why a row does not count by the data set's own rule; empty where it does."""
    for rule in rules:
        if rule.empty and value(row, rule.empty) in (None, "", [], {}):
            return rule.why
        if rule.sum and sum(_number(row, column) for column in rule.sum) >= rule.least:
            return rule.why
    return ""


def _number(row: Row, column: str) -> float:
    given = value(row, column)
    if isinstance(given, list):
        return len(given)
    try:
        return float(given)
    except (TypeError, ValueError) as error:
        raise Fault(f"{column}: expected a number, found {found(given)}") from error
