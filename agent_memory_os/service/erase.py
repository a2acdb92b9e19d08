"""Erasing for good: what is left in the file after a memory's row is gone, and how it goes.

Deleted rows are overwritten at once (``secure_delete``). Words may still stand in the index's
older segments and in the write-ahead log: the sweep writes the index anew, rebuilds the file where
that is cheap, and empties the log. A backup that is named is treated the same way.
"""

from __future__ import annotations

import os

from agent_memory_os.errors import ForeignDatabase, InvalidInput
from agent_memory_os.service.context import Context
from agent_memory_os.store import lexical, migrate
from agent_memory_os.store.database import Database
from agent_memory_os.store.file.header import recognise
from agent_memory_os.store.write import writing


def sweep(database: Database) -> None:
    """Leave no byte of what was deleted in the file, its index or its log."""
    with database.write() as transaction:
        lexical.sweep(transaction)
    database.maintain("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)")


def sweep_backup(context: Context, path: str, memory_ids: list[str]) -> None:
    """Erase the memories in a backup of this node too."""
    if not os.path.isfile(path):
        raise InvalidInput(f"There is no backup at {path}.")
    if recognise(path, migrate.latest_version()) is None:
        raise ForeignDatabase(f"{path} is no backup of Agent Memory OS; it was left as it is.")
    backup = Database(path, context.database.clock, lambda: 0.5)
    try:
        migrate.prepare(backup)
        with writing(backup) as writer:
            for memory_id in memory_ids:
                writer.erase(memory_id)
        sweep(backup)
        backup.maintain("PRAGMA journal_mode = DELETE")
    finally:
        backup.close()
