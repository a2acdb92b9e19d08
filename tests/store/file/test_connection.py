"""No lock of a file is lost by reading its bytes, by a fork, or by a close."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory_os.errors import (
    AgentMemoryError,
    Busy,
    DamagedDatabase,
    DiskFull,
    ReadOnlyHome,
    Refused,
)
from agent_memory_os.store.database import Database
from agent_memory_os.store.file.connection import connect, key_of, raw, translated
from tests.store.sample import Fleet, run

ADD = "INSERT INTO audit (at, actor, action, object, detail) VALUES (0, ?, '', '', '')"
ACTORS = "SELECT actor FROM audit ORDER BY seq"
VISIT = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM audit").fetchone()
connection.close()
"""


def test_reading_the_bytes_of_an_open_file_keeps_its_locks(fleet: Fleet) -> None:
    """After its bytes were read here, another process that comes and goes leaves the log alone."""
    with raw(fleet.path) as descriptor:
        assert os.pread(descriptor, 6, 0) == b"SQLite"
    assert run(VISIT, fleet.path).returncode == 0
    fleet.say(ADD, ("after",))
    assert os.path.exists(fleet.path + "-wal")
    assert fleet.ask(ACTORS) == [("after",)]
    assert run(VISIT, fleet.path).returncode == 0
    fleet.node.close()
    with closing(sqlite3.connect(fleet.path)) as connection:
        assert connection.execute(ACTORS).fetchall() == [("after",)]


def test_a_kept_descriptor_is_used_again_and_closed_in_the_end(fleet: Fleet) -> None:
    """Reading the bytes often takes one descriptor, and none is left after the last connection."""
    with raw(fleet.path) as first:
        pass
    with raw(fleet.path) as again:
        assert again == first
        with raw(fleet.path) as other:
            assert other != first
    fleet.node.close()
    for descriptor in (first, other):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


def test_bytes_of_a_file_that_is_not_open_need_nothing_kept(tmp_path: Path) -> None:
    """A descriptor of a file without connections is closed at once."""
    path = tmp_path / "plain"
    path.write_bytes(b"plain")
    with raw(str(path)) as descriptor:
        assert os.pread(descriptor, 9, 0) == b"plain"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def in_child(act: Callable[[], None]) -> int:
    """Do something in a forked child; return its exit status."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            act()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons warn of fork and threads
def test_what_a_forked_child_writes_outlives_its_parents_close(fleet: Fleet) -> None:
    """A child of an idle node writes safely, also after its parent has closed the node."""
    fleet.ask(ACTORS)
    ready, go = os.pipe(), os.pipe()

    def act() -> None:
        fleet.say(ADD, ("before",))
        os.write(ready[1], b"x")
        os.read(go[0], 1)
        fleet.say(ADD, ("after",))

    child = os.fork()
    if child == 0:
        status = 1
        try:
            act()
            status = 0
        finally:
            os._exit(status)
    os.read(ready[0], 1)
    fleet.node.close()
    os.write(go[1], b"x")
    assert os.waitpid(child, 0)[1] == 0
    for descriptor in (*ready, *go):
        os.close(descriptor)
    assert fleet.ask(ACTORS) == [("before",), ("after",)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_that_was_forked_amid_a_read_refuses_the_file(fleet: Fleet) -> None:
    """Where a connection was in use at the fork the child says so, and the parent goes on."""

    def act() -> None:
        with pytest.raises(Refused, match="forked"):
            fleet.ask(ACTORS)

    with fleet.database.read() as snapshot:
        assert in_child(act) == 0
        assert snapshot.rows(ACTORS) == []
    fleet.say(ADD, ("parent",))
    assert fleet.ask(ACTORS) == [("parent",)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_never_closes_a_connection_of_its_parent(fleet: Fleet) -> None:
    """Leaving the parent's snapshot in the child lets go of nothing that the parent has."""
    with fleet.database.connection() as connection:

        def act() -> None:
            connection.close()
            assert connection.execute("SELECT 1").fetchone() == (1,)

        assert in_child(act) == 0
        connection.execute(ADD, ("parent",))
    assert run(VISIT, fleet.path).returncode == 0
    assert fleet.ask(ACTORS) == [("parent",)]


