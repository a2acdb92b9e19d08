"""What changes, told to whoever may see it, as it happens."""

from __future__ import annotations

from agent_memory_os.service.events.events import AUDIENCE, GONE, MAX_EVENTS, MEMORY, Events
from agent_memory_os.service.events.follow import LOOK_SECONDS, Event, Following, News

__all__ = [
    "AUDIENCE",
    "GONE",
    "LOOK_SECONDS",
    "MAX_EVENTS",
    "MEMORY",
    "Event",
    "Events",
    "Following",
    "News",
]
