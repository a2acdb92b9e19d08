"""A file is recognised by its first bytes, before anything opens it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory_os.errors import DamagedDatabase, ForeignDatabase, NewerSchema
from agent_memory_os.store.file.header import APPLICATION_ID, read_header, recognise


def made(path: Path, *statements: str) -> str:
    """Make a database by some statements, and return its path."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    return str(path)


def test_what_a_header_says(tmp_path: Path) -> None:
    """The header tells the size of a page, the log, the program, the version and if it is empty."""
    path = made(
        tmp_path / "some.db",
        "PRAGMA page_size = 8192",
        "PRAGMA journal_mode = WAL",
        f"PRAGMA application_id = {APPLICATION_ID}",
        "PRAGMA user_version = 7",
        "CREATE TABLE things (name TEXT)",
    )
    assert read_header(path) == (8192, True, APPLICATION_ID, 7, True)
    plain = made(tmp_path / "plain.db", "PRAGMA page_size = 65536", "PRAGMA user_version = 1")
    assert read_header(plain) == (65_536, False, 0, 1, False)


def test_nothing_there_has_no_header(tmp_path: Path) -> None:
    """A file that is missing or empty has no header, and may be made ours."""
    (tmp_path / "empty.db").touch()
    assert read_header(str(tmp_path / "empty.db")) is None
    assert recognise(str(tmp_path / "none.db"), 1) is None


@pytest.mark.parametrize(
    "content",
    [b"x", b"\0" * 4096, b"SQLite format 3\0", b"hello " * 100, b"SQLite format 2\0" * 99],
)
def test_what_is_no_database_is_damaged(tmp_path: Path, content: bytes) -> None:
    """A file that does not begin as a database does is refused, and left as it is."""
    path = tmp_path / "some.db"
    path.write_bytes(content)
    with pytest.raises(DamagedDatabase, match="left as it is"):
        recognise(str(path), 1)
    assert path.read_bytes() == content


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    """A database with content or a mark of its own is another program's."""
    plain = made(tmp_path / "plain.db", "CREATE TABLE things (name TEXT)")
    marked = made(tmp_path / "marked.db", "PRAGMA application_id = 1", "PRAGMA user_version = 1")
    for path in (plain, marked):
        with pytest.raises(ForeignDatabase, match="another program"):
            recognise(path, 1)


def test_a_newer_one_is_refused_and_an_older_one_is_not(tmp_path: Path) -> None:
    """A file of ours is opened up to the version that this program knows."""
    path = made(
        tmp_path / "ours.db", f"PRAGMA application_id = {APPLICATION_ID}", "PRAGMA user_version = 3"
    )
    assert recognise(path, 3)
    assert recognise(path, 4)
    with pytest.raises(NewerSchema, match="schema 3; this program knows 2"):
        recognise(path, 2)
