"""``agent-memory supersede``: say that a memory replaces another."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.wire.encode import of_memory

Older = Annotated[
    str,
    typer.Argument(
        help="The id of the memory that is out of date, or its beginning.",
        metavar="OLDER",
        show_default=False,
    ),
]
Newer = Annotated[
    str,
    typer.Argument(
        help="The id of the memory of yours that replaces it, or its beginning.",
        metavar="NEWER",
        show_default=False,
    ),
]


def supersede(desk: Desk, older: Older, newer: Newer) -> None:
    """Say that a memory of yours replaces an older one.

    Where somebody else owns the older one, it is a proposal: readers see it as a mark.

    Example: agent-memory supersede mem_4kq2mxa7bd mem_7xb3vdq2ka
    """
    memories = desk.node.memories
    whole = memories.get(desk.principal, older).id
    outcome = memories.supersede(desk.principal, whole, newer)
    desk.say(f"{render.short(outcome.memory.id)} supersedes {render.short(whole)}.")
    desk.tell(*outcome.notes)
    desk.give({"memory": of_memory(outcome.memory, desk.now), "older": whole})


COMMANDS = {"supersede": supersede}
