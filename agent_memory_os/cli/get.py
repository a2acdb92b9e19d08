"""``agent-memory get``: one memory, whole, with its links."""

from __future__ import annotations

from agent_memory_os.cli import card
from agent_memory_os.cli.command import Argument, Command
from agent_memory_os.cli.desk import Desk
from agent_memory_os.wire.encode import of_link, of_memory

MEMORY = Argument("memory", "The memory's id, or the first characters of it.")

COMMAND = Command(
    "get",
    "Show one memory, whole.",
    "agent-memory get mem_4kq2mxa7bd",
    (MEMORY,),
    (),
)


def run(desk: Desk, memory: str) -> None:
    """Show a memory that the acting agent may read."""
    memories = desk.node.memories
    found = memories.get(desk.principal, memory)
    links = memories.links(desk.principal, found.id)
    now = desk.now
    desk.say(*card.of_memory(found, links, now))
    desk.give({"memory": of_memory(found, now), "links": [of_link(link) for link in links]})
