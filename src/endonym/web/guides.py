"""The guidelines of questions, in the language of the page: a group's own file, the shipped ones, or their short names.

In: a workspace and its configuration. Out: a function from a language to guidelines. The one thing to know: the shipped texts name the
people and the place; where nobody has written down what those are called, only the short names are shown.

Paper: Tuguesice, section 3 (fifteen guidelines in three groups).
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from ..records import Guideline
from ..validate.guidelines import FOLDER, read
from .config import Config, inside
from .words import catalogue

IDS = ("L1", "L2", "L3", "L4", "L5", "L6", "L7", "E1", "E2", "E3", "E4", "E5", "D1", "D2", "D3")
VARIABLES = FOLDER.parent / "cultures" / "variables"
Guidelines = Callable[[str], Sequence[Guideline]]
"""From a language of the pages to the guidelines of questions, in their order."""


def guidelines(workspace: Path, config: Config) -> Guidelines:
    """Find those of a project. Raises InputError for a file that is not in the workspace, TableError for one that holds no guidelines."""
    if not config.guidelines:
        return lambda lang: shipped(config.place, lang)
    found = read(inside(workspace, "guidelines", config.guidelines)).guidelines
    return lambda lang: found


@cache
def shipped(place: str, lang: str) -> Sequence[Guideline]:
    """The fifteen with advice and examples, for a place whose names are known in a language; else their short names."""
    path, names = FOLDER / f"tuguesice.{lang}.toml", variables(place, lang)
    return read(path, names).guidelines if names and path.is_file() else named(lang)


def variables(place: str, lang: str) -> Mapping[str, str]:
    """What the people and the place are called; nothing where that is not known."""
    known = {path.stem: path for path in VARIABLES.glob("*.toml")}  # by name, so that no place is a way to another folder
    if place not in known:
        return {}
    return tomllib.loads(known[place].read_text(encoding="utf-8")).get("variables", {}).get(lang, {})


def named(lang: str) -> Sequence[Guideline]:
    """The fifteen by their short names."""
    table = catalogue(lang)
    return [Guideline(id=key, criterion=key, question=table[f"guideline.{key}"]) for key in IDS]
