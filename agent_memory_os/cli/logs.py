"""``agent-memory logs``: what the server noted down when it ran as a service."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from agent_memory_os.cli import render, stream
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import InvalidInput
from agent_memory_os.server import logs as log

Lines = Annotated[
    int, typer.Option("--lines", help="How many of the newest lines.", metavar="COUNT", min=0)
]
Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Go on with what is written from now on.")
]
Level = Annotated[
    str, typer.Option("--level", help="Only lines of this level or above it.", metavar="LEVEL")
]


def logs(desk: Desk, *, lines: Lines = 50, follow: Follow = False, level: Level = "debug") -> None:
    """Show the server's log: what was asked for and how it went, and never what was said.

    With --follow and --json it prints one object a line.

    Example: agent-memory logs --level warning --lines 20
    """
    if level not in log.LEVELS:
        raise InvalidInput(f"There is no level {level!r}; they are {', '.join(log.LEVELS)}.")
    path = log.path_in(desk.home)
    found = log.last(path, lines, level)
    if not follow:
        if not log.rotated(path):
            desk.tell(f"There is no log at {path}: a server writes one with --log-file.")
        desk.say(*map(_line, found))
        desk.give({"path": path, "lines": found})
        return
    for shape in found:
        _print(desk, shape)
    for shape in log.following(path, level):
        _print(desk, shape)


def _line(shape: dict[str, object]) -> str:
    day = str(shape["time"])[:10]
    return render.plain(f"{day} {log.words_of(shape)}")


def _print(desk: Desk, shape: dict[str, object]) -> None:
    stream.give(f"{json.dumps(shape) if desk.as_json else _line(shape)}\n")
    sys.stdout.flush()


COMMANDS = {"logs": logs}
