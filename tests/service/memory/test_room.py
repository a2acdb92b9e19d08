"""An agent whose key has a limit owns no more memories than that, however they come."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from agent_memory_os.errors import LimitReached
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.memory.room import Room
from agent_memory_os.service.node import LocalNode
from tests.store.sample import Fleet

MOST = 3


def within(fleet: Fleet, most: int = MOST) -> LocalNode:
    """Return the node for Ada, who may own only so many memories."""
    assert fleet.ada.agent
    return fleet.node.within(Room(fleet.ada.agent, most))


def add(fleet: Fleet, node: LocalNode, *texts: str) -> list[str]:
    """Let Ada add some memories; return their ids."""
    added = [node.memories.add(fleet.ada, NewMemory(text)).memory for text in texts]
    return [memory.id for memory in added]


def owned(fleet: Fleet) -> int:
    """Return how many memories Ada owns."""
    page = fleet.node.memories.list(fleet.ada, Filter(state="all"), 1000)
    return sum(memory.owner == fleet.ada.agent for memory in page.memories)


def test_the_last_one_fits_and_one_more_does_not(fleet: Fleet) -> None:
    """As many as may be are kept, the next is refused, and what is known already is no more."""
    node = within(fleet)
    ids = add(fleet, node, "one", "two", "three")
    with pytest.raises(LimitReached, match="may own 3 memories") as told:
        add(fleet, node, "four")
    assert told.value.about == {"limit": "memories"}
    assert owned(fleet) == MOST
    assert add(fleet, node, "two") == [ids[1]]
    node.memories.edit(fleet.ada, ids[0], {"content": "one, edited"})
    node.memories.share(fleet.ada, ids[0], "agent:bob")


def test_what_others_share_takes_no_room(fleet: Fleet) -> None:
    """Memories that reach an agent are not counted: only those that it owns."""
    for number in range(5):
        fleet.node.memories.add(fleet.bob, NewMemory(f"Bob's {number}"), "agent:ada")
    node = within(fleet)
    add(fleet, node, "one", "two", "three")
    with pytest.raises(LimitReached):
        add(fleet, node, "four")


def test_forgetting_makes_room_and_bringing_back_takes_it(fleet: Fleet) -> None:
    """What is forgotten is not counted, and comes back only where there is room."""
    node = within(fleet)
    first, *_ = add(fleet, node, "one", "two", "three")
    node.memories.forget(fleet.ada, first)
    add(fleet, node, "four")
    with pytest.raises(LimitReached):
        node.memories.bring_back(fleet.ada, first)
    assert owned(fleet) == MOST


def test_a_batch_is_added_whole_or_not(fleet: Fleet) -> None:
    """Many at once that are too many leave nothing behind."""
    node = within(fleet)
    batch = [(NewMemory(f"number {number}"), "private") for number in range(MOST + 1)]
    with pytest.raises(LimitReached):
        list(node.memories.add_many(fleet.ada, batch))
    assert owned(fleet) == 0


def test_a_limit_below_what_is_there_takes_nothing_away(fleet: Fleet) -> None:
    """Who owns more than it may keeps all of it, works with it, and adds nothing."""
    ids = add(fleet, fleet.node, "one", "two", "three")
    node = within(fleet, 1)
    node.memories.edit(fleet.ada, ids[0], {"content": "edited"})
    node.memories.forget(fleet.ada, ids[1])
    with pytest.raises(LimitReached):
        add(fleet, node, "four")
    assert owned(fleet) == MOST - 1


def test_many_at_once_stay_within_the_limit(fleet: Fleet) -> None:
    """However many add at the same time, there are never more than may be."""
    node, refused = within(fleet), list[str]()

    def adding(text: str) -> Callable[[], None]:
        def act() -> None:
            try:
                add(fleet, node, text)
            except LimitReached:
                refused.append(text)

        return act

    threads = [threading.Thread(target=adding(f"number {number}")) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (owned(fleet), len(refused)) == (MOST, 8 - MOST)
