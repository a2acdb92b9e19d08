"""What upkeep tells."""

from __future__ import annotations

from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import BinaryIO

OK = "ok"
WARNING = "warning"
FAULT = "fault"

MEND = "agent-memory doctor --mend"
RESTORE = "Restore a backup; what is there is kept: agent-memory restore SRC"


def counted(memories: int) -> str:
    """Return a number of memories in words: ``1 memory``, ``1,200 memories``."""
    return f"{memories:,} {'memory' if memories == 1 else 'memories'}"


class Finding(NamedTuple):
    """What a check found: ``state`` is ok, warning or fault; ``mend`` says what to do about it."""

    name: str
    state: str
    detail: str
    mend: str = ""


class AuditFilter(NamedTuple):
    """What an audit is narrowed by; times are half-open, in milliseconds of UTC.

    ``agent`` is who acted: an agent's name or id, or ``operator``. ``action`` is what was done.
    """

    agent: str | None = None
    action: str | None = None
    since: int | None = None
    until: int | None = None


class AuditEntry(NamedTuple):
    """One act: when (milliseconds of UTC), who (a name, or ``operator``), what, and on what.

    ``object`` is the id of a memory, or empty where it was many or none; ``detail`` is for people.
    """

    at: int
    actor: str
    action: str
    object: str
    detail: str


class AuditPage(NamedTuple):
    """Some entries, and the cursor of the page after them (empty: there is none)."""

    entries: tuple[AuditEntry, ...]
    following: str


class CheckReport(NamedTuple):
    """Whether all is well, and a line for each check."""

    ok: bool
    lines: tuple[str, ...]


class BackupReport(NamedTuple):
    """Where a backup is, how many memories are in it, which older ones went, where the keys are."""

    path: str
    memories: int
    removed: tuple[str, ...]
    keys: str = ""


class LastBackup(NamedTuple):
    """When the last backup was made (milliseconds of UTC), and where it was put."""

    at: int
    path: str


class Copied(NamedTuple):
    """A backup to be sent: what it is called, how many memories are in it, and its open file."""

    name: str
    memories: int
    file: BinaryIO


class RestoreReport(NamedTuple):
    """What is there now: how many memories, where the file from before is, and what to know."""

    memories: int
    kept: str
    notes: tuple[str, ...] = ()


class Sizes(NamedTuple):
    """How much the whole node holds: memories (forgotten ones too), bytes of the file and its log.

    ``log_bytes`` is what was written and not yet taken into the file.
    """

    memories: int
    file_bytes: int
    log_bytes: int


class Stats(NamedTuple):
    """How much a principal may read, and of the whole node what only the operator is told."""

    shown: int
    expired: int
    forgotten: int
    pinned: int
    types: tuple[tuple[str, int], ...]
    owners: tuple[tuple[str, int], ...]
    agents: int
    teams: int
    projects: int
    node: tuple[tuple[str, int], ...]
