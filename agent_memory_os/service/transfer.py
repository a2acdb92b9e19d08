"""Import and export: files in, files out, streamed, with a report of what became of each record."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, cast

from agent_memory_os.errors import AgentMemoryError, InvalidInput
from agent_memory_os.exporters import jsonl
from agent_memory_os.importers import by_name, recognise, weigh
from agent_memory_os.importers.base import Finding, Found, Ignored, Importer, Record, Skipped
from agent_memory_os.model.principal import Principal
from agent_memory_os.service import exporting, importing, rebuilding
from agent_memory_os.service.audience import Scope, resolve
from agent_memory_os.service.context import Context
from agent_memory_os.service.importing import Intake
from agent_memory_os.service.organisation import find_agent
from agent_memory_os.store import node
from agent_memory_os.store.gate import open_gate
from agent_memory_os.store.write import Writer, writing

_BATCH = 200
_SHOWN = 100
_SAMPLE = 5


class ImportReport(NamedTuple):
    """What became of an import.

    ``found`` counts the memories in the source, ``added`` those that are new, ``known`` those that
    were there, ``forgotten`` those that stay forgotten, ``restored`` agents, teams, members and
    links that were put back. ``skipped`` are the first of the records that could not be taken, all
    of them ``skipped_count``; ``ignored_count`` counts what was passed by on purpose.
    """

    files: int
    found: int
    added: int
    known: int
    forgotten: int
    restored: int
    skipped: tuple[Skipped, ...]
    skipped_count: int
    ignored_count: int
    masked: tuple[str, ...]
    by_format: Mapping[str, int]
    sample: tuple[Found, ...]
    is_dry: bool


class Transfer:
    """Bringing memories in, and taking them out."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

    def size_of(self, path: str, format_name: str | None = None) -> int:
        """Return how many bytes an import will read, for a progress bar."""
        return weigh(path, _importer(path, format_name))

    def import_path(
        self,
        principal: Principal,
        path: str,
        format_name: str | None = None,
        audience: str = "private",
        *,
        owner: str | None = None,
        dry_run: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> ImportReport:
        """Read a file or folder, and put what is new into the store.

        ``owner`` is the agent that owns what is new (the operator must name one; an agent imports
        for itself). With ``dry_run`` nothing is written, and the report says what would be.
        """
        importer = _importer(path, format_name)
        agent, scopes = self._owner(principal, owner, audience)
        intake = Intake(principal, agent, scopes, "")
        tally = _Tally(is_dry=dry_run)
        findings = importer.read(path, progress)
        while batch := list(islice(findings, _BATCH)):
            if dry_run:
                intake = self._foresee(intake, batch, tally)
            else:
                with writing(self._database) as writer:
                    intake = _take_batch(writer, intake, batch, tally)
        return tally.report()

    def export(self, principal: Principal) -> Iterator[str]:
        """Yield an export, line by line: for the operator the whole node, else what may be read."""
        with self._context.seeing(principal, "export") as (snapshot, gate):
            identity = node.identity(snapshot)
            yield from jsonl.lines(
                account=identity.account if identity else "",
                node="",
                exported_at=snapshot.now,
                records=exporting.records(snapshot, gate),
            )

    def _owner(
        self, principal: Principal, owner: str | None, audience: str
    ) -> tuple[str, tuple[Scope, ...]]:
        with self._database.read() as snapshot:
            agent = principal.agent or ""
            if principal.is_operator and owner:
                agent = find_agent(snapshot, owner).id
            if not agent:
                raise InvalidInput("Say which agent owns what is imported: --as AGENT.")
            return agent, resolve(snapshot, agent, audience)

    def _foresee(self, intake: Intake, batch: list[Finding], tally: _Tally) -> Intake:
        with self._database.read() as snapshot:
            identity = node.identity(snapshot)
            account = identity.account if identity else ""
            for finding in batch:
                tally.see(finding)
                intake = _after(intake, finding)
                if isinstance(finding, Found):
                    tally.count(importing.foreseen(snapshot, intake, account, finding), finding)
        return intake


def _importer(path: str, format_name: str | None) -> Importer:
    if not os.path.exists(path):
        raise InvalidInput(f"There is nothing at {path}.")
    return by_name(format_name) if format_name else recognise(path)


def _after(intake: Intake, finding: Finding) -> Intake:
    """Return the intake for what follows: an export's header says whose it is."""
    if isinstance(finding, Record) and finding.kind == "header":
        return intake._replace(account=str(finding.data["account"]))
    return intake


def _take_batch(writer: Writer, intake: Intake, batch: list[Finding], tally: _Tally) -> Intake:
    for finding in batch:
        tally.see(finding)
        intake = _after(intake, finding)
        try:
            if isinstance(finding, Found):
                taken = importing.take(writer, intake, finding)
                tally.count(taken.outcome, finding)
                tally.masked.update(dict.fromkeys(taken.notes))
            elif isinstance(finding, Record):
                tally.restored += _put_record(writer, intake, finding, tally)
        except AgentMemoryError as error:
            place = finding.place if isinstance(finding, Record) else _place(finding)
            tally.skip(Skipped(place, str(error)))
    return intake


def _put_record(writer: Writer, intake: Intake, record: Record, tally: _Tally) -> bool:
    if intake.account != writer.account:
        return False
    if record.kind == "version" and record.data["memory"] == tally.newest:
        importing.put_version(
            writer, tally.newest, cast("Mapping[str, Any]", record.data["version"])
        )
        return False
    if record.kind == "link":
        gate = open_gate(writer.transaction, intake.principal)
        return rebuilding.put_link(writer, gate, record.data)
    if intake.principal.is_operator:
        return rebuilding.put(writer, record.kind, record.data)
    return False


def _place(finding: Finding) -> str:
    if not isinstance(finding, Found):  # pragma: no cover - only a finding of memory comes here
        return finding.place
    file, line = finding.source.get("file", ""), finding.source.get("line")
    return f"{file}:{line}" if line is not None else str(file)


class _Tally:
    def __init__(self, *, is_dry: bool) -> None:
        self._is_dry = is_dry
        self._outcomes: Counter[str] = Counter()
        self._formats: Counter[str] = Counter()
        self._files: set[str] = set()
        self._skipped: list[Skipped] = []
        self._sample: list[Found] = []
        self._skipped_count = self._ignored_count = self._found = 0
        self.restored = 0
        self.newest = ""
        self.masked: dict[str, None] = {}

    def see(self, finding: Finding) -> None:
        """Count a finding as it comes."""
        if isinstance(finding, Found):
            self._found += 1
            self._files.add(str(finding.source.get("file", "")))
        elif isinstance(finding, Skipped):
            self.skip(finding)
        elif isinstance(finding, Ignored):
            self._ignored_count += 1

    def count(self, outcome: str, found: Found) -> None:
        """Count what became of a memory."""
        self._outcomes[outcome] += 1
        self.newest = found.key if outcome == importing.ADDED else ""
        self._formats[str(found.source.get("format", ""))] += 1
        if outcome == importing.ADDED and len(self._sample) < _SAMPLE:
            self._sample.append(found)

    def skip(self, skipped: Skipped) -> None:
        """Count a record that could not be taken."""
        self._skipped_count += 1
        if len(self._skipped) < _SHOWN:
            self._skipped.append(skipped)

    def report(self) -> ImportReport:
        """Return the report."""
        return ImportReport(
            files=len(self._files),
            found=self._found,
            added=self._outcomes[importing.ADDED],
            known=self._outcomes[importing.KNOWN],
            forgotten=self._outcomes[importing.FORGOTTEN],
            restored=self.restored,
            skipped=tuple(self._skipped),
            skipped_count=self._skipped_count,
            ignored_count=self._ignored_count,
            masked=tuple(self.masked),
            by_format=dict(self._formats),
            sample=tuple(self._sample),
            is_dry=self._is_dry,
        )
