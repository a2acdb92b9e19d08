"""Opening a file: recognise it, create it, migrate it, or leave it untouched and say why.

Migrations are numbered SQL files that only go forward; ``user_version`` is the number of the last
one. A file of a newer version, of another program, or one that is no database is never written
to. Before a file that holds data is migrated, a copy of it is made beside it. All pending
migrations run in one transaction: a process that dies half way leaves the old version.
"""

from __future__ import annotations

import os
import sqlite3

from agent_memory_os.errors import DamagedDatabase, ForeignDatabase, NewerSchema
from agent_memory_os.store.database import Database, connect, translated

APPLICATION_ID = 1095585619
"""The letters AMOS, in the header of each of our files."""

_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")
_MAGIC = b"SQLite format 3\x00"
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
    if not os.path.exists(database.path) or os.path.getsize(database.path) == 0:
        return False
    check_header(database.path)
    with translated(database.path):
        version = _version_of(database.raw(), database.path)
    return version == latest_version()


def prepare(database: Database) -> bool:
    """Create the file or bring it up to date; return whether it was created by this call.

    Any number of processes may call this at once on one path.
    """
    _require_sqlite()
    _create_file(database.path)
    if is_current(database):
        return False
    _back_up_before_migrating(database)
    database.maintain("PRAGMA journal_mode = WAL")
    with database.write() as transaction:
        done = _version_of(database.raw(), database.path)
        pending = [(number, path) for number, path in migrations() if number > done]
        for number, path in pending:
            with open(path, encoding="utf-8") as file:
                for statement in statements(file.read()):
                    transaction.execute(statement)
            transaction.execute(f"PRAGMA user_version = {number}")
    return done == 0 and bool(pending)


def statements(script: str) -> list[str]:
    """Split a script into statements, so that they can run inside our own transaction."""
    found, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if ";" in line and sqlite3.complete_statement(current):
            found.append(current)
            current = ""
    return found


def check_header(path: str) -> None:
    """Raise :class:`DamagedDatabase` for a file that does not begin as a database does."""
    with open(path, "rb") as file:
        head = file.read(len(_MAGIC))
    if head != _MAGIC:
        raise DamagedDatabase(
            f"{path} is no SQLite database (its first bytes are wrong); it was left as it is. "
            "Run: agent-memory doctor"
        )


def version_of_file(path: str) -> int:
    """Return the version of one of our files, opened read-only; raise if it is none of ours."""
    check_header(path)
    with translated(path):
        connection = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)
        try:
            return _version_of(connection, path)
        finally:
            connection.close()


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _version_of(connection: sqlite3.Connection, path: str) -> int:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            raise ForeignDatabase(
                f"{path} is a database of another program; it was left as it is. "
                "Use another folder: --home FOLDER"
            )
        return 0
    if version > latest_version():
        raise NewerSchema(
            f"{path} was written by a newer version (schema {version}; this program knows "
            f"{latest_version()}). Update agent-memory-node; the file was left as it is."
        )
    return version


def _create_file(path: str) -> None:
    # The mode is set before SQLite touches the file, so that it is never readable by others.
    with translated(path):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            return


def _back_up_before_migrating(database: Database) -> None:
    if os.path.getsize(database.path) == 0:
        return
    version = version_of_file(database.path)
    if version == 0:
        return
    target = f"{database.path}.before-{latest_version()}"
    _create_file(target)
    copy = connect(target)
    try:
        database.raw().backup(copy)
    finally:
        copy.close()


def _require_sqlite() -> None:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise DamagedDatabase(
            f"This Python has SQLite {sqlite3.sqlite_version}; 3.37 or newer is needed."
        )
