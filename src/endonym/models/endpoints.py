"""``models.toml``: names for models that a group shares: where the server is, which key, what it costs, how fast it may be asked.

In: a TOML file, one table a model::

    [house-llama]
    provider = "openai"                     # the default
    model = "meta-llama/Llama-3.1-8B-Instruct"
    base_url = ["http://node1:8000/v1", "http://node2:8000/v1"]
    api_key_env = "HOUSE_KEY"               # the name of the variable, never the key
    params = { temperature = 0.0, seed = 7 }
    price_in = 0.10                         # per million tokens
    price_out = 0.40
    rpm = 600
    tpm = 200000
    concurrency = 64
    chat = true

Out: a ``Model`` for each name. The one thing to know: a field that does not exist is an error and never ignored.
"""

import os
import tomllib
from pathlib import Path
from typing import Any

from ..errors import InputError, StorageError, TableError, UnknownName
from ..records import Model
from .account import Settings, read_settings, refuse_key

FILE = "models.toml"
_OWN = frozenset({"provider", "model", "params"})
_BESIDE = frozenset(
    {"base_url", "api_key_env", "price_in", "price_out", "rpm", "tpm", "concurrency", "chat", "timeout", "retries", "headers"}
)


def find_endpoints(workspace: Path | None = None) -> Path | None:
    """The file in force: the workspace's, else the user's (``~/.config/endonym/models.toml``), else none."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "endonym"
    return next((folder / FILE for folder in (workspace, home) if folder and (folder / FILE).is_file()), None)


def load_endpoints(path: Path) -> dict[str, Model]:
    """Read named models. Raises TableError for what is no TOML, UnknownName or InputError, with file and name, for a wrong field."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise StorageError(f"{path}: {(problem.strerror or str(problem)).lower()}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise TableError(f"{path}: is no TOML: {problem}") from None
    return {name: _model(f"{path}: [{name}]", table) for name, table in tables.items()}


def named(name: str, endpoints: dict[str, Model]) -> Model:
    """The model of a name; raises UnknownName with what was probably meant."""
    if name not in endpoints:
        raise UnknownName("named model", name, endpoints)
    return endpoints[name]


def _model(where: str, table: Any) -> Model:
    if not isinstance(table, dict):
        raise TableError(f"{where}: is a value; a model is a table of its own, [NAME]")
    refuse_key(where, table)
    for field in table:
        if field not in _OWN | _BESIDE:
            raise UnknownName(f"field of {where}", field, _OWN | _BESIDE)
    provider, model, inner = table.get("provider", "openai"), table.get("model"), table.get("params", {})
    for field, value, kind in (("provider", provider, str), ("model", model, str), ("params", inner, dict)):
        if not isinstance(value, kind) or (field != "params" and not value):
            raise TableError(f"{where} {field}: {'is missing' if value is None else f'{value!r} is no {kind.__name__}'}")
    refuse_key(f"{where} params", inner)
    if twice := sorted(set(inner) & set(table)):
        raise TableError(f"{where} {twice[0]}: stands both beside params and in them")
    return _checked(where, Model(name=f"{provider}/{model}", params={**{k: v for k, v in table.items() if k in _BESIDE}, **inner}))


def _checked(where: str, model: Model) -> Model:
    """Hold the params of an ``openai/…`` model to its settings now; other providers check theirs when they are made."""
    if model.provider != "openai":
        return model
    for field in model.params:
        if field not in Settings.__struct_fields__:
            raise UnknownName(f"field of {where} params", field, Settings.__struct_fields__)
    try:
        read_settings(model)
    except InputError as problem:
        raise InputError(f"{where} {str(problem).removeprefix(f'{model.name}: ')}") from None
    return model
