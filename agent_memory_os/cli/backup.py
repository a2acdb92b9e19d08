"""``agent-memory backup``: copy the node while it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk

Destination = Annotated[
    str,
    typer.Argument(
        help="A file, or a folder for a file with the date.", metavar="DEST", show_default=False
    ),
]
WithKeys = Annotated[
    bool,
    typer.Option("--with-keys", help="Also the private keys, in a file to keep like a password."),
]
Keep = Annotated[
    int | None,
    typer.Option("--keep", help="In a folder: keep so many of the newest.", metavar="COUNT", min=1),
]


def backup(
    desk: Desk, destination: Destination, *, keep: Keep = None, with_keys: WithKeys = False
) -> None:
    """Back the node up to a file, verified, while others may use it.

    Example: agent-memory backup ~/backups --keep 7
    """
    report = desk.node.upkeep.backup(destination, keep=keep, with_keys=with_keys)
    desk.say(f"Backed up {render.counted(report.memories, 'memory', 'memories')} to {report.path}.")
    if report.keys:
        desk.say(f"The private keys are in {report.keys}: keep that file like a password.")
    desk.say(*(f"Removed the older {path}." for path in report.removed))
    desk.give(
        {
            "path": report.path,
            "memories": report.memories,
            "removed": list(report.removed),
            "keys": report.keys or None,
        }
    )


COMMANDS = {"backup": backup}
