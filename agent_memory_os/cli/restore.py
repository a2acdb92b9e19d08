"""``agent-memory restore``: put a backup in the place of the node."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os import wiring
from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.service.upkeep.restore import NO_KEYS, OLD_KEYS, TWIN

Source = Annotated[
    str, typer.Argument(help="A backup of a node.", metavar="SRC", show_default=False)
]
Force = Annotated[
    bool,
    typer.Option(
        "--yes", "--force", help="Do it, also where memories are replaced; a copy is kept."
    ),
]

HINTS = {
    NO_KEYS: "With them: agent-memory backup DEST --with-keys",
    OLD_KEYS: "Look at them: agent-memory key list",
    TWIN: "Run: agent-memory init --new-device",
}
"""What to type after a note on a restore."""


def restore(desk: Desk, source: Source, *, force: Force = False) -> None:
    """Put a backup in the place of the node.

    What was there is kept beside it. The backup is verified first, and one that is damaged,
    foreign or newer changes nothing.

    Example: agent-memory restore ~/backups/agent-memory-4kq2mxa7-20260508T120000.000Z.db
    """
    desk.home  # noqa: B018 - a backup is put into a home, and nowhere else
    report = wiring.restore(desk.settings, source, force=force)
    desk.say(f"Restored {render.counted(report.memories, 'memory', 'memories')} from {source}.")
    if report.kept:
        desk.say(f"What was there before is kept in {report.kept}.")
    desk.tell(*(f"{note} {HINTS.get(note, '')}".rstrip() for note in report.notes))
    desk.give({"source": source, "memories": report.memories, "kept": report.kept or None})


COMMANDS = {"restore": restore}
