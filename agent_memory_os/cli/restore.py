"""``agent-memory restore``: put a backup in the place of the node."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os import wiring
from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk

Source = Annotated[
    str, typer.Argument(help="A backup of a node.", metavar="SRC", show_default=False)
]
Force = Annotated[
    bool, typer.Option("--force", "--yes", help="Replace a node that holds memories.")
]


def restore(desk: Desk, source: Source, *, force: Force = False) -> None:
    """Put a backup in the place of the node.

    What was there is kept beside it. The backup is verified first, and one that is damaged,
    foreign or newer changes nothing.

    Example: agent-memory restore ~/backups/agent-memory-4kq2mxa7-20260508T120000.000Z.db
    """
    report = wiring.restore(desk.settings, source, force=force)
    desk.say(f"Restored {render.counted(report.memories, 'memory', 'memories')} from {source}.")
    if report.kept:
        desk.say(f"What was there before is kept in {report.kept}.")
    desk.tell(*report.notes)
    desk.give({"source": source, "memories": report.memories, "kept": report.kept or None})


COMMANDS = {"restore": restore}
