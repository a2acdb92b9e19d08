"""The façade of upkeep: what commands and servers ask for.

None of it needs a node that could be opened: the file may be damaged, and it says so.
"""

from __future__ import annotations

import os

from agent_memory_os.errors import NotAllowed
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import Context
from agent_memory_os.service.upkeep import audit, backup, doctor, mend
from agent_memory_os.service.upkeep.report import (
    AuditFilter,
    AuditPage,
    BackupReport,
    CheckReport,
    Copied,
    Finding,
    LastBackup,
    Sizes,
    Stats,
)
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.memory import owner
from agent_memory_os.store.upkeep import count
from agent_memory_os.store.upkeep.progress import Progress, unwatched


class Upkeep:
    """Doctor, check, mend, reindex, purge, back up, count, audit."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def doctor(self, principal: Principal, progress: Progress = unwatched) -> tuple[Finding, ...]:
        """Examine the node: every check, what it found, and how to mend it; changes nothing.

        ``progress`` is told of each share of it that is done; all of them make one.
        """
        return doctor.examine(self._context, principal, progress)

    def check(self) -> CheckReport:
        """Say quickly whether the file is sound and finds what it holds; changes nothing."""
        return doctor.check(self._context)

    def mend(self, progress: Progress = unwatched) -> tuple[str, ...]:
        """Mend what can be mended without loss; return what was done, a line each.

        ``progress`` is told of each share of it that is done; where little is to be mended they
        make less than one. Raises :class:`DamagedDatabase` for what only a backup mends; the file
        is then untouched.
        """
        return tuple(mend.mend(self._context, progress))

    def reindex(self, progress: Progress = unwatched) -> int:
        """Make the index anew from the memories; return how many it holds.

        ``progress`` is told of each share of it that is done; all of them make one.
        """
        return mend.reindex(self._context, progress)

    def purge(self) -> int:
        """Erase what was forgotten more than 30 days ago; return how many memories."""
        return mend.purge(self._context)

    def backup(
        self, destination: str, keep: int | None = None, *, with_keys: bool = False
    ) -> BackupReport:
        """Copy the node to a file, or to a new file in a folder, while others use it; verified.

        ``keep`` removes the older backups of this device in the folder beyond so many.
        ``with_keys`` writes the private keys to a file beside it.
        """
        return backup.back_up(self._context, destination, keep, with_keys=with_keys)

    def last_backup(self) -> LastBackup | None:
        """Tell when the last backup was made, as far as the home knows."""
        return backup.last(self._context.home)

    def copy(self) -> Copied:
        """Return a verified backup as an open file that has no name: what a server sends."""
        return backup.copy_to_send(self._context)

    def stats(self, principal: Principal) -> Stats:
        """Count what a principal may read; the operator is told of the whole node."""
        with self._context.seeing(principal, "stats") as (snapshot, gate):
            return _stats(self._context, snapshot, gate)

    def sizes(self, principal: Principal) -> Sizes:
        """Tell how much the whole node holds: numbers alone, which are no act for the audit.

        Raises :class:`NotAllowed` for whoever is not the operator.
        """
        check_sizes(principal)
        path = self._context.database.path
        with self._context.database.read() as snapshot:
            return Sizes(count.memories(snapshot), size_of(path), size_of(f"{path}-wal"))

    def audit(
        self,
        principal: Principal,
        wanted: AuditFilter = AuditFilter(),  # noqa: B008 - a value that nobody changes
        limit: int = 50,
        cursor: str = "",
    ) -> AuditPage:
        """Return a page of the audit, newest first; ``cursor`` is the last page's ``following``.

        The operator is told of everything, an agent of its own acts on what it may read still.
        """
        audit.check(wanted, limit)
        with self._context.seeing(principal, "audit") as (snapshot, gate):
            return audit.page(snapshot, gate, wanted, limit, cursor)


def check_sizes(principal: Principal) -> None:
    """Raise :class:`NotAllowed` where the whole node is not for a principal to know."""
    if not principal.is_operator:
        raise NotAllowed("How much the whole node holds is for the operator to know.")


def size_of(path: str) -> int:
    """Return the bytes of a file, 0 where there is none."""
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


def _stats(context: Context, snapshot: Snapshot, gate: Gate) -> Stats:
    scopes, is_all = gate.sight.scopes, gate.sight.principal.is_operator
    teams = [team for team in organisation.teams(snapshot) if is_all or f"team:{team.id}" in scopes]
    projects = [
        project
        for project in organisation.projects(snapshot)
        if is_all or f"project:{project.id}" in scopes
    ]
    owners = [(row[1], row[2]) for row in owner.owners(snapshot, gate) if row[2]]
    path = context.database.path
    whole = (("registers", count.registers(snapshot)), ("file_bytes", os.path.getsize(path)))
    shown, expired, forgotten, pinned = count.shown(snapshot, gate)
    return Stats(
        shown=shown,
        expired=expired,
        forgotten=forgotten,
        pinned=pinned,
        types=tuple((kind, number) for kind, number in count.types(snapshot, gate)),
        owners=tuple(owners),
        agents=len(organisation.agents(snapshot)),
        teams=len(teams),
        projects=len(projects),
        node=whole if is_all else (),
    )
