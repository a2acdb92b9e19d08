"""Erasing for good: from the node's file, from copies of it in the home, from named backups.

The memories are taken away in one transaction; from then on no read finds them. What is left of
them in the file is swept afterwards, and again later where something was in the way. A backup is
swept in a copy that then takes its place, so that it is the old one or the new one at any time. Of
the copies that were made before an update or a restore, those of an older schema are removed: they
served to go back, and cannot be swept without becoming something else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial

from agent_memory_os.errors import AgentMemoryError, Damaged, ForeignDatabase, InvalidInput, Unswept
from agent_memory_os.service.context import Context
from agent_memory_os.store.database import Database
from agent_memory_os.store.file import migrate
from agent_memory_os.store.file.copy import PARTIAL, copy, put_in_place, remove
from agent_memory_os.store.file.disk import told_as_refusal
from agent_memory_os.store.file.header import recognise
from agent_memory_os.store.upkeep import sweep
from agent_memory_os.store.write import writing


def checked(backups: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of backups that can be swept; raise before anything is erased."""
    paths = tuple(backups)
    for path in paths:
        if not os.path.isfile(path):
            raise InvalidInput(f"There is no backup at {path}; nothing was erased.")
        if recognise(path, migrate.latest_version()) is None:
            raise ForeignDatabase(f"{path} is empty, and no backup; nothing was erased.")
    return paths


def finish(
    context: Context, memory_ids: Sequence[str], texts: Sequence[str], backups: Iterable[str] = ()
) -> None:
    """Sweep what was erased from the file, from copies in the home, and from the backups.

    Each is tried, whatever becomes of the others; then the first error is raised.
    """
    acts = [partial(sweep.sweep, context.database, texts, len(set(memory_ids)))]
    acts += [partial(sweep_copy, context, path, memory_ids) for path in copies(context)]
    acts += [partial(sweep_backup, context, path, memory_ids) for path in backups]
    errors: list[AgentMemoryError] = []
    for act in acts:
        try:
            act()
        except AgentMemoryError as error:
            errors.append(error)
    if errors:
        raise errors[0]


def copies(context: Context) -> list[str]:
    """Return the copies of the file that were made before an update or a restore."""
    folder, name = os.path.split(context.database.path)
    if not os.path.isdir(folder):
        return []
    found = [each for each in os.listdir(folder) if each.startswith(name + migrate.BEFORE)]
    return [os.path.join(folder, each) for each in sorted(found)]


def sweep_copy(context: Context, path: str, memory_ids: Sequence[str]) -> None:
    """Erase the memories in a copy that lies in the home, or the copy where that cannot be."""
    with told_as_refusal(path):
        try:
            header = None if path.endswith(PARTIAL) else recognise(path, migrate.latest_version())
            if header is None or header.version < migrate.latest_version():
                remove(path)
            else:
                sweep_backup(context, path, memory_ids)
        except Damaged as error:
            raise Unswept(
                f"{path} is a copy of a damaged database, and may still hold what was "
                "erased: delete it if nothing in it is needed any more."
            ) from error


def sweep_backup(context: Context, path: str, memory_ids: Sequence[str]) -> None:
    """Erase the memories in a backup of this node too; one of an older schema is migrated."""
    staged = path + PARTIAL
    with told_as_refusal(path):
        try:
            _stage(context, path, staged)
            _erase_in(context, staged, memory_ids)
            put_in_place(staged, path)
        finally:
            remove(staged)


def _stage(context: Context, path: str, staged: str) -> None:
    backup = Database(path, context.database.clock, context.database.chance)
    try:
        # A write-ahead log that lay beside it would be taken for the new file's.
        backup.maintain("PRAGMA journal_mode = DELETE")
        with backup.read() as snapshot:
            copy(snapshot, staged)
    finally:
        backup.close()


def _erase_in(context: Context, path: str, memory_ids: Sequence[str]) -> None:
    database = Database(path, context.database.clock, context.database.chance)
    try:
        migrate.prepare(database, copies=False)
        with writing(database) as writer:
            for memory_id in memory_ids:
                writer.erase(memory_id)
        sweep.sweep_copy(database)
        database.maintain("PRAGMA journal_mode = DELETE")
    finally:
        database.close()
