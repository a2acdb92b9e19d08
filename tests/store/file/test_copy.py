"""A copy is whole or not there, verified, one file, and nobody else's to read."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.store.file.copy import PARTIAL, copy, create, remove
from tests.store.sample import Fleet, bytes_of


def test_a_copy_is_one_sound_file_of_ones_own(fleet: Fleet, tmp_path: Path) -> None:
    """A copy holds what the snapshot holds, needs no log, and has mode 0600 whatever the umask."""
    fleet.remember("what was there")
    target = tmp_path / "copy.db"
    held = os.umask(0)
    try:
        with fleet.database.read() as snapshot:
            fleet.remember("what came later")
            copy(snapshot, str(target))
    finally:
        os.umask(held)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [name for name in os.listdir(tmp_path) if name.startswith("copy.db")] == ["copy.db"]
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("SELECT content FROM memories").fetchall() == [
            ("what was there",)
        ]


def test_a_copy_takes_the_place_of_what_is_there(fleet: Fleet, tmp_path: Path) -> None:
    """A copy replaces an older one, and a broken beginning of one is thrown away."""
    target = tmp_path / "copy.db"
    target.write_bytes(b"old")
    Path(f"{target}{PARTIAL}").write_bytes(b"broken")
    with fleet.database.read() as snapshot:
        copy(snapshot, str(target))
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("SELECT count(*) FROM agents").fetchone() == (3,)


def test_a_damaged_file_gives_no_copy(fleet: Fleet, tmp_path: Path) -> None:
    """A copy of a damaged file is refused and removed, and what was there stays."""
    for number in range(60):
        fleet.remember(f"{number} " + "word " * 100)
    fleet.node.close()
    with open(fleet.path, "r+b") as file:
        file.seek(4096 * 12)
        file.write(b"\xa5" * 4096)
    target = tmp_path / "copy.db"
    target.write_bytes(b"old")
    with fleet.database.read() as snapshot, pytest.raises(DamagedDatabase, match="is damaged"):
        copy(snapshot, str(target))
    assert target.read_bytes() == b"old"
    assert not os.path.exists(f"{target}{PARTIAL}")
    with fleet.database.read() as snapshot:
        copy(snapshot, str(target), verified=False)
    assert target.read_bytes()[4096 * 12 : 4096 * 13] == b"\xa5" * 4096


def test_a_copy_waits_for_no_writer_and_holds_none_up(fleet: Fleet, tmp_path: Path) -> None:
    """While somebody writes, and others want to, a copy of the last whole state is made."""
    fleet.remember("whole")
    with fleet.database.write() as transaction:
        transaction.execute("DELETE FROM documents")
        with fleet.database.read() as snapshot:
            copy(snapshot, str(tmp_path / "copy.db"))
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        assert connection.execute("SELECT count(*) FROM documents").fetchone() == (1,)


def test_writers_go_on_while_a_snapshot_is_copied(fleet: Fleet, tmp_path: Path) -> None:
    """A copy is made of one state though many write meanwhile, and all of them succeed."""
    done = threading.Event()
    written: list[str] = []

    def write() -> None:
        while not done.is_set():
            written.append(fleet.remember(f"number {len(written)}").id)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            with fleet.database.read() as snapshot:
                copy(snapshot, str(tmp_path / f"copy-{number}.db"))
                count = snapshot.value("SELECT count(*) FROM memories")
            with closing(sqlite3.connect(tmp_path / f"copy-{number}.db")) as connection:
                assert connection.execute("SELECT count(*) FROM memories").fetchone() == (count,)
    finally:
        done.set()
        writer.join()
    assert fleet.ask("SELECT count(*) FROM memories") == [(len(written),)]


def test_creating_and_removing(tmp_path: Path) -> None:
    """A file is created once, and removed with what SQLite laid beside it."""
    path = tmp_path / "some.db"
    assert create(str(path))
    assert not create(str(path))
    for side in ("-journal", "-wal", "-shm"):
        Path(f"{path}{side}").touch()
    remove(str(path))
    remove(str(path))
    assert os.listdir(tmp_path) == []


def test_copies_do_not_disturb_the_file(fleet: Fleet, tmp_path: Path) -> None:
    """Copying a file changes none of its bytes."""
    fleet.remember("here")
    assert fleet.database.empty_log()
    before = bytes_of(fleet.path)
    with fleet.database.read() as snapshot:
        copy(snapshot, str(tmp_path / "copy.db"))
    assert bytes_of(fleet.path) == before
