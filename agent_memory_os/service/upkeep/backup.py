"""Backups: a verified copy of the node's file, made while others use it.

A backup is one file that nobody else may read. It holds every memory of every agent, and the public
half of the account; the private keys are not in it. Who wants to be the same account again after
the loss of a machine asks for them too: they are written to a second file beside the backup, which
has to be kept like a password. Without them a restored node remembers everything, and goes on
alone. What the files hold that people edit in the home is in the backup too.

In a folder, a backup is named after the device and the moment, and only those of this device are
ever removed. A file is replaced only where it is a backup of this account. A destination that ends
with a separator, or comes with a number to keep, is a folder, and is made where there is none.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

from agent_memory_os.errors import (
    AgentMemoryError,
    AlreadyExists,
    Damaged,
    DamagedDatabase,
    InvalidInput,
)
from agent_memory_os.service.context import Context
from agent_memory_os.service.upkeep import files, keys
from agent_memory_os.service.upkeep.report import BackupReport
from agent_memory_os.store import node
from agent_memory_os.store.database import Database
from agent_memory_os.store.file import migrate
from agent_memory_os.store.file.connection import key_of
from agent_memory_os.store.file.copy import PARTIAL, copy, remove
from agent_memory_os.store.file.disk import told_as_refusal
from agent_memory_os.store.file.header import APPLICATION_ID, read_header, recognise
from agent_memory_os.store.upkeep import count, sweep

_PREFIX = "agent-memory-"
_SUFFIX = ".db"
_DEVICE = slice(4, 12)
_SIDES = ("", "-wal", "-shm", "-journal")
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


def back_up(
    context: Context, destination: str, keep: int | None, *, with_keys: bool
) -> BackupReport:
    """Copy the node to a file, or to a new file in a folder, of which ``keep`` are kept."""
    if keep is not None and keep < 1:
        raise InvalidInput("At least one backup is kept.")
    if not destination.strip():
        raise InvalidInput("Say where the backup goes: a file, or a folder.")
    path = os.path.abspath(destination)
    is_meant_as_folder = keep is not None or destination.endswith(_SEPARATORS)
    with told_as_refusal(path):
        if is_meant_as_folder and not os.path.lexists(path):
            os.mkdir(path, mode=0o700)
        real = os.path.realpath(path) if os.path.islink(path) else path
        return _back_up(context, real, keep, with_keys=with_keys)


def _back_up(
    context: Context, destination: str, keep: int | None, *, with_keys: bool
) -> BackupReport:
    is_folder = os.path.isdir(destination)
    if keep is not None and not is_folder:
        raise InvalidInput("Only in a folder are older backups removed: name a folder.")
    with context.database.read() as snapshot:
        identity = node.identity(snapshot)
        stem = f"{_PREFIX}{identity.device[_DEVICE]}-" if identity else _PREFIX
        path = _name_in(destination, stem, snapshot.now) if is_folder else destination
        _refuse_others(context, path)
        memories = count.memories(snapshot)
        edited = files.held(context, snapshot)
        try:
            copy(snapshot, path, finish=lambda copied: node.put_files(copied, edited))
        except Damaged as error:
            raise DamagedDatabase(
                f"{context.database.path} is damaged, so no backup was made: {error}", "doctor"
            ) from error
        unswept = sweep.pending(snapshot)
    if unswept:
        write_anew(context, path)
    kept_keys = keys.write(context.home, path) if with_keys else ""
    removed = _prune(destination, stem, keep, path) if keep is not None else ()
    return BackupReport(path, memories, removed, kept_keys)


def _name_in(folder: str, stem: str, now: int) -> str:
    moment = datetime.fromtimestamp(now / 1000, UTC).strftime("%Y%m%dT%H%M%S")
    name = f"{stem}{moment}.{now % 1000:03}Z"
    at, path = 1, os.path.join(folder, name + _SUFFIX)
    while os.path.exists(path):
        at += 1
        path = os.path.join(folder, f"{name}-{at}{_SUFFIX}")
    return path


def _refuse_others(context: Context, path: str) -> None:
    """Raise unless a path is free, or a backup that this account may replace."""
    live = context.database.path
    if is_live(context, path):
        raise InvalidInput(f"{path} is the node itself; name another file for the backup.")
    if not os.path.lexists(path):
        if not os.path.isdir(os.path.dirname(path)):
            raise InvalidInput(f"There is no folder {os.path.dirname(path)} for the backup.")
        return
    try:
        is_own = account_of(context, path) == account_of(context, live)
    except AgentMemoryError:
        is_own = False
    if not is_own:
        raise AlreadyExists(f"{path} is there, and no backup of this node; it was left as it is.")


def is_live(context: Context, path: str) -> bool:
    """Say whether a path leads to the node's own file or what belongs to it, by whatever name."""
    live = context.database.path
    names = {os.path.realpath(live + side) for side in _SIDES}
    if os.path.realpath(path) in names:
        return True
    keys_of = {key_of(live + side) for side in _SIDES if os.path.exists(live + side)}
    return os.path.exists(path) and key_of(path) in keys_of


def account_of(context: Context, path: str) -> str | None:
    """Return the account that a file of ours belongs to."""
    if recognise(path, migrate.latest_version()) is None:
        return None
    database = Database(path, context.database.clock, context.database.chance)
    try:
        with database.read() as snapshot:
            found = node.identity(snapshot)
    finally:
        database.close()
    return None if found is None else found.account


def write_anew(context: Context, path: str) -> None:
    """Leave nothing in a copy but what it holds."""
    database = Database(path, context.database.clock, context.database.chance)
    try:
        sweep.sweep_copy(database)
    finally:
        database.close()


def _prune(folder: str, stem: str, keep: int, newest: str) -> tuple[str, ...]:
    """Remove the older backups of this device from a folder, with the keys beside them."""
    names = [name for name in os.listdir(folder) if name.startswith(stem)]
    for name in names:
        if name.endswith(_SUFFIX + PARTIAL):
            remove(os.path.join(folder, name))
    paths = [os.path.join(folder, name) for name in sorted(names) if name.endswith(_SUFFIX)]
    old = [path for path in paths if path != newest and _is_ours(path)]
    doomed = old[: len(old) - (keep - 1)] if len(old) >= keep else []
    for path in doomed:
        remove(path)
        keys.remove(path)
    return tuple(doomed)


def _is_ours(path: str) -> bool:
    try:
        header = read_header(path)
    except Damaged:
        return False
    return header is not None and header.application == APPLICATION_ID
