"""The SDK: a node's memory for programs, here or served elsewhere, in threads or in a loop."""

from __future__ import annotations

from agent_memory_os.client.client import MemoryClient

__all__ = ["MemoryClient"]
