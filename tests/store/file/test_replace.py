"""One database takes the place of another, whole, while others have it open."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory_os.errors import Busy, DamagedDatabase
from agent_memory_os.store.database import Database
from agent_memory_os.store.file.copy import create
from agent_memory_os.store.file.replace import overwrite, put_in, read_only
from tests.store.sample import plain

NAMES = "SELECT name FROM things ORDER BY rowid LIMIT 3"
HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(sys.argv[2])
connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
print("held", flush=True)
sys.stdin.read(1)
"""


def made(path: Path, *names: str) -> str:
    """Make a database of many pages with some names in it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE things (name TEXT, rest TEXT)")
        rows = [(name, "x" * 3000) for name in names * 20]
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO things VALUES (?, ?)", rows)
        connection.execute("COMMIT")
    return str(path)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Database]:
    """Give an open database in write-ahead mode."""
    path = made(tmp_path / "live.db", "old")
    database = Database(path, lambda: 0, lambda: 0.5, patience=0.3)
    database.maintain("PRAGMA journal_mode = WAL")
    yield database
    database.close()


@pytest.fixture
def new(tmp_path: Path) -> str:
    """Give a database that is to take the place of the other."""
    return made(tmp_path / "new.db", "new", "newer")


def names(database: Database) -> list[str]:
    """Return the first names in a database."""
    with database.read() as snapshot:
        return [name for (name,) in snapshot.rows(NAMES)]


def holding(path: str, statement: str) -> subprocess.Popen[str]:
    """Have another process hold a database open, after a statement."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, path, statement],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=plain(),
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def let_go(process: subprocess.Popen[str]) -> None:
    """Let another process end."""
    process.communicate("x")


def test_a_database_is_overwritten_under_its_readers(live: Database, new: str) -> None:
    """A reader keeps what it sees, and everybody sees the new state in the next snapshot."""
    calls: list[list[str]] = []

    def note() -> bool:
        calls.append(names(live))
        return True

    with live.read() as snapshot:
        assert overwrite(live, new, note)
        assert snapshot.rows(NAMES)[0] == ("old",)
    assert calls == [["old", "old", "old"]]
    assert names(live) == ["new", "newer", "new"]
    with live.read() as snapshot:
        assert snapshot.value("PRAGMA integrity_check") == "ok"
        assert snapshot.value("PRAGMA journal_mode") == "wal"


def test_nobody_writes_between_the_call_and_the_end(live: Database, new: str) -> None:
    """From the call on the lock is held: who wants to write is told that it is busy."""
    other = Database(live.path, lambda: 0, lambda: 0.5, patience=0.05)

    def write() -> bool:
        with pytest.raises(Busy), other.write():
            pass
        return True

    overwrite(live, new, write)
    other.close()
    assert names(live)[0] == "new"


def test_an_error_in_the_call_leaves_all_as_it_was(live: Database, new: str) -> None:
    """Where what is to be done before fails, nothing is overwritten."""

    def fail() -> bool:
        raise KeyError("no")

    with pytest.raises(KeyError, match="no"):
        overwrite(live, new, fail)
    assert names(live) == ["old"] * 3
    with live.write() as transaction:
        transaction.execute("INSERT INTO things VALUES ('more', '')")


def test_what_is_not_to_go_on_leaves_all_as_it_was(live: Database, new: str) -> None:
    """Where the call says no, nothing is overwritten, and others write on."""
    assert not overwrite(live, new, lambda: False)
    assert names(live) == ["old"] * 3
    with live.write() as transaction:
        transaction.execute("INSERT INTO things VALUES ('more', '')")


def test_a_writer_is_waited_for_and_then_told(live: Database, new: str) -> None:
    """As long as another process writes nothing is overwritten, and in the end that is said."""
    process = holding(live.path, "BEGIN IMMEDIATE")
    with pytest.raises(Busy, match="nothing was changed"):
        overwrite(live, new, lambda: True)
    let_go(process)
    assert names(live) == ["old"] * 3
    overwrite(live, new, lambda: True)
    assert names(live)[0] == "new"


def test_a_damaged_database_is_replaced_by_name(tmp_path: Path, new: str) -> None:
    """What is no database any more is kept under another name, with its log, and replaced."""
    live, kept = tmp_path / "live.db", tmp_path / "kept.db"
    live.write_bytes(b"\0" * 8192)
    for side in ("-wal", "-shm"):
        Path(f"{live}{side}").write_bytes(b"log")
    put_in(str(live), new, str(kept))
    assert kept.read_bytes() == b"\0" * 8192
    assert Path(f"{kept}-wal").read_bytes() == b"log"
    assert sorted(os.listdir(tmp_path)) == ["kept.db", "kept.db-wal", "live.db"]
    with closing(sqlite3.connect(live)) as connection:
        assert connection.execute(NAMES).fetchone() == ("new",)


def test_a_missing_database_is_put_in(tmp_path: Path, new: str) -> None:
    """Where nothing is, nothing is kept."""
    put_in(str(tmp_path / "live.db"), new, str(tmp_path / "kept.db"))
    assert os.listdir(tmp_path) == ["live.db"]


def test_a_database_that_somebody_has_open_is_not_replaced_by_name(
    live: Database, new: str, tmp_path: Path
) -> None:
    """Who has a file open would go on with one without a name: that is refused."""
    path = live.path
    names(live)
    live.close()
    process = holding(path, "PRAGMA user_version")
    with pytest.raises(Busy, match="open; end it first"):
        put_in(path, new, str(tmp_path / "kept.db"))
    let_go(process)
    assert os.path.exists(new)
    assert not (tmp_path / "kept.db").exists()
    put_in(path, new, str(tmp_path / "kept.db"))


def test_reading_only_changes_nothing(live: Database, tmp_path: Path) -> None:
    """A snapshot for reading only makes no file, and finds what is no database."""
    names(live)
    live.close()
    before = sorted(os.listdir(tmp_path))
    with read_only(live.path, 5) as snapshot:
        assert snapshot.rows(NAMES)[0] == ("old",)
        assert snapshot.now == 5
        assert sorted(os.listdir(tmp_path)) == before
    create(str(tmp_path / "odd.db"))
    (tmp_path / "odd.db").write_bytes(b"odd" * 5000)
    with pytest.raises(DamagedDatabase), read_only(str(tmp_path / "odd.db"), 0):
        pass
