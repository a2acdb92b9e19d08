"""Reads are snapshots, writes are whole or nothing, and every fault is told in our words."""

from __future__ import annotations

import gc
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from agent_memory_os.errors import Busy, DamagedDatabase
from agent_memory_os.store.database import Database
from agent_memory_os.store.file.copy import create
from tests.store.sample import run

ADD = "INSERT INTO things (name) VALUES (?)"
COUNT = "SELECT count(*) FROM things"
NAMES = "SELECT name FROM things ORDER BY rowid"


class Clock:
    """A clock that stands still."""

    def __call__(self) -> int:
        """Return the one time that it knows."""
        return 1_700_000_000_000


def opened(path: Path, patience: float = 0.2) -> Database:
    """Return a database of a file."""
    return Database(str(path), Clock(), lambda: 0.5, patience)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Give a database with one table, in write-ahead mode."""
    create(str(tmp_path / "some.db"))
    database = opened(tmp_path / "some.db")
    database.maintain("PRAGMA journal_mode = WAL", "CREATE TABLE things (name TEXT)")
    yield database
    database.close()


def test_a_write_is_seen_and_counted(database: Database) -> None:
    """What a transaction wrote is there for the next read, whole."""
    with database.write() as transaction:
        assert transaction.execute(ADD, ("one",)) == 1
        transaction.many(ADD, [("two",), ("three",)])
        assert transaction.change("UPDATE things SET name = upper(name)") == 3
    with database.read() as snapshot:
        assert snapshot.rows(NAMES) == [("ONE",), ("TWO",), ("THREE",)]
        assert snapshot.row(NAMES) == ("ONE",)
        assert snapshot.value(COUNT) == 3
        assert snapshot.row("SELECT 1 WHERE 0") is None
        assert snapshot.value("SELECT 1 WHERE 0") is None
        assert snapshot.now == Clock()()


def test_an_error_undoes_a_write(database: Database) -> None:
    """A transaction that ends with an error leaves no trace, and the next one goes on."""
    with pytest.raises(KeyError, match="one"):
        add_and_fail(database)
    with database.write() as transaction:
        assert transaction.value(COUNT) == 0
        transaction.execute(ADD, ("two",))
    with database.read() as snapshot:
        assert snapshot.rows(NAMES) == [("two",)]


def add_and_fail(database: Database) -> None:
    """Write one row, and fail before the end."""
    with database.write() as transaction:
        transaction.execute(ADD, ("one",))
        raise KeyError("one")


def test_a_read_sees_one_state(database: Database) -> None:
    """A snapshot does not see what is written while it is open, on the same thread or another."""
    with database.read() as snapshot:
        with database.write() as transaction:
            transaction.execute(ADD, ("one",))
        other = threading.Thread(target=add, args=(database, "two"))
        other.start()
        other.join()
        assert snapshot.value(COUNT) == 0
        with database.read() as later:
            assert later.value(COUNT) == 2


def add(database: Database, name: str) -> None:
    """Write one row in a transaction of its own."""
    with database.write() as transaction:
        transaction.execute(ADD, (name,))


def test_rows_can_be_drawn_while_others_write(database: Database) -> None:
    """Rows that are drawn one by one are those of the snapshot, whatever is written meanwhile."""
    with database.write() as transaction:
        transaction.many(ADD, [(str(number),) for number in range(100)])
    drawn = []
    with database.read() as snapshot:
        for (name,) in snapshot.each(NAMES):
            drawn.append(name)
            if len(drawn) % 40 == 1:
                add(database, "late")
    assert drawn == [str(number) for number in range(100)]


def test_rows_end_with_their_snapshot(database: Database) -> None:
    """Who goes on drawing after the snapshot gets an error, and never rows of another state."""
    add(database, "one")
    add(database, "two")
    with database.read() as snapshot:
        rows = snapshot.each(NAMES)
        late = snapshot.each(NAMES)
        assert next(rows) == ("one",)
    for drawn in (rows, late):
        with pytest.raises(RuntimeError, match="has ended"):
            next(drawn)
    with database.read() as snapshot:
        assert list(snapshot.each(NAMES)) == [("one",), ("two",)]


def test_a_write_with_rows_half_drawn_is_committed(database: Database) -> None:
    """A transaction that leaves rows undrawn commits, and the next read sees the newest state."""
    with database.write() as transaction:
        transaction.many(ADD, [(str(number),) for number in range(100)])
        rows = transaction.each(NAMES)
        assert next(rows) == ("0",)
    add(database, "more")
    with database.read() as snapshot:
        assert snapshot.value(COUNT) == 101


def test_a_writer_waits_and_then_says_so(database: Database, tmp_path: Path) -> None:
    """While another holds the lock a writer waits, and when its patience is over it says Busy."""
    holder = sqlite3.connect(tmp_path / "some.db", isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(Busy, match="nothing was changed"), database.write():
        pass
    with database.read() as snapshot:
        assert snapshot.value(COUNT) == 0
    timer = threading.Timer(0.1, holder.rollback)
    patient = opened(tmp_path / "some.db", patience=60)
    timer.start()
    add(patient, "one")
    timer.join()
    holder.close()
    patient.close()


def test_many_threads_lose_nothing(database: Database) -> None:
    """Threads that write at once all succeed, each with a connection of its own meanwhile."""
    database.patience = 60
    threads = [threading.Thread(target=add, args=(database, str(n))) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as snapshot:
        assert snapshot.value("SELECT count(DISTINCT name) FROM things") == 24


def test_closing_waits_for_nobody(database: Database) -> None:
    """A connection in use outlives a close and is closed when it is given back."""
    with database.read() as snapshot:
        database.close()
        assert snapshot.value(COUNT) == 0
    add(database, "one")
    with database.read() as snapshot:
        assert snapshot.value(COUNT) == 1


def test_a_database_that_is_dropped_lets_go_of_its_file(tmp_path: Path) -> None:
    """A database that nobody holds any more has closed its file, and left no log behind."""
    create(str(tmp_path / "some.db"))
    database = opened(tmp_path / "some.db")
    database.maintain("PRAGMA journal_mode = WAL", "CREATE TABLE things (name TEXT)")
    assert (tmp_path / "some.db-wal").exists()
    del database
    gc.collect()
    assert not (tmp_path / "some.db-wal").exists()


def test_the_log_is_emptied_when_nobody_reads(database: Database, tmp_path: Path) -> None:
    """The log is moved into the file, unless somebody still reads an earlier state."""
    add(database, "one")
    with database.read() as snapshot:
        add(database, "two")
        assert snapshot.value(COUNT) == 1
        assert not database.empty_log()
    assert database.empty_log()
    assert (tmp_path / "some.db-wal").stat().st_size == 0
    holder = sqlite3.connect(tmp_path / "some.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    holder.execute(ADD, ("three",))
    assert not database.empty_log()
    holder.close()


def test_a_file_that_is_gone_is_said_to_be(database: Database, tmp_path: Path) -> None:
    """A file that was removed is not made again, and a file put in its place is opened."""
    add(database, "one")
    database.maintain("PRAGMA journal_mode = DELETE")
    (tmp_path / "some.db").rename(tmp_path / "other.db")
    with pytest.raises(DamagedDatabase, match="not there any more"), database.read():
        pass
    assert not (tmp_path / "some.db").exists()
    (tmp_path / "other.db").rename(tmp_path / "some.db")
    with database.read() as snapshot:
        assert snapshot.value(COUNT) == 1
    made = sqlite3.connect(tmp_path / "new.db")
    made.execute("CREATE TABLE things (name TEXT)")
    made.close()
    (tmp_path / "new.db").replace(tmp_path / "some.db")
    with database.read() as snapshot:
        assert snapshot.value(COUNT) == 0


def test_what_a_connection_is_set_to(database: Database) -> None:
    """Every connection overwrites what it deletes, keeps references, and syncs what it commits."""
    with database.connection() as connection:
        settings = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("secure_delete", "foreign_keys", "synchronous", "wal_autocheckpoint")
        }
    assert settings == {
        "secure_delete": 1,
        "foreign_keys": 1,
        "synchronous": 2,
        "wal_autocheckpoint": 1000,
    }


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_log_is_kept_by_who_says_so_alone(database: Database, *, is_whole: bool) -> None:
    """Whether it is committed or not, the connection is as it was for who has it next."""
    with suppress(LookupError), database.write(keeps_log=True) as transaction:
        assert transaction.value("PRAGMA wal_autocheckpoint") == 0
        assert transaction.value("PRAGMA cache_size") < -2_000
        if not is_whole:
            raise LookupError
    with database.connection() as connection:
        assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (1000,)


def test_a_program_fault_stays_what_it_is(database: Database) -> None:
    """An error that is no fault of the file is raised as it is."""
    with pytest.raises(sqlite3.OperationalError, match="syntax"), database.read() as snapshot:
        snapshot.rows("SELEC 1")


def test_a_killed_writer_leaves_nothing(database: Database, tmp_path: Path) -> None:
    """A process that dies within its transaction leaves the state from before, and no lock."""
    program = """
import os, sys
from agent_memory_os.store.database import Database
database = Database(sys.argv[1], lambda: 0, lambda: 0.5)
with database.write() as transaction:
    transaction.execute("INSERT INTO things (name) VALUES ('half')")
    os.kill(os.getpid(), 9)
"""
    assert run(program, str(tmp_path / "some.db")).returncode == -9
    add(database, "whole")
    with database.read() as snapshot:
        assert snapshot.rows(NAMES) == [("whole",)]
