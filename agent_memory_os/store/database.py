"""The two ways to use the file: :meth:`Database.read` and :meth:`Database.write`.

A read is a snapshot: it sees one state of the file, whatever others write meanwhile. A write takes
the file's write lock at its start (``BEGIN IMMEDIATE``) and either commits whole or leaves no
trace. While another process holds the lock it tries again after a short random wait, which is
fair between many writers; when ``patience`` seconds are over it raises :class:`Busy`, and nothing
was written. Every fault of SQLite leaves here as one of our errors, with a sentence.

Each read and each write has a connection for itself, so that they may be nested and used from any
thread: a write inside a read, an export that others read during. What a snapshot gave is used
before the snapshot ends. A file that was replaced while it was open is opened again.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import compress

from agent_memory_os.errors import Busy, DamagedDatabase
from agent_memory_os.store.file.connection import (
    BUSY,
    Connection,
    code_of,
    connect,
    key_of,
    translated,
)
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

Row = tuple["Any", ...]
Parameters = Mapping[str, object] | Sequence[object]

_PATIENCE_SECONDS = 30.0
_WAIT_SECONDS = (0.0005, 0.003)
_IMPATIENT_SECONDS = 0.05
"""After waiting so long, the pauses between attempts are half as long."""

_LOG_PAGES = 1_000
"""Who commits and finds so many pages in the write-ahead log moves them, as SQLite has it."""

_HELD_KIB = 8_000
"""How much a connection holds of the file that writes much: else pages of indexes are read anew."""

_IDLE_CONNECTIONS = 8
_FETCHED_ROWS = 32


class Snapshot:
    """One state of the file. ``now`` is the clock's milliseconds of UTC when it was opened."""

    def __init__(self, connection: Connection, now: int) -> None:
        self._connection = connection
        self._cursors: list[sqlite3.Cursor] = []
        self._is_open = True
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
        """Yield rows one by one, so that a large result is never in memory whole.

        It ends with the snapshot: whoever goes on afterwards gets a :class:`RuntimeError`, and
        never rows of another state.
        """
        cursor = self._connection.execute(query, parameters)
        self._cursors.append(cursor)
        return self._drawn(cursor)

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Copy this state of the file, page by page, into another database."""
        self._connection.backup(target)

    def end(self) -> None:
        """Let go of what is still being read: called where the snapshot was opened."""
        self._is_open = False
        for cursor in self._cursors:
            cursor.close()

    def _drawn(self, cursor: sqlite3.Cursor) -> Iterator[Row]:
        rows: list[Row] = []
        while True:
            if not self._is_open:
                raise RuntimeError("the snapshot that these rows were read in has ended")
            if not rows:
                rows = cursor.fetchmany(_FETCHED_ROWS)[::-1]
                if not rows:
                    return
            yield rows.pop()


class Transaction(Snapshot):
    """A snapshot that may write; what is done through it becomes visible all at once."""

    def execute(self, query: str, parameters: Parameters = ()) -> int:
        """Run one statement; return the number of the row that it inserted last."""
        return self._connection.execute(query, parameters).lastrowid or 0

    def insert(self, table: str, columns: tuple[str, ...], row: Sequence[object]) -> int:
        """Insert a row; return its number. Columns that are ``None`` keep their default, NULL.

        They are left out, and bytes are better given as a bytearray: the driver asks of every None
        and bytes whether it can be adapted, which costs more than all that the row itself costs.
        """
        given = [value for value in row if value is not None]
        is_given = tuple([value is not None for value in row])
        return self.execute(_insertion(table, columns, is_given), given)

    def insert_many(
        self, table: str, columns: tuple[str, ...], rows: Iterable[Sequence[object]]
    ) -> None:
        """Insert rows as :meth:`insert` does, those together that leave out the same columns."""
        forms: dict[tuple[bool, ...], list[list[object]]] = {}
        for row in rows:
            is_given = tuple([value is not None for value in row])
            forms.setdefault(is_given, []).append([*compress(row, is_given)])
        for is_given, given in forms.items():
            self.many(_insertion(table, columns, is_given), given)

    def change(self, query: str, parameters: Parameters = ()) -> int:
        """Run one statement; return how many rows it changed."""
        return self._connection.execute(query, parameters).rowcount

    @property
    def others(self) -> object:
        """What is another value whenever others have written, or this connection is another one."""
        return id(self._connection), self.value("PRAGMA data_version")

    @property
    def total_changes(self) -> int:
        """How many rows were changed through this connection, beneath the index too."""
        return self._connection.total_changes

    def many(self, query: str, parameters: Iterable[Sequence[object]]) -> None:
        """Run one statement once for each sequence of parameters."""
        self._connection.executemany(query, parameters)


class Database:
    """The node's file. ``clock`` gives milliseconds of UTC, ``chance`` a number in ``[0, 1)``.

    Where one ``is_doubted``, what cannot be used in it counts as damage at once.
    """

    def __init__(
        self,
        path: str,
        clock: Callable[[], int],
        chance: Callable[[], float],
        patience: float = _PATIENCE_SECONDS,
        *,
        is_doubted: bool = False,
    ) -> None:
        self.path = path
        self.clock = clock
        self.chance = chance
        self.patience = patience
        self._is_doubted = is_doubted
        self._idle: list[Connection] = []
        self._age = 0

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """Open a snapshot: ``with database.read() as snapshot``."""
        with self.connection() as connection:
            self.patiently(partial(_begin_read, connection))
            snapshot = Snapshot(connection, self.clock())
            try:
                yield snapshot
            finally:
                snapshot.end()

    @contextmanager
    def write(self, *, keeps_log: bool = False) -> Iterator[Transaction]:
        """Open a transaction: ``with database.write() as …``; an error undoes it whole.

        With ``keeps_log`` the write-ahead log is not moved into the file afterwards, however long:
        whoever writes so moves it himself (:meth:`move_log`), while nobody waits. He writes much,
        so the connection holds more pages from then on.
        """
        with self.connection() as connection, _keeping(connection, is_kept=keeps_log):
            self.patiently(partial(connection.execute, "BEGIN IMMEDIATE"))
            transaction = Transaction(connection, self.clock())
            try:
                yield transaction
            finally:
                transaction.end()
            connection.execute("COMMIT")

    def maintain(self, *statements: str) -> list[Row]:
        """Run statements that SQLite allows only outside a transaction; return the last's rows."""
        rows: list[Row] = []
        with self.connection() as connection:
            for statement in statements:
                rows = self.patiently(partial(_run, connection, statement))
        return rows

    def move_log(self) -> None:
        """Move what can be of the write-ahead log into the file; nobody waits for it."""
        self.maintain("PRAGMA wal_checkpoint(PASSIVE)")

    def empty_log(self) -> bool:
        """Move the write-ahead log into the file and cut it to nothing; say whether it was done.

        It cannot be done while somebody reads an older state or writes; that is waited for. Most
        of it is moved before anybody has to wait for it.
        """
        statements = ("PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(TRUNCATE)")
        deadline = time.monotonic() + self.patience
        try:
            while self.maintain(*statements)[0][0] != 0:
                if time.monotonic() > deadline:
                    return False
                self._wait()
        except Busy:
            return False
        return True

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection without a transaction: to the store's own tools alone."""
        with translated(self.path, self._is_sound):
            connection, age = self._take(), self._age
            try:
                yield connection
            finally:
                self._give(connection, age)

    def patiently(self, attempt: Callable[[], T]) -> T:
        """Do something, again and again while others hold the file, and return what it returns."""
        began = None
        while True:
            try:
                return attempt()
            except sqlite3.OperationalError as error:
                if code_of(error) not in BUSY:
                    raise
                now = time.monotonic()
                began = now if began is None else began
                if now - began > self.patience:
                    raise
                self._wait(now - began)

    def close(self) -> None:
        """Let go of the file; it is opened again when it is next used.

        Connections that somebody is using now are closed when they are given back.
        """
        self._age += 1
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        self.close()

    def _is_sound(self) -> bool:
        from agent_memory_os.store.upkeep.sound import is_sound

        # What was found damaged once is not looked at again: that reads all of it.
        if not self._is_doubted:
            self._is_doubted = not is_sound(self.path, self.clock, self.chance)
        return not self._is_doubted

    def _wait(self, waited: float = 0.0) -> None:
        # Who has waited long tries more often, and so comes before those who have just come.
        low, high = _WAIT_SECONDS
        pause = low + (high - low) * self.chance()
        time.sleep(pause / (1.0 + waited / _IMPATIENT_SECONDS))

    def _take(self) -> Connection:
        try:
            key = key_of(self.path)
        except FileNotFoundError as error:
            raise DamagedDatabase(f"{self.path} is not there any more.") from error
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return self.patiently(partial(connect, self.path))
            if connection.key == key and connection.wake():
                return connection
            connection.close()

    def _give(self, connection: Connection, age: int) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            # Closing undoes what rolling back could not.
            age = -1
        is_wanted = age == self._age and len(self._idle) < _IDLE_CONNECTIONS
        if is_wanted and connection.is_lasting:
            connection.rest()
            self._idle.append(connection)
        else:
            connection.close()


@cache
def _insertion(table: str, columns: tuple[str, ...], is_given: tuple[bool, ...]) -> str:
    given = [name for name, is_one in zip(columns, is_given, strict=True) if is_one]
    return f"INSERT INTO {table} ({', '.join(given)}) VALUES ({', '.join('?' * len(given))})"


@contextmanager
def _keeping(connection: Connection, *, is_kept: bool) -> Iterator[None]:
    if not is_kept:
        yield
        return
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute(f"PRAGMA cache_size = -{_HELD_KIB}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")


def _begin_read(connection: Connection) -> None:
    connection.execute("BEGIN")
    try:
        # A deferred transaction sees nothing until its first read, and that read may find the
        # file locked by a recovery: it belongs to the wait.
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    except sqlite3.Error:
        connection.execute("ROLLBACK")
        raise


def _run(connection: Connection, statement: str) -> list[Row]:
    return connection.execute(statement).fetchall()
