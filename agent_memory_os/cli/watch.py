"""``agent-memory watch``: what comes in, as it comes in."""

from __future__ import annotations

import json
import sys
from contextlib import suppress

from agent_memory_os.cli import card, render, stream
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import NotAllowed, NotFound
from agent_memory_os.model.memory import Memory
from agent_memory_os.service.events import AUDIENCE, GONE, Event
from agent_memory_os.wire.encode import of_memory
from agent_memory_os.wire.instant import iso

_KNOWN = 10_000
"""How many memories are known again: a second event of one of them is a change."""


def watch(desk: Desk) -> None:
    """Show memories that are added, changed or gone from now on, as far as you may read them.

    It goes on until Ctrl-C. With --json it prints one object a line.

    Example: agent-memory watch --as planner
    """
    if desk.shared.as_operator:
        # Each event would be a line of the audit, and bury what else is in it.
        raise NotAllowed("Only an agent can watch; name one with --as.")
    shown: dict[str, None] = {}
    with desk.node.events.follow(desk.principal) as events:
        where = desk.home if desk.reach is None else desk.reach.url
        _write(desk, "watching", None, None, f"Watching {where}; to stop: Ctrl-C")
        for event in events:
            # What is gone again by now, or hidden, has an event of its own.
            with suppress(NotFound):
                _show(desk, event, shown)


def _show(desk: Desk, event: Event, shown: dict[str, None]) -> None:
    clock = str(iso(desk.now))[11:19]
    if event.kind == AUDIENCE:
        words = "your teams or projects are others now, and so is what you may read"
        _write(desk, AUDIENCE, None, None, f"{clock} {words}")
        return
    if event.kind == GONE:
        _write(desk, GONE, event.memory, None, f"{clock} gone    {render.short(event.memory)}")
        return
    memory = desk.node.memories.get(desk.principal, event.memory)
    act = "added" if memory.version == 1 and memory.id not in shown else "changed"
    shown[memory.id] = None
    if len(shown) > _KNOWN:
        del shown[next(iter(shown))]
    about = f"{memory.content.type}, {memory.owner_name}, {card.audience_of(memory)}"
    line = f"{clock} {act:<7} {render.short(memory.id)} ({about}): {render.one_line(memory.text)}"
    _write(desk, act, memory.id, memory, line)


def _write(desk: Desk, act: str, memory_id: str | None, memory: Memory | None, words: str) -> None:
    if desk.as_json:
        shape = None if memory is None else of_memory(memory, desk.now)
        told = {"event": act, "id": memory_id, "memory": shape}
        words = json.dumps(told, ensure_ascii=False)
    stream.give(f"{words}\n")
    sys.stdout.flush()


COMMANDS = {"watch": watch}
