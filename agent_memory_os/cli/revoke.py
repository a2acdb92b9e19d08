"""``agent-memory revoke``: take a memory back from others."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import card, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import OwnMemory
from agent_memory_os.wire.encode import of_memory

Audience = Annotated[
    str | None,
    typer.Argument(
        help="From whom; from all of them where nobody is named.",
        metavar="AUDIENCE",
        show_default=False,
    ),
]


def revoke(desk: Desk, memory: OwnMemory, audience: Audience = None) -> None:
    """Take a memory of yours back from others, at once.

    Example: agent-memory revoke mem_4kq2mxa7bd team:apollo
    """
    outcome = desk.node.memories.revoke(desk.principal, memory, audience)
    now = outcome.memory
    act = "Revoked." if outcome.is_changed else "Nothing changed."
    left = "is private now" if not now.audience else f"is still for {card.audience_of(now)}"
    desk.say(f"{act} {render.short(now.id)} {left}.")
    desk.tell(*outcome.notes)
    desk.give({"memory": of_memory(now, desk.now), "changed": outcome.is_changed})


COMMANDS = {"revoke": revoke}
