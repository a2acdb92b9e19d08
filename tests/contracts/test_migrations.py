"""Migrations only go forward, stay as they were released, and give the schema that is shown."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from agent_memory_os.store.file import migrate
from agent_memory_os.store.upkeep.structure import fresh
from tools import freeze, schema_page

SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"


def test_migrations_are_numbered_without_gaps() -> None:
    """The numbers of the migrations count from one, and the last is the version of a file."""
    numbers = [number for number, _ in migrate.migrations()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert migrate.latest_version() == numbers[-1]


def test_a_migration_is_as_it_was_written_down() -> None:
    """No migration was changed, added or removed without its line in SHA256SUMS."""
    assert freeze.present() == freeze.frozen(), "add a migration, then: python -m tools.freeze"


def test_the_schema_file_gives_what_the_migrations_give() -> None:
    """Running the schema file in an empty database makes the same as running every migration."""
    with closing(fresh()) as migrated, closing(sqlite3.connect(":memory:")) as made:
        made.executescript(schema_page.render())
        assert made.execute(SCHEMA).fetchall() == migrated.execute(SCHEMA).fetchall()
        application = made.execute("PRAGMA application_id").fetchone()
        assert application == migrated.execute("PRAGMA application_id").fetchone()
