"""``agent-memory view-as`` and ``peers preview``: what others would see, before they do."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.service.peers import Sent

Name = Annotated[
    str,
    typer.Argument(
        help="A peer, by its name or its fingerprint.", metavar="PEER", show_default=False
    ),
]
Agent = Annotated[
    str,
    typer.Argument(
        help="An agent of whatever account, by its name or id.", metavar="AGENT", show_default=False
    ),
]
HEADS = ("WAY", "WHAT", "OWNER", "WORDS", "WHY")
SEEN = ("MEMORY", "OWNER", "WORDS", "WHY")
_WORDS = 48


def preview(desk: Desk, name: Name) -> None:
    """Show all that a peer would be sent if it had nothing, and the rule that admits each row.

    Nothing is sent. With --json, a program can check it: what goes, by which way, and why.

    Example: agent-memory peers preview laptop
    """
    found = list(desk.node.peers.preview(name))
    records = [row for row in found if row.object.startswith(("mem_", "lnk_"))]
    if records:
        desk.say(*grid.table(HEADS, [_row(row) for row in records]))
    else:
        desk.say(f"{name} would be sent no memory.")
    others = len(found) - len(records)
    desk.say(f"Besides, {others} facts about people, devices and teams, which --json lists.")
    desk.give({"rows": [row._asdict() for row in found]})


def view_as(desk: Desk, name: Agent) -> None:
    """Show every memory here that an agent may read, and the rule that lets it.

    Example: agent-memory view-as scout
    """
    found = list(desk.node.peers.view_as(name))
    if found:
        rows = [
            (
                render.short(seen.memory.id),
                seen.memory.owner_name,
                _short(seen.memory.text),
                seen.rule,
            )
            for seen in found
        ]
        desk.say(*grid.table(SEEN, rows))
    else:
        desk.say(f"{name} may read nothing here.")
    desk.give(
        {
            "rows": [
                {
                    "memory": seen.memory.id,
                    "owner": seen.memory.owner_name,
                    "words": seen.memory.text,
                    "rule": seen.rule,
                }
                for seen in found
            ]
        }
    )


def _row(row: Sent) -> tuple[str, ...]:
    words = _short(row.words) if row.has_content else "(no words)"
    return (row.where, render.short(row.object), row.owner, words, row.rule)


def _short(text: str) -> str:
    line = render.one_line(text)
    return line if len(line) <= _WORDS else line[: _WORDS - 1] + "…"


COMMANDS = {"view-as": view_as}
