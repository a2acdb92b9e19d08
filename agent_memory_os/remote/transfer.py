"""Import into a served node and export from it: the files are on this machine.

An importer reads them here, and what it finds is sent as it comes: so names, provenance and ids are
those that a node on this machine would give. Nothing is imported before all of it has arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from agent_memory_os.importers import weigh
from agent_memory_os.importers.base import Finding
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.transfer import ImportReport
from agent_memory_os.service.transfer.reading import folder_of, importer_for
from agent_memory_os.wire.decode import read
from agent_memory_os.wire.transfer import lines, to_report


class RemoteTransfer:
    """What :class:`service.transfer.Transfer` does, with a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def size_of(self, path: str, format_name: str | None = None) -> int:
        """Return how many bytes an import will read, for a progress bar."""
        return weigh(path, importer_for(path, format_name))

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
        """Read a file or folder, and put what is new of it into the node: see :meth:`take`."""
        return self.take(
            principal,
            importer_for(path, format_name).read(path, progress),
            folder_of(path),
            audience,
            owner=owner,
            dry_run=dry_run,
            allow_secrets=allow_secrets,
        )

    def take(
        self,
        principal: Principal,
        findings: Iterable[Finding],
        folder: str,
        audience: str = "private",
        *,
        owner: str | None = None,
        dry_run: bool = False,
        allow_secrets: bool = False,
    ) -> ImportReport:
        """Put into the node what is new of what an importer found; ``owner`` is the operator's."""
        params = {
            "folder": folder,
            "audience": audience,
            "owner": owner if principal.is_operator else None,
            "dry_run": dry_run,
            "allow_secrets": allow_secrets,
        }
        shape = self._transport.send("/v1/findings", principal, lines(findings), params)
        return read(to_report, shape)

    def export(self, principal: Principal) -> Iterator[str]:
        """Return an export, line by line: for the operator the whole node, else what may be read.

        Raises :class:`Unreachable` where it ends before it is whole.
        """
        return self._transport.lines("/v1/export", principal)
