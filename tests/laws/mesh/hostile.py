"""What hostile people do with the keys that they have: their own, or those of a stolen device.

What they cannot sign is refused before anything else, and is counted here; what they can sign goes
into their own node and to others that hold the scope.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.identifier import link_id, memory_id
from agent_memory_os.model.register import (
    CONTENT,
    GRANT,
    LIFE,
    LINK,
    PROJECT_MEMBER,
    TEAM_ADMIN,
    TEAM_MEMBER,
    TEAM_NARROW,
    Register,
    digest,
)
from tests.laws.mesh.node import Node
from tests.laws.mesh.truth import Truth


class Hostile:
    """The acts of a hostile writer, on a node that it controls."""

    def __init__(self, truth: Truth, nodes: list[Node]) -> None:
        self.truth = truth
        self.nodes = nodes
        self.chance = truth.chance
        self.refused = 0
        self.written = 0

    def act(self, node: Node) -> None:
        """Do one hostile thing."""
        self.chance.choice(ACTS)(self, node)

    def _sign(
        self,
        node: Node,
        object_id: str,
        group: str,
        value: Mapping[str, Any],
        proof: tuple[str, ...],
        relies: Mapping[str, str] | None = None,
        author: str = "",
    ) -> None:
        stamp = max(1, node.last + self.chance.choice((0, 1, -(2**30), -(2**34), 2**27)))
        name = node.write(
            object_id, group, value, proof, relies, stamp=stamp, author=author, hostile=True
        )
        self.written += 1
        self._plant(name, object_id, group, relies or {})

    def _plant(self, name: str, object_id: str, group: str, relies: Mapping[str, str]) -> None:
        scopes = {scope for scope in relies if is_shared(scope)}
        if relies and not scopes:
            return
        if group.startswith(GRANT):
            scopes.add(group.removeprefix(GRANT))
        if not scopes or object_id.startswith(("team_", "prj_")):
            scopes = {f"team:{object_id}", f"project:{object_id}"}
            scopes |= self.truth.shared.get(object_id, set())
        inside = [
            node
            for node in self.nodes
            if any(self.truth.was_in(node.account.id, scope) for scope in scopes)
        ]
        for node in self.chance.sample(inside, min(2, len(inside))):
            if self._is_inside(node, scopes):
                node.take([name])

    def _is_inside(self, node: Node, scopes: set[str]) -> bool:
        view = node.view()
        agents = view.agents(node.account.id)
        shared = [scope for scope in scopes if is_shared(scope)]
        return any(view.members.adds(scope, agent) for scope in shared for agent in agents)

    def _adds(self, node: Node, scope: str, agent: str) -> list[str]:
        prefix = TEAM_MEMBER if scope.startswith("team:") else PROJECT_MEMBER
        held = node.view().held.of(scope.partition(":")[2], prefix + agent)
        return [name for name, one in held if one.value["act"] == "add"]

    def _claims(self, node: Node, agent: str) -> dict[str, str]:
        view = node.view()
        found: dict[str, str] = {}
        for scope in view.scopes():
            adds = self._adds(node, scope, agent)
            if adds and self.chance.random() < 0.8:
                found[scope] = self.chance.choice(adds)
        return found

    def _claim(self, node: Node, agent: str) -> dict[str, str]:
        return dict(list(self._claims(node, agent).items())[:1])

    def plant(self, node: Node) -> None:
        """Write into every team that one's agent was ever in, by whatever add there was."""
        agent = self.chance.choice(node.account.agents)[0]
        view = node.view()
        own = [m for m in view.held.objects("mem_") if view.held.proof(m)[1] == agent]
        proof: tuple[str, ...] = (
            node.account.id,
            agent,
            f"{self.chance.getrandbits(128):032x}",
        )
        if own and self.chance.random() < 0.6:
            proof = view.held.proof(self.chance.choice(own))
        self._shared(node, proof, self._claims(node, agent))

    def speak_for(self, node: Node) -> None:
        """Write as another account's agent, under one's own account."""
        view = node.view()
        others = [a for a, owner in view.held.account_of.items() if owner != node.account.id]
        if others:
            agent = self.chance.choice(sorted(others))
            proof = (node.account.id, agent, f"{self.chance.getrandbits(128):032x}")
            self._shared(node, proof, self._claims(node, agent))

    def _shared(self, node: Node, proof: tuple[str, ...], relies: dict[str, str]) -> None:
        memory = memory_id(*proof)
        value: dict[str, Any] = {
            "content": "planted",
            "type": "note",
            "created_at": 1,
            "updated_at": 1,
        }
        value["life"] = self._life(node, memory)
        for scope, add in relies.items():
            self._sign(node, memory, CONTENT, value, proof, {scope: add})
            length = node.view().memories.length(memory, scope)
            length += 1 - length % 2 + 2 * self.chance.randrange(2)
            grant = {"length": length, "by": proof[1]}
            self._sign(node, memory, GRANT + scope, grant, proof, {scope: add})

    def rewrite_own(self, node: Node, memory: str, scope: str) -> None:
        """Write a memory of one's own into a scope again, by whatever add there was."""
        proof = node.view().held.proof(memory)
        adds = self._adds(node, scope, proof[1])
        if adds:
            self._shared(node, proof, {scope: self.chance.choice(adds)})

    def _life(self, node: Node, memory: str) -> int:
        own = node.view().memories.own(memory)
        return int(own[1].value.get("life", 1)) if own else 1

    def rewrite(self, node: Node) -> None:
        """Edit, delete or share what another account wrote, in its name or in one's own."""
        view = node.view()
        found = [m for m in view.held.objects("mem_") if view.held.of(m, CONTENT)]
        others = [m for m in found if view.held.proof(m)[0] != node.account.id]
        if not others:
            return
        memory = self.chance.choice(others)
        proof = view.held.proof(memory)
        author = self.chance.choice((proof[0], node.account.id))
        length = view.memories.life(memory) + 1
        acts: list[tuple[str, dict[str, Any]]] = [
            (CONTENT, {"content": "no", "type": "note", "created_at": 1, "updated_at": 1}),
            (LIFE, {"length": length + length % 2, "by": proof[1]}),
        ]
        acts += [(GRANT + s, {"length": 9, "by": proof[1]}) for s in view.memories.scopes(memory)]
        group, value = self.chance.choice(acts)
        self._sign(node, memory, group, value, proof, self._claim(node, proof[1]), author)

    def forge(self, node: Node) -> None:
        """Change one field of a register that another signed; no key of one's own signs that."""
        names = [n for n, one in node.registers.items() if one.author != node.account.id]
        if not names:
            return
        register = node.registers[self.chance.choice(names)]
        changed: list[Register] = [
            register._replace(stamp=register.stamp + 1),
            register._replace(seq=register.seq + 1),
            register._replace(author=node.account.id),
            register._replace(value={**register.value, "length": 99}),
            register._replace(relies={}),
            register._replace(object=node.account.id),
        ]
        name = digest(self.chance.choice(changed))
        self.refused += name not in self.truth.signed

    def let_in(self, node: Node) -> None:
        """Add oneself or a stranger to a team or project, by whoever's charge."""
        view = node.view()
        scopes = view.scopes()
        if not scopes:
            return
        scope = self.chance.choice(scopes)
        object_id = scope.partition(":")[2]
        agent = self.chance.choice([*node.account.agents, *self.nodes[0].account.agents])[0]
        prefix = TEAM_MEMBER if scope.startswith("team:") else PROJECT_MEMBER
        held = view.held.of(object_id, prefix + agent)
        value: dict[str, Any] = {"act": "add", "sees": [name for name, _ in held]}
        team = view.teams.team_of(object_id)
        if scope.startswith("project:"):
            above = self._adds(node, f"team:{team}", agent)
            value["under"] = self.chance.choice(above) if above else "ab" * 32
        self._sign(
            node, object_id, prefix + agent, value, view.held.proof(object_id), self._by(node, team)
        )

    def _by(self, node: Node, team: str) -> dict[str, str]:
        held = node.view().held
        teams = [team] if self.chance.random() < 0.5 else held.objects("team_")
        steps = [name for one in teams for name, _ in held.of(one, TEAM_ADMIN)]
        step = self.chance.choice(["", *steps])
        return {f"team:{team}": step} if step else {}

    def usurp(self, node: Node) -> None:
        """Remove somebody, take a memory out, or take the team, without being in charge."""
        view = node.view()
        teams = view.held.objects("team_")
        if not teams:
            return
        team = self.chance.choice(teams)
        proof, by = view.held.proof(team), self._by(node, team)
        known = view.members.known(f"team:{team}")
        memories = view.held.objects("mem_")
        taken = {"to": node.account.id, "by": "admin", "turn": 0, "lists": []}
        own = [one for one in teams if view.held.proof(one)[0] == node.account.id]
        if own and self.chance.random() < 0.3:
            team = self.chance.choice(own)
            by = {f"team:{team}": view.teams.in_charge(team)}
            by = {scope: step for scope, step in by.items() if step}
            self._sign(node, team, TEAM_ADMIN, taken, view.held.proof(team), by)
            return
        acts: list[tuple[str, dict[str, Any]]] = [(TEAM_ADMIN, taken)]
        acts += [(TEAM_MEMBER + agent, {"act": "remove"}) for agent in known[:2]]
        acts += [(TEAM_NARROW, {"record": kept.place_of(m), "length": 8}) for m in memories[:2]]
        group, value = self.chance.choice(acts)
        self._sign(node, team, group, value, proof, by)

    def weigh(self, node: Node) -> None:
        """Take back, or assert, a link in the name of another's agent."""
        view = node.view()
        for link in view.held.objects("lnk_")[:2]:
            proof = view.held.proof(link)
            relies = self._claim(node, proof[3])
            self._sign(
                node, link_id(*proof), LINK, {"weight": self.chance.choice((0, 900))}, proof, relies
            )

    def replay(self, node: Node) -> None:
        """Send again what one holds, to anybody who is in a scope of it."""
        names = sorted(node.registers)
        for name in self.chance.sample(names, min(6, len(names))):
            register = node.registers[name]
            self._plant(name, register.object, register.group, register.relies)


ACTS: tuple[Callable[[Hostile, Node], None], ...] = (
    Hostile.plant,
    Hostile.plant,
    Hostile.speak_for,
    Hostile.rewrite,
    Hostile.forge,
    Hostile.let_in,
    Hostile.usurp,
    Hostile.weigh,
    Hostile.replay,
)
