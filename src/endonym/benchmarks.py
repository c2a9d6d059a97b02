"""What may be evaluated: a shipped name, a workspace, a ``benchmark.jsonl``, or ``reader:PATH``.

In: the word that a user typed. Out: the reader and the path that the stage ``build.read`` takes.
"""

import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import msgspec

from .build import READERS
from .errors import InputError, UnknownName

SHIPPED = "shipped:"


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """Which reader reads a benchmark, and from where; ``path`` may be ``shipped:NAME``."""

    name: str
    reader: str
    path: str

    def within(self, workspace: Path) -> "Benchmark":
        """The same with a path as it is written in that workspace's recipe."""
        if self.path.startswith(SHIPPED):
            return self
        return msgspec.structs.replace(self, path=relative(self.path, workspace))


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
        return Benchmark(name=Path(place).stem, reader=reader, path=str(_there(Path(place))))
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
    if path.startswith(SHIPPED):
        name = path.removeprefix(SHIPPED)
        if name not in set(shipped()):
            raise UnknownName("shipped benchmark", name, shipped())
        return data() / name / "benchmark.jsonl"
    return Path(os.path.normpath(workspace / path))


def relative(path: str, workspace: Path) -> str:
    """A path as it is written in a workspace's recipe."""
    return Path(os.path.relpath(path, workspace)).as_posix()
