"""``agent-memory audit``: who acted beyond what an agent may, and what was removed for good."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment, narrow, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.service.upkeep import AuditEntry, AuditFilter

Limit = Annotated[int, typer.Option("--limit", help="How many a page.", metavar="COUNT")]
Cursor = Annotated[
    str,
    typer.Option(
        "--cursor",
        help="Go on where the page before ended.",
        metavar="CURSOR",
        show_default=False,
    ),
]
Actor = Annotated[
    str | None,
    typer.Option(
        "--agent", help="Only what this agent did; operator means the operator.", metavar="AGENT"
    ),
]
Action = Annotated[
    str | None,
    typer.Option("--action", help="Only this, such as erase, export or search.", metavar="ACTION"),
]
Since = Annotated[
    str | None,
    typer.Option("--since", help="Only from this date, time, or time ago (7d) on.", metavar="WHEN"),
]
Until = Annotated[
    str | None,
    typer.Option("--until", help="Only before this date, time, or time ago.", metavar="WHEN"),
]
HEADS = ("WHEN (UTC)", "WHO", "ACTION", "OBJECT", "DETAIL")


def audit(
    desk: Desk,
    *,
    limit: Limit = 50,
    cursor: Cursor = "",
    actor: Actor = None,
    action: Action = None,
    since: Since = None,
    until: Until = None,
) -> None:
    """Show who used the operator's view, and what was erased, newest first.

    With --as-operator, all of it, and what the operator changed; else the acting agent's own acts,
    on what it may read.

    Example: agent-memory audit --as-operator --since 7d
    """
    start, end = narrow.span(since, until, desk.now)
    wanted = AuditFilter(actor, action, start, end)
    page = desk.node.upkeep.audit(desk.principal, wanted, limit, cursor)
    if page.entries:
        desk.say(*grid.table(HEADS, [_row(entry) for entry in page.entries]))
    else:
        desk.say("Nothing here.")
    if not desk.principal.is_operator:
        desk.tell("These are the agent's own acts. All acts: --as-operator")
    if page.following:
        desk.tell(f"There is more: add --cursor {page.following}")
    entries = [{**entry._asdict(), "at": moment.iso(entry.at)} for entry in page.entries]
    desk.give({"entries": entries, "cursor": page.following or None})


def _row(entry: AuditEntry) -> tuple[str, ...]:
    about = render.short(entry.object) or "-"
    return (moment.shown(entry.at), entry.actor, entry.action, about, entry.detail)


COMMANDS = {"audit": audit}
