"""Import and export: files in, files out."""

from __future__ import annotations

from agent_memory_os.service.transfer.report import ImportReport
from agent_memory_os.service.transfer.transfer import Transfer

__all__ = ["ImportReport", "Transfer"]
