"""What the oracle says that a reader of events must be told, step by step and at once."""

from __future__ import annotations

from typing import NamedTuple

from agent_memory_os.model.principal import Principal
from agent_memory_os.service.events import AUDIENCE, GONE, MEMORY, Event, Events
from agent_memory_os.service.events.cursor import Cursors
from agent_memory_os.store.memory.changes import latest
from tests.laws.whole import Whole
from tests.laws.world import Item, World


class View(NamedTuple):
    """What a reader could know of a world at a moment: a state for each memory, and its groups."""

    memories: dict[str, tuple[int, frozenset[str]]]
    scopes: frozenset[str]
    is_there: bool


def view(world: World, principal: Principal) -> View:
    """Return what a principal can know of a world now."""
    sight = world.sight(principal).scopes
    known = {
        item.id: (len(item.versions), _grants(world, principal, item, sight))
        for item in world.readable(principal)
    }
    is_there = principal.is_operator or bool(world.name_of(principal))
    return View(known, sight, is_there)


def _grants(
    world: World, principal: Principal, item: Item, sight: frozenset[str]
) -> frozenset[str]:
    return frozenset(item.grants if world.is_own(principal, item) else item.grants & sight)


def told(before: View, after: View) -> set[Event]:
    """Return what must be told of a step, where nothing else happened in it.

    What comes or goes with a membership is told by that alone.
    """
    if not after.is_there:
        return set()
    if (before.scopes, before.is_there) != (after.scopes, after.is_there):
        return {Event(AUDIENCE)}
    changed = {
        Event(MEMORY, name, state[0])
        for name, state in after.memories.items()
        if before.memories.get(name) != state
    }
    return changed | {Event(GONE, name) for name in before.memories if name not in after.memories}


def ever_readable(world: World, principal: Principal) -> set[str]:
    """Return the memories that a principal owns, or that were ever granted to a group of its."""
    scopes = world.sight(principal).scopes
    return {
        item.id
        for item in world.items.values()
        if world.is_own(principal, item) or (item.grants | item.past) & scopes
    }


def from_the_start(world: World, principal: Principal) -> str:
    """Return the cursor of a principal that has been told of nothing yet."""
    with world.node.context.database.read() as snapshot:
        log = latest(snapshot).incarnation
    return Cursors(world.node.context.home).write(principal, 0, log)


def asked_once(world: World, principal: Principal) -> list[Event]:
    """Return all that a principal is told of, where the file is asked."""
    events = Events(world.node.context)
    return list(events.since(principal, from_the_start(world, principal))[0])


def followed(world: World, principal: Principal) -> list[Event]:
    """Return all that a principal is told of that follows from the first day until now.

    What to go on after is sealed at random: ``test_events`` of the service looks at that.
    """
    start = from_the_start(world, principal)
    with world.node.events.follow(principal, start, wait=False) as events:
        return [event._replace(cursor="") for event in events]


def of_memories(told: list[Event]) -> list[str]:
    """Return the memories that are there, as events tell of them."""
    return [event.memory for event in told if event.kind == MEMORY]


HAPPENED = tuple(
    Whole(
        name,
        "from the first day",
        ask,
        of_memories,
        lambda world, principal: [item.id for item in world.readable(principal)],
        tells=ever_readable,
    )
    for name, ask in (("events.since", asked_once), ("events.follow", followed))
)
"""Both ways to read of events. What is gone is named to whoever could read it, and nobody else."""
