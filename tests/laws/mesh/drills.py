"""Runs of events that chance alone seldom brings together, each among whoever happens to fit."""

from __future__ import annotations

from collections.abc import Callable

from agent_memory_os.model.authority import write
from agent_memory_os.model.authority.memory import is_shared
from tests.laws.mesh.acts import Acts
from tests.laws.mesh.exchange import Faults, Wire
from tests.laws.mesh.hostile import Hostile
from tests.laws.mesh.node import Node
from tests.laws.mesh.truth import Truth

BROKEN = 2
"""No device breaks after so many."""


class Drills:
    """Drills on the nodes of a mesh."""

    def __init__(self, truth: Truth, acts: Acts, hostile: Hostile, wire: Wire) -> None:
        self.truth = truth
        self.acts = acts
        self.hostile = hostile
        self.wire = wire
        self.chance = truth.chance
        self.fewest = len(acts.nodes) - BROKEN

    def run(self) -> None:
        """Draw a team or project with its admin and a member of another account, and a drill."""
        admins = [node for node in self.acts.nodes if self._is_fit(node) and self.acts.charge(node)]
        if not admins:
            return
        admin = self.chance.choice(admins)
        scope = self.chance.choice(self.acts.charge(admin))
        view = admin.view()
        found = [
            (node, agent)
            for agent in view.members.members(scope)
            for node in self.acts.nodes
            if view.held.account_of.get(agent) == node.account.id != admin.account.id
            and node.device.id not in self.truth.stolen
        ]
        if found:
            member, agent = self.chance.choice(found)
            self.sync(admin, member)
            self.chance.choice(DRILLS)(self, admin, member, scope, agent)

    def _is_fit(self, node: Node) -> bool:
        return not node.is_hostile and not node.is_stale and node.device.id not in self.truth.stolen

    def sync(self, one: Node, other: Node) -> None:
        """Let two nodes sync over a wire without faults."""
        for node in (one, other):
            node.due()
        self.wire.pull(one, other, Faults())
        self.wire.pull(other, one, Faults())

    def _sibling(self, node: Node) -> Node | None:
        found = [
            other
            for other in self.acts.nodes
            if other.account is node.account and other is not node and self._is_fit(other)
        ]
        return found[0] if found else None

    def _third(self, *others: Node) -> Node | None:
        accounts = {node.account.id for node in others}
        found = [
            node
            for node in self.acts.nodes
            if node.account.id not in accounts and self._is_fit(node)
        ]
        return self.chance.choice(found) if found else None

    def _write(self, node: Node, scope: str, agent: str) -> None:
        self.acts.remember_in(node, agent, [scope])

    def two_removals(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """Two devices remove one after the other, and the second has what was written between."""
        sibling = self._sibling(admin)
        if sibling is None:
            return
        self._write(member, scope, agent)
        for node in (admin, sibling):
            self.sync(node, member)
        self.sync(admin, sibling)
        self.acts.remove(admin, scope, agent)
        memory = self._newest_of(member, agent)
        if memory:
            self.hostile.rewrite_own(member, memory, scope)
        self.sync(sibling, member)
        self.acts.remove(sibling, scope, agent)

    def _newest_of(self, node: Node, agent: str) -> str:
        view = node.view()
        found = [m for m in view.held.objects("mem_") if view.held.proof(m)[1] == agent]
        living = [m for m in found if view.memories.own(m)]
        return max(living, key=lambda m: view.memories.own(m)[1].stamp, default="")  # type: ignore[index]

    def edit_behind(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """A member edits twice; the admin has the first edit and removes, others the second."""
        if member.is_hostile or member.is_stale:
            return
        self._write(member, scope, agent)
        self.sync(admin, member)
        memory = self._newest_of(member, agent)
        third = self._third(admin, member)
        if memory and third is not None:
            self.acts.edit_one(member, memory)
            self.sync(third, member)
            self.acts.remove(admin, scope, agent)

    def out_and_in(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """A member is removed, learns of it, and is added again."""
        self.acts.remove(admin, scope, agent)
        self.sync(admin, member)
        self.acts.add(admin, scope, agent)
        if self.chance.random() < 0.5:
            self.sync(admin, member)

    def restored_admin(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """An admin removes, is restored to before it, and adds: under numbers that it gave out."""
        backup = admin.save()
        self.acts.remove(admin, scope, agent)
        self.sync(admin, member)
        third = self._third(admin, member)
        if third is not None:
            self.sync(admin, third)
        admin.restore(backup)
        admin.is_stale = False
        self.acts.add(admin, scope, agent)
        self.sync(admin, member)

    def away(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """A member that is away is removed, and the team is handed over before it comes back."""
        self._write(admin, scope, self.chance.choice(admin.account.agents)[0])
        self.sync(admin, member)
        self.acts.remove(admin, scope, agent)
        self.acts.hand_over(admin)
        self.sync(admin, member)

    def overtaken(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """Somebody edits after a revocation of which a device of its account has not heard."""
        del admin
        sibling = self._sibling(member)
        if sibling is None or member.is_hostile or member.is_stale:
            return
        self._write(member, scope, agent)
        self.sync(member, sibling)
        memory = self._newest_of(member, agent)
        if memory and is_shared(scope) and write.reliance(member.view(), agent, [scope]):
            self.acts.edit_one(sibling, memory)
            self.acts.share_one(member, memory, self.acts.audience(member, agent)[-1])

    def left(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """Somebody is removed, and goes on editing what is shared with others besides."""
        if member.is_hostile or member.is_stale:
            return
        # Nobody shares with an agent that it does not know.
        known = member.view().agents(admin.account.id)
        others = ["global", *(f"agent:{one}" for one in known)]
        self.acts.remember_in(member, agent, [scope, self.chance.choice(others)])
        self.sync(admin, member)
        memory = self._newest_of(member, agent)
        self.acts.remove(admin, scope, agent)
        if self.chance.random() < 0.7:
            self.sync(admin, member)
        if memory:
            self.acts.edit_one(member, memory)
            self.sync(admin, member)

    def ahead(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """A memory is shared, perhaps again, by a clock that is ahead of all others'."""
        del agent
        mine, sibling = self._inside(admin, scope), self._sibling(admin)
        if not mine or sibling is None:
            return
        is_again = self.chance.random() < 0.5
        self.acts.remember_in(admin, mine, [scope] if is_again else [])
        memory = self._newest_of(admin, mine)
        others = self._others(admin, sibling)
        self._meet(admin, [sibling, member])
        if is_again:
            self.acts.revoke_one(admin, memory, scope)
        self._set_clocks([admin, sibling], others)
        if memory:
            self.acts.share_one(admin, memory, scope)
        self.sync(admin, sibling)
        self._meet(admin, others)
        self._meet(sibling, others)

    def broken(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """A device shares by a clock that is ahead, and breaks; another hands on what it has."""
        del member, agent
        mine, sibling = self._inside(admin, scope), self._sibling(admin)
        if not mine or sibling is None or len(self.acts.nodes) < self.fewest:
            return
        self.acts.remember_in(admin, mine, [])
        memory = self._newest_of(admin, mine)
        others = self._others(admin, sibling)
        self.sync(admin, sibling)
        self._set_clocks([sibling], [admin, *others])
        if memory:
            self.acts.share_one(sibling, memory, scope)
        self.sync(admin, sibling)
        self.acts.nodes.remove(sibling)
        self._write(admin, scope, mine)
        self._meet(admin, others)

    def numbers_again(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """A restored device gives out numbers again that its peers are past."""
        del agent
        mine = self._inside(admin, scope)
        if not mine:
            return
        self._write(admin, scope, mine)
        memory = self._newest_of(admin, mine)
        backup = admin.save()
        for _ in range(6):
            self.acts.edit_one(admin, memory)
        self._meet(admin, self._others(admin))
        admin.restore(backup)
        self.sync(admin, member)
        admin.is_stale = False
        self._write(admin, scope, mine)

    def added_ahead(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """Somebody is removed, and added again by clocks that are all ahead of its own."""
        if member.is_hostile or not self._inside(admin, scope):
            return
        self._write(admin, scope, self._inside(admin, scope))
        self.sync(admin, member)
        self.acts.remove(admin, scope, agent)
        self.sync(admin, member)
        others = self._others(admin, member)
        self._set_clocks([admin, *others], [member])
        self.acts.add(admin, scope, agent)
        self._meet(admin, others)
        self._meet(member, [admin, *others])

    def thief(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """A thief removes somebody who is gone since; another is let in before it is found out."""
        sibling, third = self._sibling(admin), self._third(admin, member)
        gone = [node for node in self.acts.nodes if node.account is member.account]
        if sibling is None or third is None or len(self.acts.nodes) < self.fewest + len(gone):
            return
        if self.truth.stolen or self._inside(third, scope):
            return
        self.sync(admin, sibling)
        self._write(member, scope, agent)
        self.sync(sibling, member)
        for node in gone:
            self.acts.nodes.remove(node)
        self.truth.stolen[admin.device.id] = self.truth.step
        admin.is_hostile = True
        self.acts.remove(admin, scope, agent)
        self.sync(admin, sibling)
        self.acts.introduce(sibling, third)
        self.acts.add(sibling, scope, self.chance.choice(third.account.agents)[0])
        others = self._others(sibling)
        self._meet(sibling, others)
        self._meet(third, [sibling, *others])
        self.acts.revoke_device(sibling)
        self._meet(sibling, others)

    def counts_again(self, admin: Node, member: Node, scope: str, agent: str) -> None:
        """A removal counts until a hand-over is heard of; what only one node holds counts again."""
        sibling, third = self._sibling(admin), self._third(admin, member)
        gone = [node for node in self.acts.nodes if node.account is member.account]
        if sibling is None or third is None or len(self.acts.nodes) < self.fewest + len(gone):
            return
        self._set_clocks([], self.acts.nodes)
        for node in (sibling, third):
            self.acts.introduce(admin, node)
        if not self._inside(third, scope):
            self.acts.add(admin, scope, self.chance.choice(third.account.agents)[0])
        others = self._others(admin, sibling, third, *gone)
        self._meet(admin, [sibling, third, member])
        self._write(member, scope, agent)
        self.sync(member, third)
        for node in gone:
            self.acts.nodes.remove(node)
        self.acts.remove(sibling, scope, agent)
        self._write(sibling, scope, self.chance.choice(sibling.account.agents)[0])
        team = admin.view().teams.team_of(scope.partition(":")[2])
        self.acts.hand_over_to(admin, team, member.account.id)
        self.wire.pull(third, sibling, Faults())
        # Who hands over hears of the removal then, and nobody hears of the hand-over before it
        # has passed by what the removal had shut out.
        for node in [admin, sibling, *others]:
            self.wire.pull(node, third, Faults())
        self._meet(admin, [third, sibling, *others])

    def _inside(self, node: Node, scope: str) -> str:
        """Return an agent of a node's account that is in a scope, if any."""
        members = node.view().members
        found = [agent for agent, _ in node.account.agents if members.adds(scope, agent)]
        return self.chance.choice(found) if found else ""

    def _others(self, *nodes: Node) -> list[Node]:
        return [
            node
            for node in self.acts.nodes
            if node not in nodes and node.device.id not in self.truth.stolen
        ]

    def _meet(self, node: Node, others: list[Node]) -> None:
        for other in others:
            self.sync(node, other)

    def _set_clocks(self, ahead: list[Node], behind: list[Node]) -> None:
        """Let time pass, and some clocks be five minutes ahead of others, which go right."""
        self.truth.clock += 900_000
        for node in ahead:
            node.skew = 280_000
        for node in behind:
            node.skew = 0


DRILLS: tuple[Callable[[Drills, Node, Node, str, str], None], ...] = (
    Drills.two_removals,
    Drills.edit_behind,
    Drills.out_and_in,
    Drills.restored_admin,
    Drills.away,
    Drills.overtaken,
    Drills.left,
    Drills.ahead,
    Drills.broken,
    Drills.numbers_again,
    Drills.added_ahead,
    Drills.thief,
    Drills.counts_again,
)
