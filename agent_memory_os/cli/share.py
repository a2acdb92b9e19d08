"""``agent-memory share``: let others read a memory."""

from __future__ import annotations

from agent_memory_os.cli import card, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import Audience, OwnMemory
from agent_memory_os.wire.encode import of_memory


def share(desk: Desk, memory: OwnMemory, audience: Audience) -> None:
    """Let others read a memory of yours, too.

    Example: agent-memory share mem_4kq2mxa7bd team:apollo
    """
    outcome = desk.node.memories.share(desk.principal, memory, audience)
    now = outcome.memory
    act = "Shared" if outcome.is_changed else "Nothing changed;"
    desk.say(f"{act} {render.short(now.id)}: {card.audience_of(now)}.")
    desk.tell(*outcome.notes)
    desk.give({"memory": of_memory(now, desk.now), "changed": outcome.is_changed})


COMMANDS = {"share": share}
