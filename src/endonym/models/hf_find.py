"""Where a transformers model lies, and what identifies it, without loading anything heavy.

In: ``hf/org/name@revision`` or ``hf/./folder`` and its settings. Out: a folder or a repository at one commit, and a digest
of what stands there. The one thing to know: a hub model that is in the local cache is used at the commit found there, so
that a run repeated next year reads the same weights; name another revision to have another one.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, Unavailable
from ..records import Model
from .gguf_file import GGUF, sha256_of

_WEIGHTS = (".safetensors", ".bin", ".gguf", ".pt", ".pth")
_TEXTS = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "vocab.json", "merges.txt",
          "chat_template.json", "special_tokens_map.json", "added_tokens.json", "tokenizer.model", "spiece.model")  # fmt: skip
_SAMPLES, _SAMPLE = 32, 1 << 16
"""Blocks read of each weight file, and their bytes: a folder trained anew under the same names and sizes is seen, at no cost."""


class Place(NamedTuple):
    """``source`` is a folder or ``org/name``; ``commit`` is known where the hub's cache knows it; ``gguf`` is a file in it."""

    source: str
    folder: Path | None = None
    revision: str = ""
    commit: str = ""
    gguf: str = ""

    @property
    def local(self) -> Path | None:
        """The folder in which the files lie on this machine, if they do."""
        if self.folder or not self.commit:
            return self.folder
        snapshot = _repository(self.source) / "snapshots" / self.commit
        return snapshot if snapshot.is_dir() else None


def offline() -> bool:
    """Whether the user forbade the network, by the names the field uses."""
    return any(os.environ.get(name, "").upper() in ("1", "ON", "YES", "TRUE") for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def hub_cache() -> Path:
    """Where the hub's files are kept, as huggingface_hub decides it."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(name):
            return Path(os.environ[name]).expanduser()
    if os.environ.get("HF_HOME"):
        return Path(os.environ["HF_HOME"]).expanduser() / "hub"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "huggingface" / "hub"


def place(model: Model, params: dict[str, Any]) -> Place:
    """Read a model's name. Raises InputError for two revisions or an unclear GGUF, Unavailable for a folder that is not there."""
    name = model.name.partition("/")[2]
    path = Path(name).expanduser()
    if path.is_dir():
        return Place(source=str(path), folder=path, gguf=_gguf(model.name, path, params["gguf_file"]))
    if name.startswith((".", "/", "~")):
        raise Unavailable(f"{model.name}: there is no folder {path}; a model of the hub is named hf/ORG/NAME")
    source, _, revision = name.partition("@")
    if revision and params["revision"] and revision != params["revision"]:
        raise InputError(f"{model.name}: revision: the name says {revision!r} and the setting {params['revision']!r}; keep one of them")
    revision = revision or params["revision"]
    return Place(source=source, revision=revision, commit=commit(source, revision), gguf=params["gguf_file"])


def commit(source: str, revision: str) -> str:
    """The commit that the local cache of the hub has for a revision; empty where it has none."""
    if len(revision) == 40 and set(revision) <= set("0123456789abcdef"):
        return revision
    try:
        return (_repository(source) / "refs" / (revision or "main")).read_text("utf-8").strip()
    except OSError:
        return ""


def _repository(source: str) -> Path:
    return hub_cache() / ("models--" + source.replace("/", "--"))


def _gguf(name: str, folder: Path, asked: str) -> str:
    """The GGUF file to read: the one named, or the only one in a folder that holds no transformers model."""
    there = sorted(path.name for path in folder.glob("*.gguf"))
    if asked:
        if asked not in there:
            raise Unavailable(f"{name}: there is no {asked} in {folder}" + (f"; there are {', '.join(there)}" if there else ""))
        return asked
    if (folder / "config.json").exists() or not there:
        return ""
    if len(there) > 1:
        raise InputError(f"{name}: gguf_file: {folder} holds several, say which: {', '.join(there)}")
    return there[0]


def identity(found: Place) -> dict[str, str]:
    """What makes a model another one though its name is the same: a commit of the hub, or a digest of the folder."""
    if found.folder is None:
        return {"revision": found.commit} if found.commit else {}
    if found.gguf:
        return {"weights": sha256_of(found.folder / found.gguf)[:16]}
    return {"weights": folder_digest(found.folder)}


def folder_digest(folder: Path) -> str:
    """SHA-256 over the names, sizes and samples of the weight files and over the texts beside them."""
    total = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.name in _TEXTS or path.suffix in (".py", ".jinja"):
            total.update(f"{path.name}|".encode() + path.read_bytes())
        elif path.suffix in _WEIGHTS:
            total.update(f"{path.name}|{path.stat().st_size}|".encode())
            for block in _samples(path):
                total.update(block)
    return total.hexdigest()[:16]


def _samples(path: Path) -> Iterator[bytes]:
    size = path.stat().st_size
    step = max(_SAMPLE, size // _SAMPLES)
    with path.open("rb") as file:
        for start in range(0, size, step):
            file.seek(start)
            yield file.read(_SAMPLE)


def has_template(found: Place) -> bool | None:
    """Whether the model's tokenizer has a chat template; None where the files are not on this machine yet."""
    folder = found.local
    if folder is None:
        return None
    if found.gguf:
        return bool(GGUF(folder / found.gguf).meta.get("tokenizer.chat_template"))
    if any((folder / name).exists() for name in ("chat_template.jinja", "chat_template.json")):
        return True
    try:
        return bool(json.loads((folder / "tokenizer_config.json").read_text("utf-8")).get("chat_template"))
    except (OSError, ValueError, AttributeError):
        return False
