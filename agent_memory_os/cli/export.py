"""``agent-memory export``: write memories as JSONL."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import AlreadyExists, InvalidInput
from agent_memory_os.exporters.jsonl import MEMORY_LINE

File = Annotated[
    str | None,
    typer.Argument(
        help="Where to; the standard output where nothing is said.",
        metavar="FILE",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--yes", "--force", help="Replace the file if it is there.")]


def write(desk: Desk, file: File = None, *, force: Force = False) -> None:
    """Write what you may read as JSONL; import reads it again.

    With --as-operator it is the whole node.

    Example: agent-memory export memories.jsonl
    """
    if desk.as_json and file is None:
        raise InvalidInput("An export is JSON already: name a FILE, or leave --json out.")
    if file is not None and not file.strip():
        raise InvalidInput("The file that was named is empty; name one, or none at all.")
    if file is not None and os.path.lexists(file) and not force:
        raise AlreadyExists(f"{file} is there already; to replace it, say --yes.")
    lines = desk.node.transfer.export(desk.principal)
    if file is None:
        _to_stdout(lines)
        return
    written, memories = _to_file(lines, file)
    desk.say(f"Exported {render.counted(memories, 'memory', 'memories')} to {file}.")
    desk.give({"file": file, "memories": memories, "lines": written})


def _to_stdout(lines: Iterable[str]) -> None:
    # An export is UTF-8 whatever the terminal is, so that it can be read again.
    out = sys.stdout.buffer
    for line in lines:
        out.write(line.rstrip("\n").encode() + b"\n")
    out.flush()


def _to_file(lines: Iterable[str], file: str) -> tuple[int, int]:
    """Write a file whole: until all of it is there, nothing is.

    Returns how many lines it has, and how many of them are memories.
    """
    unfinished = f"{file}.new"
    count = memories = 0
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as out:
            for line in lines:
                out.write(line.rstrip("\n") + "\n")
                count += 1
                memories += line.startswith(MEMORY_LINE)
        os.replace(unfinished, file)
    except BaseException:
        os.unlink(unfinished)
        raise
    return count, memories


COMMANDS = {"export": write}
