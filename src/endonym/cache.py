"""What was already answered: one SQLite file that may be deleted any day; nothing changes but the time and the bill.

An answer is kept under the model, its params and what identifies it, and the question word for word. Each row is
committed as it comes, so a process that is killed at any moment asks nothing twice.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from .errors import StorageError
from .records import Model, Prompt, Response, canonical

_decoder = msgspec.json.Decoder(Response)


class Cache:
    """Answers by key. Raises StorageError where the file cannot be read or written."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        with self._guarded():
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path or ":memory:", timeout=60, isolation_level=None, check_same_thread=False)
            self.db.execute("pragma journal_mode = wal")
            self.db.execute("pragma synchronous = normal")
            self.db.execute("create table if not exists answers (key blob primary key, response blob not null) without rowid")

    def get(self, key: bytes) -> Response | None:
        with self._guarded():
            row = self.db.execute("select response from answers where key = ?", (key,)).fetchone()
        return _decoder.decode(row[0]) if row else None

    def has(self, key: bytes) -> bool:
        with self._guarded():
            return self.db.execute("select 1 from answers where key = ?", (key,)).fetchone() is not None

    def put(self, key: bytes, response: Response) -> None:
        """Keep an answer; what it was asked as (its prompt, its model's name) is not part of it."""
        row = canonical(msgspec.structs.replace(response, prompt="", model=""))
        with self._guarded():
            self.db.execute("insert or replace into answers values (?, ?)", (key, row))

    def __len__(self) -> int:
        return self.db.execute("select count(*) from answers").fetchone()[0]

    def close(self) -> None:
        self.db.close()

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as problem:
            hint = "; it may be deleted" if not isinstance(problem, sqlite3.OperationalError) else ""
            raise StorageError(f"{self.path}: the cache cannot be used: {problem}{hint}") from problem
        except OSError as problem:
            raise StorageError(f"{self.path}: {(problem.strerror or str(problem)).lower()}") from problem


class Keys:
    """Names questions put to one model: what changes the answer changes the key, nothing else does."""

    def __init__(self, model: Model, *, identity: Mapping[str, str], without: frozenset[str] = frozenset()) -> None:
        params: dict[str, Any] = {k: v for k, v in model.params.items() if k not in without}
        self._start = hashlib.sha256(canonical([model.name, params, identity]))

    def __call__(self, prompt: Prompt) -> bytes:
        key = self._start.copy()
        key.update(canonical(prompt.question))
        return key.digest()
