"""The read path of sessions: an agent's session in its order, and what the oracle says of it."""

from __future__ import annotations

from typing import Any

from agent_memory_os.model.principal import Principal
from tests.laws.whole import MANY, Whole
from tests.laws.world import World

NAME = "shared"
"""The session that every agent has some memories in."""


def own(world: World, principal: Principal) -> Any:  # noqa: ANN401 - a page
    """Return the session of whoever asks; the operator has none, and asks for bob's."""
    owner = "bob" if principal.is_operator else None
    return world.node.memories.session(principal, NAME, owner, MANY)


def in_pages(world: World, principal: Principal, owner: str) -> list[Any]:
    """Return what an agent's session gives page by page, two at a time, with the cursors."""
    found: list[Any] = []
    cursor = ""
    while True:
        page = world.node.memories.session(principal, NAME, owner, 2, cursor)
        found += [page]
        cursor = page.following
        if not cursor:
            return found


def in_order(world: World, principal: Principal, owner: str) -> list[str]:
    """Return the ids of what is shown of an agent's session, in the order of their places."""
    shown = [item for item in world.shown(principal) if item.owner == owner]
    placed = [item for item in shown if item.fields["session"] == NAME]
    return [item.id for item in sorted(placed, key=lambda i: (i.fields["position"], i.order))]


def of(owner: str) -> Whole:
    """Return the path that reads an agent's session in pages, for everybody who asks."""
    return Whole(
        "memories.session",
        f"{owner}'s, in pages",
        lambda world, principal: in_pages(world, principal, owner),
        lambda pages: [memory.id for page in pages for memory in page.memories],
        lambda world, principal: in_order(world, principal, owner),
        in_order=True,
    )


SESSIONS = (
    *(of(owner) for owner in ("ann", "bob", "cleo")),
    Whole(
        "memories.session",
        "one's own",
        own,
        lambda page: [memory.id for memory in page.memories],
        lambda world, principal: in_order(
            world, principal, "bob" if principal.is_operator else world.name_of(principal)
        ),
        in_order=True,
    ),
)
