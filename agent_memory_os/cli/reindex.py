"""``agent-memory reindex``: make the index anew."""

from __future__ import annotations

from agent_memory_os.cli import render
from agent_memory_os.cli.bar import Bar
from agent_memory_os.cli.desk import Desk


def reindex(desk: Desk) -> None:
    """Make the search index anew from the memories.

    Example: agent-memory reindex
    """
    with Bar("indexing", is_shown=not desk.as_json) as bar:
        count = desk.upkeep.reindex(bar.advance)
    desk.say(f"Indexed {render.counted(count, 'memory', 'memories')} anew.")
    desk.give({"memories": count})


COMMANDS = {"reindex": reindex}
