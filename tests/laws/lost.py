"""What concurrent edits lost, in a world: a way to read that is its owners' alone."""

from __future__ import annotations

import re
from typing import Any

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.identifier import derive
from agent_memory_os.model.memory import Content, to_value
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.register import CONTENT, Register
from agent_memory_os.store.database import Database
from agent_memory_os.store.exchange.held import HeldRegister
from agent_memory_os.store.peer import shelf
from tests.laws.whole import Whole
from tests.laws.world import Item, World

DEVICES = tuple(derive("device", "a" * 64, digit * 64) for digit in "12")
NEVER = 999_999


def lose(world: World, *items: Item) -> None:
    """Let an edit of each of some memories lose to what it says now."""
    for item in items:
        _lose(world, item)


def _lose(world: World, item: Item) -> None:
    canary = f"zq{item.order}xl{len(item.lost) + 1}"
    now = world.clock.now
    texts: dict[str, Any] = {"summary": f"summary {canary}", "author": f"author{canary}"}
    content = Content(f"{item.words} {canary}", now, now, "note", **texts)
    shelve(world.node.context.database, item.id, content, 20 - len(item.lost))
    item.lost = [*item.lost, canary][-shelf.MOST :]


def shelve(database: Database, memory: str, content: Content, stamp: int = 20) -> None:
    """Put a content of a memory on the shelf, as what an edit with that stamp lost."""
    winner, loser = (
        Register(memory, CONTENT, "", device, at, 1, value, (), edits=10)
        for device, at, value in (
            (DEVICES[0], 30, {"content": "won"}),
            (DEVICES[1], stamp, to_value(content)),
        )
    )
    held = HeldRegister("", loser, 0, None, None, is_row=False, slot=0)
    with database.write() as transaction:
        shelf.keep(transaction, memory, winner, [held])


def canaries_in(answer: object) -> list[str]:
    """Return the marks of lost edits in an answer, each once."""
    return sorted(set(re.findall(r"zq\d+xl\d+", repr(answer))))


def owned(world: World, principal: Principal) -> list[str]:
    """Return the marks of the lost edits that a principal must be shown."""
    mine = [item for item in world.items.values() if world.is_own(principal, item)]
    return sorted(mark for item in mine if item.state == "active" for mark in item.lost)


def one_by_one(world: World, principal: Principal) -> list[str]:
    """Return what is answered for each number there is, and how those differ from one of none."""
    with world.node.context.database.read() as snapshot:
        numbers = [one.id for one in shelf.lost(snapshot)]
    found = []
    for number in (*numbers, NEVER):
        try:
            found.append(repr(world.node.conflicts.get(principal, number)))
        except AgentMemoryError as error:
            found.append(f"{type(error)} {error}".replace(str(number), "THAT"))
    return [said for said in found if said != found[-1]]


LOST = (
    Whole(
        "conflicts.list",
        "all",
        lambda world, principal: world.node.conflicts.list(principal),
        canaries_in,
        owned,
        in_order=True,
    ),
    Whole("conflicts.get", "each", one_by_one, canaries_in, owned, in_order=True),
)
