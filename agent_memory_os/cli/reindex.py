"""``agent-memory reindex``: make the index anew."""

from __future__ import annotations

from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk


def reindex(desk: Desk) -> None:
    """Make the search index anew from the memories.

    Example: agent-memory reindex
    """
    count = desk.upkeep.reindex()
    desk.say(f"Indexed {render.counted(count, 'memory', 'memories')} anew.")
    desk.give({"memories": count})


COMMANDS = {"reindex": reindex}
