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
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.upkeep import files, keys
from agent_memory_os.service.upkeep.report import BackupReport, Copied, LastBackup
from agent_memory_os.store import audit, node
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.file import migrate
from agent_memory_os.store.file.connection import key_of
from agent_memory_os.store.file.copy import PARTIAL, copy, remove
from agent_memory_os.store.file.disk import told_as_refusal
from agent_memory_os.store.file.header import APPLICATION_ID, read_header, recognise
from agent_memory_os.store.upkeep import count, sweep
from agent_memory_os.value import NamedTuple

_PREFIX = "agent-memory-"
_SUFFIX = ".db"
_LAST = "backup.json"
_MOMENT = "20261231T235959.999Z" + _SUFFIX
_DEVICE = slice(4, 12)
_SIDES = ("", "-wal", "-shm", "-journal")
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


def back_up(
    context: Context, destination: str, keep: int | None, *, with_keys: bool
) -> BackupReport:
    """Copy the node to a file, or to a new file in a folder, of which ``keep`` are kept."""
    place = place_of(destination, keep)
    with told_as_refusal(place):
        copied = _copied(context, place)
        kept_keys = keys.write(context.home, copied.path) if with_keys else ""
        removed = prune(place, copied.name, keep, copied.path) if keep is not None else ()
    _note(context, copied.path)
    return BackupReport(copied.path, copied.memories, removed, kept_keys)


class _Copy(NamedTuple):
    path: str
    name: str
    memories: int


def _copied(context: Context, place: str) -> _Copy:
    with context.database.read() as snapshot:
        name = name_of(snapshot)
        path = free_in(place, name) if os.path.isdir(place) else place
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
    return _Copy(path, name, memories)


def last(home: str) -> LastBackup | None:
    """Return the last backup that was made of a home, or ``None`` where none is known of."""
    import json

    try:
        with open(os.path.join(home, _LAST), encoding="utf-8") as file:
            shape = json.load(file)
        return LastBackup(int(shape["at"]), str(shape["path"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _note(context: Context, path: str) -> None:
    """Note in the home that a backup was made; one that cannot be written to has made it too."""
    import json

    noted = os.path.join(context.home, _LAST)
    try:
        descriptor = os.open(noted, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError:
        return
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(LastBackup(context.database.clock(), path)._asdict(), file)


def copy_to_send(context: Context) -> Copied:
    """Make a verified backup that has no name any more: it is gone when its file is closed.

    That it is about to leave the machine is written to the audit.
    """
    path = f"{context.database.path}.sent-{context.nonce()}{PARTIAL}"
    with told_as_refusal(path):
        copied = _copied(context, path)
        with context.database.write() as transaction:
            audit.add(transaction, OPERATOR, "backup", "")
        file = open(path, "rb")  # noqa: SIM115 - whoever gets it closes it
        remove(path)
    return Copied(copied.name, copied.memories, file)


def place_of(destination: str, keep: int | None) -> str:
    """Return the file or the folder that is meant, whole and real; one for ``keep`` is made."""
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
    if keep is not None and not os.path.isdir(real):
        raise InvalidInput("Only in a folder are older backups removed: name a folder.")
    return real


def name_of(snapshot: Snapshot) -> str:
    """Return what a backup that is made now is called: after the device and the moment."""
    identity = node.identity(snapshot)
    device = f"{identity.device[_DEVICE]}-" if identity else ""
    moment = datetime.fromtimestamp(snapshot.now / 1000, UTC).strftime("%Y%m%dT%H%M%S")
    return f"{_PREFIX}{device}{moment}.{snapshot.now % 1000:03}Z{_SUFFIX}"


def free_in(folder: str, name: str) -> str:
    """Return a path in a folder that nothing lies at: of this name, or with a number behind it."""
    at, path = 1, os.path.join(folder, name)
    while os.path.exists(path):
        at += 1
        path = os.path.join(folder, f"{name.removesuffix(_SUFFIX)}-{at}{_SUFFIX}")
    return path


def _refuse_others(context: Context, path: str) -> None:
    """Raise unless a path is free, or a backup that this account may replace."""
    if is_live(context, path):
        raise InvalidInput(f"{path} is the node itself; name another file for the backup.")
    check_free(context, path, context.database.path)


def check_free(context: Context, path: str, new: str) -> None:
    """Raise unless ``new`` may come to a path: it is free, or a backup of the same account."""
    check_folder(path)
    if not os.path.lexists(path):
        return
    try:
        is_own = account_of(context, path) == account_of(context, new)
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


def check_folder(path: str) -> None:
    """Raise :class:`InvalidInput` where the folder of a path is not there."""
    if not os.path.isdir(os.path.dirname(path)):
        raise InvalidInput(f"There is no folder {os.path.dirname(path)} for the backup.")


def prune(folder: str, name: str, keep: int, newest: str) -> tuple[str, ...]:
    """Remove the older backups of a device from a folder, with the keys beside them.

    ``name`` is what one of them is called, and ``newest`` the path of the one that was just made.
    """
    stem = name[: -len(_MOMENT)]
    names = [held for held in os.listdir(folder) if held.startswith(stem)]
    for held in names:
        if held.endswith(_SUFFIX + PARTIAL):
            remove(os.path.join(folder, held))
    paths = [os.path.join(folder, held) for held in sorted(names) if held.endswith(_SUFFIX)]
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
