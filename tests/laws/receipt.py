"""Receipts, in a world with a peer: a way to learn of memories that is their owners' alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.federation import card
from agent_memory_os.model.identifier import derive
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.peers import NOWHERE, Receipt
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


def counted(world: World, principal: Principal) -> list[str]:
    """Return what is told at once and is another number than what is told of each of one's own."""
    meet(world)
    receipts = world.node.receipts
    mine = [name for name, item in world.items.items() if _is_mine(world, principal, item)]
    at_once = _counts(receipts.list(principal))
    summed = _counts(one for name in mine for one in receipts.get(principal, name))
    return [] if at_once == summed else [f"{at_once} and not {summed}"]


def _counts(found: Iterable[Receipt]) -> Counter[tuple[str, str]]:
    """Return how many copies are outstanding and acknowledged, by peer."""
    counts = Counter[tuple[str, str]]()
    for one in found:
        counts[one.device, "copies"] += one.copies
        counts[one.device, "acknowledged"] += one.acknowledged
    return counts


def _is_mine(world: World, principal: Principal, item: Item) -> bool:
    return principal.is_operator or world.is_own(principal, item)


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
    Whole("receipts.list", "all", counted, list, lambda *_: []),
    Whole(
        "receipts.get",
        "each",
        one_by_one,
        list,
        owned,
        tells=lambda world, principal: {*owned(world, principal)},
    ),
)
