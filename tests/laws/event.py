"""What the oracle says that a reader of events must be told, step by step."""

from __future__ import annotations

from typing import NamedTuple

from agent_memory_os.model.principal import Principal
from agent_memory_os.service.events import AUDIENCE, GONE, MEMORY, Event
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
