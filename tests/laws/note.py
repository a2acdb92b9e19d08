"""The audit as a way to read: what it must tell whom."""

from __future__ import annotations

from typing import Any

from agent_memory_os.model.principal import Principal
from agent_memory_os.service.upkeep import AuditFilter
from tests.laws.whole import MANY, Whole
from tests.laws.world import Item, World


def noted(world: World, principal: Principal) -> list[str]:
    """Return what the audit must tell: all to the operator, to an agent of its own acts.

    Of these it is told as far as it may still read what they were on, or has erased it.
    """
    name = world.name_of(principal)
    return [
        f"{actor} {item.id}"
        for actor, item in world.noted
        if principal.is_operator
        or (actor == name and (_is_there(world, principal, item) or item.owner == name))
    ]


def _is_there(world: World, principal: Principal, item: Item) -> bool:
    return item.state == "active" and world.may_read(principal, item)


def erased_by(world: World, principal: Principal) -> set[str]:
    """Return the ids of what a principal has erased: the audit alone may tell of them still."""
    name = world.name_of(principal)
    gone = [item for item in world.items.values() if item.state == "erased"]
    return {item.id for item in gone if principal.is_operator or item.owner == name}


def audited(world: World, principal: Principal) -> list[Any]:
    """Return what the audit gives page by page, three at a time, with the cursors."""
    found: list[Any] = []
    cursor = ""
    while True:
        page = world.node.upkeep.audit(principal, limit=3, cursor=cursor)
        found += [page]
        cursor = page.following
        if not cursor:
            return found


def acts_in(pages: list[Any]) -> list[str]:
    """Return whose acts, on which memories, the pages of an audit tell, but for the operator's."""
    entries = [entry for page in pages for entry in page.entries]
    return [f"{one.actor} {one.object}" for one in entries if one.actor != "operator"]


AUDIT = (
    Whole("upkeep.audit", "in pages", audited, acts_in, noted, tells=erased_by),
    Whole(
        "upkeep.audit",
        "of somebody else",
        lambda world, principal: [
            world.node.upkeep.audit(principal, AuditFilter(agent="ann"), MANY)
        ],
        acts_in,
        lambda world, principal: [act for act in noted(world, principal) if act.startswith("ann ")],
        tells=erased_by,
    ),
)
