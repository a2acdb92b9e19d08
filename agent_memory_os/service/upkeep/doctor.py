"""The doctor: each check of a node, what it found, and how to mend that.

A check looks and changes nothing. What stands in the file is looked at only where its pages are
sound. Which memories are meant, and how many, is told to the operator alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from agent_memory_os.errors import AgentMemoryError, Damaged
from agent_memory_os.model.identifier import account_id, device_id
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.register import FUTURE_LIMIT_MS, time_of
from agent_memory_os.service.context import CLOCK_LIMIT_MS, Context
from agent_memory_os.service.memory.change import UNDO_DAYS, UNDO_MS
from agent_memory_os.service.upkeep import home, keys
from agent_memory_os.service.upkeep.report import (
    FAULT,
    MEND,
    OK,
    RESTORE,
    WARNING,
    CheckReport,
    Finding,
)
from agent_memory_os.store import memories, node
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.file import migrate
from agent_memory_os.store.file.disk import home_mark
from agent_memory_os.store.file.header import recognise
from agent_memory_os.store.file.value import VALUE_ERRORS
from agent_memory_os.store.peer import peers
from agent_memory_os.store.upkeep import index, structure, sweep, view
from agent_memory_os.store.upkeep.progress import Progress, part, unwatched

Check = Callable[[Context, Principal, Progress], Finding]
Look = Callable[[Context, Snapshot, Principal], Finding]


def examine(
    context: Context, principal: Principal, progress: Progress = unwatched
) -> tuple[Finding, ...]:
    """Run every check, in the order in which one would mend what they find."""
    found = [look(context) for look in (home.home, home.files, home.disk, home.sqlite)]
    found.append(_file(context, principal, thorough=True))
    progress(_SHARES["file"])
    if found[-1].state == OK:
        for name, check in _CHECKS.items():
            watched = part(progress, _SHARES.get(name, 0.0))
            found.append(_guarded(name, check, context, principal, watched))
    found.append(home.leftovers(context))
    return tuple(found)


def check(context: Context) -> CheckReport:
    """Run the quick checks of the file alone, for a script."""
    found = [_file(context, Principal.operator(), thorough=False)]
    if found[0].state == OK:
        found += [
            _guarded(name, look, context, Principal.operator(), unwatched)
            for name, look in _QUICK.items()
        ]
    lines = [f"{finding.name}: {finding.detail}" for finding in found]
    return CheckReport(all(finding.state != FAULT for finding in found), tuple(lines))


def file_faults(context: Context, *, thorough: bool) -> list[str]:
    """Return what is wrong with the file as a database: then nothing may be written to it."""
    path = context.database.path
    try:
        if recognise(path, migrate.latest_version()) is None:
            return [f"{path} is not there, or empty."]
        with context.database.read() as snapshot:
            migrate.version_of(snapshot, path)
            faults = structure.page_faults(snapshot, thorough=thorough)
            faults += structure.reference_faults(snapshot)
            return [f"{path}: {fault}." for fault in faults]
    except Damaged as error:
        return [str(error)]


def _file(context: Context, principal: Principal, *, thorough: bool) -> Finding:
    try:
        faults = file_faults(context, thorough=thorough)
    except AgentMemoryError as error:
        return Finding("file", FAULT, str(error))
    if faults and not principal.is_operator:
        faults = ["The database is damaged."]
    if faults:
        return Finding("file", FAULT, " ".join(faults), RESTORE)
    return Finding("file", OK, "Every page of the database is sound.")


def _guarded(
    name: str, look: Check, context: Context, principal: Principal, progress: Progress
) -> Finding:
    try:
        return look(context, principal, progress)
    except Damaged as error:
        return Finding(name, FAULT, str(error), RESTORE)
    except AgentMemoryError as error:
        return Finding(name, WARNING, str(error))
    except VALUE_ERRORS:
        # What could not be read is not told: it may be what the principal may not see.
        return Finding(name, FAULT, "What stands in the file cannot be read.", RESTORE)


def _schema(_context: Context, snapshot: Snapshot, _principal: Principal) -> Finding:
    faults = structure.schema_faults(snapshot)
    if faults:
        mend = MEND if all(map(structure.is_mendable, faults)) else RESTORE
        return Finding("schema", FAULT, _sentence(faults), mend)
    return Finding(
        "schema", OK, f"The schema is version {migrate.latest_version()}, as it was made."
    )


def _contents(context: Context, principal: Principal, progress: Progress) -> Finding:
    with context.database.read() as snapshot:
        faults = view.content_faults(snapshot, progress) + view.register_faults(snapshot)
    if faults:
        return Finding("registers", FAULT, _told(principal, faults), RESTORE)
    return Finding("registers", OK, "Every memory is what its register says.")


def _view(_context: Context, snapshot: Snapshot, principal: Principal) -> Finding:
    faults = view.view_faults(snapshot)
    if faults:
        return Finding("view", FAULT, _told(principal, faults), MEND)
    return Finding("view", OK, "Organisation, grants, lives and links follow from their registers.")


def _index(
    context: Context, principal: Principal, progress: Progress, *, thorough: bool
) -> Finding:
    faults = index.faults(context.database, thorough=thorough, progress=progress)
    if faults and not principal.is_operator:
        faults = ["it is not what it should be"]
    if faults:
        return Finding("index", FAULT, _sentence(faults), f"{MEND}, or: agent-memory reindex")
    return Finding("index", OK, "What the memories say is found.")


def _erased(_context: Context, snapshot: Snapshot, _principal: Principal) -> Finding:
    if sweep.pending(snapshot):
        detail = "Of something that was erased, bytes may still be in the file."
        return Finding("erased", WARNING, detail, MEND)
    return Finding("erased", OK, "Nothing is left of what was erased.")


def _forgotten(_context: Context, snapshot: Snapshot, principal: Principal) -> Finding:
    overdue = memories.overdue(snapshot, UNDO_MS, None)
    if overdue and principal.is_operator:
        detail = f"Memories that were forgotten more than {UNDO_DAYS} days ago: {len(overdue)}."
        return Finding("forgotten", WARNING, detail, MEND)
    return Finding("forgotten", OK, f"Nothing is kept for longer than {UNDO_DAYS} days.")


def _clock(_context: Context, snapshot: Snapshot, _principal: Principal) -> Finding:
    ahead = time_of(node.last_stamp(snapshot)) - snapshot.now
    if ahead > FUTURE_LIMIT_MS:
        detail = (
            f"The newest write is dated {ahead // 1000:,} seconds after now: the clock went back, "
            "or was ahead."
        )
        return Finding("clock", WARNING, detail, "Set the clock right; writes keep their order.")
    apart = peers.offset(snapshot)
    if apart is not None and abs(apart) > CLOCK_LIMIT_MS:
        side = "behind" if apart > 0 else "ahead of"
        detail = f"The clock is {abs(apart) // 1000:,} seconds {side} that of the peers."
        mend = "Set the clock right, and run agent-memory sync auto; until then nothing is shared."
        return Finding("clock", WARNING, detail, mend)
    return Finding("clock", OK, "The clock is where the last write was, or later.")


def _place(context: Context, snapshot: Snapshot, _principal: Principal) -> Finding:
    held = node.home(snapshot)
    if held is not None and held.mark != home_mark(context.database.path):
        detail = "The home was copied or moved from another place."
        mend = "Unless the other one is gone for good: agent-memory init --new-device"
        return Finding("place", WARNING, detail, mend)
    return Finding("place", OK, "The home is where it was made.")


def _settings(_context: Context, snapshot: Snapshot, _principal: Principal) -> Finding:
    held = node.home(snapshot)
    faults = [fault for fault in (held.settings_fault, held.fleet_fault) if fault] if held else []
    if faults:
        mend = "Correct the file; until then the last good state holds."
        return Finding("settings", WARNING, " ".join(faults), mend)
    return Finding(
        "settings", OK, "node.toml and agents.toml are in order, as far as they are there."
    )


def _keys(context: Context, snapshot: Snapshot, _principal: Principal) -> Finding:
    identity, held = node.identity(snapshot), keys.held(context.home)
    if held is None:
        detail = "The keys of the account or of this device are missing: the node goes on alone."
        return Finding("keys", WARNING, detail, "Put them back from where they were kept.")
    if identity is not None and account_id(held.root, held.recovery) != identity.account:
        detail = "The keys in the home are those of another account."
        return Finding("keys", FAULT, detail, "Put the node's own keys back.")
    if identity is not None and device_id(held.sign, held.seal) != identity.device:
        detail = "The keys in the home are those of another device."
        return Finding("keys", FAULT, detail, "agent-memory init --new-device")
    if not keys.is_certified(context.home, snapshot):
        detail = "This device is not certified by its account yet: peers take nothing from it."
        mend = "Where the account's root key is: agent-memory peers add CARD --own --name NAME"
        return Finding("keys", WARNING, detail, mend)
    return Finding("keys", OK, "The keys are those of the account and the device.")


def _recovery(context: Context, snapshot: Snapshot, _principal: Principal) -> Finding:
    from agent_memory_os.federation.recovery import lies_in

    mend = "agent-memory recovery-key"
    if not lies_in(context.home):
        return Finding("recovery", OK, "The recovery key is not in this home.")
    if peers.every(snapshot):
        detail = "The recovery key lies in this home: whoever takes the machine has it, too."
        return Finding("recovery", WARNING, detail, f"Write it down, and take it off: {mend}")
    detail = f"The recovery key lies in this home, until {mend} takes it off."
    return Finding("recovery", OK, detail)


def _told(principal: Principal, faults: Sequence[view.Fault]) -> str:
    if not principal.is_operator:
        return "Something is not what its registers say."
    return _sentence([f"{fault.sentence} ({', '.join(fault.ids)})" for fault in faults])


def _sentence(faults: Sequence[str]) -> str:
    text = "; ".join(fault.rstrip(".") for fault in faults)
    return f"{text[:1].upper()}{text[1:]}."


def _reading(look: Look, context: Context, principal: Principal, progress: Progress) -> Finding:
    with context.database.read() as snapshot:
        found = look(context, snapshot, principal)
    progress(1.0)
    return found


_CHECKS: Mapping[str, Check] = {
    "schema": partial(_reading, _schema),
    "registers": _contents,
    "view": partial(_reading, _view),
    "index": partial(_index, thorough=True),
    "erased": partial(_reading, _erased),
    "forgotten": partial(_reading, _forgotten),
    "clock": partial(_reading, _clock),
    "place": partial(_reading, _place),
    "settings": partial(_reading, _settings),
    "keys": partial(_reading, _keys),
    "recovery": partial(_reading, _recovery),
}
_SHARES = {"file": 0.15, "registers": 0.3, "view": 0.1, "index": 0.45}
"""How much of the time the checks take that take any, about."""

_QUICK: Mapping[str, Check] = {
    "schema": _CHECKS["schema"],
    "view": _CHECKS["view"],
    "index": partial(_index, thorough=False),
}
