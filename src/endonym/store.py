"""Tables on disk: one record a line, and beside each table a manifest that says where it came from.

A table's hash is the SHA-256 of its file, so ``sha256sum items.jsonl`` checks it without this package. The manifest
is written last and whole: a table without one is a table that was never finished.
"""

import contextlib
import hashlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from .errors import Busy, IntegrityError, StorageError, TableError
from .records import Manifest, canonical

R = TypeVar("R")


@contextlib.contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn what the operating system says of a file into one sentence for the user; raise StorageError."""
    try:
        yield
    except OSError as problem:
        where = problem.filename or path
        raise StorageError(f"{where}: {(problem.strerror or str(problem)).lower()}") from problem


@contextlib.contextmanager
def lock(workspace: Path, *, timeout: float = 0.0) -> Iterator[None]:
    """Hold a workspace for writing; raise Busy if another process still holds it after ``timeout`` seconds."""
    from filelock import FileLock, Timeout

    with guarded(workspace):
        workspace.mkdir(parents=True, exist_ok=True)
        held = FileLock(workspace / ".lock")
        try:
            held.acquire(timeout=timeout)
        except Timeout as problem:
            raise Busy(f"{workspace}: another endonym process is writing here; wait for it, or give --wait SECONDS") from problem
    try:
        yield
    finally:
        held.release()


@contextlib.contextmanager
def replacing(path: Path, *, void: Path | None = None) -> Iterator[Any]:
    """Write a file beside its place and move it there when it is whole; leave nothing behind if it fails.

    ``void`` is a file that vouches for the old one: it is taken away just before the new one stands.
    """
    with guarded(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o644)
            if void:
                void.unlink(missing_ok=True)
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode())


def sha256(path: Path) -> str:
    """Hash a file; or a folder: the hashes of its files by name, so that a new or renamed file is seen too."""
    with guarded(path):
        if path.is_dir():
            names = sorted(p for p in path.rglob("*") if p.is_file())
            return hashlib.sha256("".join(f"{sha256(p)}  {p.relative_to(path).as_posix()}\n" for p in names).encode()).hexdigest()
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def manifest_path(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".jsonl") + ".manifest.json")


def write(path: Path, rows: Iterable[Any], plan: Manifest, *, facts: Callable[[], Mapping[str, str]] = dict) -> Manifest:
    """Write a table row by row and then its manifest; return the manifest with hash, rows and counts by status.

    ``facts`` is asked last, for what was learned of the world on the way.
    """
    digest, count, statuses = hashlib.sha256(), 0, Counter[str]()
    with replacing(path, void=manifest_path(path)) as file:
        for row in rows:
            line = canonical(row) + b"\n"
            digest.update(line)
            file.write(line)
            count += 1
            statuses[_status(row)] += 1
    del statuses[""]
    learned = {**plan.facts, **facts()}
    done = msgspec.structs.replace(plan, sha256=digest.hexdigest(), rows=count, statuses=dict(sorted(statuses.items())), facts=learned)
    write_text(manifest_path(path), canonical(done).decode() + "\n")
    return done


def _status(row: Any) -> str:
    return getattr(row, "status", "") or ("failed" if getattr(row, "error", "") else "")


class Table(Generic[R]):
    """The rows of one table, or of several after each other, read anew from the disk at each pass: one is held at a time."""

    def __init__(self, paths: Sequence[Path], record: type[R]) -> None:
        self.paths, self.record = paths, record
        self.manifests = [vouched(path) for path in paths]

    def __len__(self) -> int:
        return sum(m.rows for m in self.manifests)

    def __iter__(self) -> Iterator[R]:
        return chain.from_iterable(rows(path, self.record) for path in self.paths)


def read(path: Path, record: type[R]) -> Table[R]:
    """Read a table whose manifest vouches for it; raise IntegrityError or TableError."""
    return Table([path], record)


def rows(path: Path, record: type[R]) -> Iterator[R]:
    """Decode a file line by line; raise TableError naming file, line and field."""
    decoder = msgspec.json.Decoder(record)
    with guarded(path), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as problem:
                raise TableError(f"{path}:{number}: not {_article(record.__name__)}: {problem}") from problem


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'AEIOU' else 'a'} {noun}"


def manifest(path: Path) -> Manifest | None:
    """Read a table's manifest without holding the table to it; none where the table was never finished."""
    place = manifest_path(path)
    with guarded(place):
        try:
            return msgspec.json.decode(place.read_bytes(), type=Manifest)
        except FileNotFoundError:
            return None
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise IntegrityError(f"{place}: not a manifest: {problem}") from problem


def vouched(path: Path) -> Manifest:
    """Read a table's manifest and hold the table to it; raise IntegrityError if it is not what was written."""
    found = manifest(path)
    if found is None:
        raise IntegrityError(f"{path}: has no manifest: it was never finished")
    if not path.exists():
        raise IntegrityError(f"{path}: its manifest is here, the table is not")
    if found.sha256 != (now := sha256(path)):
        raise IntegrityError(f"{path}: changed since it was written: {found.sha256[:12]} is now {now[:12]}")
    return found


def tables(folder: Path) -> list[Path]:
    """The tables of a workspace, each after the tables that it was made from, ties by name."""
    found = {name: path for path in sorted(folder.rglob("*.jsonl")) if (name := table_name(folder, path))}
    made_from = {name: {table for _, table in parts(manifest(path))} & found.keys() for name, path in found.items()}
    ordered: list[str] = []
    while made_from:
        ready = [name for name, needs in made_from.items() if not needs - set(ordered)] or sorted(made_from)[:1]
        ordered += ready
        for name in ready:
            del made_from[name]
    return [found[name] for name in ordered]


def table_name(folder: Path, path: Path) -> str:
    """A table's name within a workspace's ``tables``: ``items``, ``scores/prompts``."""
    return path.relative_to(folder).as_posix().removesuffix(".jsonl")


def parts(found: Manifest | None) -> list[tuple[str, str]]:
    """The inputs of a manifest that are tables: pairs of a parameter and the table it was read from."""
    pairs = [tuple(name.split(":", 1)) for name in (found.inputs if found else {}) if ":" in name]
    return [(a, b) for a, b in pairs if a != "file"]


def verify(folder: Path) -> int:
    """Walk the chain of tables, first to last; return their number or raise IntegrityError at the first that was changed."""
    ordered = tables(folder)
    for path in ordered:
        found = vouched(path)
        for name, table in parts(found):
            source, was = folder / f"{table}.jsonl", found.inputs[f"{name}:{table}"]
            known = manifest(source)
            if known is None:
                raise IntegrityError(f"{source}: is missing, and {path.name} was made from it")
            if known.sha256 != was:
                raise IntegrityError(f"{path}: was made from another {table} ({was[:12]}) than the one here ({known.sha256[:12]})")
    return len(ordered)
