"""What a hostile node does: it signs whatever it likes with its own keys, and sends it to anybody.

It has a real home and takes part like the others; beside that it writes registers of every kind
that nobody let it write, forges fields of what others signed, and asks for what it must not have.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random
from typing import Any

from agent_memory_os.errors import AgentMemoryError, Damaged
from agent_memory_os.federation.bundle import notice
from agent_memory_os.federation.bundle.notice import Notice
from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.exchange import repair, session, told
from agent_memory_os.federation.exchange.told import Holds, Want
from agent_memory_os.federation.signing import Signed, sign, to_wire
from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.device import RECOVERY, ROOT, signer
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.identifier import agent_id, link_id, memory_id
from agent_memory_os.model.register import (
    AGENT,
    CONTENT,
    DEVICE,
    GRANT,
    LIFE,
    LINK,
    PROJECT_MEMBER,
    PROJECT_NARROW,
    TEAM_ADMIN,
    TEAM_LIFE,
    TEAM_MEMBER,
    TEAM_NAME,
    TEAM_NARROW,
    Chain,
    Register,
    digest,
    of_time,
    rule_of,
)
from agent_memory_os.model.routing import sketch, tree
from tests.laws.nodes.node import Node
from tests.laws.nodes.truth import Truth
from tests.laws.nodes.wire import Wire

YEAR_MS = 365 * 86_400_000
Value = dict[str, Any]


class Hostile:
    """The acts of hostile nodes."""

    def __init__(self, truth: Truth, nodes: list[Node], wire: Wire, chance: Random) -> None:
        self.truth = truth
        self.nodes = nodes
        self.wire = wire
        self.chance = chance
        self.written = 0
        self.refused = 0
        self._lines: list[bytes] = []

    def act(self, node: Node) -> None:
        """Do something that one must not, and send it to somebody."""
        self._lines = []
        for act in self.chance.sample(ACTS, 3):
            act(self, node, node.view())
        for other in self.chance.sample(self.nodes, 2):
            if other is not node:
                self.send(node, other, self._lines)

    def send(self, node: Node, other: Node, lines: list[bytes]) -> None:
        """Push lines to another node, which may refuse them and must not fail."""
        parts = [Part("", [told.of_index("hostile"), *lines])]
        bundle = b"".join(session.bundled(node.local, node.peer(other), parts))
        try:
            other.answering.push(node.device.id, io.BytesIO(bundle))
        except Damaged:
            raise
        except AgentMemoryError:
            self.refused += 1

    def _stamp(self, node: Node) -> int:
        now = node.clock()
        at = self.chance.choice([now, now, now - 3_600_000, now + 30_000, now + YEAR_MS, 1])
        return of_time(at) + self.chance.randrange(4)

    def _sign(
        self,
        node: Node,
        object_id: str,
        group: str,
        value: Value,
        proof: tuple[str, ...],
        relies: dict[str, str] | None = None,
        *,
        author: str = "",
        edits: int = 0,
    ) -> None:
        rule = rule_of(group)
        register = Register(
            object_id,
            group,
            author or node.account,
            node.device.id,
            self._stamp(node),
            self.chance.choice([1, 7, self.chance.randrange(1, 1 << 40)]),
            value,
            proof,
            relies or {},
            Chain("") if rule and rule.is_chained else None,
            {"later": 1} if self.chance.random() < 0.1 else {},
            edits if group == CONTENT else 0,
        )
        key = node.root if signer(register) in (ROOT, RECOVERY) else node.device.sign
        signed = sign(register, key)
        self.truth.note(signed.name, register, hostile=True)
        self._lines.append(to_wire(signed))
        self.written += 1

    def _scope(self, view: View) -> str:
        return self.chance.choice([*view.scopes(), "global"])

    def _adds(self, view: View, scope: str) -> list[str]:
        kind, _, object_id = scope.partition(":")
        prefix = TEAM_MEMBER if kind == "team" else PROJECT_MEMBER
        return [
            name
            for group in view.held.groups(object_id, prefix)
            for name, _ in view.held.of(object_id, group)
        ]

    def _claim(self, view: View, scope: str) -> dict[str, str]:
        """Return what a write into a scope says that it relies on: whoever's add."""
        if scope == "global" or scope.startswith("agent:"):
            return {scope: ""}
        adds = self._adds(view, scope)
        return {scope: self.chance.choice(adds) if adds else "ab" * 32}

    def _content(self, memory: str) -> Value:
        canary = self.truth.canary()
        self.truth.note_text(canary, memory)
        return {"content": f"planted {canary}", "type": "note", "created_at": 1, "updated_at": 1}

    def pretend(self, node: Node, other: Node, agent: str, relies: dict[str, str]) -> None:
        """Write a memory for scopes as an agent, by adds, and send it to another node."""
        self._lines = []
        for scope in relies:
            self._write(node, (node.account, agent, self._nonce()), scope, relies)
        self.send(node, other, self._lines)

    def _plant(self, node: Node, view: View, proof: tuple[str, ...], scope: str) -> None:
        self._write(node, proof, scope, self._claim(view, scope))

    def _write(
        self, node: Node, proof: tuple[str, ...], scope: str, relies: dict[str, str]
    ) -> None:
        memory = memory_id(*proof)
        self._sign(node, memory, CONTENT, self._content(memory), proof, relies)
        length = 1 + 2 * self.chance.randrange(3)
        grant = {"length": length, "by": proof[1]}
        given = relies if scope.startswith(("team:", "project:")) else {}
        self._sign(node, memory, GRANT + scope, grant, proof, given)

    def _nonce(self) -> str:
        return f"{self.chance.getrandbits(128):032x}"

    def plant(self, node: Node, view: View) -> None:
        """Write into a scope, as one's own agent or as another account's."""
        agents = sorted(view.held.account_of)
        agent = self.chance.choice([*node.agents(), *agents])
        self._plant(node, view, (node.account, agent, self._nonce()), self._scope(view))

    def rewrite_own(self, node: Node, view: View) -> None:
        """Write a memory of one's own again, by whatever add and for whatever scope."""
        own = [m for m in view.held.objects("mem_") if view.held.proof(m)[0] == node.account]
        if own:
            self._plant(node, view, view.held.proof(self.chance.choice(own)), self._scope(view))

    def rewrite(self, node: Node, view: View) -> None:
        """Edit, forget or widen what another account wrote, in its name or in one's own."""
        found = [m for m in view.held.objects("mem_") if view.held.proof(m)[0] != node.account]
        if not found:
            return
        memory = self.chance.choice(found)
        proof, scope = view.held.proof(memory), self._scope(view)
        author = self.chance.choice([proof[0], node.account])
        acts: list[tuple[str, Value]] = [
            (CONTENT, self._content(memory)),
            (LIFE, {"length": 2 * self.chance.randrange(1, 9), "by": proof[1]}),
            (GRANT + scope, {"length": self.chance.randrange(1, 9), "by": proof[1]}),
            (GRANT + f"agent:{node.agents()[0]}", {"length": 1, "by": proof[1]}),
        ]
        group, value = self.chance.choice(acts)
        relies = self._claim(view, scope) if group == CONTENT else {}
        self._sign(node, memory, group, value, proof, relies, author=author)

    def let_in(self, node: Node, view: View) -> None:
        """Add oneself or a stranger to a team or project, by whoever's charge."""
        scopes = view.scopes()
        if not scopes:
            return
        kind, _, object_id = self.chance.choice(scopes).partition(":")
        agent = self.chance.choice([*node.agents(), *sorted(view.held.account_of)])
        prefix = TEAM_MEMBER if kind == "team" else PROJECT_MEMBER
        value: Value = {"act": "add"}
        value["sees"] = [name for name, _ in view.held.of(object_id, prefix + agent)]
        team = view.teams.team_of(object_id)
        if kind == "project":
            adds = self._adds(view, f"team:{team}")
            value["under"] = self.chance.choice(adds) if adds else "cd" * 32
        self._group(node, view, object_id, prefix + agent, value)

    def _group(self, node: Node, view: View, object_id: str, group: str, value: Value) -> None:
        team = view.teams.team_of(object_id)
        steps = [name for name, _ in view.held.of(team, TEAM_ADMIN)]
        step = self.chance.choice(["", *steps])
        relies = {f"team:{team}": step} if step else {}
        author = self.chance.choice([node.account, *view.held.proof(team)[:1]])
        self._sign(node, object_id, group, value, view.held.proof(object_id), relies, author=author)

    def usurp(self, node: Node, view: View) -> None:
        """Remove somebody, take a memory out, rename, end or take a team."""
        scopes = view.scopes()
        if not scopes:
            return
        kind, _, object_id = self.chance.choice(scopes).partition(":")
        known = view.members.known(f"{kind}:{object_id}")
        memories = view.held.objects("mem_")
        by = self.chance.choice(["admin", "recovery"])
        taken = {"to": node.account, "by": by, "turn": self.chance.randrange(9), "lists": []}
        acts: list[tuple[str, Value]] = [(f"{kind}.name", {"name": "mine now"})]
        acts += [(f"{kind}.life", {"state": "removed"})]
        if kind == "team":
            acts += [
                (TEAM_ADMIN, taken),
                (TEAM_NAME, {"name": "x"}),
                (TEAM_LIFE, {"state": "active"}),
            ]
        acts += [(f"{kind}.member:{agent}", {"act": "remove"}) for agent in known[:2]]
        group = TEAM_NARROW if kind == "team" else PROJECT_NARROW
        acts += [(group, {"record": kept.place_of(m), "length": 8}) for m in memories[:2]]
        self._group(node, view, object_id, *self.chance.choice(acts))

    def weigh(self, node: Node, view: View) -> None:
        """Assert a link, or take one back, in the name of whoever."""
        memories = view.held.objects("mem_")
        proofs = [view.held.proof(link) for link in view.held.objects("lnk_")]
        if len(memories) > 1:
            src, dst = self.chance.sample(memories, 2)
            by = self.chance.choice([*sorted(view.held.account_of), "operator"])
            relation = self.chance.choice(["supersedes", "related_to"])
            proofs.append((src, dst, relation, by))
        if proofs:
            proof = self.chance.choice(proofs)
            value = {"weight": self.chance.choice((0, 900))}
            relies = self._claim(view, self._scope(view))
            self._sign(node, link_id(*proof), LINK, value, proof, relies)

    def impersonate(self, node: Node, view: View) -> None:
        """Make an agent of another account, or certify or revoke one of its devices."""
        other = self.chance.choice([one for one in self.nodes if one.account != node.account])
        if self.chance.random() < 0.5:
            proof = (other.account, self.chance.choice([*view.held.account_of, "scout-ann"])[:20])
            value: Value = {"name": "sham", "kind": "custom", "state": "removed"}
            author = self.chance.choice([other.account, node.account])
            self._sign(node, agent_id(*proof), AGENT, value, proof, author=author)
            return
        public = self.chance.choice([node, other]).device
        value = {"state": self.chance.choice(["certified", "revoked"]), "by": "root"}
        value |= {"sign": public.public.sign, "seal": public.public.seal}
        account = self.chance.choice([node, other])
        if account is not node or public is not node.device:
            self._sign(
                node,
                account.account,
                DEVICE + public.id,
                value,
                account.keys,
                author=account.account,
            )

    def invent(self, node: Node, view: View) -> None:
        """Send what no node knows: groups and fields of another version, and no register at all."""
        memories = view.held.objects("mem_") or ["mem_" + "a" * 32]
        memory = self.chance.choice(memories)
        proof = view.held.proof(memory) or (node.account, node.agents()[0], self._nonce())
        self._sign(node, memory, "memory.mood", {"mood": "dire"}, proof)
        self._sign(node, "xyz_" + "b" * 32, "thing.name", {"name": "thing"}, ("a", "b"))
        self._lines += [b"{}\n", b"[]\n", b'["index",false,{"index":7}]\n', b"\xff\n"]
        fields: Value = {"cursor": ["x", "y", 1 << 62], "route": "team:none", "after": 0}
        self._lines.append(notice.to_line(Notice("cursor", fields)))
        listed = {"list": "ab" * 32, "scope": "team:x", "part": 0, "parts": 1, "entries": []}
        self._lines.append(notice.to_line(Notice("list", listed)))

    def forge(self, node: Node, _: View) -> None:
        """Change one field of a register that another signed, and keep its signature."""
        held = [one for one in node.held() if one.register.author != node.account and one.signature]
        if not held:
            return
        one = self.chance.choice(sorted(held, key=lambda item: item.name))
        register, signature = one.register, one.signature
        changed = self.chance.choice(
            [
                register._replace(stamp=register.stamp + 1),
                register._replace(seq=register.seq + 1),
                register._replace(author=node.account),
                register._replace(device=node.device.id),
                register._replace(value={**register.value, "length": 99}),
                register._replace(relies={}),
                register._replace(unknown={"more": 1}),
            ]
        )
        assert signature is not None
        self._lines.append(to_wire(Signed(changed, signature, digest(changed))))

    def replay(self, node: Node, _view: View) -> None:
        """Send again what one holds, to anybody."""
        held = sorted(node.held(), key=lambda one: one.name)
        for one in self.chance.sample(held, min(6, len(held))):
            if one.signature is not None:
                self._lines.append(to_wire(Signed(one.register, one.signature, one.name)))

    def pry(self, node: Node, view: View) -> None:
        """Ask for scopes that one is not served, and about memories that one only heard of."""
        other = self.chance.choice([one for one in self.nodes if one is not node])
        memories = list(self.truth.owner_of)
        asks = {one: (self._nonce() * 2,) for one in memories[:5]}
        scopes = [*view.scopes(), *(f"own:{one.account}" for one in self.nodes[:3])]
        probes = tuple(repair.Probe(one, 3, bytes(tree.WIDTH * tree.SHORT)) for one in scopes[:4])
        sketches = tuple(repair.Sketched(one, bytes(sketch.BYTES), "0" * 32) for one in scopes[:4])
        hashes = frozenset(told.hashed(one, "ab" * 16) for one in scopes)
        wants = [
            Want("hostile", {}, asks, Holds("ab" * 16, hashes)),
            Want("hostile", probes=probes),
            Want("hostile", sketches=sketches),
        ]
        lines = [told.of_index("hostile"), *told.of_want(self.chance.choice(wants))]
        bundle = b"".join(session.bundled(node.local, node.peer(other), [Part("", lines)]))
        try:
            answer = other.answering.pull(node.device.id, io.BytesIO(bundle))
            self.wire.look(other, node, b"".join(answer))
        except Damaged:
            raise
        except AgentMemoryError:
            self.refused += 1


ACTS: tuple[Callable[[Hostile, Node, View], None], ...] = (
    Hostile.plant,
    Hostile.rewrite_own,
    Hostile.rewrite,
    Hostile.let_in,
    Hostile.usurp,
    Hostile.weigh,
    Hostile.impersonate,
    Hostile.invent,
    Hostile.forge,
    Hostile.replay,
    Hostile.pry,
)
