"""``agent-memory watch``: what comes in, as it comes in."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Annotated

import typer

from agent_memory_os.cli import card, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import NotAllowed
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.recall import Filter
from agent_memory_os.wire.encode import of_memory
from agent_memory_os.wire.instant import iso

Every = Annotated[
    float, typer.Option("--every", help="How often it looks.", metavar="SECONDS", min=0.1, max=3600)
]
_BACK_MS = 5_000
"""How far each look goes back behind the last: a slow writer's clock was read before its commit."""
_PAGE = 200


def watch(desk: Desk, *, every: Every = 1.0) -> None:
    """Show memories that are added or changed from now on, as far as you may read them.

    It goes on until Ctrl-C. With --json it prints one object a line.

    Example: agent-memory watch --as planner
    """
    if desk.shared.as_operator:
        # Each look would be a line of the audit, and bury what else is in it.
        raise NotAllowed("Only an agent can watch; name one with --as.")
    begun = desk.now
    shown = {(memory.id, memory.version) for memory in _changed(desk, begun - _BACK_MS)}
    since = begun
    if desk.as_json:
        _write(json.dumps({"event": "watching", "memory": None}))
    else:
        where = desk.home if desk.reach is None else desk.reach.url
        _write(f"Watching {where}; to stop: Ctrl-C")
    while True:
        time.sleep(every)
        now = desk.now
        found = [
            memory
            for memory in _changed(desk, since - _BACK_MS)
            if (memory.id, memory.version) not in shown
        ]
        for memory in reversed(found):
            shown.add((memory.id, memory.version))
            _print(desk, memory, now)
        since = now


def _changed(desk: Desk, since: int) -> Iterator[Memory]:
    """Yield what was added or changed since an instant, the newest first."""
    wanted = Filter(since=since, time_field="updated")
    cursor = ""
    while True:
        page = desk.node.memories.list(desk.principal, wanted, _PAGE, cursor)
        yield from page.memories
        cursor = page.following
        if not cursor:
            return


def _print(desk: Desk, memory: Memory, now: int) -> None:
    act = "added" if memory.version == 1 else "changed"
    if desk.as_json:
        line = json.dumps({"event": act, "memory": of_memory(memory, now)}, ensure_ascii=False)
    else:
        clock = str(iso(memory.content.updated_at))[11:19]
        about = f"{memory.content.type}, {memory.owner_name}, {card.audience_of(memory)}"
        text = render.one_line(memory.text)
        line = f"{clock} {act:<7} {render.short(memory.id)} ({about}): {text}"
    _write(line)


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


COMMANDS = {"watch": watch}
