"""``agent-memory timeline``: what lies around a memory or a moment."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment, narrow
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.list import HEADS, row_of
from agent_memory_os.model.identifier import PREFIXES
from agent_memory_os.model.recall import Filter
from agent_memory_os.wire.encode import of_memory

Anchor = Annotated[
    str,
    typer.Argument(
        help="A memory's id, or a date, time, or time ago.", metavar="ANCHOR", show_default=False
    ),
]
Window = Annotated[
    str | None,
    typer.Option("--window", help="Only this far before and after (1h, 7d).", metavar="SPAN"),
]
Limit = Annotated[int, typer.Option("--limit", help="How many at most.", metavar="COUNT")]
Field = Annotated[
    str,
    typer.Option(
        "--time-field", help="Which time counts: created, updated, event or valid.", metavar="FIELD"
    ),
]
Types = Annotated[
    list[str], typer.Option("--type", help="Only this type; may be given again.", metavar="TYPE")
]
Owner = Annotated[
    str | None, typer.Option("--owner", help="Only what this agent owns.", metavar="AGENT")
]
Tags = Annotated[
    list[str],
    typer.Option("--tag", help="Only with this tag; given again: with all of them.", metavar="TAG"),
]
Author = Annotated[
    str | None,
    typer.Option(
        "--author", help="Only what this person or agent said, by its name.", metavar="NAME"
    ),
]
Talk = Annotated[
    str | None, typer.Option("--session", help="Only from this conversation.", metavar="NAME")
]


def timeline(  # noqa: PLR0913 - one parameter an option
    desk: Desk,
    anchor: Anchor,
    *,
    window: Window = None,
    limit: Limit = 20,
    time_field: Field = "created",
    types: Types = [],  # noqa: B006 - Typer wants a list, and nobody changes it
    tags: Tags = [],  # noqa: B006 - as above
    owner: Owner = None,
    author: Author = None,
    session: Talk = None,
) -> None:
    """Show what was remembered before and after a memory or a moment.

    Example: agent-memory timeline 2026-05-08 --window 2d
    """
    now, field = desk.now, narrow.time_field(time_field)
    memories = desk.node.memories
    around: str | int = anchor
    if not anchor.startswith(PREFIXES["memory"]):
        around = moment.past(anchor, now)
    wanted = Filter(
        types=tuple(types),
        tags=tuple(tags),
        owner=owner,
        author=author,
        session=session,
        time_field=field,
    )
    most = None if window is None else moment.span(window)
    found = memories.timeline(desk.principal, around, wanted, limit, most)
    if found:
        rows = [row_of(item.memory, item.at, now) for item in found]
        desk.say(*grid.table(HEADS, rows))
    else:
        desk.say("Nothing there.")
    moments = [{"at": moment.iso(item.at), "memory": of_memory(item.memory, now)} for item in found]
    desk.give({"anchor": anchor, "moments": moments})


COMMANDS = {"timeline": timeline}
