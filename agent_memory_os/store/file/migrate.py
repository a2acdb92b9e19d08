"""Opening a file: recognise it, create it, migrate it, or leave it untouched and say why.

Migrations are numbered SQL files that only go forward; ``user_version`` is the number of the last
one. A file of a newer version, of another program, or one that is no database is never written
to. Before a file that holds data is migrated, a copy of it is made beside it, while nobody can
write. All pending migrations run in one transaction: a process that dies half way leaves the old
version, or a file that holds nothing yet.
"""

from __future__ import annotations

import os
import sqlite3

from agent_memory_os.errors import Refused
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.file.header import recognise, refuse

BEFORE = ".before-"
"""What the name of a copy that was made before a change begins with, after the file's own."""

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "migrations")
_OLDEST_SQLITE = (3, 37, 0)


def migrations() -> list[tuple[int, str]]:
    """Return the number and the path of each migration, in order."""
    names = sorted(name for name in os.listdir(_FOLDER) if name.endswith(".sql"))
    return [(int(name.split("_")[0]), os.path.join(_FOLDER, name)) for name in names]


def latest_version() -> int:
    """Return the version that this program writes."""
    return migrations()[-1][0]


def is_current(database: Database) -> bool:
    """Say whether the file is ours and of this version; raise for one that must not be touched."""
    header = recognise(database.path, latest_version())
    if header is None:
        return False
    with database.read() as snapshot:
        version = version_of(snapshot, database.path)
    return header.is_wal and version == latest_version()


def prepare(database: Database, *, copies: bool = True) -> bool:
    """Create the file or bring it up to date; return whether it was created by this call.

    Any number of processes may call this at once on one path. ``copies`` tells whether a file that
    holds data is copied before it is migrated.
    """
    from agent_memory_os.store.file.copy import create

    _require_sqlite()
    create(database.path)
    if is_current(database):
        return False
    if database.maintain("PRAGMA journal_mode = WAL")[0][0] != "wal":
        raise Refused(
            f"The disk that holds {database.path} cannot share memory between processes, as a "
            "network drive cannot; use a folder on a local disk.",
            "other_home",
        )
    with database.write() as transaction:
        done = version_of(transaction, database.path)
        pending = [(number, path) for number, path in migrations() if number > done]
        if done and pending and copies:
            _copy_before(database, pending[-1][0])
        for number, path in pending:
            for statement in _statements_of(path):
                transaction.execute(statement)
            transaction.execute(f"PRAGMA user_version = {number}")
    return done == 0 and bool(pending)


def statements(script: str) -> list[str]:
    """Split a script into statements, so that they can run inside our own transaction.

    A statement ends with the line on which it ends. Raises :class:`ValueError` for a script that
    ends within one.
    """
    found, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if ";" in line and sqlite3.complete_statement(current):
            found.append(current)
            current = ""
    if any(line.strip() and not line.lstrip().startswith("--") for line in current.splitlines()):
        raise ValueError(f"the script ends within a statement: {current.strip()[:60]}")
    return found


def version_of(snapshot: Snapshot, path: str) -> int:
    """Return the version of an open file, 0 for an empty one; raise if it is not for us to use."""
    application = snapshot.value("PRAGMA application_id")
    version: int = snapshot.value("PRAGMA user_version")
    has_content = snapshot.value("SELECT 1 FROM sqlite_schema LIMIT 1") is not None
    refuse(path, latest_version(), application, version, has_content=has_content)
    return version


def replay(connection: sqlite3.Connection) -> None:
    """Run every migration on an empty database, such as one in memory."""
    for _, path in migrations():
        for statement in _statements_of(path):
            connection.execute(statement)


def _statements_of(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return statements(file.read())


def _copy_before(database: Database, version: int) -> None:
    from agent_memory_os.store.file.copy import copy

    with database.read() as snapshot:
        copy(snapshot, f"{database.path}{BEFORE}{version}")


def sqlite_version() -> tuple[str, bool]:
    """Return the version of SQLite that this Python has, and whether it is new enough."""
    return sqlite3.sqlite_version, sqlite3.sqlite_version_info >= _OLDEST_SQLITE


def _require_sqlite() -> None:
    version, is_enough = sqlite_version()
    if not is_enough:
        raise Refused(f"This Python has SQLite {version}; 3.37 or newer is needed.")
