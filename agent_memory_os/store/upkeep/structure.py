"""Whether the file is sound as a database: its pages, its references, its schema."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from agent_memory_os.store.database import Row, Snapshot, Transaction
from agent_memory_os.store.file import migrate
from agent_memory_os.store.file.connection import Connection
from agent_memory_os.store.queries import Queries

_sql = Queries("upkeep")
_SHADOW = "terms_"
_MOST_FAULTS = 5
_MISSING = " is missing"


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
        f"rows of {table} that name no row of {parent}: {count}"
        for (table, parent), count in sorted(counts.items())
    ]


def schema_faults(snapshot: Snapshot) -> list[str]:
    """Return where the schema is not the one that the migrations give."""
    held = {row[:2]: row[2] for row in snapshot.rows(_sql["schema"])}
    wanted = {row[:2]: row[2] for row in schema()}
    faults = [f"the {kind} {name}{_MISSING}" for kind, name in wanted.keys() - held.keys()]
    faults += [f"the {kind} {name} is not ours" for kind, name in held.keys() - wanted.keys()]
    faults += [
        f"the {kind} {name} is not as it was made"
        for (kind, name), text in wanted.items()
        # The text of the tables beneath the index is SQLite's, and each version may have its own.
        if held.get((kind, name), text) != text and not name.startswith(_SHADOW)
    ]
    return sorted(faults)


def is_mendable(fault: str) -> bool:
    """Say whether a fault of the schema is the loss of something that holds nothing of its own."""
    is_derived = fault.startswith(("the index ", f"the table {_SHADOW}"))
    return is_derived and fault.endswith(_MISSING)


def mend(transaction: Transaction) -> None:
    """Make again what is missing and holds nothing of its own: indexes, and what lies beneath one.

    The full-text index is usable afterwards, and what it holds is to be made anew.
    """
    held = {row[1] for row in transaction.rows(_sql["schema"])}
    for kind, name, text in schema():
        if name not in held and (kind == "index" or name.startswith(_SHADOW)):
            transaction.execute(text)
    with closing(fresh()) as connection:
        wanted = connection.execute(_sql["settings"]).fetchall()
    if transaction.rows(_sql["settings"]) != wanted:
        transaction.many(_sql["put_setting"], wanted)


def schema() -> list[Row]:
    """Return kind, name and text of everything that the migrations make, in order of name."""
    with closing(fresh()) as connection:
        return connection.execute(_sql["schema"]).fetchall()


def fresh() -> Connection:
    """Return a database in memory that has our schema and nothing else."""
    connection = sqlite3.connect(":memory:", isolation_level=None, factory=Connection)
    migrate.replay(connection)
    return connection
