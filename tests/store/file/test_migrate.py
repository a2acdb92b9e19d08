"""A file is created, migrated or left untouched, by however many processes at once."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from agent_memory_os.errors import DamagedDatabase, ForeignDatabase, NewerSchema, Refused
from agent_memory_os.store.database import Database
from agent_memory_os.store.file import migrate
from agent_memory_os.store.upkeep.structure import fresh
from tests.store.sample import ROOT, Fleet, bytes_of, found

NOW = len(migrate.migrations())
NEXT = NOW + 1
ONE_MORE = """
-- What was said; twice.
CREATE TABLE notes (
  -- a comment; with a semicolon
  note TEXT NOT NULL DEFAULT 'a;b'
) STRICT;
CREATE TRIGGER noted AFTER INSERT ON notes BEGIN
  INSERT INTO audit (at, actor, action, object, detail) VALUES (0, 'trigger', 'note', '', new.note);
  DELETE FROM notes WHERE note = 'gone';
END;
INSERT INTO notes SELECT content FROM memories;
"""
MIGRATE = """
import sys
from agent_memory_os.store.file import migrate
from agent_memory_os.store.database import Database
migrate._FOLDER = sys.argv[2]
database = Database(sys.argv[1], lambda: 0, lambda: 0.5)
print(migrate.prepare(database), flush=True)
database.close()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder of migrations with one more, and have the program know it."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    for _, path in migrate.migrations():
        (folder / os.path.basename(path)).write_bytes(Path(path).read_bytes())
    (folder / f"{NEXT:04}_notes.sql").write_text(ONE_MORE)
    monkeypatch.setattr(migrate, "_FOLDER", str(folder))
    return folder


@pytest.fixture
def older(tmp_path: Path) -> Iterator[Fleet]:
    """Give a fleet with some memories whose file is of the version before."""
    fleet = found(tmp_path)
    for number in range(40):
        fleet.remember(f"memory number {number}")
    fleet.node.close()
    yield fleet
    fleet.node.close()


def opened(path: str) -> Database:
    """Return a database of a file."""
    return Database(path, lambda: 0, lambda: 0.5)


def test_a_new_file_is_created_once(tmp_path: Path) -> None:
    """The first call creates the file for its owner alone, and a later one finds it current."""
    database = opened(str(tmp_path / "some.db"))
    assert not migrate.is_current(database)
    assert migrate.prepare(database)
    assert migrate.is_current(database)
    assert not migrate.prepare(database)
    database.close()
    assert (tmp_path / "some.db").stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["some.db"]


def test_processes_that_create_a_file_at_once_make_one(tmp_path: Path) -> None:
    """Of eight processes that start on nothing one creates the file, and all go on."""
    folder = os.path.dirname(migrate.migrations()[0][1])
    words = [sys.executable, "-c", MIGRATE, str(tmp_path / "some.db"), folder]
    started = [subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) for _ in range(8)]
    said = sorted(process.communicate()[0].decode().strip() for process in started)
    assert [process.returncode for process in started] == [0] * 8
    assert said == ["False"] * 7 + ["True"]


def test_a_process_that_died_after_making_the_file_is_no_obstacle(tmp_path: Path) -> None:
    """An empty file, also one that is in write-ahead mode already, is taken for a new one."""
    (tmp_path / "empty.db").touch()
    waiting = opened(str(tmp_path / "waiting.db"))
    (tmp_path / "waiting.db").touch()
    waiting.maintain("PRAGMA journal_mode = WAL")
    waiting.close()
    for name in ("empty.db", "waiting.db"):
        database = opened(str(tmp_path / name))
        assert migrate.prepare(database)
        database.close()


def test_an_older_file_is_copied_and_migrated(older: Fleet, folder: Path) -> None:
    """Every pending migration runs, and a copy of what was there is left beside the file."""
    assert folder.exists()
    assert not migrate.is_current(older.database)
    assert not migrate.prepare(older.database)
    assert migrate.is_current(older.database)
    assert older.ask("SELECT count(*) FROM notes") == [(40,)]
    assert older.ask("SELECT count(*) FROM audit WHERE actor = 'trigger'") == [(40,)]
    with closing(sqlite3.connect(f"{older.path}.before-{NEXT}")) as copy:
        assert copy.execute("PRAGMA user_version").fetchone() == (NOW,)
        assert copy.execute("SELECT count(*) FROM memories").fetchone() == (40,)


def test_a_copy_is_left_out_where_none_is_wanted(older: Fleet, folder: Path) -> None:
    """A backup that is brought up to date is not copied once more."""
    assert folder.exists()
    migrate.prepare(older.database, copies=False)
    assert not os.path.exists(f"{older.path}.before-{NEXT}")


def test_processes_that_migrate_at_once_do_it_once(older: Fleet, folder: Path) -> None:
    """Of four processes that find an older file one migrates it, and nothing is done twice."""
    words = [sys.executable, "-c", MIGRATE, older.path, str(folder)]
    started = [subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) for _ in range(4)]
    for process in started:
        process.communicate()
    assert [process.returncode for process in started] == [0] * 4
    assert older.ask("SELECT count(*) FROM notes") == [(40,)]


