"""What honest people and agents do on their nodes, through the product's own façade."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from agent_memory_os.errors import AgentMemoryError, Damaged
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.organisation import Team
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.store import organisation
from tests.laws.nodes.node import Node
from tests.laws.nodes.truth import Truth

MANY = 200
WORDS = ("gateway", "deploy", "coffee", "invoice")


class Acts:
    """The acts of a run, each on a node that is drawn."""

    def __init__(self, truth: Truth, nodes: list[Node], chance: Random) -> None:
        self.truth = truth
        self.nodes = nodes
        self.chance = chance
        self.done: dict[str, int] = {}

    def do(self, act: Callable[[Acts, Node], None], node: Node) -> None:
        """Let somebody do something, if it can be done; note what was written."""
        name = act.__name__
        try:
            act(self, node)
        except Damaged:
            raise
        except AgentMemoryError:
            name = f"{name}, refused"
        self.done[name] = self.done.get(name, 0) + 1
        self.note(node)

    def note(self, node: Node) -> None:
        """Note what a node's own device has written since the last time."""
        held = node.held(node.noted)
        for one in sorted(held, key=lambda one: one.lseq):
            node.noted = max(node.noted, one.lseq)
            if one.register.device == node.device.id:
                self.truth.note(one.name, one.register)

    def agent(self, node: Node) -> Principal:
        """Draw an agent of a node's account."""
        return Principal.of_agent(self.chance.choice(node.agents()))

    def audience(self, node: Node, principal: Principal) -> str:
        """Draw somebody to share with: mostly the teams and projects that an agent is in."""
        scopes = [one for one in node.node.organisation.scopes(principal) if one.count("_")]
        shared = [one for one in scopes if one.startswith(("team:", "project:"))]
        people = {*node.agents(), *node.others()} - {principal.agent}
        others = [f"agent:{one}" for one in sorted(people)]
        return self.chance.choice([*shared * 3, *others, "global"])

    def words(self) -> tuple[str, str]:
        """Return something new to say, and the word in it that stands nowhere else."""
        canary = self.truth.canary()
        return f"{self.chance.choice(WORDS)} {canary}", canary

    def own(self, node: Node, state: str = "active") -> tuple[Principal, Memory] | None:
        """Draw a memory of an agent's own."""
        principal = self.agent(node)
        wanted = Filter(owner=str(principal.agent), state=state)
        found = node.node.memories.list(principal, wanted, MANY).memories
        return (principal, self.chance.choice(found)) if found else None

    def remember(self, node: Node) -> None:
        """Remember something, private or shared."""
        principal = self.agent(node)
        draws = self.chance.randrange(3)
        wanted = {self.audience(node, principal) for _ in range(draws)}
        self.remember_for(node, principal, ",".join(sorted(wanted)) or "private")

    def remember_for(self, node: Node, principal: Principal, audience: str) -> str:
        """Remember something for an audience; return the memory's id."""
        text, canary = self.words()
        memory = node.node.memories.add(principal, NewMemory(text), audience).memory
        self.truth.note_text(canary, memory.id)
        self.note(node)
        return memory.id

    def edit(self, node: Node) -> None:
        """Edit a memory of one's own."""
        drawn = self.own(node)
        if drawn is not None:
            self.edit_one(node, *drawn)

    def edit_one(self, node: Node, principal: Principal, memory: Memory) -> None:
        """Edit one memory."""
        text, canary = self.words()
        # Before it is written: what has already been taken back here is kept from it.
        self.truth.note_text(canary, memory.id, self._taken_back(node, memory))
        node.node.memories.edit(principal, memory.id, {"content": text})

    def _taken_back(self, node: Node, memory: Memory) -> set[str]:
        scopes = self.truth.shared.get(memory.id, set())
        return {
            one
            for one in scopes
            if one not in memory.grants
            and (memory.id, one) in self.truth.taken_back
            and self._knows_end(node, memory.id, one)
        }

    def _knows_end(self, node: Node, memory: str, scope: str) -> bool:
        with node.database.read() as snapshot:
            rows = snapshot.rows(
                "SELECT max(value ->> 'length') FROM registers WHERE object = ? AND grp = ?",
                (memory, f"memory.grant:{scope}"),
            )
        length = rows[0][0] or 0
        return length % 2 == 0 and length >= self.truth.taken_back[memory, scope]

    def share(self, node: Node) -> None:
        """Share a memory of one's own."""
        drawn = self.own(node)
        if drawn is not None:
            node.node.memories.share(drawn[0], drawn[1].id, self.audience(node, drawn[0]))

    def revoke(self, node: Node) -> None:
        """Take a memory back from somebody, or from all."""
        drawn = self.own(node)
        if drawn is None or not drawn[1].grants:
            return
        principal, memory = drawn
        scope = self.chance.choice([None, *memory.grants])
        now = node.node.memories.revoke(principal, memory.id, scope).memory
        self.note(node)
        if self.chance.random() < 0.4:
            self.edit_one(node, principal, now)

    def forget(self, node: Node) -> None:
        """Forget a memory of one's own."""
        drawn = self.own(node)
        if drawn is not None:
            node.node.memories.forget(drawn[0], drawn[1].id)

    def bring_back(self, node: Node) -> None:
        """Bring a forgotten memory back."""
        drawn = self.own(node, "forgotten")
        if drawn is not None:
            node.node.memories.bring_back(drawn[0], drawn[1].id)

    def erase(self, node: Node) -> None:
        """Erase a memory of one's own."""
        drawn = self.own(node, self.chance.choice(["active", "forgotten"]))
        if drawn is not None:
            node.node.memories.erase(drawn[0], [drawn[1].id])

    def _two(self, node: Node) -> tuple[Principal, str, str] | None:
        principal = self.agent(node)
        found = node.node.memories.list(principal, Filter(), MANY).memories
        if len(found) < 2:
            return None
        one, other = self.chance.sample(sorted(found, key=lambda memory: memory.id), 2)
        return principal, one.id, other.id

    def link(self, node: Node) -> None:
        """Say that two memories belong together, or that they do no more."""
        drawn = self._two(node)
        if drawn is None:
            return
        principal, src, dst = drawn
        mine = [
            one for one in node.node.memories.links(principal, src) if one.by == principal.agent
        ]
        if mine and self.chance.random() < 0.5:
            one = mine[0]
            node.node.memories.unlink(principal, one.src, one.dst, one.relation)
        else:
            weight = self.chance.choice([300, 600])
            node.node.memories.link(principal, src, dst, "related_to", weight)

    def supersede(self, node: Node) -> None:
        """Say that a memory of one's own replaces another."""
        drawn = self._two(node)
        if drawn is not None:
            node.node.memories.supersede(*drawn)

    def charge(self, node: Node) -> list[Team]:
        """Return the teams that a node's account is in charge of."""
        with node.database.read() as snapshot:
            found = organisation.teams(snapshot)
        return [team for team in found if team.admin == node.account]

    def scopes_in_charge(self, node: Node) -> list[str]:
        """Return the teams and projects that a node's account is in charge of."""
        teams = [team.id for team in self.charge(node)]
        with node.database.read() as snapshot:
            projects = organisation.projects(snapshot)
        found = [f"team:{one}" for one in teams]
        return found + [f"project:{one.id}" for one in projects if one.team in teams]

    def found_team(self, node: Node) -> None:
        """Make a team with a project, and be in both."""
        number = len(self.truth.founder_of) + len(self.truth.team_of)
        team = node.node.organisation.add_team(f"team{number}")
        project = node.node.organisation.add_project(team.id, f"site{number}")
        for agent in node.agents():
            node.node.organisation.join(agent, f"team:{team.id}")
        node.node.organisation.join(node.agents()[0], f"project:{project.id}")

    def join(self, node: Node) -> None:
        """Let somebody who is known into a team or project that one is in charge of."""
        scopes = self.scopes_in_charge(node)
        people = sorted([*node.agents(), *node.others()])
        if scopes:
            self.let_in(node, self.chance.choice(scopes), self.chance.choice(people))

    def let_in(self, node: Node, scope: str, agent: str) -> None:
        """Let an agent into a team or project, and into the team of a project."""
        if scope.startswith("project:"):
            team = self.truth.team_of[scope.partition(":")[2]]
            node.node.organisation.join(agent, f"team:{team}")
        node.node.organisation.join(agent, scope)

    def leave(self, node: Node) -> None:
        """Take somebody out of a team or project that one is in charge of."""
        scopes = self.scopes_in_charge(node)
        if not scopes:
            return
        scope = self.chance.choice(scopes)
        with node.database.read() as snapshot:
            members = [one.id for one in organisation.members(snapshot, scope)]
        if members:
            node.node.organisation.leave(self.chance.choice(sorted(members)), scope)

    def end_group(self, node: Node) -> None:
        """End a team or project that one is in charge of."""
        scopes = self.scopes_in_charge(node)
        if not scopes:
            return
        kind, _, name = self.chance.choice(scopes).partition(":")
        if kind == "team":
            node.node.organisation.remove_team(name)
        else:
            node.node.organisation.remove_project(name)

    def rename(self, node: Node) -> None:
        """Call a team something else."""
        teams = self.charge(node)
        if teams:
            new = f"team{self.chance.randrange(1000)}x"
            node.node.organisation.rename_team(self.chance.choice(teams).id, new)


WEIGHTS: tuple[tuple[Callable[[Acts, Node], None], int], ...] = (
    (Acts.remember, 22),
    (Acts.edit, 16),
    (Acts.share, 14),
    (Acts.revoke, 10),
    (Acts.forget, 6),
    (Acts.bring_back, 5),
    (Acts.erase, 3),
    (Acts.link, 6),
    (Acts.supersede, 2),
    (Acts.found_team, 2),
    (Acts.join, 10),
    (Acts.leave, 8),
    (Acts.end_group, 1),
    (Acts.rename, 1),
)
