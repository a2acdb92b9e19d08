"""What must hold when all have synced: judged over everything that was written and not lost."""

from __future__ import annotations

from collections.abc import Iterator

from agent_memory_os.model.authority import write
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.memory import asserter, is_ending, is_shared
from agent_memory_os.model.register import CONTENT, GRANT, LIFE, LINK, TEAM_ADMIN, Register
from agent_memory_os.model.routing.purge import is_spent
from agent_memory_os.model.routing.shown import shown
from tests.laws.mesh.node import Node
from tests.laws.mesh.rules import view_without
from tests.laws.mesh.truth import Truth


class Oracle:
    """The view over the union, and what the nodes are measured by."""

    def __init__(self, truth: Truth, nodes: list[Node], off: str) -> None:
        self.truth = truth
        self.nodes = nodes
        self.off = off
        # What a hostile node keeps to itself reached nobody.
        honest = [node for node in nodes if not node.is_hostile]
        held = {name for node in honest for name in node.registers}
        held |= {name for name in truth.displaced_by if self._outlived(name, held)}
        registers = {name: truth.signed[name] for name in sorted(held)}
        # Nodes are measured by the rules as they are; harm is measured by what the nodes believe.
        self.touched = {truth.signed[name].object for name in truth.hostile}
        lists = {name: one for node in honest for name, one in node.lists.items()}
        self.view = View(registers, lists)
        self.believed = view_without(off)(registers, lists)

    def _outlived(self, name: str, held: set[str]) -> bool:
        while name not in held and name in self.truth.displaced_by:
            name = self.truth.displaced_by[name]
        return name in held

    def knows(self, name: str) -> bool:
        """Say whether an honest node holds a register, or what took its place."""
        return name in self.view.held.registers

    def is_back(self, delete: Register) -> bool:
        """Say whether a memory's owner is shown it in a life that a delete ended."""
        own = self.view.memories.own(delete.object)
        return own is not None and int(own[1].value.get("life", 1)) < int(delete.value["length"])

    def problems(self) -> Iterator[str]:
        """Give each thing that does not hold."""
        for node in self.nodes:
            if not node.is_hostile and node.device.id not in self.truth.stolen:
                yield from self._differs(node)
                yield from self._stale(node)
                yield from self._mixed(node)
        yield from self._harm()
        yield from self._lives()
        yield from self._clobbered()
        yield from self._behind()

    def _differs(self, node: Node) -> Iterator[str]:
        mine, view, account = node.view(), self.view, node.account.id
        if any(account == one for one, _ in self.truth.withheld):
            return
        for agent, _ in node.account.agents:
            got, want = self._fair(mine.reads(agent)), self._fair(view.reads(agent))
            if got != want:
                names = sorted(m for m in {*got, *want} if got.get(m) != want.get(m))
                yield f"diverged: reads of {node.device.id[:8]}: {names[0][:8]} of {len(names)}"
            if not self.truth.withheld and mine.links(agent) != view.links(agent):
                yield f"diverged: links of {node.device.id[:8]}"
            for scope in view.scopes_of(agent):
                if is_shared(scope) and mine.members.members(scope) != view.members.members(scope):
                    yield f"diverged: members of {scope[:12]} on {node.device.id[:8]}"
        yield from self._differs_in_charge(node)

    def _differs_in_charge(self, node: Node) -> Iterator[str]:
        mine, view, account = node.view(), self.view, node.account.id
        for team in view.held.objects("team_"):
            concerned = account in (view.teams.admin(team), view.held.proof(team)[0])
            if concerned and mine.teams.line(team)[-1:] != view.teams.line(team)[-1:]:
                yield f"diverged: admin of {team[:10]} on {node.device.id[:8]}"
        for scope in view.scopes():
            admin = view.teams.admin(view.teams.team_of(scope.partition(":")[2]))
            if account == admin and mine.members.members(scope) != view.members.members(scope):
                yield f"diverged: members of {scope[:12]}, for who is in charge"

    def _fair(self, reads: dict[str, str]) -> dict[str, str]:
        # Who is not served a scope does not know who is in it, and serves nobody there.
        apart = {account for account, _ in self.truth.withheld}
        return {
            m: n for m, n in reads.items() if self._owner(m) not in apart and self._is_inside(n)
        }

    def _is_inside(self, name: str) -> bool:
        # What no node that is served its scope holds any more is lost there. Its owner, who was
        # removed, may have it, and who is inside and is refused the scope: without the lists they
        # do not know that it remained, and serve it to nobody.
        scope = next(iter(self.truth.signed[name].relies), "")
        if not is_shared(scope):
            return True
        inside = {self.truth.account_of.get(agent) for agent in self.view.members.members(scope)}
        team = self.view.teams.team_of(scope.partition(":")[2])
        refused = {one for one, of in self.truth.withheld if of in (scope, f"team:{team}")}
        return any(n.account.id in inside - refused and name in n.registers for n in self.nodes)

    def _owner(self, memory: str) -> str:
        return next(iter(self.view.held.proof(memory)), "")

    def _stale(self, node: Node) -> Iterator[str]:
        for memory in self.view.held.objects("mem_"):
            if is_spent(self.view, node.account.id, memory) and any(
                one.object == memory and one.group == CONTENT and name not in self.truth.hostile
                for name, one in node.registers.items()
            ):
                yield f"stale: {memory[:9]} is still on {node.device.id[:8]}"

    def _mixed(self, node: Node) -> Iterator[str]:
        view = node.view()
        for memory in view.held.objects("mem_"):
            found = shown(view, node.account.id, memory)
            for scope in found.scopes:
                right = view.memories.shown(memory, [scope])
                if (
                    right is None
                    or found.content is None
                    or right[1].value != found.content[1].value
                ):
                    yield f"mixed: {scope[:12]} sees another {memory[:9]} on {node.device.id[:8]}"

    def figures(self) -> dict[str, int]:
        """Return how often there was what has to be there for a run to tell something."""
        view = self.view
        memories = view.held.objects("mem_")
        several = [
            (scope, account)
            for scope in view.scopes()
            for account in view.held.objects("acc_")
            if sum(agent in view.members.members(scope) for agent in view.agents(account)) > 1
        ]
        left = [(memory, scope) for memory in memories for scope in self._left(memory)]
        return {
            "several agents of an account in a scope": len(several),
            "left and edited": len(left),
        }

    def _left(self, memory: str) -> Iterator[str]:
        """Give the scopes of a memory that its owner is out of, and edited it since for others."""
        view, agent = self.view, self.view.held.proof(memory)[1]
        contents = [one for _, one in view.held.of(memory, CONTENT)]
        for scope in view.memories.scopes(memory):
            if is_shared(scope) and view.members.was_removed(scope, agent):
                there = [one.stamp for one in contents if scope in one.relies]
                others = [one.stamp for one in contents if one.relies and scope not in one.relies]
                if there and max(others, default=0) > max(there):
                    yield scope

    def _harm(self) -> Iterator[str]:
        for name in sorted(self.truth.hostile):
            if name not in self.believed.held.registers:
                continue
            register = self.believed.held.registers[name]
            for scope in self._scopes(register):
                if self._must_not_count(name, register, scope) and self._counts(name, scope):
                    yield f"harm: a hostile {register.group[:20]} counts: {name[:8]}"

    def _scopes(self, register: Register) -> list[str]:
        if register.group in (CONTENT, LINK):
            return [scope for scope in register.relies if is_shared(scope)]
        return [""]

    def _counts(self, name: str, scope: str) -> bool:
        return not self.believed.reason(name, scope)

    def _must_not_count(self, name: str, register: Register, scope: str) -> bool:
        if self._by_a_thief(name, register):
            return True
        kind = register.object.partition("_")[0]
        if kind in ("team", "prj"):
            team = register.object if kind == "team" else register.proof[0]
            author = register.author
            return author not in self.truth.ever_admins(team) or self._too_late(name, team, author)
        if self.truth.account_of.get(asserter(register)) != register.author:
            return True
        if is_ending(register) or register.group == LIFE:
            return False
        scope = scope or register.group.removeprefix(GRANT)
        return is_shared(scope) and self._after_removal(name, register, scope)

    def _by_a_thief(self, name: str, register: Register) -> bool:
        theft = self.truth.stolen.get(register.device)
        if theft is None or self.truth.made[name] < theft:
            return False
        return bool(self.view.devices.revocations(register.author, register.device))

    def _too_late(self, name: str, team: str, author: str) -> bool:
        line = self.view.teams.line(team)
        if not line or line[-1].admin == author:
            return False
        steps = [step for step in line if step.admin != author and step.register]
        last = max((self.truth.made[step.name] for step in steps), default=None)
        honest = all(step.name not in self.truth.hostile for step in steps)
        if self.truth.signed[name].group == TEAM_ADMIN:
            return False
        return honest and last is not None and self.truth.made[name] > last

    def _after_removal(self, name: str, register: Register, scope: str) -> bool:
        add = register.relies.get(scope, "")
        removals = self.view.members.unnamed(scope, asserter(register), add)
        if removals is None:
            return True
        return any(self._made(one) < self.truth.made[name] for one in removals)

    def _made(self, register: Register) -> int:
        found = [n for n, one in self.view.held.registers.items() if one is register]
        return self.truth.made[found[0]]

    def _lives(self) -> Iterator[str]:
        for memory in self.view.held.objects("mem_"):
            ends = [
                int(one.value["length"])
                for _, one in self.view.held.of(memory, LIFE)
                if not self.view.devices.reason(_, one) and int(one.value["length"]) % 2 == 0
            ]
            own = self.believed.memories.own(memory)
            if own and ends and int(own[1].value.get("life", 1)) <= max(ends):
                yield f"dead life: {memory[:9]} is back"

    def _clobbered(self) -> Iterator[str]:
        first: dict[str, Register] = {}
        for name in sorted(self.view.held.registers, key=lambda n: self.truth.made[n]):
            register = self.view.held.registers[name]
            if register.group == CONTENT and not self.view.devices.reason(name, register):
                key = register.object + str(register.value["content"])
                first.setdefault(key, register)
        for memory in self.view.held.objects("mem_"):
            own = self.view.memories.own(memory)
            if own is None or self._is_touched(memory):
                continue
            edits = [one for one in first.values() if one.object == memory]
            life = own[1].value.get("life", 1)
            best = max(one.stamp for one in edits if one.value.get("life", 1) == life)
            if first[memory + str(own[1].value["content"])].stamp != best:
                yield f"clobbered: an edit of {memory[:9]} that a share had not seen"

    def _is_touched(self, memory: str) -> bool:
        return memory in self.touched

    def _behind(self) -> Iterator[str]:
        for memory in self.view.held.objects("mem_"):
            account = self.view.held.proof(memory)[0]
            own = self.view.memories.own(memory)
            if own is None or self._is_touched(memory) or self._is_unsafe(account):
                continue
            for scope in write.again(self.view, memory):
                yield f"behind: {scope[:12]} is shown an older {memory[:9]}"

    def _is_unsafe(self, account: str) -> bool:
        if any(account == one for one, _ in self.truth.withheld):
            return True
        # Where no device of the owner is left, nobody signs anything again.
        nodes = [node for node in self.nodes if node.account.id == account]
        return not nodes or any(
            node.is_hostile or node.device.id in self.truth.stolen for node in nodes
        )
