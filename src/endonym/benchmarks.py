"""What may be evaluated: a shipped name, a workspace, a ``benchmark.jsonl``, ``reader:PATH`` or ``mapped:MAPPING.toml:PATH``.

In: the word that a user typed. Out: the reader and the path that the stage ``build.read`` takes. A PATH may be a data set of the hub,
``hf:ORG/NAME@REVISION``: it is pinned to the commit that is found, so that a recipe reads the same data next year.
"""

import os
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import msgspec

from .build import READERS
from .errors import InputError, UnknownName

SHIPPED, HUB = "shipped:", "hf:"
_MAPPED = re.compile(r"(?P<mapping>.+?\.toml):(?P<path>.+)", re.S)


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """Which reader reads a benchmark, and from where; ``path`` may be ``shipped:NAME`` or ``hf:ORG/NAME@COMMIT``.

    The reader of a user's own mapping is ``mapped:MAPPING.toml``.
    """

    name: str
    reader: str
    path: str

    def within(self, workspace: Path) -> "Benchmark":
        """The same with paths as they are written in that workspace's recipe."""
        reader, colon, mapping = self.reader.partition(":")
        reader = f"{reader}:{relative(mapping, workspace)}" if colon else reader
        path = self.path if self.path.startswith((SHIPPED, HUB)) else relative(self.path, workspace)
        return msgspec.structs.replace(self, reader=reader, path=path)

    @property
    def settings(self) -> dict[str, str]:
        """The settings of ``build.read``; a mapping is a file of its own there, so that its content is part of the key."""
        reader, _, mapping = self.reader.partition(":")
        return {"reader": reader, "path": self.path, **({"mapping": mapping} if mapping else {})}


def data() -> Path:
    """The folder of the benchmarks that come with the package."""
    return Path(str(files("endonym") / "data"))


def shipped() -> Iterator[str]:
    """The names of the benchmarks that come with the package."""
    return (path.parent.name for path in sorted(data().glob("*/benchmark.jsonl")))


def find(word: str) -> Benchmark:
    """Understand what a user typed; raise InputError or UnknownName saying what there is."""
    reader, colon, place = word.partition(":")
    if colon and len(reader) > 1:  # one letter and a colon begin a path on Windows
        if reader not in READERS:
            raise UnknownName("reader", reader, READERS)
        return _mapped(place) if reader == "mapped" else _read(reader, place)
    if word in set(shipped()):
        return Benchmark(name=word, reader="endonym", path=SHIPPED + word)
    path = Path(word)
    if path.is_file():
        return Benchmark(name=path.stem if path.stem != "benchmark" else path.resolve().parent.name, reader="endonym", path=word)
    if path.is_dir():
        return _workspace(path)
    if path.suffix or os.sep in word:
        _there(path)
    raise UnknownName("benchmark", word, [*shipped(), *(f"{r}:PATH" for r in READERS)])


def _mapped(place: str) -> Benchmark:
    match = _MAPPED.fullmatch(place)
    if not match:
        raise InputError(f"mapped:{place}: is not of the form mapped:MAPPING.toml:PATH")
    return _read(f"mapped:{_there(Path(match['mapping']))}", match["path"])


def _read(reader: str, place: str) -> Benchmark:
    if not place.startswith(HUB):
        return Benchmark(name=Path(place).stem, reader=reader, path=str(_there(Path(place))))
    from .build.mapped_hub import pinned

    word, _ = pinned(place)
    return Benchmark(name=word.removeprefix(HUB).partition("@")[0].partition("/")[2], reader=reader, path=word)


def _workspace(path: Path) -> Benchmark:
    for name in ("benchmark.jsonl", "tables/benchmark.jsonl", "tables/items.jsonl"):
        if (path / name).is_file():
            return Benchmark(name=path.resolve().name, reader="endonym", path=str(path / name))
    raise InputError(f"{path}: is a folder without benchmark.jsonl or tables/items.jsonl; a data set is read as reader:{path}")


def _there(path: Path) -> Path:
    if path.exists():
        return path
    near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    if near:
        raise UnknownName(f"file in {path.parent}", path.name, near)
    raise InputError(f"{path}: no such file or folder")


def resolve(workspace: Path, path: str) -> Path:
    """The place of a path that stands in a workspace's recipe."""
    if path.startswith(HUB):
        from .build.mapped_hub import pinned

        return pinned(path)[1]
    if path.startswith(SHIPPED):
        name = path.removeprefix(SHIPPED)
        if name not in set(shipped()):
            raise UnknownName("shipped benchmark", name, shipped())
        return data() / name / "benchmark.jsonl"
    return Path(os.path.normpath(workspace / path))


def relative(path: str, workspace: Path) -> str:
    """A path as it is written in a workspace's recipe."""
    return Path(os.path.relpath(path, workspace)).as_posix()
