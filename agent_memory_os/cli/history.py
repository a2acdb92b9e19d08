"""``agent-memory history``: what a memory said before."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import Readable
from agent_memory_os.service.memory.history import Version
from agent_memory_os.wire.encode import of_content

AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of", help="Only the version of this date, time, or time ago.", metavar="WHEN"
    ),
]
HEADS = ("VERSION", "SINCE (UTC)", "UNTIL (UTC)", "BY", "AUDIENCE", "REASON", "MEMORY")


def history(desk: Desk, memory: Readable, *, as_of: AsOf = None) -> None:
    """Show the versions of a memory that you may see, oldest first.

    Example: agent-memory history mem_4kq2mxa7bd --as-of 2026-03-01
    """
    memories = desk.node.memories
    whole = memories.get(desk.principal, memory).id
    if as_of is None:
        found = memories.history(desk.principal, whole)
    else:
        found = (memories.as_of(desk.principal, whole, moment.past(as_of, desk.now)),)
    desk.say(*grid.table(HEADS, [_row(version) for version in found]))
    desk.give({"id": whole, "versions": [_shape(version) for version in found]})


def _row(version: Version) -> tuple[str, ...]:
    return (
        str(version.number),
        moment.shown(version.since),
        "now" if version.until is None else moment.shown(version.until),
        version.editor,
        ", ".join(version.audience) or "-",
        version.content.reason or "-",
        version.content.content,
    )


def _shape(version: Version) -> dict[str, object]:
    return {
        "number": version.number,
        "since": moment.iso(version.since),
        "until": moment.iso(version.until),
        "editor": version.editor,
        "audience": list(version.audience),
        "reason": version.content.reason,
        **of_content(version.content),
    }


COMMANDS = {"history": history}
