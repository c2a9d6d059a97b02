"""What was already answered: one SQLite file that may be deleted any day; nothing changes but the time and the bill.

An answer is kept under the model, its params and what identifies it, and the question word for word. What arrives together
is written by one statement, and so committed before the next is waited for: a process that is killed at any moment asks
nothing twice but what was in flight.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from .errors import StorageError
from .records import Model, Prompt, Response, canonical

KEY = 32
"""Bytes of a key: a SHA-256."""
TOGETHER = 64
"""The most rows of one statement: each statement gives the interpreter's lock away and must win it back from the thread that calls."""

_decoder = msgspec.json.Decoder(Response)


class Cache:
    """Answers by key. Raises StorageError where the file cannot be read or written."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        with self._guarded():
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path or ":memory:", timeout=60, isolation_level=None, check_same_thread=False, cached_statements=256)
            self.db.execute("pragma journal_mode = wal")
            self.db.execute("pragma synchronous = normal")
            self.db.execute("create table if not exists answers (key blob primary key, response blob not null) without rowid")

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Those of the keys that have an answer."""
        return {key for (key,) in self._select("key", keys)}

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Response]:
        """The answers of keys; one without is left out."""
        return {key: _decoder.decode(row) for key, row in self._select("key, response", keys)}

    def keep(self, answers: Sequence[tuple[bytes, Response]]) -> None:
        """Keep answers, for good when this returns; what they were asked as (prompt, model's name) is no part of them."""
        for start in range(0, len(answers), TOGETHER):
            some = answers[start : start + TOGETHER]
            values = [v for key, answer in some for v in (key, canonical(msgspec.structs.replace(answer, prompt="", model="")))]
            with self._guarded():
                self.db.execute(f"insert or replace into answers values {', '.join(['(?, ?)'] * len(some))}", values)

    def __len__(self) -> int:
        return self.db.execute("select count(*) from answers").fetchone()[0]

    def close(self) -> None:
        self.db.close()

    def _select(self, columns: str, keys: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(keys), TOGETHER):
            some = keys[start : start + TOGETHER]
            with self._guarded():
                yield from self.db.execute(f"select {columns} from answers where key in ({', '.join('?' * len(some))})", some).fetchall()

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
        key.update(canonical((prompt.messages, prompt.continuations, prompt.draw, prompt.chat, prompt.max_tokens)))
        return key.digest()
