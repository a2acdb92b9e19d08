"""``agent-memory pin``: keep a memory at hand."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import OwnMemory
from agent_memory_os.wire.encode import of_memory

Off = Annotated[bool, typer.Option("--off", help="Unpin it.")]


def pin(desk: Desk, memory: OwnMemory, *, off: Off = False) -> None:
    """Keep a memory of yours at hand, whatever is asked.

    Example: agent-memory pin mem_4kq2mxa7bd
    """
    outcome = desk.node.memories.edit(desk.principal, memory, {"pinned": not off})
    done = outcome.memory
    act = "Unpinned" if off else "Pinned"
    desk.say(f"{act if outcome.is_changed else 'Nothing changed:'} {render.short(done.id)}.")
    desk.give({"memory": of_memory(done, desk.now), "changed": outcome.is_changed})


COMMANDS = {"pin": pin}
