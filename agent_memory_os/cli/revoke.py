"""``agent-memory revoke``: take a memory back from others."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import card, receipts, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.receipts import Wait, Within
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


def revoke(
    desk: Desk,
    memory: OwnMemory,
    audience: Audience = None,
    *,
    wait: Wait = False,
    within: Within = None,
) -> None:
    """Take a memory of yours back from others, at once.

    With --wait it exchanges with the peers that have it, and tells what they say.

    Example: agent-memory revoke mem_4kq2mxa7bd team:apollo
    """
    receipts.check(wait=wait, within=within)
    outcome = desk.node.memories.revoke(desk.principal, memory, audience)
    now = outcome.memory
    act = "Revoked." if outcome.is_changed else "Nothing changed."
    left = "is private now" if not now.audience else f"is still for {card.audience_of(now)}"
    desk.say(f"{act} {render.short(now.id)} {left}.")
    desk.tell(*outcome.notes)
    told = receipts.waiting(
        desk, lambda: desk.node.receipts.get(desk.principal, now.id), within, wait=wait
    )
    shape = {"memory": of_memory(now, desk.now), "changed": outcome.is_changed}
    desk.give({**shape, "receipts": receipts.shape_of(told)})
    receipts.check_all(told)


COMMANDS = {"revoke": revoke}
