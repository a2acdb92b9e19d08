"""Upkeep of a served node: what it tells of itself, and backups of it on this machine."""

from __future__ import annotations

import os
import re
import time

import httpx

from agent_memory_os.errors import Damaged, InvalidInput, Refused, Unreachable
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.context import Context
from agent_memory_os.service.upkeep import (
    AuditFilter,
    AuditPage,
    BackupReport,
    CheckReport,
    Finding,
    LastBackup,
    Sizes,
    Stats,
)
from agent_memory_os.service.upkeep.audit import check
from agent_memory_os.service.upkeep.backup import (
    account_of,
    check_folder,
    check_free,
    free_in,
    place_of,
    prune,
)
from agent_memory_os.service.upkeep.upkeep import check_sizes
from agent_memory_os.store.database import Database
from agent_memory_os.store.file.copy import PARTIAL, create, put_in_place, remove, verify_at
from agent_memory_os.store.file.disk import told_as_refusal
from agent_memory_os.store.file.header import read_header
from agent_memory_os.store.upkeep.progress import Progress, unwatched
from agent_memory_os.wire import upkeep
from agent_memory_os.wire.decode import Shape, read
from agent_memory_os.wire.instant import iso

_OPERATOR = Principal.operator()
_MEMORIES = "agent-memory-memories"
_NAME = re.compile(
    r'attachment; filename="(agent-memory-(?:[a-z2-7]{8}-)?\d{8}T\d{6}\.\d{3}Z\.db)"'
)


class RemoteUpkeep:
    """What :class:`service.upkeep.Upkeep` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def doctor(self, principal: Principal, progress: Progress = unwatched) -> tuple[Finding, ...]:
        """Examine the node: every check, what it found, and how to mend it; changes nothing.

        ``progress`` is told when it is done.
        """
        shape = self._transport.ask("GET", "/v1/upkeep/doctor", principal, is_long=True)
        progress(1.0)
        return read(lambda found: tuple(map(upkeep.to_finding, found["findings"])), shape)

    def check(self) -> CheckReport:
        """Say quickly whether the file is sound and finds what it holds; changes nothing."""
        return read(upkeep.to_check, self._ask("GET", "check"))

    def mend(self, progress: Progress = unwatched) -> tuple[str, ...]:
        """Mend what can be mended without loss; return what was done, a line each.

        ``progress`` is told when it is done. Raises :class:`DamagedDatabase` for what only a backup
        mends; the file is then untouched.
        """
        shape = self._ask("POST", "mend")
        progress(1.0)
        return read(lambda done: tuple(done["mended"]), shape)

    def reindex(self, progress: Progress = unwatched) -> int:
        """Make the index anew from the memories; return how many it holds.

        ``progress`` is told when it is done.
        """
        shape = self._ask("POST", "reindex")
        progress(1.0)
        return read(lambda done: int(done["memories"]), shape)

    def purge(self) -> int:
        """Erase what was forgotten more than 30 days ago; return how many memories."""
        return read(lambda done: int(done["memories"]), self._ask("POST", "purge"))

    def backup(
        self, destination: str, keep: int | None = None, *, with_keys: bool = False
    ) -> BackupReport:
        """Bring a copy of the node to a file of this machine, or to a new file in a folder.

        It is verified here, and until it is whole there is nothing. ``keep`` removes the older
        backups of the node's device in the folder beyond so many. The private keys never leave the
        node's machine: :class:`Refused` is raised where they are asked for.
        """
        if with_keys:
            raise Refused(
                "The private keys are not sent anywhere: back them up on the machine of the node."
            )
        place = place_of(destination, keep)
        if not os.path.isdir(place):
            check_folder(place)
        with self._transport.stream("/v1/backup", _OPERATOR) as answer:
            name, memories = self._told(answer)
            path = free_in(place, name) if os.path.isdir(place) else place
            with told_as_refusal(path):
                self._bring(answer, path)
        with told_as_refusal(place):
            removed = prune(place, name, keep, path) if keep is not None else ()
        return BackupReport(path, memories, removed)

    def last_backup(self) -> LastBackup | None:
        """Tell when the last backup was made, as far as the home knows."""
        return read(upkeep.to_last_backup, self._ask("GET", "last-backup"))

    def sizes(self, principal: Principal) -> Sizes:
        """Tell how much the whole node holds: numbers alone, which are no act for the audit.

        Raises :class:`NotAllowed` for whoever is not the operator.
        """
        check_sizes(principal)
        return read(upkeep.to_sizes, self._ask("GET", "sizes"))

    def stats(self, principal: Principal) -> Stats:
        """Count what a principal may read; the operator is told of the whole node."""
        return read(upkeep.to_stats, self._transport.ask("GET", "/v1/stats", principal))

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
        check(wanted, limit)
        times = {"since": iso(wanted.since), "until": iso(wanted.until)}
        params = {**wanted._asdict(), **times, "limit": limit, "cursor": cursor}
        return read(
            upkeep.to_audit, self._transport.ask("GET", "/v1/audit", principal, params=params)
        )

    def _ask(self, method: str, act: str) -> Shape:
        return self._transport.ask(method, f"/v1/upkeep/{act}", _OPERATOR, is_long=True)

    def _told(self, answer: httpx.Response) -> tuple[str, int]:
        found = _NAME.fullmatch(answer.headers.get("content-disposition", ""))
        memories = answer.headers.get(_MEMORIES, "")
        if found is None or not memories.isdigit():
            raise self._transport.no_node()
        return found[1], int(memories)

    def _bring(self, answer: httpx.Response, path: str) -> None:
        partial = path + PARTIAL
        remove(partial)
        try:
            create(partial)
            with open(partial, "wb") as file:
                file.writelines(answer.iter_bytes())
            self._check(partial)
            _check_place(path, partial)
            put_in_place(partial, path)
        except BaseException:
            remove(partial)
            raise

    def _check(self, partial: str) -> None:
        try:
            verify_at(partial)
            is_whole = account_of(_context(partial), partial) is not None
        except Damaged:
            is_whole = False
        if not is_whole:
            raise Unreachable(
                f"What {self._transport.shown} sent is no whole backup; nothing was kept of it."
            )


def _check_place(path: str, partial: str) -> None:
    """Raise unless what has come may lie at a path, which may be that of another backup of it."""
    try:
        header = read_header(path)
    except Damaged:
        header = None
    if header is not None and header.is_wal:
        raise InvalidInput(f"{path} is a node itself; name another file for the backup.")
    check_free(_context(partial), path, partial)


def _context(path: str) -> Context:
    """Return what is needed to look into a backup."""
    database = Database(path, lambda: time.time_ns() // 1_000_000, lambda: 0.5)
    return Context(database, os.urandom, os.path.dirname(path))
