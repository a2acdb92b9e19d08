"""Nodes of this process that are each other's peers over a folder, by a clock of the test's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from agent_memory_os import settings, wiring
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import Context
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address
from agent_memory_os.store.database import Database
from tests.laws.world import Clock

SCOUT = "scout"


class Pair(NamedTuple):
    """Two devices of one account, the folder between them, and their clock."""

    desk: LocalNode
    lap: LocalNode
    between: Path
    clock: Clock

    def scout(self, node: LocalNode) -> Principal:
        """Return the agent that both have."""
        return Principal.of_agent(node.organisation.agent(SCOUT).id)

    def add(self, node: LocalNode, text: str, audience: str = "private") -> str:
        """Have that agent remember something on a node; return its id."""
        self.clock.now += 1000
        return node.memories.add(self.scout(node), NewMemory(text), audience).memory.id

    def edit(self, node: LocalNode, memory: str, text: str) -> None:
        """Have that agent edit a memory on a node."""
        self.clock.now += 1000
        node.memories.edit(self.scout(node), memory, {"content": text})

    def settle(self) -> None:
        """Exchange until nobody has anything for anybody."""
        for _ in range(8):
            self.clock.now += 1000
            done = [one for node in (self.desk, self.lap) for one in node.sync.run()]
            assert all(one.state in ("done", "waits") for one in done), done
            if not any(one.taken or one.sent for one in done):
                return
        raise AssertionError("it goes on and on")


def opened(home: Path, clock: Clock) -> LocalNode:
    """Open a home with a clock of the test's own; its identity is there, or is made first."""
    wiring.open_node(settings.read(str(home), None, {})).close()
    database = Database(str(home / settings.DATABASE), clock, lambda: 0.5)
    return LocalNode(Context(database, os.urandom, str(home)), "", ())


def further(home: Path, first: LocalNode, clock: Clock) -> LocalNode:
    """Make a home that is a further device of a node's account."""
    card = first.peers.card().card
    wiring.join_account(settings.read(str(home), None, {}), card).close()
    return opened(home, clock)


@contextmanager
def pair(folder: Path) -> Iterator[Pair]:
    """Open two devices of one account that know each other."""
    clock, between = Clock(), folder / "between"
    between.mkdir()
    address = Address(folder=str(between))
    desk = opened(folder / "desk", clock)
    lap = further(folder / "lap", desk, clock)
    try:
        for node in (desk, lap):
            node.organisation.add_agent(SCOUT)
        desk.peers.add(lap.peers.card().card, "lap", address, own=True)
        lap.peers.add(desk.peers.card().card, "desk", address)
        yield Pair(desk, lap, between, clock)
    finally:
        desk.close()
        lap.close()
