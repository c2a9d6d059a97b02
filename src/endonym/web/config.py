"""What a project is: ``web.toml`` of its workspace, written by people and kept in git.

In: a workspace. Out: a :class:`Config`. The one thing to know: who may do what, and all that people write, is in the database; what
the project is about is in this file, and the server reads it when it starts.
"""

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from ..errors import InputError, UnknownName
from ..records import Model
from ..store import guarded, write_text

NAME = "web.toml"
DOMAINS = (
    "food", "home", "school", "work", "money", "health", "transport", "games", "sport", "music", "screen", "books", "language",
    "feasts", "religion", "nature", "history", "politics", "law", "media",
)  # fmt: skip
STARTER = """# The project of this workspace: what `endonym web` reads when it starts.
name = {name}
lang = {lang}          # of the questions (BCP 47), as pt-PT
place = {place}        # whose culture it is (ISO 3166), as PT
sisters = []           # places that share the language: a question is put to models as from there, too
opinions = 1           # how many adjudicators have to agree on a question
training = true        # whether a practice round comes before the first question
models = []            # who is asked each submitted question, as ["openai/some-model"]
# domains = ["food", "school"]
# guidelines = "guidelines.toml"
"""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One project. ``models`` are names, or tables with ``name`` and ``params``, as in a recipe."""

    name: str = ""
    lang: str = "en"
    place: str = ""
    culture: str = ""
    """What the checks are told of the culture: a place, or a file of the workspace (``x.toml``); the place where it is empty."""
    sisters: tuple[str, ...] = ()
    domains: tuple[str, ...] = DOMAINS
    opinions: int = 1
    training: bool = True
    models: tuple[str | Model, ...] = ()
    guidelines: str = ""

    def asked(self) -> tuple[Model, ...]:
        """The models of the probe."""
        return tuple(Model(name=m) if isinstance(m, str) else m for m in self.models)


def load(workspace: Path) -> Config:
    """Read a workspace's ``web.toml``, or the defaults where there is none. Raises InputError naming file and key."""
    path = workspace / NAME
    with guarded(path):
        if not path.exists():
            return Config(name=workspace.resolve().name)
        text = path.read_bytes()
    try:
        found: dict[str, Any] = tomllib.loads(text.decode("utf-8-sig"))
        if unknown := found.keys() - set(Config.__struct_fields__):
            raise InputError(f"{path}: {UnknownName('key', min(unknown), Config.__struct_fields__)}")
        config = msgspec.convert(found, Config)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as problem:
        raise InputError(f"{path}: {problem}") from problem
    if config.opinions < 1:
        raise InputError(f"{path}: opinions: is {config.opinions}; at least one adjudicator has to decide")
    if not config.domains:
        raise InputError(f"{path}: domains: is empty; leave it out for the usual ones")
    return msgspec.structs.replace(config, name=config.name or workspace.resolve().name)


def inside(workspace: Path, key: str, name: str) -> Path:
    """A file that ``web.toml`` names under a key. Raises InputError for one outside the workspace, or that is not there."""
    path = (workspace / name).resolve()
    if not path.is_relative_to(workspace.resolve()):
        raise InputError(f"{workspace / NAME}: {key}: {name} lies outside the workspace")
    if not path.is_file():
        raise InputError(f"{workspace / NAME}: {key}: {name}: no such file in the workspace")
    return path


def start(workspace: Path, *, lang: str = "", place: str = "") -> bool:
    """Write a first ``web.toml`` where there is none; say whether it was written."""
    path = workspace / NAME
    if path.exists():
        return False
    values = {"name": workspace.resolve().name, "lang": lang or "en", "place": place}
    write_text(path, STARTER.format(**{k: msgspec.json.encode(v).decode() for k, v in values.items()}))
    return True
