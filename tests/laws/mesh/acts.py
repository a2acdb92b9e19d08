"""What honest people and agents do. What a write must name is the product's own rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agent_memory_os.model.authority import kept, write
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.authority.team import scope_of
from agent_memory_os.model.identifier import link_id, memory_id, project_id, team_id
from agent_memory_os.model.register import (
    CONTENT,
    DEVICE,
    GRANT,
    LIFE,
    LINK,
    PROJECT_MEMBER,
    PROJECT_NAME,
    PROJECT_NARROW,
    TEAM_ADMIN,
    TEAM_MEMBER,
    TEAM_NAME,
    TEAM_NARROW,
)
from agent_memory_os.model.routing import serve
from agent_memory_os.model.view import next_length
from tests.laws.mesh.node import Node
from tests.laws.mesh.truth import Truth


class Acts:
    """The acts of a mesh, each on a node that is drawn."""

    def __init__(self, truth: Truth, nodes: list[Node]) -> None:
        self.truth = truth
        self.nodes = nodes
        self.chance = truth.chance
        self.texts = 0
        self.lost: list[str] = []
        self.paired: list[tuple[Node, Node]] = []

    def introduce(self, one: Node, other: Node) -> None:
        """Pair two nodes: each learns the other's devices and agents."""
        self.paired.append((one, other))
        for receiver, sender in ((one, other), (other, one)):
            names = [
                name
                for name, register in sender.view().held.registers.items()
                if register.author == sender.account.id
                and register.object.startswith(("acc_", "agt_"))
            ]
            receiver.take(names, serve.lists(sender.view(), "", names))

    def pair_again(self) -> None:
        """Pair accounts again of which a device was restored to before it knew the other's."""
        met = {(one.account.id, other.account.id) for one, other in self.paired}
        for one in self.nodes:
            for other in self.nodes:
                if (one.account.id, other.account.id) in met and not one.knows_both(other):
                    self.introduce(one, other)

    def found(self, node: Node, projects: int) -> None:
        """Make a team with projects; its founder's agents are in all of them."""
        nonce = f"{self.chance.getrandbits(128):032x}"
        account = node.account.id
        team, proof = team_id(account, nonce), (account, nonce)
        self.truth.admins[team] = {account}
        node.write(team, TEAM_NAME, {"name": "team"}, proof)
        for agent, _ in node.account.agents:
            self.add(node, scope_of(team), agent)
        for _ in range(projects):
            own = f"{self.chance.getrandbits(128):032x}"
            project = project_id(team, own)
            node.write(project, PROJECT_NAME, {"name": "project"}, (team, own))
            self.add(node, scope_of(project), node.account.agents[0][0])

    def add(self, node: Node, scope: str, agent: str) -> None:
        """Add an agent to a team or project."""
        view, object_id = node.view(), scope.partition(":")[2]
        # Where a clock went back, what it wrote waits; nobody adds an agent that it does not know.
        if not view.held.proof(object_id) or agent not in view.held.account_of:
            return
        value: dict[str, object] = {"act": "add"}
        if sees := write.sees(view, scope, agent):
            value["sees"] = sees
        prefix = TEAM_MEMBER
        if scope.startswith("project:"):
            prefix = PROJECT_MEMBER
            above = view.members.adds(scope_of(view.teams.team_of(object_id)), agent)
            if not above:
                return
            value["under"] = min(above)
        proof, relies = view.held.proof(object_id), write.in_charge(view, object_id)
        node.write(object_id, prefix + agent, value, proof, relies)

    def remove(self, node: Node, scope: str, agent: str) -> None:
        """Remove an agent from a team or project, with the lists of what remains."""
        view, object_id = node.view(), scope.partition(":")[2]
        if not view.held.proof(object_id):
            return
        lists = write.frozen(view, object_id, agent)
        prefix = TEAM_MEMBER if scope.startswith("team:") else PROJECT_MEMBER
        proof, relies = view.held.proof(object_id), write.in_charge(view, object_id)
        node.write(object_id, prefix + agent, {"act": "remove"}, proof, relies, lists=lists)

    def charge(self, node: Node) -> list[str]:
        """Return the scopes that a node's account is in charge of."""
        view = node.view()
        mine = node.account.id
        return [
            s
            for s in view.scopes()
            if view.teams.admin(view.teams.team_of(s.partition(":")[2])) == mine
        ]

    def roster(self, node: Node) -> None:
        """Add or remove somebody, where one may."""
        view, scopes = node.view(), self.charge(node)
        if not scopes:
            return
        scope = self.chance.choice(scopes)
        members = view.members.members(scope)
        if members and self.chance.random() < 0.4:
            self.remove(node, scope, self.chance.choice(members))
            return
        other = self.chance.choice(self.nodes)
        self.introduce(node, other)
        agents = [agent for agent, _ in other.account.agents if agent not in members]
        if agents:
            self.add(node, scope, self.chance.choice(agents))

    def hand_over(self, node: Node) -> None:
        """Hand a team over to the account of one of its members."""
        view = node.view()
        teams = [s for s in self.charge(node) if s.startswith("team:")]
        if not teams:
            return
        scope = self.chance.choice(teams)
        team = scope.partition(":")[2]
        people = {view.held.account_of.get(agent, "") for agent in view.members.members(scope)}
        others = sorted(people - {"", node.account.id})
        if others:
            self.hand_over_to(node, team, self.chance.choice(others))

    def hand_over_to(self, node: Node, team: str, account: str) -> None:
        """Hand one team over to an account."""
        view = node.view()
        value = {"to": account, "by": "admin", "turn": 0, "lists": []}
        self._admin(node, view, team, value, write.in_charge(view, team))

    def recover(self, node: Node) -> None:
        """Take a team that one's account founded back, with the recovery key."""
        view, mine = node.view(), node.account.id
        found = [t for t in view.held.objects("team_") if view.held.proof(t)[0] == mine]
        lost = [team for team in found if view.teams.admin(team) != mine]
        if lost:
            team = self.chance.choice(lost)
            value = {"to": mine, "by": "recovery", "turn": view.teams.turn(team) + 1, "lists": []}
            self._admin(node, view, team, value, {})

    def _admin(
        self, node: Node, view: View, team: str, value: dict[str, object], relies: dict[str, str]
    ) -> None:
        lists = write.remaining(view, team)
        node.write(team, TEAM_ADMIN, value, view.held.proof(team), relies, lists=lists)

    def narrow(self, node: Node) -> None:
        """Take a memory out of a scope that one is in charge of."""
        view = node.view()
        found = [
            (memory, scope)
            for scope in self.charge(node)
            for memory in view.held.objects("mem_")
            if view.memories.holds(memory, scope)
        ]
        if found:
            memory, scope = self.chance.choice(found)
            object_id = scope.partition(":")[2]
            value = {
                "record": kept.place_of(memory),
                "length": write.narrowing(view, memory, scope),
            }
            group = TEAM_NARROW if scope.startswith("team:") else PROJECT_NARROW
            proof, relies = view.held.proof(object_id), write.in_charge(view, object_id)
            node.write(object_id, group, value, proof, relies)

    def audience(self, node: Node, agent: str) -> list[str]:
        """Return scopes that an agent may share with."""
        view = node.view()
        known = [a for a in view.held.account_of if a != agent]
        scopes = [s for s in view.scopes_of(agent) if is_shared(s)]
        return [*scopes, *scopes, "global", *(f"agent:{a}" for a in sorted(known)[:3])]

    def remember(self, node: Node) -> None:
        """Write a new memory, private or shared."""
        agent = self.chance.choice(node.account.agents)[0]
        choices = self.audience(node, agent)
        most = min(3, len(choices))
        self.remember_in(node, agent, sorted(set(self.chance.sample(choices, most)[1:])))

    def remember_in(self, node: Node, agent: str, scopes: list[str]) -> None:
        """Write a new memory of an agent, and share it with these scopes."""
        proof = (node.account.id, agent, f"{self.chance.getrandbits(128):032x}")
        memory = memory_id(*proof)
        relies = write.reliance(node.view(), agent, scopes)
        self.edit_as(node, memory, proof, relies)
        for scope in relies:
            self._grant(node, memory, proof, scope, 1)

    def edit_as(
        self,
        node: Node,
        memory: str,
        proof: tuple[str, ...],
        relies: dict[str, str],
        life: int = 1,
    ) -> None:
        """Write a content that says something new."""
        self.texts += 1
        before = node.view().memories.own(memory)
        value = {"content": f"text {self.texts}", "type": "note"}
        value |= {"created_at": 1, "updated_at": 1, "life": life}  # type: ignore[dict-item]
        edits = before[1].stamp if before else 0
        name = self._sign_each(node, memory, value, proof, relies, edits=edits)
        if before is not None and before[1].value.get("life", 1) == life:
            seen, now = before[1], self.truth.signed[name]
            if now.stamp <= seen.stamp:
                self.lost.append(f"an edit of {memory[:9]} lies below what its device had seen")

    def _sign_each(
        self,
        node: Node,
        memory: str,
        value: Mapping[str, object],
        proof: tuple[str, ...],
        relies: dict[str, str],
        stamp: int | None = None,
        edits: int = 0,
    ) -> str:
        """Sign a content for each of its scopes, under one stamp; return the first digest."""
        first = ""
        for one in [{scope: add} for scope, add in sorted(relies.items())] or [{}]:
            name = node.write(memory, CONTENT, value, proof, one, stamp=stamp, edits=edits)
            stamp, first = self.truth.signed[name].stamp, first or name
        return first

    def _own(self, node: Node) -> tuple[str, View] | None:
        view = node.view()
        mine = node.account.id
        found = [m for m in view.held.objects("mem_") if view.held.proof(m)[0] == mine]
        return (self.chance.choice(found), view) if found else None

    def edit(self, node: Node) -> None:
        """Edit a memory of one's own that lives."""
        drawn = self._own(node)
        if drawn is not None:
            self.edit_one(node, drawn[0])

    def edit_one(self, node: Node, memory: str) -> None:
        """Edit one memory, if it lives."""
        view = node.view()
        own = view.memories.own(memory)
        if own is not None:
            proof = view.held.proof(memory)
            relies = write.reliance(view, proof[1], view.memories.audience(memory))
            self.edit_as(node, memory, proof, relies, int(own[1].value.get("life", 1)))

    def share(self, node: Node) -> None:
        """Share a memory of one's own, or share it again under a new add."""
        drawn = self._own(node)
        if drawn is not None:
            agent = drawn[1].held.proof(drawn[0])[1]
            self.share_one(node, drawn[0], self.chance.choice(self.audience(node, agent)))

    def share_one(self, node: Node, memory: str, scope: str) -> None:
        """Share one memory, if it lives and its owner may."""
        view = node.view()
        own, proof = view.memories.own(memory), view.held.proof(memory)
        if own is None:
            return
        found = write.reliance(view, proof[1], [scope])
        if not found:
            return
        stamp = None if node.off == "share keeps stamp" else own[1].stamp
        self._sign_each(node, memory, own[1].value, proof, found, stamp, own[1].edits)
        length = next_length(view.memories.length(memory, scope), on=True)
        self._grant(node, memory, proof, scope, length)

    def _grant(
        self, node: Node, memory: str, proof: tuple[str, ...], scope: str, length: int
    ) -> None:
        relies = {}
        if length % 2 == 1 and is_shared(scope):
            relies = write.reliance(node.view(), proof[1], [scope])
        node.write(memory, GRANT + scope, {"length": length, "by": proof[1]}, proof, relies)

    def revoke(self, node: Node) -> None:
        """Revoke a grant of one's own, and sometimes write something private at once."""
        drawn = self._own(node)
        if drawn is None or not (audience := drawn[1].memories.audience(drawn[0])):
            return
        memory = drawn[0]
        self.revoke_one(node, memory, self.chance.choice(audience))
        own = node.view().memories.own(memory)
        if own is not None and self.chance.random() < 0.5:
            self.edit_one(node, memory)

    def revoke_one(self, node: Node, memory: str, scope: str) -> None:
        """Revoke one grant, if it holds."""
        memories = node.view().memories
        if memories.holds(memory, scope):
            proof = node.view().held.proof(memory)
            self._grant(node, memory, proof, scope, memories.length(memory, scope) + 1)

    def forget(self, node: Node) -> None:
        """Forget a memory of one's own, or bring it back."""
        drawn = self._own(node)
        if drawn is None:
            return
        memory, view = drawn
        proof, own = view.held.proof(memory), view.memories.own(memory)
        length = view.memories.life(memory)
        if own is not None:
            length = next_length(max(length, int(own[1].value.get("life", 1))), on=False)
            node.write(memory, LIFE, {"length": length, "by": proof[1]}, proof)
        elif length and length % 2 == 0 and self.chance.random() < 0.5:
            node.write(memory, LIFE, {"length": length + 1, "by": proof[1]}, proof)
            relies = write.reliance(view, proof[1], view.memories.audience(memory))
            self.edit_as(node, memory, proof, relies, length + 1)

    def link(self, node: Node) -> None:
        """Assert a link between two memories of one scope, or take it back."""
        view = node.view()
        agent = self.chance.choice(node.account.agents)[0]
        scopes = [s for s in view.scopes_of(agent) if is_shared(s)]
        if not scopes:
            return
        scope = self.chance.choice(scopes)
        ends = [m for m in view.held.objects("mem_") if view.memories.shown(m, [scope])]
        if len(ends) < 2:
            return
        src, dst = self.chance.sample(ends, 2)
        proof = (src, dst, "related_to", agent)
        weight = self.chance.choice((0, 300, 600))
        relies = write.reliance(view, agent, [scope]) if weight else {}
        node.write(link_id(*proof), LINK, {"weight": weight}, proof, relies)

    def revoke_device(self, node: Node) -> None:
        """Revoke a stolen device of one's account; what came after the theft is left off."""
        for device in node.account.devices:
            if device.id in self.truth.stolen and device.id != node.device.id:
                self._revoke(node, device.id, device.sign, device.seal)

    def _revoke(self, node: Node, device: str, sign: str, seal: str) -> None:
        view, account = node.view(), node.account.id
        if view.devices.revocations(account, device):
            return
        theft = self.truth.stolen[device]
        honest = [n for n in view.held.registers if self.truth.made[n] < theft]
        lists: list[Kept] = [write.spared(view, account, device, set(honest))]
        value = {"state": "revoked", "sign": sign, "seal": seal, "by": "root", "sees": []}
        proof = node.account.keys
        node.write(account, DEVICE + device, value, proof, lists=lists)

    def sign_again(self, node: Node) -> None:
        """Sign contents again whose edit and share crossed."""
        if node.off == "signed again":
            return
        view = node.view()
        for memory in view.held.objects("mem_"):
            if view.held.proof(memory)[0] != node.account.id:
                continue
            relies, own = write.again(view, memory), view.memories.own(memory)
            if relies and own is not None:
                proof = view.held.proof(memory)
                self._sign_each(
                    node, memory, own[1].value, proof, relies, own[1].stamp, own[1].edits
                )


Act = Callable[[Acts, Node], None]
WEIGHTS: tuple[tuple[Act, int], ...] = (
    (Acts.remember, 10),
    (Acts.edit, 9),
    (Acts.share, 8),
    (Acts.revoke, 5),
    (Acts.forget, 5),
    (Acts.link, 3),
    (Acts.roster, 12),
    (Acts.narrow, 2),
    (Acts.hand_over, 2),
    (Acts.recover, 1),
    (Acts.revoke_device, 2),
    (Acts.sign_again, 2),
)
