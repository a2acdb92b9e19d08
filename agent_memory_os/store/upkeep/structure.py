"""Whether the file is sound as a database: its pages, its references, its schema."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from agent_memory_os.store import migrate
from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.file.connection import Connection
from agent_memory_os.store.queries import Queries

_sql = Queries("upkeep")
_SHADOW = "terms_"
_MOST_FAULTS = 5


def page_faults(snapshot: Snapshot, *, thorough: bool) -> list[str]:
    """Return what SQLite finds wrong in the file's pages; ``thorough`` compares the indexes too."""
    check = "integrity_check" if thorough else "quick_check"
    found = snapshot.rows(f"PRAGMA {check}({_MOST_FAULTS})")
    return [text for (text,) in found if text != "ok"]


def reference_faults(snapshot: Snapshot) -> list[str]:
    """Return which tables have rows that name a row which is not there, and how many."""
    counts: dict[tuple[str, str], int] = {}
    for table, _, parent, _ in snapshot.each("PRAGMA foreign_key_check"):
        counts[table, parent] = counts.get((table, parent), 0) + 1
    return [
        f"{count} rows of {table} name no row of {parent}"
        for (table, parent), count in sorted(counts.items())
    ]


def schema_faults(snapshot: Snapshot) -> list[str]:
    """Return where the schema is not the one that the migrations give."""
    held = {row[:2]: row[2] for row in snapshot.rows(_sql["schema"])}
    wanted = {row[:2]: row[2] for row in schema()}
    faults = [f"the {kind} {name} is missing" for kind, name in wanted.keys() - held.keys()]
    faults += [f"the {kind} {name} is not ours" for kind, name in held.keys() - wanted.keys()]
    faults += [
        f"the {kind} {name} is not as it was made"
        for (kind, name), text in wanted.items()
        # The text of the tables beneath the index is SQLite's, and each version may have its own.
        if held.get((kind, name), text) != text and not name.startswith(_SHADOW)
    ]
    return sorted(faults)


def schema() -> list[Row]:
    """Return kind, name and text of everything that the migrations make, in order of name."""
    with closing(fresh()) as connection:
        return connection.execute(_sql["schema"]).fetchall()


def fresh() -> Connection:
    """Return a database in memory that has our schema and nothing else."""
    connection = sqlite3.connect(":memory:", isolation_level=None, factory=Connection)
    migrate.replay(connection)
    return connection


def restore_index_tables(snapshot: Snapshot) -> list[str]:
    """Return the statements that bring the tables beneath the index to what they are when new."""
    held = {row[1] for row in snapshot.rows(_sql["schema"])}
    lost = [row[2] for row in schema() if row[1].startswith(_SHADOW) and row[1] not in held]
    return [*lost, _sql["index_version"]]
