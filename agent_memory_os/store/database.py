"""Connections, and the two ways to use one: :meth:`Database.read` and :meth:`Database.write`.

A read is a snapshot: it sees one state of the file, whatever others write meanwhile. A write takes
the file's write lock at its start (``BEGIN IMMEDIATE``) and either commits whole or leaves no
trace. While another process holds the lock it tries again after a short random wait, which is
fair between many writers; when ``patience`` seconds are over it raises :class:`Busy`, and nothing
was written. Every fault of SQLite leaves here as one of our errors, with a sentence.

A connection belongs to one thread of one process. A file that is damaged, foreign or newer is
never written to.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from agent_memory_os.errors import (
    AgentMemoryError,
    Busy,
    DamagedDatabase,
    DiskFull,
    ReadOnlyHome,
    Refused,
)

Row = tuple[Any, ...]
Parameters = Mapping[str, object] | Sequence[object]

_PATIENCE_SECONDS = 30.0
_WAIT_SECONDS = (0.0005, 0.003)
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})


class Snapshot:
    """One state of the file. ``now`` is the clock's milliseconds of UTC when it was opened."""

    def __init__(self, connection: sqlite3.Connection, now: int) -> None:
        self._connection = connection
        self.now = now

    def rows(self, query: str, parameters: Parameters = ()) -> list[Row]:
        """Return all rows of a query."""
        return self._connection.execute(query, parameters).fetchall()

    def row(self, query: str, parameters: Parameters = ()) -> Row | None:
        """Return the first row of a query, or ``None``."""
        found: Row | None = self._connection.execute(query, parameters).fetchone()
        return found

    def value(self, query: str, parameters: Parameters = ()) -> Any:  # noqa: ANN401 - SQL is untyped
        """Return the first column of the first row, or ``None``."""
        found = self._connection.execute(query, parameters).fetchone()
        return None if found is None else found[0]

    def each(self, query: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Yield rows one by one, so that a large result is never in memory whole."""
        return iter(self._connection.execute(query, parameters))


class Transaction(Snapshot):
    """A snapshot that may write; what is done through it becomes visible all at once."""

    def execute(self, query: str, parameters: Parameters = ()) -> int:
        """Run one statement; return the number of the row that it inserted last."""
        return self._connection.execute(query, parameters).lastrowid or 0

    def change(self, query: str, parameters: Parameters = ()) -> int:
        """Run one statement; return how many rows it changed."""
        return self._connection.execute(query, parameters).rowcount

    def many(self, query: str, parameters: Sequence[Sequence[object]]) -> None:
        """Run one statement once for each sequence of parameters."""
        self._connection.executemany(query, parameters)


class Database:
    """The node's file. ``clock`` gives milliseconds of UTC, ``chance`` a number in ``[0, 1)``."""

    def __init__(
        self,
        path: str,
        clock: Callable[[], int],
        chance: Callable[[], float],
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        self.path = path
        self.clock = clock
        self._chance = chance
        self._patience = patience
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """Open a snapshot: ``with database.read() as snapshot``."""
        with translated(self.path):
            connection = self._connection()
            self._begin(connection, "BEGIN")
            try:
                yield Snapshot(connection, self.clock())
            finally:
                _end(connection)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Open a transaction: ``with database.write() as …``; an error undoes it whole."""
        with translated(self.path):
            connection = self._connection()
            self._begin(connection, "BEGIN IMMEDIATE")
            try:
                yield Transaction(connection, self.clock())
                connection.execute("COMMIT")
            finally:
                _end(connection)

    def maintain(self, *statements: str) -> None:
        """Run statements that SQLite allows only outside a transaction, such as a checkpoint."""
        with translated(self.path):
            for statement in statements:
                self._patiently(partial(_run, self._connection(), statement))

    def raw(self) -> sqlite3.Connection:
        """Return this thread's connection, for the store's own online backup and checks."""
        return self._connection()

    def close(self) -> None:
        """Close every connection; the database opens again when it is next used."""
        while self._opened:
            self._opened.pop().close()
        self._local = threading.local()

    def _connection(self) -> sqlite3.Connection:
        held: tuple[int, sqlite3.Connection] | None = getattr(self._local, "held", None)
        if held is not None and held[0] == os.getpid():
            return held[1]
        connection = connect(self.path)
        self._local.held = (os.getpid(), connection)
        self._opened.append(connection)
        return connection

    def _begin(self, connection: sqlite3.Connection, statement: str) -> None:
        def begin() -> None:
            connection.execute(statement)
            if statement == "BEGIN":
                self._take_snapshot(connection)

        self._patiently(begin)

    @staticmethod
    def _take_snapshot(connection: sqlite3.Connection) -> None:
        # A deferred transaction sees nothing until its first read, and that read may find the
        # file locked by a recovery: it belongs to the wait.
        try:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        except sqlite3.Error:
            _end(connection)
            raise

    def _patiently(self, attempt: Callable[[], object]) -> None:
        deadline = None
        while True:
            try:
                attempt()
            except sqlite3.OperationalError as error:
                if _primary(error) not in _BUSY:
                    raise
                deadline = deadline or time.monotonic() + self._patience
                if time.monotonic() > deadline:
                    raise
                low, high = _WAIT_SECONDS
                time.sleep(low + (high - low) * self._chance())
            else:
                return


def connect(path: str) -> sqlite3.Connection:
    """Open a connection to an existing file, with what every connection of ours needs."""
    connection = sqlite3.connect(
        path, timeout=0, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _run(connection: sqlite3.Connection, statement: str) -> None:
    connection.execute(statement).fetchall()


def _end(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _primary(error: sqlite3.Error) -> int:
    # The low byte is the primary code; the rest tells variants apart.
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn what SQLite raises inside into one of our errors."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translation(error, path) from error


def _translation(error: sqlite3.Error, path: str) -> AgentMemoryError | sqlite3.Error:
    code = _primary(error)
    if code in _BUSY:
        return Busy(f"Another process is writing to {path}; nothing was changed. Try again.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DamagedDatabase(
            f"{path} is damaged ({error}); it was left as it is. Run: agent-memory doctor"
        )
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(f"The disk that holds {path} is full; nothing was changed.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return ReadOnlyHome(f"{path} cannot be opened for writing; check the folder's permissions.")
    if code == sqlite3.SQLITE_IOERR:
        return Refused(f"The disk that holds {path} failed ({error}); nothing was changed.")
    return error
