"""``agent-memory conflicts``: what edits on several devices lost to each other."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import InvalidInput
from agent_memory_os.service.peers import LostEdit
from agent_memory_os.wire import peers as wire
from agent_memory_os.wire.encode import of_memory

Sync = Annotated[
    bool, typer.Option("--sync", help="Those of edits that were made on two devices at once.")
]
Show = Annotated[
    int | None, typer.Option("--show", help="Show the one of this number, whole.", metavar="NUMBER")
]
Swap = Annotated[
    int | None,
    typer.Option("--swap", help="Put the one of this number back, as an edit.", metavar="NUMBER"),
]
HEADS = ("NUMBER", "MEMORY", "LOST", "WHAT IT SAID", "WHAT HOLDS NOW")


def conflicts(desk: Desk, *, sync: Sync = False, shown: Show = None, swap: Swap = None) -> None:
    """Show what edits of your memories lost to edits on another device, or put one back.

    Two devices edited one memory, and neither had seen the other's edit: the later one holds. The
    other is kept for 30 days.

    Example: agent-memory conflicts --sync
    """
    if shown is not None and swap is not None:
        raise InvalidInput("Show one or put one back, and not both.")
    if not sync and shown is None and swap is None:
        raise InvalidInput("Say which conflicts: --sync, of edits on several devices.")
    if swap is not None:
        _swap(desk, swap)
    elif shown is not None:
        _show(desk, desk.node.conflicts.get(desk.principal, shown))
    else:
        _list(desk)


def _list(desk: Desk) -> None:
    found = desk.node.conflicts.list(desk.principal)
    rows = [
        (
            str(one.id),
            render.short(one.memory.id),
            moment.age(one.lost_at, desk.now),
            one.lost.content,
            one.memory.text,
        )
        for one in found
    ]
    desk.say(*(grid.table(HEADS, rows) if rows else ["No edit was lost."]))
    desk.give({"conflicts": [wire.of_lost(one, desk.now) for one in found]})


def _show(desk: Desk, one: LostEdit) -> None:
    fields = (
        ("memory", one.memory.id),
        ("device", one.device),
        ("written", f"{moment.shown(one.written_at)} UTC"),
        ("lost", f"{moment.shown(one.lost_at)} UTC"),
    )
    desk.say(*(f"{render.paint(f'{name:<8}', render.DIM)} {value}" for name, value in fields))
    desk.say("", "It said:", render.plain(one.lost.content), "")
    desk.say("What holds now:", render.plain(one.memory.text))
    desk.give({"conflict": wire.of_lost(one, desk.now)})


def _swap(desk: Desk, number: int) -> None:
    done = desk.node.conflicts.swap(desk.principal, number)
    memory = done.memory
    desk.say(f"Put back: {render.short(memory.id)} is at version {memory.version}.")
    desk.give({"memory": of_memory(memory, desk.now), "changed": done.is_changed})


COMMANDS = {"conflicts": conflicts}
