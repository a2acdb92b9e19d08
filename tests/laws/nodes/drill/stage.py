"""The stage of a drill: a team and a project of ann's, and what may be done there in one word each.

All is at rest at first: everybody is paired, in both scopes, and has synced. Nothing is drawn, the
wire is without faults but for those that a drill asks for, and nobody is hostile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from agent_memory_os.errors import BadBundle, NotAllowed
from agent_memory_os.federation.bundle import write
from agent_memory_os.federation.exchange import session
from agent_memory_os.model.principal import Principal
from agent_memory_os.store.peer import peers
from tests.laws.nodes.node import Node
from tests.laws.nodes.oracle import listed
from tests.laws.nodes.run import Nodes
from tests.laws.nodes.truth import Truth
from tests.laws.nodes.wire import Direct, Faults, Wire

SOUND = Faults()
LOST = Faults(lost=100)
AHEAD_MS = 280_000
MINUTE_MS = 60_000
ABOUT_A_LINE = 700


class Cut(Wire):
    """A wire that cuts the answers off after so many ``lines``."""

    def __init__(self, truth: Truth, chance: Random) -> None:
        super().__init__(truth, chance)
        self.lines = 1
        self.is_whole = False
        self._asked: Node | None = None

    def fates(self, sender: Node, receiver: Node, bundle: bytes) -> Iterator[bytes]:
        """Yield a question whole, and what there is room for of its answer."""
        lines = bundle.splitlines(keepends=True)
        if self._asked is None:
            self._asked = receiver
        elif self._asked is sender:
            self.is_whole = len(lines) <= self.lines
            lines = lines[: self.lines]
        yield b"".join(lines)


class Stage:
    """What stands on the stage; ``team`` and ``project`` are scopes."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.acts = nodes.acts
        self.wire = nodes.wire
        self.truth = nodes.truth
        self._by_name = {node.name: node for node in nodes.nodes}
        ann = self.node("ann1")
        self.meet(ann, *nodes.nodes)
        self.team = self.found("apollo")
        self.project = self.found_below("site")
        firsts = {node.account: node for node in reversed(nodes.nodes)}
        for node in firsts.values():
            self.let_in(self.agent(node), self.project)
        self.meet(ann, *nodes.nodes)

    def found(self, name: str) -> str:
        """Have ann make a team, and be in it; return its scope."""
        ann = self.node("ann1")
        scope = "team:" + ann.node.organisation.add_team(name).id
        self.let_in(self.agent(ann), scope)
        return scope

    def found_below(self, name: str) -> str:
        """Have ann make a project in the team; return its scope."""
        ann = self.node("ann1")
        found = ann.node.organisation.add_project(self.team.partition(":")[2], name)
        self.acts.note(ann)
        return f"project:{found.id}"

    def node(self, name: str) -> Node:
        """Return a node by its name."""
        return self._by_name[name]

    def agent(self, node: Node) -> str:
        """Return the agent that acts for a node."""
        return node.agents()[0]

    def _principal(self, node: Node) -> Principal:
        return Principal.of_agent(self.agent(node))

    def let_in(self, agent: str, scope: str) -> None:
        """Have ann let an agent in."""
        self.acts.let_in(self.node("ann1"), scope, agent)
        self.acts.note(self.node("ann1"))

    def remove(self, node: Node, agent: str, scope: str) -> None:
        """Have a device of ann's take an agent out."""
        node.node.organisation.leave(agent, scope)
        self.acts.note(node)

    def hand_over(self, node: Node, to: Node, scope: str) -> None:
        """Have a node hand a team over to the account of another."""
        node.node.organisation.hand_over(scope.partition(":")[2], to.account)
        self.acts.note(node)

    def take_back(self, node: Node, scope: str) -> None:
        """Have a node take a team back, with the recovery key that lies in its home."""
        node.node.organisation.take_back(scope.partition(":")[2])
        self.acts.note(node)

    def write(self, node: Node, *scopes: str) -> str:
        """Write a memory for some scopes; return its id."""
        return self.acts.remember_for(node, self._principal(node), ",".join(scopes) or "private")

    def edit(self, node: Node, memory: str) -> None:
        """Edit a memory, if it is there and may be edited."""
        principal = self._principal(node)
        for held in listed(node, principal):
            if held.id == memory:
                with suppress(NotAllowed):
                    self.acts.edit_one(node, principal, held)
        self.acts.note(node)

    def share(self, node: Node, memory: str, scope: str) -> None:
        """Share a memory."""
        node.node.memories.share(self._principal(node), memory, scope)
        self.acts.note(node)

    def revoke(self, node: Node, memory: str, scope: str) -> None:
        """Take a memory back from a scope."""
        node.node.memories.revoke(self._principal(node), memory, scope)
        self.acts.note(node)

    def forget(self, node: Node, memory: str) -> None:
        """Forget a memory."""
        node.node.memories.forget(self._principal(node), memory)
        self.acts.note(node)

    def link(self, node: Node, one: str, other: str) -> None:
        """Say that two memories belong together."""
        node.node.memories.link(self._principal(node), one, other, "related_to", 600)
        self.acts.note(node)

    def plant(self, node: Node, other: Node, agent: str, add: str) -> None:
        """Have a hostile node write into the team as an agent, by an add, and send it."""
        node.is_hostile = True
        self.nodes.hostile.pretend(node, other, agent, {self.team: add})

    def sync(
        self, one: Node, other: Node, faults: Faults = SOUND, *, by_post: bool = False
    ) -> None:
        """Have two nodes sync."""
        self.truth.step += 1
        self.wire.sync(one, other, faults, by_post=by_post)
        self.acts.note(one)
        self.acts.note(other)

    def meet(self, node: Node, *others: Node) -> None:
        """Have a node sync with others, one after the other."""
        for other in others:
            if other is not node:
                self.sync(node, other)

    def drip(self, sender: Node, receiver: Node) -> Iterator[int]:
        """Have a node take from another, cut off a line later each time; yield after each."""
        wire = Cut(self.truth, Random(0))
        peer = receiver.peer(sender)
        while not wire.is_whole:
            wire.lines += 1
            with pytest.MonkeyPatch.context() as patch, suppress(BadBundle):
                patch.setattr(write, "MAX_BODY_BYTES", ABOUT_A_LINE)
                session.sync(receiver.local, peer, Direct(wire, receiver, sender), pushes=False)
            self.wire.leaks += wire.leaks
            yield wire.lines

    def breaks(self, node: Node) -> None:
        """Have a device break for good."""
        self.nodes.nodes.remove(node)
        node.close()

    def limit(self, one: Node, other: Node, ceiling: str) -> None:
        """Have a node send another one no more than a ceiling allows."""
        with one.database.write() as transaction:
            peers.change(transaction, one.peer(other)._replace(ceiling=ceiling))

    def pass_by(self, minutes: int) -> None:
        """Let time pass."""
        self.nodes.time.now += minutes * MINUTE_MS
