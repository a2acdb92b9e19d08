"""Receipts, in a world with a peer: a way to learn of memories that is their owners' alone."""

from __future__ import annotations

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.federation import card
from agent_memory_os.model.identifier import derive
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.peers import NOWHERE
from agent_memory_os.service.peers.peers import peer_of
from agent_memory_os.store.peer import peers
from tests.federation.shown import BOBS
from tests.laws.whole import Whole
from tests.laws.world import Item, World

NEVER = derive("memory", "never sent")


def meet(world: World) -> None:
    """Have a peer that is shown what is for everybody, and may have all of it by now."""
    with world.node.context.database.write() as transaction:
        if not peers.every(transaction):
            peers.add(transaction, peer_of(card.read(BOBS), "bob", NOWHERE, "shared"))
            transaction.execute("UPDATE peers SET under = ''")


def outstanding(world: World, principal: Principal) -> list[str]:
    """Return how many copies are told to be outstanding."""
    meet(world)
    return [str(sum(one.copies for one in world.node.receipts.list(principal)))]


def _is_mine(world: World, principal: Principal, item: Item) -> bool:
    return principal.is_operator or world.is_own(principal, item)


def taken(world: World, principal: Principal) -> list[str]:
    """Return how many that were for everybody a principal knows to have been taken back."""
    found = [
        item
        for item in world.items.values()
        if "global" in item.past | item.grants
        and (item.state != "active" or "global" not in item.grants)
        and _is_mine(world, principal, item)
    ]
    return [str(len(found))]


def one_by_one(world: World, principal: Principal) -> list[str]:
    """Return the memories of which something else is answered than of one that never was."""
    meet(world)
    said: dict[str, str] = {}
    for name in (*world.items, NEVER):
        try:
            said[name] = repr(world.node.receipts.get(principal, name))
        except AgentMemoryError as error:
            said[name] = f"{type(error)} {error}".replace(name, "THAT")
    return [name for name, told in said.items() if told != said[NEVER]]


def owned(world: World, principal: Principal) -> list[str]:
    """Return the memories that a principal owns, whatever became of them."""
    return [name for name, item in world.items.items() if _is_mine(world, principal, item)]


RECEIPTS = (
    Whole("receipts.list", "all", outstanding, list, taken),
    Whole("receipts.get", "each", one_by_one, list, owned),
)
