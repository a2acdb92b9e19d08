"""Putting one database in the place of another, while others may have it open.

:func:`overwrite` writes all pages of a database that SQLite can open in one transaction of its own:
nobody else notices more than a long write, and a crash leaves the old state. A database that is
damaged takes no transaction: :func:`put_in` renames another one over it, and refuses as long as
somebody has the file open, for that process would go on with a file that has no name any more.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from agent_memory_os.errors import Busy
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.file.connection import BUSY, connect, translated
from agent_memory_os.store.file.copy import put_in_place, sync_folder

_STEP_PAGES = 1000
_STEPS = 4
_RETRY_SECONDS = 0.01
_LOCK_BYTES = (510, 0x40000002)
"""How many bytes every connection of SQLite keeps a lock on, and where in the file they are."""


@contextmanager
def read_only(path: str, now: int) -> Iterator[Snapshot]:
    """Open a snapshot of a file that nothing is changed in or laid beside."""
    with translated(path):
        connection = connect(path, read_only=True)
        try:
            connection.execute("BEGIN")
            yield Snapshot(connection, now)
        finally:
            connection.close()


class _NotNow(Exception):
    """It is not to go on."""


def overwrite(database: Database, source: str, before: Callable[[], bool]) -> bool:
    """Make a database what ``source`` is, if ``before`` says so once nobody else can write.

    Returns what it said. Raises :class:`Busy`, with nothing changed, where another process writes
    for too long.
    """
    deadline = time.monotonic() + database.patience
    is_locked = False

    def step(status: int, _remaining: int, _total: int) -> None:
        nonlocal is_locked
        if status in BUSY and time.monotonic() > deadline:
            raise Busy(f"Another process is writing to {database.path}; nothing was changed.")
        if status == sqlite3.SQLITE_OK and not is_locked:
            is_locked = True
            if not before():
                raise _NotNow

    origin = connect(source)
    try:
        # The lock is taken by the first step, and the last one commits: there must be several.
        pages = origin.execute("PRAGMA page_count").fetchone()[0] // _STEPS
        size = max(1, min(_STEP_PAGES, pages))
        with database.connection() as live:
            origin.backup(live, pages=size, progress=step, sleep=_RETRY_SECONDS)
    except _NotNow:
        return False
    finally:
        origin.close()
    return True


def put_in(path: str, source: str, kept: str) -> None:
    """Rename ``source`` over a file that cannot be opened, or is not there; keep that as ``kept``.

    Raises :class:`Busy`, with nothing changed, where a process has the file open.
    """
    _refuse_open(path)
    for side in ("", "-wal"):
        with suppress(FileNotFoundError):
            os.link(path + side, kept + side)
    sync_folder(path)
    # Before the rename: a log that is left would be taken for the new file's.
    for side in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(path + side)
    put_in_place(source, path)


def _refuse_open(path: str) -> None:
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, *_LOCK_BYTES)
    except OSError as error:
        raise Busy(
            f"Another process has {path} open; end it first. Nothing was changed.", "stop"
        ) from error
    finally:
        os.close(descriptor)
