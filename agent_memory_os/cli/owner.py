"""Whose memories are here."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import DryRun, Yes
from agent_memory_os.errors import NotAllowed, NotFound
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memories import Owner

Name = Annotated[
    str, typer.Argument(help="An agent's name or id.", metavar="OWNER", show_default=False)
]
HEADS = ("OWNER", "MEMORIES", "CHANGED")
_PREVIEW = 5
_LONGEST = 1000


def show(desk: Desk) -> None:
    """List whose memories you may read, and how many; with --as-operator, all that are here.

    Example: agent-memory owner list --as-operator
    """
    found = desk.node.memories.owners(desk.principal)
    if found:
        now = desk.now
        desk.say(*grid.table(HEADS, [_row(one, now) for one in found]))
    else:
        desk.say("No memories yet.")
    desk.give({"owners": [_shape(one) for one in found]})


def delete(desk: Desk, owner: Name, *, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Forget all memories of one owner: the operator alone.

    It shows what they are, and asks. Each can be brought back for 30 days.

    Example: agent-memory owner delete codex --as-operator --dry-run
    """
    memories = desk.node.memories
    if not desk.principal.is_operator:
        raise NotAllowed("Only the operator forgets all of an owner's memories: add --as-operator.")
    known = [one for one in memories.owners(desk.principal) if owner in (one.name, one.id)]
    if not known or not known[0].shown:
        raise NotFound(f"Nobody called {owner!r} owns a memory here. See: agent-memory owner list")
    one = known[0]
    count = render.counted(one.shown, "memory", "memories")
    desk.say(f"{one.name} owns {count}:")
    page = memories.list(desk.principal, Filter(owner=one.id), _PREVIEW)
    room = render.width() - 4
    for memory in page.memories:
        desk.say(f"  - {render.cut(render.one_line(memory.text[:_LONGEST]), room)}")
    if one.shown > len(page.memories):
        desk.say(f"  … and {one.shown - len(page.memories):,} more")
    forgotten = 0
    if not dry_run:
        desk.confirm(f"Forget {count} of {one.name}?", yes=yes)
        forgotten = memories.forget_owner(desk.principal, one.id)
        desk.say(f"Forgotten: {forgotten:,}. For 30 days: agent-memory forget --undo ID")
    desk.give({"owner": one.name, "memories": one.shown, "forgotten": forgotten})


def _row(one: Owner, now: int) -> tuple[str, ...]:
    changed = "-" if one.changed_at is None else moment.age(one.changed_at, now)
    return (one.name, f"{one.shown:,}", changed)


def _shape(one: Owner) -> dict[str, object]:
    return {
        "id": one.id,
        "name": one.name,
        "memories": one.shown,
        "forgotten": one.forgotten,
        "changed_at": moment.iso(one.changed_at),
    }


COMMANDS = {"list": show, "delete": delete}
