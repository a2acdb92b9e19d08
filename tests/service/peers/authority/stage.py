"""Nodes of two accounts that are each other's peers over a folder, with a team that both are in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

from agent_memory_os.federation import recovery
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address
from agent_memory_os.store.node import Identity, identity
from tests.laws.world import Clock
from tests.service.peers.nodes import further, opened

TEAM = "apollo"
MINUTE_MS = 60_000


class Stage(NamedTuple):
    """Two devices of an account, the node of a teammate, and their clock.

    ``desk`` has the root key; its agent is ``scout``, and the teammate's ``mira``.
    """

    desk: LocalNode
    lap: LocalNode
    mira: LocalNode
    clock: Clock

    @property
    def nodes(self) -> tuple[LocalNode, ...]:
        """All of them."""
        return (self.desk, self.lap, self.mira)

    def settle(self, *nodes: LocalNode) -> None:
        """Have nodes exchange until nobody has anything for anybody; all, where none is named."""
        for _ in range(10):
            self.clock.now += 1000
            done = [one for node in nodes or self.nodes for one in node.sync.run()]
            if not any(one.taken or one.sent for one in done):
                return
        raise AssertionError("it goes on and on")

    def add(self, node: LocalNode, text: str, audience: str = f"team:{TEAM}") -> str:
        """Have a node's agent remember something; return its id."""
        self.clock.now += 1000
        return node.memories.add(self.agent(node), NewMemory(text), audience).memory.id

    def edit(self, node: LocalNode, memory: str, text: str) -> None:
        """Have a node's agent edit a memory."""
        self.clock.now += 1000
        node.memories.edit(self.agent(node), memory, {"content": text})

    def agent(self, node: LocalNode) -> Principal:
        """Return the agent that acts on a node."""
        name = "mira" if node is self.mira else "scout"
        return Principal.of_agent(node.organisation.agent(name).id)

    def seen(self, node: LocalNode) -> set[str]:
        """Return what a node's agent reads."""
        found = node.memories.list(self.agent(node), Filter(), 1000).memories
        return {memory.content.content for memory in found}

    def one(self, node: LocalNode, text: str) -> Memory:
        """Return the memory of a text, as a node's agent reads it."""
        found = node.memories.list(self.agent(node), Filter(), 1000).memories
        return next(memory for memory in found if memory.content.content == text)

    def account(self, node: LocalNode) -> str:
        """Return the account of a node."""
        return self.who(node).account

    def who(self, node: LocalNode) -> Identity:
        """Return whose node this is."""
        with node.context.database.read() as snapshot:
            found = identity(snapshot)
        assert found is not None
        return found

    def device(self, node: LocalNode) -> str:
        """Return the device of a node."""
        return self.who(node).device

    def recovery_key(self, node: LocalNode) -> str:
        """Return the recovery key that lies in a node's home, as it is written down."""
        key = recovery.in_home(node.context.home)
        assert key is not None
        return recovery.written(key)

    def members(self, node: LocalNode) -> tuple[str, ...]:
        """Return who is in the team, as a node has it."""
        return next(view.members for view in node.organisation.teams() if view.team.name == TEAM)

    def admin(self, node: LocalNode) -> str:
        """Return the account that is in charge of the team, as a node has it."""
        return next(view.team.admin for view in node.organisation.teams() if view.team.name == TEAM)


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    """Open the nodes, pair them, and have them be in one team."""
    clock, between = Clock(), folder / "between"
    between.mkdir()
    desk = opened(folder / "desk", clock)
    stage = Stage(desk, further(folder / "lap", desk, clock), opened(folder / "mira", clock), clock)
    try:
        _pair(stage, Address(folder=str(between)))
        stage.settle()
        desk.organisation.add_team(TEAM)
        desk.organisation.join("scout", f"team:{TEAM}")
        desk.organisation.join("mira@mira", f"team:{TEAM}")
        stage.settle()
        yield stage
    finally:
        for node in stage.nodes:
            node.close()


def _pair(stage: Stage, address: Address) -> None:
    names = dict(zip(("desk", "lap", "mira"), stage.nodes, strict=True))
    for node in stage.nodes:
        node.organisation.add_agent("mira" if node is stage.mira else "scout")
    stage.desk.peers.add(stage.lap.peers.card().card, "lap", address, own=True)
    stage.lap.peers.add(stage.desk.peers.card().card, "desk", address)
    stage.settle(stage.desk, stage.lap)
    for (_, one), (name, other) in permutations(names.items(), 2):
        if stage.mira in (one, other):
            told = ["mira" if one is stage.mira else "scout"]
            one.peers.add(other.peers.card().card, name, address, introduce=told)
