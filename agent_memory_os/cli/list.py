"""``agent-memory list``: memories page by page, newest first."""

from __future__ import annotations

from agent_memory_os.cli import card, command, grid, moment, narrow, render
from agent_memory_os.cli.command import FLAG, WHOLE, Command, Option
from agent_memory_os.cli.desk import Desk
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.recall import Filter
from agent_memory_os.wire.encode import of_memory

HEADS = ("ID", "WHEN", "TYPE", "OWNER", "AUDIENCE", "MEMORY")

COMMAND = Command(
    "list",
    "List memories, newest first.",
    "agent-memory list --type decision --since 30d",
    (),
    (
        Option("limit", ("--limit",), "How many a page.", WHOLE, "COUNT"),
        Option("cursor", ("--cursor",), "Go on where the page before ended.", metavar="CURSOR"),
        *command.NARROWING,
        Option("pinned", ("--pinned",), "Only what is pinned.", FLAG),
        Option("expired", ("--expired",), "What has expired, or is not valid now.", FLAG),
        Option("forgotten", ("--forgotten",), "What you forgot and may bring back.", FLAG),
        Option("all", ("--all",), "What is shown now and what has expired.", FLAG),
    ),
)


def run(  # noqa: PLR0913 - one parameter an option
    desk: Desk,
    *,
    limit: int = 50,
    cursor: str = "",
    types: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    owner: str | None = None,
    author: str | None = None,
    session: str | None = None,
    since: str | None = None,
    until: str | None = None,
    time_field: str = "created",
    pinned: bool = False,
    expired: bool = False,
    forgotten: bool = False,
    all: bool = False,  # noqa: A002 - the name of the option
) -> None:
    """List what the acting agent may read."""
    now = desk.now
    start, end = narrow.span(since, until, now)
    state = "all" if all else "forgotten" if forgotten else "expired" if expired else "active"
    wanted = Filter(
        types=types,
        tags=tags,
        owner=owner,
        author=author,
        session=session,
        pinned=True if pinned else None,
        since=start,
        until=end,
        time_field=narrow.time_field(time_field),
        state=state,
    )
    page = desk.node.memories.list(desk.principal, wanted, limit, cursor)
    if page.memories:
        rows = [row_of(memory, memory.content.created_at, now) for memory in page.memories]
        desk.say(*grid.table(HEADS, rows))
    else:
        desk.say("Nothing here.")
    if page.following:
        desk.tell(f"There is more: add --cursor {page.following}")
    memories = [of_memory(memory, now) for memory in page.memories]
    desk.give({"memories": memories, "cursor": page.following or None})


def row_of(memory: Memory, at: int, now: int) -> tuple[str, ...]:
    """Return a memory as a row of a table, with the time that matters there."""
    pin = "pinned: " if memory.content.pinned else ""
    return (
        render.short(memory.id),
        moment.age(at, now),
        memory.content.type,
        memory.owner_name,
        card.audience_of(memory),
        pin + memory.text[: render.LONGEST_LINE],
    )
