"""Upkeep: whether the node is well, what can be mended, backups, and putting one back."""

from __future__ import annotations

from agent_memory_os.service.upkeep.report import (
    AuditEntry,
    AuditFilter,
    AuditPage,
    BackupReport,
    CheckReport,
    Finding,
    LastBackup,
    RestoreReport,
    Sizes,
    Stats,
)
from agent_memory_os.service.upkeep.restore import restore
from agent_memory_os.service.upkeep.upkeep import Upkeep

__all__ = [
    "AuditEntry",
    "AuditFilter",
    "AuditPage",
    "BackupReport",
    "CheckReport",
    "Finding",
    "LastBackup",
    "RestoreReport",
    "Sizes",
    "Stats",
    "Upkeep",
    "restore",
]
