"""What was deleted and can still be read is found, and what is there is not mistaken for it."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.store.file.remains import dead_of, grams_of, holds

PAGE = 4096


@pytest.fixture
def held(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection that does not overwrite what it deletes."""
    with closing(sqlite3.connect(tmp_path / "some.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("CREATE TABLE things (name TEXT)")
        yield connection


def path_of(connection: sqlite3.Connection) -> str:
    """Return the path of a connection's file."""
    return str(connection.execute("PRAGMA database_list").fetchone()[2])


def is_left(connection: sqlite3.Connection, *texts: str) -> bool:
    """Say whether something of some texts is left where no row owns it."""
    return holds(path_of(connection), PAGE, grams_of(texts))


def test_a_deleted_row_is_found_and_a_row_that_is_there_is_not(held: sqlite3.Connection) -> None:
    """A deleted row is found until it is overwritten, whether a page or a part of one was freed."""
    held.execute("INSERT INTO things VALUES ('the canary sings'), ('the sparrow stays')")
    assert not is_left(held, "the canary sings", "the sparrow stays")
    held.execute("DELETE FROM things WHERE name LIKE '%canary%'")
    assert is_left(held, "canary")
    assert not is_left(held, "sparrow")
    held.execute("VACUUM")
    assert not is_left(held, "canary")


def test_free_pages_are_searched(held: sqlite3.Connection) -> None:
    """Pages that went to the list of free ones are searched, those that hold long rows too."""
    held.execute("BEGIN")
    held.executemany("INSERT INTO things VALUES (?)", [("canary " * 2000,)] * 60)
    held.execute("DELETE FROM things")
    held.execute("COMMIT")
    assert held.execute("PRAGMA freelist_count").fetchone()[0] > 100
    assert is_left(held, "canary")
    assert not is_left(held, "sparrow")


def test_the_log_is_searched(held: sqlite3.Connection) -> None:
    """Pages that are still in the write-ahead log are searched."""
    held.execute("PRAGMA journal_mode = WAL")
    held.execute("PRAGMA wal_autocheckpoint = 0")
    held.execute("INSERT INTO things VALUES ('the canary sings')")
    assert not is_left(held, "canary")
    held.execute("DELETE FROM things")
    assert is_left(held, "canary")


def test_what_overflows_a_page_is_no_remnant(held: sqlite3.Connection) -> None:
    """A row that is too long for a page lies in pages of its own, and is not mistaken."""
    held.execute("INSERT INTO things VALUES (?)", ("canary " * 3000,))
    assert not is_left(held, "canary")


def test_much_that_is_dead_is_not_looked_through(
    held: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where more is dead than is worth a look, something is taken to be left."""
    monkeypatch.setattr("agent_memory_os.store.file.remains._MOST_BYTES", 1000)
    held.executemany("INSERT INTO things VALUES (?)", [("canary " * 200,)] * 10)
    held.execute("DELETE FROM things")
    assert is_left(held, "sparrow")


def test_overwriting_what_is_deleted_is_not_enough(tmp_path: Path) -> None:
    """Deleting with zeros leaves copies of some rows behind, and each of those is found."""
    path = tmp_path / "some.db"
    chance = random.Random(1)
    rows: dict[int, str] = {}
    gone: set[str] = set()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("CREATE TABLE things (name TEXT)")
        connection.execute("BEGIN")
        for number in range(12_000):
            name = f"canary{number:06}"
            text = f"{name} " * chance.choice([1, 3, 10, 30, 60])
            key = chance.choice(list(rows)) if number % 2 and rows else None
            if key is None:
                added = connection.execute("INSERT INTO things VALUES (?)", (text,)).lastrowid
                rows[added or 0] = name
            elif chance.random() < 0.5:
                gone.add(rows.pop(key))
                connection.execute("DELETE FROM things WHERE rowid = ?", (key,))
            else:
                gone.add(rows[key])
                rows[key] = name
                connection.execute("UPDATE things SET name = ? WHERE rowid = ?", (text, key))
        connection.execute("COMMIT")
    content = path.read_bytes()
    read = {name.decode() for name in re.findall(rb"canary\d{6}", content)}
    left = read & gone - set(rows.values())
    assert left, "SQLite has learnt to overwrite everything: the search is not needed any more"
    for name in sorted(left)[:20]:
        assert holds(str(path), PAGE, grams_of([name[-4:]]))


@given(
    st.sampled_from([2, 5, 10, 13, 0]),
    st.binary(min_size=1, max_size=60),
    st.sampled_from([0, 100]),
)
def test_any_page_can_be_looked_at(kind: int, content: bytes, start: int) -> None:
    """No page, however damaged, makes the search fail or run on for ever."""
    page = bytearray((content * PAGE)[:PAGE])
    page[start] = kind
    assert sum(map(len, dead_of(bytes(page), is_first=start > 0))) < PAGE * PAGE


@given(st.text(max_size=40))
def test_grams_are_all_that_is_four_bytes_long(text: str) -> None:
    """Every four bytes in a row of a text are among its grams, and nothing else."""
    data = text.encode()
    grams = grams_of([text])
    assert {data[at : at + 4] for at in range(max(0, len(data) - 3))} == grams