def test_a_connection_is_to_a_file_that_is_there(tmp_path: Path) -> None:
    """Connecting makes no file, and takes a path as it is, whatever characters are in it."""
    with pytest.raises(OSError, match="No such file"):
        connect(str(tmp_path / "none.db"))
    path = tmp_path / "odd?name#100%.db"
    path.touch()
    with closing(connect(str(path))) as connection:
        connection.execute("CREATE TABLE things (name TEXT)")
        assert connection.key == key_of(str(path))
    assert path.stat().st_size > 0
    assert sorted(os.listdir(tmp_path)) == ["odd?name#100%.db"]


def test_a_read_only_connection_lays_nothing_beside_the_file(fleet: Fleet) -> None:
    """A file without a log is read as it is, and one with a log with what is in the log."""
    fleet.say(ADD, ("in the log",))
    with closing(connect(fleet.path, read_only=True)) as connection:
        assert connection.execute(ACTORS).fetchall() == [("in the log",)]
    fleet.node.close()
    before = sorted(os.listdir(fleet.home))
    with closing(connect(fleet.path, read_only=True)) as connection:
        assert connection.execute(ACTORS).fetchall() == [("in the log",)]
        assert sorted(os.listdir(fleet.home)) == before
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute(ADD, ("no",))


def coded(code: int, message: str = "told by SQLite") -> sqlite3.OperationalError:
    """Return an error of SQLite with a code."""
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (coded(sqlite3.SQLITE_BUSY), Busy, "writing"),
        (coded(sqlite3.SQLITE_BUSY_SNAPSHOT), Busy, "writing"),
        (coded(sqlite3.SQLITE_CORRUPT), DamagedDatabase, "left as it is"),
        (coded(sqlite3.SQLITE_NOTADB), DamagedDatabase, "left as it is"),
        (coded(267), DamagedDatabase, "apart from it"),
        (coded(1, "vtable constructor failed: terms"), DamagedDatabase, "apart from it"),
        (coded(1, "no such table: node"), DamagedDatabase, "no such table"),
        (coded(sqlite3.SQLITE_FULL), DiskFull, "full"),
        (coded(sqlite3.SQLITE_READONLY), ReadOnlyHome, "permissions"),
        (coded(sqlite3.SQLITE_CANTOPEN), ReadOnlyHome, "permissions"),
        (coded(sqlite3.SQLITE_IOERR_WRITE), Refused, "failed"),
    ],
)
def test_each_fault_has_its_error(
    tmp_path: Path, error: sqlite3.Error, kind: type[AgentMemoryError], words: str
) -> None:
    """What SQLite raises becomes one of our errors, with a sentence that says what to do."""
    with pytest.raises(kind, match=words) as caught, translated(str(tmp_path / "some.db")):
        raise error
    assert type(caught.value) is kind
    assert str(tmp_path) in str(caught.value)


def test_a_failing_disk_without_a_folder_is_a_failing_disk() -> None:
    """Where even the room cannot be asked for, the fault is told as a failing disk."""
    with pytest.raises(Refused, match="failed"), translated("/nowhere/some.db"):
        raise coded(sqlite3.SQLITE_IOERR)


@pytest.mark.skipif(sys.platform != "linux", reason="open descriptors are counted in /proc")
def test_no_descriptor_leaks(tmp_path: Path) -> None:
    """Opening, reading and closing a file many times leaves no descriptor open."""
    path = tmp_path / "some.db"
    path.touch()

    def use() -> None:
        database = Database(str(path), lambda: 0, lambda: 0.5)
        with database.read() as snapshot, raw(str(path)):
            snapshot.value("SELECT 1")
        database.close()

    use()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        use()
    assert len(os.listdir("/proc/self/fd")) == before
