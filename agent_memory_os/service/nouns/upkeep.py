"""Import and export, care for the file, and what happens: what else a node can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from agent_memory_os.importers.base import Finding as Imported
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.events import Following
from agent_memory_os.service.transfer import ImportReport
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
from agent_memory_os.store.upkeep.progress import Progress, unwatched


class Transfer(Protocol):
    """Import and export: see :class:`service.transfer.Transfer`."""

    def size_of(self, path: str, format_name: str | None = None) -> int:
        """Return how many bytes an import will read."""

    def import_path(
        self,
        principal: Principal,
        path: str,
        format_name: str | None = None,
        audience: str = "private",
        *,
        owner: str | None = None,
        dry_run: bool = False,
        allow_secrets: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> ImportReport:
        """Read a file or folder, and put what is new of it into the store."""

    def take(
        self,
        principal: Principal,
        findings: Iterable[Imported],
        folder: str,
        audience: str = "private",
        *,
        owner: str | None = None,
        dry_run: bool = False,
        allow_secrets: bool = False,
    ) -> ImportReport:
        """Put into the store what is new of what an importer found."""

    def export(self, principal: Principal) -> Iterator[str]:
        """Yield an export, line by line."""


class Upkeep(Protocol):
    """Care for the file: see :class:`service.upkeep.Upkeep`."""

    def doctor(self, principal: Principal, progress: Progress = unwatched) -> tuple[Finding, ...]:
        """Examine the node; ``progress`` is told of shares that make one."""

    def check(self) -> CheckReport:
        """Say quickly whether the file is sound."""

    def mend(self, progress: Progress = unwatched) -> tuple[str, ...]:
        """Mend what can be mended without loss."""

    def reindex(self, progress: Progress = unwatched) -> int:
        """Make the index anew."""

    def purge(self) -> int:
        """Erase what was forgotten long ago."""

    def backup(
        self, destination: str, keep: int | None = None, *, with_keys: bool = False
    ) -> BackupReport:
        """Copy the node to a file of this machine."""

    def last_backup(self) -> LastBackup | None:
        """Tell when the last backup was made, as far as the home knows."""

    def sizes(self, principal: Principal) -> Sizes:
        """Tell how much the whole node holds."""

    def stats(self, principal: Principal) -> Stats:
        """Count what a principal may read."""

    def audit(
        self,
        principal: Principal,
        wanted: AuditFilter = AuditFilter(),  # noqa: B008 - a value that nobody changes
        limit: int = 50,
        cursor: str = "",
    ) -> AuditPage:
        """Return a page of the audit."""


class Events(Protocol):
    """What changes, as it happens: see :class:`service.events.Events`."""

    def follow(self, principal: Principal, after: str = "", *, wait: bool = True) -> Following:
        """Return what happens, event by event."""