def test_a_migration_that_fails_changes_nothing(older: Fleet, folder: Path) -> None:
    """Where a statement fails, every migration of the same run is undone."""
    (folder / f"{NEXT + 1:04}_fault.sql").write_text("CREATE TABLE notes (note TEXT);")
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrate.prepare(older.database)
    older.database.close()
    with closing(sqlite3.connect(older.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (NOW,)
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (40,)
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            connection.execute("SELECT * FROM notes")


def test_a_migration_that_is_killed_leaves_the_old_or_the_new(older: Fleet, folder: Path) -> None:
    """Killed at any moment, a migration leaves the file of one version or the other, whole."""
    with open(folder / f"{NEXT:04}_notes.sql", "a") as file:
        file.writelines(f"INSERT INTO notes VALUES ('{number}');\n" for number in range(4000))
    words = [sys.executable, "-c", MIGRATE, older.path, str(folder)]
    before = bytes_of(older.path)
    seen = set()
    for delay in (0.12, 0.15, 0.18, 0.21, 0.24, 0.3):
        Path(older.path).write_bytes(before)
        for side in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(older.path + side)
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, cwd=ROOT)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with closing(sqlite3.connect(older.path)) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            tables = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'notes'")
            assert (tables.fetchone() is not None) == (version == NEXT)
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("SELECT count(*) FROM memories").fetchone() == (40,)
            seen.add(version)
        copy = Path(f"{older.path}.before-{NEXT}")
        if copy.exists():
            with closing(sqlite3.connect(copy)) as connection:
                assert connection.execute("SELECT count(*) FROM memories").fetchone() == (40,)
    assert seen <= {NOW, NEXT}
    migrate.prepare(older.database)
    assert older.ask("SELECT count(*) FROM notes WHERE note LIKE 'memory%'") == [(40,)]


def test_a_newer_file_is_left_as_it_is(older: Fleet) -> None:
    """A file of a newer version is refused, and not a byte of it changes."""
    older.database.maintain("PRAGMA user_version = 9")
    older.database.close()
    before = bytes_of(older.path)
    for attempt in (migrate.is_current, migrate.prepare):
        with pytest.raises(NewerSchema, match="Update agent-memory-node"):
            attempt(older.database)
    assert bytes_of(older.path) == before
    assert sorted(os.listdir(older.home)) == ["keys", "node.db"]


def test_a_foreign_file_is_left_as_it_is(tmp_path: Path) -> None:
    """Another program's database is refused, also where all that it holds is still in its log."""
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE things (name TEXT)")
        with pytest.raises(ForeignDatabase, match="another program"):
            migrate.prepare(opened(str(path)))
        assert connection.execute("SELECT count(*) FROM things").fetchone() == (0,)
    before = path.read_bytes()
    with pytest.raises(ForeignDatabase, match="another program"):
        migrate.prepare(opened(str(path)))
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["some.db"]


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    """What is no database is refused, and not a byte of it changes."""
    path = tmp_path / "some.db"
    path.write_bytes(b"notes of mine\n" * 400)
    with pytest.raises(DamagedDatabase, match="no SQLite database"):
        migrate.prepare(opened(str(path)))
    assert path.read_bytes() == b"notes of mine\n" * 400


def test_a_file_without_its_log_mode_is_given_it_again(older: Fleet) -> None:
    """A file that was left without a write-ahead log, as by a restore, gets one again."""
    older.database.maintain("PRAGMA journal_mode = DELETE")
    assert not migrate.is_current(older.database)
    assert not migrate.prepare(older.database)
    assert older.database.maintain("PRAGMA journal_mode") == [("wal",)]


def test_a_disk_without_shared_memory_is_refused(tmp_path: Path) -> None:
    """Where SQLite cannot share memory between processes, a sentence says what to do."""
    path = str(tmp_path / "some.db")

    class Network(Database):
        """A database on a disk that cannot do it."""

        def maintain(self, *statements: str) -> list[tuple[object, ...]]:
            """Answer as SQLite does there."""
            return super().maintain(*(each.replace("WAL", "DELETE") for each in statements))

    with pytest.raises(Refused, match="network drive"):
        migrate.prepare(Network(path, lambda: 0, lambda: 0.5))


def test_an_old_sqlite_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python with a SQLite that is too old makes nothing."""
    monkeypatch.setattr(migrate, "_OLDEST_SQLITE", (99, 0, 0))
    with pytest.raises(Refused, match=r"3\.37 or newer"):
        migrate.prepare(opened(str(tmp_path / "some.db")))
    assert os.listdir(tmp_path) == []


def test_statements_are_split_where_they_end() -> None:
    """Semicolons in comments, texts and triggers end nothing, and nothing is lost."""
    found = migrate.statements(ONE_MORE)
    assert [statement.split()[-1] for statement in found] == ["STRICT;", "END;", "memories;"]
    assert "".join(found).strip() == ONE_MORE.strip()
    assert migrate.statements("-- nothing\n\n") == []
    with pytest.raises(ValueError, match="within a statement: CREATE TABLE"):
        migrate.statements("SELECT 1;\nCREATE TABLE things (")


def test_replaying_gives_the_version_that_is_written() -> None:
    """Every migration runs on an empty database, and marks it as ours."""
    with closing(fresh()) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM registers").fetchone() == (0,)
