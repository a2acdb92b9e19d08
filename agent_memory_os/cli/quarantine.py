"""What peers sent and this node could not take, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import Yes
from agent_memory_os.errors import InvalidInput
from agent_memory_os.wire import peers as wire

Number = Annotated[
    int,
    typer.Argument(help="Its number, as the list shows it.", metavar="NUMBER", show_default=False),
]
Numbers = Annotated[
    list[int] | None,
    typer.Argument(
        help="Their numbers, as the list shows them.", metavar="[NUMBER]...", show_default=False
    ),
]
Every = Annotated[bool, typer.Option("--all", help="All that is there.")]
HEADS = ("NUMBER", "PEER", "WHEN", "SIZE", "WHY")


def show_all(desk: Desk) -> None:
    """List what could not be taken: who sent it, when, and why not.

    Example: agent-memory quarantine list
    """
    found = desk.node.quarantine.list()
    rows = [
        (str(one.id), one.peer, moment.age(one.at, desk.now), f"{one.size:,}", one.reason)
        for one in found
    ]
    desk.say(*(grid.table(HEADS, rows) if rows else ["Nothing here."]))
    desk.give({"lines": [wire.of_aside(one) for one in found]})


def show(desk: Desk, number: Number) -> None:
    """Show what a line says. It may be of a memory that no agent of yours may read.

    Example: agent-memory quarantine show 1 --as-operator
    """
    said = desk.node.quarantine.show(desk.principal, number)
    desk.say(render.plain(said))
    desk.give({"number": number, "line": said})


def drop(desk: Desk, numbers: Numbers = None, *, every: Every = False, yes: Yes = False) -> None:
    """Drop lines for good; what they were part of stays as it is.

    Example: agent-memory quarantine drop --all --yes
    """
    wanted = _wanted(numbers, every=every)
    what = "all of it" if wanted is None else render.counted(len(wanted), "line")
    desk.confirm(f"Drop {what}?", yes=yes)
    count = desk.node.quarantine.drop(wanted)
    desk.say(f"Dropped {render.counted(count, 'line')}.")
    desk.give({"dropped": count})


def retry(desk: Desk, numbers: Numbers = None, *, every: Every = False) -> None:
    """Try to take lines again: what they waited for may be here now.

    Example: agent-memory quarantine retry --all
    """
    done = desk.node.quarantine.retry(_wanted(numbers, every=every))
    desk.say(f"Took {done.taken:,}; {done.aside:,} in quarantine.")
    desk.give(done._asdict())


def _wanted(numbers: list[int] | tuple[int, ...] | None, *, every: bool) -> list[int] | None:
    if bool(numbers) == every:
        raise InvalidInput("Say which: their NUMBERs, or --all.")
    return list(numbers) if numbers else None


COMMANDS = {"list": show_all, "show": show, "drop": drop, "retry": retry}
