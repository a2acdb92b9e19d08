"""Import and export: files in, files out, streamed, with a report of what became of each record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from agent_memory_os.errors import AgentMemoryError, InvalidInput
from agent_memory_os.exporters import jsonl
from agent_memory_os.importers import weigh
from agent_memory_os.importers.base import Finding, Found, Record, Skipped
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.audience import Scope, resolve
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.named import find_agent
from agent_memory_os.service.transfer import incoming, organisation, outgoing
from agent_memory_os.service.transfer.incoming import Intake
from agent_memory_os.service.transfer.reading import folder_of, importer_for
from agent_memory_os.service.transfer.report import ImportReport, Tally
from agent_memory_os.store import audit, node
from agent_memory_os.store.gate import open_gate
from agent_memory_os.store.write import Writer
from agent_memory_os.value import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from typing import Any

_BATCH = 100
_BATCH_CHARACTERS = 40_000


class Transfer:
    """Bringing memories in, and taking them out."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

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
        """Read a file or folder, and put what is new of it into the store: see :meth:`take`."""
        findings = importer_for(path, format_name).read(path, progress)
        return self.take(
            principal,
            findings,
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
        """Put into the store what is new of what an importer found, some hundred a transaction.

        ``folder`` is where the source lies; the names of its files are relative to it. ``owner`` is
        the agent that owns what is new. An agent imports for itself; the operator must name one,
        but for an export of this account, where each memory has its owner. With ``dry_run`` nothing
        is written, and the report says what would be; with ``allow_secrets`` what looks like a
        secret is stored as it is.
        """
        agent, scopes = self._owner(principal, owner, audience)
        intake = Intake(principal, agent, scopes, "", folder, allow_secrets)
        tally = Tally(is_dry=dry_run)
        for batch in _batches(iter(findings)):
            if dry_run:
                intake = self._foresee(intake, batch, tally)
            else:
                with self._context.widening() as writer:
                    before = tally.added
                    intake = _take_batch(writer, intake, batch, tally)
                    if principal.is_operator and tally.added > before:
                        detail = f"{tally.added - before} new"
                        audit.add(writer.transaction, OPERATOR, "import", "", detail)
        return tally.report()

    def export(self, principal: Principal) -> Iterator[str]:
        """Yield an export, line by line: for the operator the whole node, else what may be read."""
        with self._context.seeing(principal, "export") as (snapshot, gate):
            identity = node.identity(snapshot)
            yield from jsonl.lines(
                account=identity.account if identity else "",
                node="",
                exported_at=snapshot.now,
                records=outgoing.records(snapshot, gate),
            )

    def _owner(
        self, principal: Principal, owner: str | None, audience: str
    ) -> tuple[str, tuple[Scope, ...]]:
        with self._database.read() as snapshot:
            if principal.is_operator and owner is None:
                return "", ()
            agent = find_agent(
                snapshot, (owner if principal.is_operator else principal.agent) or ""
            )
            return agent.id, resolve(snapshot, agent.id, audience)

    def _foresee(self, intake: Intake, batch: Iterable[Finding], tally: Tally) -> Intake:
        with self._database.read() as snapshot:
            identity = node.identity(snapshot)
            account = identity.account if identity else ""
            for finding in batch:
                tally.see(finding)
                intake = _after(intake, finding)
                _check_owner(intake, account, finding)
                if isinstance(finding, Found):
                    try:
                        outcome = incoming.foreseen(snapshot, intake, account, finding, tally.said)
                        tally.count(outcome, finding)
                    except AgentMemoryError as error:
                        tally.skip(Skipped(_place(finding), str(error)))
        return intake


def _after(intake: Intake, finding: Finding) -> Intake:
    """Return the intake for what follows: an export's header says whose it is."""
    if isinstance(finding, Record) and finding.kind == "header":
        return intake._replace(account=str(finding.data["account"]))
    return intake


def _check_owner(intake: Intake, account: str, finding: Finding) -> None:
    is_put_back = intake.account == account
    if isinstance(finding, Found) and not intake.owner and not is_put_back:
        raise InvalidInput("Say which agent owns what is imported.", "name_owner")


def _batches(findings: Iterator[Finding]) -> Iterator[Iterator[Finding]]:
    """Yield some findings at a time; a memory and the versions behind it are never parted.

    Whatever ends an import between two batches, what is there is whole, and is known the next time.
    Each batch is read to its end before the next one. Others wait for a batch: it is no larger than
    what is written in a moment, unless it is one memory.
    """
    ahead: list[Finding] = []
    while batch := _filled(ahead, findings):
        ahead = []
        yield _whole(batch, findings, ahead)


def _filled(batch: list[Finding], findings: Iterator[Finding]) -> list[Finding]:
    """Return a batch with as many more findings as belong into one."""
    size = sum(map(_size_of, batch))
    while len(batch) < _BATCH and size < _BATCH_CHARACTERS:
        finding = next(findings, None)
        if finding is None:
            break
        batch.append(finding)
        size += _size_of(finding)
    return batch


def _size_of(finding: Finding) -> int:
    """Return about how many characters a finding holds."""
    if not isinstance(finding, Found):
        return 0
    versions = finding.extra.get("versions")
    return len(finding.content) * (1 + (len(versions) if isinstance(versions, list) else 0))


def _whole(
    batch: list[Finding], findings: Iterator[Finding], ahead: list[Finding]
) -> Iterator[Finding]:
    """Yield a batch with the versions that belong to its end; what was read beyond is ``ahead``."""
    yield from batch
    if not _is_version(batch[-1]) and not getattr(batch[-1], "extra", None):
        return
    for finding in findings:
        if not _is_version(finding):
            ahead.append(finding)
            return
        yield finding


def _is_version(finding: Finding) -> bool:
    return isinstance(finding, Record) and finding.kind == "version"


def _take_batch(writer: Writer, intake: Intake, batch: Iterable[Finding], tally: Tally) -> Intake:
    for finding in batch:
        tally.see(finding)
        intake = _after(intake, finding)
        _check_owner(intake, writer.account, finding)
        try:
            if isinstance(finding, Found):
                taken = incoming.take(writer, intake, finding)
                tally.count(taken.outcome, finding)
                tally.masked.update(dict.fromkeys(taken.notes))
            elif isinstance(finding, Record):
                tally.restored += _put_record(writer, intake, finding, tally)
        except AgentMemoryError as error:
            place = finding.place if isinstance(finding, Record) else _place(finding)
            tally.skip(Skipped(place, str(error)))
    return intake


def _put_record(writer: Writer, intake: Intake, record: Record, tally: Tally) -> bool:
    if intake.account != writer.account:
        return False
    if record.kind == "version" and record.data["memory"] == tally.newest:
        version = cast("Mapping[str, Any]", record.data["version"])
        notes = incoming.put_version(writer, intake, tally.newest, version)
        tally.masked.update(dict.fromkeys(notes))
        return False
    if record.kind == "link":
        gate = open_gate(writer.transaction, intake.principal)
        return organisation.put_link(writer, gate, record.data)
    if intake.principal.is_operator:
        return organisation.put(writer, record.kind, record.data)
    return False


def _place(finding: Finding) -> str:
    if not isinstance(finding, Found):  # pragma: no cover - only a finding of memory comes here
        return finding.place
    file, line = finding.source.get("file", ""), finding.source.get("line")
    return f"{file}:{line}" if line is not None else str(file)
