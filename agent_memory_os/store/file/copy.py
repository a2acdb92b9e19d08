"""Copies of a database: online, whole or not there at all, and for nobody else to read.

A copy is made of a snapshot, so that writers are neither waited for nor held up. It is written
under another name, verified where it will lie, and renamed last. It keeps no write-ahead log, so
that it is one file that can be moved about.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.file.connection import Connection, connect, translated

PARTIAL = ".partial"
"""What the name of a copy ends with while it is being made."""

_FILE_MODE = 0o600


def copy(
    snapshot: Snapshot,
    target: str,
    *,
    verified: bool = True,
    finish: Callable[[Transaction], None] = lambda _: None,
) -> None:
    """Write a copy of a snapshot to ``target``, in place of what is there.

    ``finish`` may add to it before it is verified. Raises :class:`DamagedDatabase` where it is to
    be verified and is not sound.
    """
    partial = target + PARTIAL
    remove(partial)
    try:
        create(partial)
        with translated(partial):
            connection = connect(partial)
            try:
                snapshot.copy_to(connection)
                connection.execute("PRAGMA journal_mode = DELETE")
                finish(Transaction(connection, snapshot.now))
                if verified:
                    verify(connection, partial)
            finally:
                connection.close()
        put_in_place(partial, target)
    except BaseException:
        remove(partial)
        raise


def create(path: str) -> bool:
    """Create an empty file that nobody else may read; say whether it was not there before."""
    # The mode is set before anything is in it, so that it is never readable by others.
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _FILE_MODE))
    except FileExistsError:
        return False
    return True


def verify(connection: Connection, path: str) -> None:
    """Raise :class:`DamagedDatabase` unless SQLite finds a database sound in every page."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise DamagedDatabase(f"{path} is damaged ({found}).")


def verify_at(path: str) -> None:
    """Raise :class:`DamagedDatabase` unless the database at a path is sound in every page."""
    with translated(path):
        connection = connect(path, read_only=True)
        try:
            verify(connection, path)
        finally:
            connection.close()


def put_in_place(path: str, target: str) -> None:
    """Rename a finished file, so that a crash leaves the old one or the new one."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(path, target)
    sync_folder(target)


def sync_folder(path: str) -> None:
    """Make the names in a file's folder durable."""
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def remove(path: str) -> None:
    """Remove a file that nobody has open, and what SQLite may have laid beside it."""
    for name in (path, f"{path}-journal", f"{path}-wal", f"{path}-shm"):
        with suppress(FileNotFoundError):
            os.unlink(name)
