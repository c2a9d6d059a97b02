"""The database: SQLite in a workspace by default, PostgreSQL by URL for a team; brought up to its schema when it is opened.

In: a URL. Out: sessions, to read or to write. The one thing to know: in SQLite writers take turns, each in a transaction that holds
the file from its first line, so that what was read there is still true when it is written.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.orm import Session

from ..errors import InputError, StorageError, Unavailable
from ..store import guarded

HEAD = "1"
"""The schema that this code works with: the last of ``migrations/versions``."""
BUSY = 20_000
"""Milliseconds that a writer of another process is waited for."""


class Database:
    """One database, with a pool of connections."""

    def __init__(self, url: str) -> None:
        self.url = _url(url)
        self.sqlite = self.url.get_backend_name() == "sqlite"
        self.engine = self._engine()
        self._immediate = self.engine.execution_options(immediate=True)
        self._turn = threading.Lock() if self.sqlite else nullcontext()

    @property
    def shown(self) -> str:
        """The URL without its password."""
        return self.url.render_as_string(hide_password=True)

    def _engine(self) -> Engine:
        pool = {"pool_size": 16, "max_overflow": 32}
        try:
            engine = create_engine(self.url, hide_parameters=True, pool_pre_ping=not self.sqlite, **pool)
        except (ImportError, SQLAlchemyError) as problem:
            raise Unavailable(f"{self.shown}: {problem}") from problem
        if self.sqlite:
            event.listen(engine, "connect", _connected)
            event.listen(engine, "begin", _begun)
        return engine

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session for looking; nothing that is changed in it is kept."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are on the disk when the block has ended, all of them or none."""
        with self._turn, Session(self._immediate, expire_on_commit=False) as session, session.begin():
            yield session

    def open(self) -> None:
        """Bring the schema up to date. Raises StorageError for a database of a later version, Unavailable where there is none."""
        if self.sqlite and self.url.database:
            with guarded(path := Path(self.url.database)):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=0o600)  # it holds addresses and drafts; the files beside it get the same rights
        try:
            if (found := self._revision()) != HEAD:
                self._upgrade(found)
        except SQLAlchemyError as problem:
            raise Unavailable(f"{self.shown}: {str(problem).splitlines()[0]}") from problem

    def _revision(self) -> str:
        with self.engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return ""
            return connection.execute(text("select version_num from alembic_version")).scalar() or ""

    def _upgrade(self, found: str) -> None:
        from .migrations import known, upgrade

        if found and found not in known():
            raise StorageError(f"{self.shown}: its schema is {found}, of a later endonym than this one")
        with self._immediate.begin() as connection:
            upgrade(connection)

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()


def _url(text_: str) -> URL:
    try:
        url = make_url(text_)
    except ArgumentError as problem:
        raise InputError("--database: not a URL; as sqlite:///web.db or postgresql://user@host/name") from problem
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise InputError(f"--database: {url.get_backend_name()} is not known; there are: sqlite, postgresql")
    return url


def _connected(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY}"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begun(connection: Any) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("immediate") else "BEGIN")
