"""What changes, told to whoever may see it, as it happens."""

from __future__ import annotations

from agent_memory_os.service.events.events import (
    AUDIENCE,
    GONE,
    MAX_EVENTS,
    MEMORY,
    Event,
    Events,
)

__all__ = ["AUDIENCE", "GONE", "MAX_EVENTS", "MEMORY", "Event", "Events"]
