"""Upkeep on the wire: what a doctor found, counts, the audit; and back."""

from __future__ import annotations

from agent_memory_os.service.upkeep import (
    AuditEntry,
    AuditPage,
    CheckReport,
    Finding,
    LastBackup,
    Sizes,
    Stats,
)
from agent_memory_os.wire.decode import Shape
from agent_memory_os.wire.instant import iso, milliseconds


def of_finding(finding: Finding) -> dict[str, object]:
    """Return what a check of the doctor found."""
    return finding._asdict()


def to_finding(shape: Shape) -> Finding:
    """Return the finding of a shape."""
    return Finding(*(shape[name] for name in Finding._fields))


def of_check(report: CheckReport) -> dict[str, object]:
    """Return whether a node is well, and a line for each check."""
    return {"ok": report.ok, "lines": list(report.lines)}


def to_check(shape: Shape) -> CheckReport:
    """Return the report of a shape."""
    return CheckReport(shape["ok"], tuple(shape["lines"]))


def of_last_backup(found: LastBackup | None) -> dict[str, object]:
    """Return when and where the last backup was made; nothing where none is known of."""
    if found is None:
        return {"at": None, "path": None}
    return {"at": iso(found.at), "path": found.path}


def to_last_backup(shape: Shape) -> LastBackup | None:
    """Return the last backup of a shape."""
    at = milliseconds(shape["at"])
    return None if at is None else LastBackup(at, shape["path"])


def to_sizes(shape: Shape) -> Sizes:
    """Return the sizes of a shape."""
    return Sizes(*(shape[name] for name in Sizes._fields))


def of_stats(stats: Stats) -> dict[str, object]:
    """Return counts; of owners a list, for two of them may have one name."""
    owners = [{"name": name, "memories": count} for name, count in stats.owners]
    named = {"types": dict(stats.types), "owners": owners, "node": dict(stats.node)}
    return {**stats._asdict(), **named}


def to_stats(shape: Shape) -> Stats:
    """Return the counts of a shape."""
    fields = {name: shape[name] for name in Stats._fields}
    fields |= {name: tuple(shape[name].items()) for name in ("types", "node")}
    owners = tuple((one["name"], one["memories"]) for one in shape["owners"])
    return Stats(**fields | {"owners": owners})


def of_audit(page: AuditPage) -> dict[str, object]:
    """Return a page of the audit."""
    entries = [{**entry._asdict(), "at": iso(entry.at)} for entry in page.entries]
    return {"entries": entries, "cursor": page.following or None}


def to_audit(shape: Shape) -> AuditPage:
    """Return the page of a shape."""
    return AuditPage(tuple(map(_to_entry, shape["entries"])), shape["cursor"] or "")


def _to_entry(shape: Shape) -> AuditEntry:
    fields = {name: shape[name] for name in AuditEntry._fields}
    return AuditEntry(**fields | {"at": milliseconds(shape["at"])})
