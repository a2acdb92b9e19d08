"""A memory node for a fleet of agents.

A node keeps one SQLite file as its source of truth. Every memory has an owner and an audience,
and the audience is checked before anything is ranked.

Importing this package imports nothing else: a command that starts cold pays only for what it uses.
The names in ``__all__`` are fetched when they are first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agent_memory_os.client import MemoryClient
    from agent_memory_os.client.asynchronous import AsyncMemoryClient
    from agent_memory_os.errors import AgentMemoryError
    from agent_memory_os.model.link import Link
    from agent_memory_os.model.memory import Memory
    from agent_memory_os.model.principal import Principal
    from agent_memory_os.model.recall import ContextPack, Hit
    from agent_memory_os.service.memories import Outcome

__version__ = "0.1.0"

_HOMES = {
    "AgentMemoryError": "errors",
    "AsyncMemoryClient": "client.asynchronous",
    "ContextPack": "model.recall",
    "Hit": "model.recall",
    "Link": "model.link",
    "Memory": "model.memory",
    "MemoryClient": "client",
    "Outcome": "service.memories",
    "Principal": "model.principal",
}

__all__ = [
    "AgentMemoryError",
    "AsyncMemoryClient",
    "ContextPack",
    "Hit",
    "Link",
    "Memory",
    "MemoryClient",
    "Outcome",
    "Principal",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Fetch one of the public names from the module where it lives."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
