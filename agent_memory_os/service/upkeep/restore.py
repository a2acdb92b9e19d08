"""Restoring: a backup takes the place of the node's file, whole or not at all.

What is to be restored is copied, verified, brought to this version and given numbers that were
never used, all in a file of its own. Then it takes the place of the present one in one step, after
which every process that has the node open simply goes on with what was restored; a present file
that is damaged is replaced as a whole. Whoever dies half way leaves the old state or the new one.
What was there is kept in a copy beside it, made while nobody could write.

What was erased, forgotten or revoked since the backup stays so, as far as the present file knows of
it. The files that people edit come back where the home has none.

A node that was restored starts a new log and never gives out a number twice: peers would take its
new writes for old ones. It stays the device whose keys the home has. In a home without keys it
remembers everything and goes on alone; with keys that came with the backup it may be a twin of a
node that still runs, and says so until it is made a device of its own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial

from agent_memory_os.errors import (
    Busy,
    ConfirmationNeeded,
    Damaged,
    DamagedDatabase,
    ForeignDatabase,
    InvalidInput,
    NewerSchema,
    Refused,
)
from agent_memory_os.model.identifier import account_id, device_id
from agent_memory_os.model.register import of_time
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.upkeep import files, keys, stays
from agent_memory_os.service.upkeep.backup import is_live, write_anew
from agent_memory_os.service.upkeep.report import RestoreReport, counted
from agent_memory_os.service.upkeep.retraction import Carried, carry
from agent_memory_os.service.upkeep.stays import Stays
from agent_memory_os.store import audit, node
from agent_memory_os.store import keys as api_keys
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.exchange import ended
from agent_memory_os.store.exchange.ended import Ended
from agent_memory_os.store.file import migrate
from agent_memory_os.store.file.copy import PARTIAL, copy, remove
from agent_memory_os.store.file.disk import claimed, home_mark, told_as_refusal
from agent_memory_os.store.file.header import read_header, recognise
from agent_memory_os.store.file.replace import overwrite, put_in, read_only
from agent_memory_os.store.peer import invitations
from agent_memory_os.store.upkeep import count, retraction, structure, sweep
from agent_memory_os.store.upkeep.retraction import Retractions
from agent_memory_os.store.write import writing
from agent_memory_os.value import NamedTuple

_STAGED = f".restoring{PARTIAL}"
_KEPT = f"{migrate.BEFORE}restore-"
_HOME_MODE = 0o700
_SLIP_MS = 86_400_000
"""A clock may have been put back by as much, so that what was written later is dated earlier."""
_NEWER = "{} is of a newer version; update agent-memory-node. Nothing was restored."
NO_KEYS = (
    "The account's keys are not in this home: the node remembers everything and goes on alone. "
    "To be the same account for others, back the keys up, too, and restore them with it."
)
_UNKNOWN = (
    "What was there could not be read whole: of what was erased, forgotten or revoked since the "
    "backup, something may be back."
)
_TAKEN_BACK = "What was taken back since the backup stays so"
_HELD = "{} was left as it is; the backup holds another one."
_PUT_BACK = "{} was put back from the backup."
TWIN = (
    "The keys came with the backup. Unless the node that they were taken from is gone for good, "
    "make this one a device of its own."
)

OLD_KEYS = (
    "The keys of the API are those of the day of the backup: one that was revoked since opens the "
    "node again, and one that was made since opens it no more."
)


class _Backup(NamedTuple):
    """What is to be restored: whose it is, how many memories, what the edited files held."""

    identity: node.Identity
    memories: int
    files: tuple[node.HeldFile, ...]


class _Present(NamedTuple):
    """What is there now: whether SQLite can open it, whose it is, how much, its last numbers."""

    is_open: bool = False
    account: str = ""
    memories: int | None = 0
    seq: int = 0
    stamp: int = 0


def restore(context: Context, source: str, *, force: bool = False) -> RestoreReport:
    """Put a backup in the place of the node's file; ``force`` confirms that memories are replaced.

    Raises :class:`InvalidInput` for what is no file, :class:`Damaged` for what is not ours or not
    sound, :class:`Refused` for a backup of another account, :class:`ConfirmationNeeded`, and
    :class:`Busy` where another process writes; the node's file is then as it was.
    """
    path = os.path.abspath(source)
    with told_as_refusal(path):
        _check_source(context, path)
        os.makedirs(context.home, mode=_HOME_MODE, exist_ok=True)
        with claimed(context.home):
            present = _present(context)
            try:
                backup = _stage(context, path)
                _refuse_other_account(context, path, backup.identity, present)
                _confirm(path, backup.memories, present, force=force)
                return _restore(context, path, backup, present)
            finally:
                remove(_staged(context))


def _check_source(context: Context, path: str) -> None:
    if os.path.isdir(path):
        raise InvalidInput(f"{path} is a folder: name one of the backups in it.")
    if not os.path.isfile(path):
        raise InvalidInput(f"There is no backup at {path}.")
    if is_live(context, path):
        raise InvalidInput(f"{path} is the node itself, and no backup of it.")
    try:
        header = recognise(path, migrate.latest_version())
    except NewerSchema as error:
        raise NewerSchema(_NEWER.format(path)) from error
    except ForeignDatabase as error:
        raise ForeignDatabase(
            f"{path} is a database of another program; nothing was restored."
        ) from error
    except DamagedDatabase as error:
        raise DamagedDatabase(f"{path} is no database; nothing was restored.") from error
    if header is None:
        raise InvalidInput(f"{path} is empty; nothing was restored.")


def _present(context: Context) -> _Present:
    """Look at what is there; what is foreign or newer is refused, what is damaged is not."""
    try:
        header = recognise(context.database.path, migrate.latest_version())
    except DamagedDatabase:
        return _Present(memories=None)
    if header is None:
        return _Present()
    try:
        with context.database.read() as snapshot:
            migrate.version_of(snapshot, context.database.path)
            identity = node.identity(snapshot)
            seq, stamp = node.numbers(snapshot)
            account = identity.account if identity else ""
            memories = count.memories(snapshot)
            return _Present(is_open=True, account=account, memories=memories, seq=seq, stamp=stamp)
    except DamagedDatabase:
        return _Present(is_open=True, memories=None)


def _staged(context: Context) -> str:
    return context.database.path + _STAGED


def _stage(context: Context, path: str) -> _Backup:
    """Copy a backup to a file of its own, verified and of this version; return what it is."""
    try:
        with read_only(path, context.database.clock()) as snapshot:
            copy(snapshot, _staged(context))
        with _opened(context) as database:
            migrate.prepare(database, copies=False)
            with database.read() as snapshot:
                found = _sound(snapshot)
            database.maintain("PRAGMA journal_mode = DELETE")
    except NewerSchema as error:
        raise NewerSchema(_NEWER.format(path)) from error
    except Damaged as error:
        raise DamagedDatabase(
            f"{path} is damaged, so nothing was restored ({error}) Try an older backup."
        ) from error
    return found


def _sound(snapshot: Snapshot) -> _Backup:
    faults = structure.schema_faults(snapshot)
    identity = None if faults else node.identity(snapshot)
    if identity is None:
        raise DamagedDatabase(f"{'; '.join(faults) or 'it holds no node'}.")
    return _Backup(identity, count.memories(snapshot), tuple(node.files(snapshot)))


def _refuse_other_account(
    context: Context, path: str, identity: node.Identity, present: _Present
) -> None:
    held = keys.held(context.home)
    accounts = {account_id(held.root, held.recovery)} if held else set()
    accounts |= {present.account} if present.account else set()
    if accounts - {identity.account}:
        raise Refused(
            f"{path} is a backup of another account than this home's; nothing was restored. "
            "Restore it into a folder of its own.",
            "other_home",
        )


def _confirm(path: str, memories: int, present: _Present, *, force: bool) -> None:
    if present.memories == 0 or force:
        return
    held = "what is damaged" if present.memories is None else counted(present.memories)
    raise ConfirmationNeeded(
        f"Restoring {path} replaces {held} with {counted(memories)}; a copy of what is there is "
        "kept. Nothing was done.",
        "confirm",
    )


def _restore(context: Context, path: str, backup: _Backup, present: _Present) -> RestoreReport:
    had_keys = keys.held(context.home) is not None
    is_twin = keys.put_back(path, context.home) and not had_keys
    others = [*files.differing(context, backup.files)]
    staged = [*files.stage(context, backup.files)]
    kept = _kept(context)
    try:
        renumbered = partial(_renumber, context, backup, present, staged, is_twin=is_twin)
        notes = _put_in_place(context, kept, present, renumbered)
        put_back = [*files.put_back(context, staged)]
    finally:
        files.drop(staged)
    migrate.prepare(context.database)
    with context.database.read() as snapshot:
        memories = count.memories(snapshot)
        has_api_keys = any(api_keys.every(snapshot))
    has_keys = keys.held(context.home) is not None
    notes += [_PUT_BACK.format(name) for name in put_back]
    notes += [_HELD.format(name) for name in others]
    has_old_keys = has_api_keys and (_UNKNOWN in notes or not present.is_open)
    notes += [TWIN] * is_twin + [NO_KEYS] * (not has_keys) + [OLD_KEYS] * has_old_keys
    return RestoreReport(memories, kept if os.path.exists(kept) else "", tuple(notes))


def _kept(context: Context) -> str:
    moment = datetime.fromtimestamp(context.database.clock() / 1000, UTC)
    stem = f"{context.database.path}{_KEPT}{moment:%Y%m%dT%H%M%S}"
    at, kept = 1, stem
    while os.path.exists(kept):
        at += 1
        kept = f"{stem}-{at}"
    return kept


def _put_in_place(
    context: Context, kept: str, present: _Present, renumbered: Callable[[str], None]
) -> list[str]:
    """Put the staged file in the place of the present one; return what is to be known of it."""
    live = context.database.path
    if present.is_open:
        try:
            renumbered(home_mark(live))
            return _overwrite(context, kept)
        except Damaged:
            remove(kept)
    context.database.close()
    renumbered(home_mark(_staged(context)))
    put_in(live, _staged(context), kept)
    return [_UNKNOWN] if present.memories is None else []


def _overwrite(context: Context, kept: str) -> list[str]:
    """Overwrite the present file, with what was taken back in it until that moment."""
    carried, since, is_whole = Carried(), 0, True
    deadline = time.monotonic() + context.database.patience
    while True:
        said = retraction.read(context.database, since)
        others = ended.read(context.database, since)
        held = stays.read(context.database)
        is_whole &= said.is_whole and others.is_whole
        since = said.last_change
        carried = carried.plus(_carry(context, said, others, held))
        _fit(context)
        if overwrite(
            context.database, _staged(context), partial(_keep, context, kept, said, others, held)
        ):
            break
        if time.monotonic() > deadline:
            raise Busy(f"Others keep writing to {context.database.path}; nothing was changed.")
    if said.unswept:
        write_anew(context, kept)
    return [*_told(carried), *([] if is_whole else [_UNKNOWN])]


def _keep(context: Context, kept: str, said: Retractions, others: Ended, held: Stays) -> bool:
    """Keep a copy of what is there, unless more was taken back in it since that was read."""
    if retraction.read(context.database, said.last_change).adds_to(said):
        return False
    if ended.read(context.database, said.last_change).adds_to(others):
        return False
    if not stays.read(context.database).opens_as(held):
        return False
    with context.database.read() as snapshot:
        copy(snapshot, kept, verified=False)
    return True


def _carry(context: Context, said: Retractions, others: Ended, held: Stays) -> Carried:
    """Take back in the staged file what was taken back, and leave no byte of what was erased.

    The audit goes on, too: nobody covers up what was done by restoring what was before. The keys
    of the API and who is no peer any more stay what they are (:mod:`stays`).
    """
    with _opened(context) as database:
        with writing(database) as writer:
            since = audit.newest(writer.transaction) - _SLIP_MS
            audit.take_over(writer.transaction, retraction.audited(context.database, since))
            carried = carry(writer, said)
            peers = stays.put(writer.transaction, held)
            carried = carried._replace(peers=peers)
        ended.carry(database, others)
        if carried.erased:
            sweep.sweep_copy(database)
        with database.write() as transaction:
            # The log of the present file goes on, and what is in it.
            sweep.owe(transaction, said.unswept)
    return carried


def _told(carried: Carried) -> list[str]:
    names = (
        "memories erased",
        "memories forgotten",
        "shares revoked",
        "members and groups removed",
        "peers removed or limited",
    )
    done = [f"{name} {count:,}" for name, count in zip(names, carried, strict=True) if count]
    return [f"{_TAKEN_BACK}: {', '.join(done)}."] if done else []


def _fit(context: Context) -> None:
    """Give the staged file pages of the size that the present file has."""
    present, new = read_header(context.database.path), read_header(_staged(context))
    if present and new and present.page_size != new.page_size:
        with _opened(context) as database:
            database.maintain(f"PRAGMA page_size = {present.page_size}", "VACUUM")


def _renumber(
    context: Context,
    backup: _Backup,
    present: _Present,
    staged: Sequence[files.Staged],
    mark: str,
    *,
    is_twin: bool,
) -> None:
    """Have the staged node start a new log, as the device whose keys the home has."""
    from agent_memory_os.service.peers.identity import certify_own

    account = backup.identity.account
    held = keys.held(context.home)
    device = backup.identity.device if held is None else device_id(held.sign, held.seal)
    is_other = held is not None and device != backup.identity.device
    with _opened(context) as database, database.write() as transaction:
        files.mark(transaction, staged)
        if held is not None and is_other:
            node.put_device(transaction, account, device, held.sign, held.seal)
            node.become(transaction, device, "", "")
        # No log has grown by more than one entry for each millisecond since 1970.
        seq = max(present.seq, transaction.now)
        stamp = max(present.stamp, of_time(transaction.now))
        node.restart(transaction, context.nonce(), "" if is_twin else mark, seq, stamp)
        invitations.end_all(transaction)
        audit.add(transaction, OPERATOR, "restore", "", f"{backup.memories} memories")
        if held is not None and is_other:
            certify_own(context, transaction, account, held)


@contextmanager
def _opened(context: Context) -> Iterator[Database]:
    database = Database(_staged(context), context.database.clock, context.database.chance)
    try:
        yield database
    finally:
        database.close()
