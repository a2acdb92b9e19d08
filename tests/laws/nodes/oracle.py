"""What must hold when all have synced: judged over everything that was written and not lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent_memory_os.federation.together import vouches
from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.authority.device import Devices, signer
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.authority.member import Members
from agent_memory_os.model.authority.memory import Memories, is_ending, is_shared
from agent_memory_os.model.authority.park import waits
from agent_memory_os.model.authority.team import Teams
from agent_memory_os.model.authority.write import again
from agent_memory_os.model.canonical import digest as value_digest
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.model.register import CONTENT, GRANT, LIFE, LINK, Register, digest, to_bytes
from agent_memory_os.model.routing.shown import Shown, shown, shown_link
from agent_memory_os.store import organisation
from agent_memory_os.store.exchange import organise, route
from agent_memory_os.store.exchange.held import HeldRegister, Reader
from tests.laws.nodes.acts import MANY
from tests.laws.nodes.node import Node
from tests.laws.nodes.truth import Truth


class Rules(View):
    """The view by the rules as they are, also while one is switched off in the nodes."""

    judge_devices = Devices
    judge_teams = Teams
    judge_members = Members
    judge_memories = Memories


class Oracle:
    """The view over the union of what honest nodes hold.

    Harm is measured by what the nodes ``believed``.
    """

    def __init__(self, truth: Truth, nodes: list[Node]) -> None:
        self.truth = truth
        self.nodes = nodes
        self.held: dict[str, list[HeldRegister]] = {}
        registers: dict[str, Register] = {}
        lists: dict[str, Kept] = {}
        for node in nodes:
            if node.is_hostile:
                continue
            self.held[node.name] = node.held()
            registers |= {
                one.name: one.register
                for one in self.held[node.name]
                if not waits(one.register, node.clock())
            }
            with node.database.read() as snapshot:
                lists |= Reader(snapshot).lists()
        self.view = Rules(registers, lists)
        self.believed = View(registers, lists)
        self.shown: dict[tuple[str, str], Shown] = {}

    def knows(self, name: str) -> bool:
        """Say whether an honest node holds a register."""
        return name in self.view.held.everything

    def is_back(self, delete: Register) -> bool:
        """Say whether a memory's owner is shown it in a life that a delete ended."""
        own = self.view.memories.own(delete.object)
        return own is not None and int(own[1].value.get("life", 1)) < int(delete.value["length"])

    def problems(self) -> Iterator[str]:
        """Give each thing that does not hold."""
        for node in self.nodes:
            if not node.is_hostile:
                yield from self._reads(node)
                yield from self._stale(node)
                yield from self._links(node)
                yield from self._groups(node)
                yield from self._log(node)
                yield from self._sound(node)
        yield from self._totals()
        yield from self._behind()
        yield from self._harm()

    def _sound(self, node: Node) -> Iterator[str]:
        """A node that is examined is what its own registers make it."""
        report = node.node.upkeep.check()
        if not report.ok:
            yield f"unsound: {node.name}: {' '.join(report.lines)}"

    def of(self, account: str, memory: str) -> Shown:
        """Return what a node of an account must show of a memory."""
        key = (account, memory)
        if key not in self.shown:
            owner = self.view.held.proof(memory)[0]
            trusts = (owner, account) in self.truth.trusted
            self.shown[key] = shown(self.view, account, memory, trusts=trusts)
        return self.shown[key]

    def reads(self, node: Node, agent: str) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Return what an agent of a node must read: each text, and the audience that it knows."""
        scopes = {*self.view.scopes_of(agent), GLOBAL}
        found = {}
        for memory in self.view.held.objects("mem_"):
            is_own = self.view.held.proof(memory)[:2] == (node.account, agent)
            what = self.of(node.account, memory)
            if what.content is not None and (is_own or scopes & what.scopes):
                text = str(what.content[1].value["content"])
                known = what.scopes if is_own else what.scopes & scopes
                found[memory] = (text, self.sure(node, known))
        return found

    def sure(self, node: Node, scopes: Iterable[str]) -> tuple[str, ...]:
        """Return those of an audience that a node can tell.

        What remains of a removed owner's in a team is in a list that only those inside are sent.
        """
        agents = self.view.agents(node.account)
        found = [
            scope
            for scope in scopes
            if not is_shared(scope) or any(self.view.members.adds(scope, one) for one in agents)
        ]
        return tuple(sorted(found))

    def _reads(self, node: Node) -> Iterator[str]:
        for agent, principal in node.principals().items():
            got = {
                one.id: (one.content.content, self.sure(node, one.grants))
                for one in listed(node, principal)
            }
            want = self.reads(node, agent)
            for memory in sorted({*got, *want}):
                if got.get(memory) != want.get(memory):
                    yield (
                        f"diverged: {node.name} {agent[:8]} reads {memory[:10]} as"
                        f" {got.get(memory)}, not as {want.get(memory)}"
                    )

    def _stale(self, node: Node) -> Iterator[str]:
        """Give what a node holds of honest others and has to drop.

        What a hostile account sends of its own came by no grant, and may be taken back by none.
        """
        contents = [one for one in self.held[node.name] if one.register.group == CONTENT]
        for memory in sorted({one.register.object for one in contents}):
            is_safe = self._is_safe(self.view.held.proof(memory)[0])
            if is_safe and self.of(node.account, memory).is_spent:
                yield f"stale: {memory[:10]} is still on {node.name}"

    def _is_safe(self, account: str) -> bool:
        return not any(one.is_hostile for one in self.nodes if one.account == account)

    def _links(self, node: Node) -> Iterator[str]:
        for agent, principal in node.principals().items():
            readable = set(self.reads(node, agent))
            want = {}
            for link in self.view.held.objects("lnk_"):
                ends = self.view.held.proof(link)[:2]
                found = shown_link(self.view, node.account, link)
                if found is not None and readable.issuperset(ends):
                    want[(*self.view.held.proof(link)[:3], found[1].proof[3])] = found[1].value[
                        "weight"
                    ]
            got = {
                (one.src, one.dst, one.relation, one.by): one.weight
                for memory in listed(node, principal)
                for one in node.node.memories.links(principal, memory.id)
            }
            if got != want:
                yield f"diverged: links of {agent[:8]} on {node.name}: {got} not {want}"

    def _groups(self, node: Node) -> Iterator[str]:
        view = self.view
        with node.database.read() as snapshot:
            teams = {one.id: one for one in organisation.teams(snapshot, None)}
            projects = {one.id: one for one in organisation.projects(snapshot, None)}
            members = {
                scope: {one.id for one in organisation.members(snapshot, scope)}
                for scope in view.scopes()
            }
        for scope in view.scopes():
            object_id = scope.partition(":")[2]
            team = view.teams.team_of(object_id)
            if not self._is_inside(node.account, scope, team):
                continue
            known = view.held.account_of
            want = {one for one in known if view.members.adds(scope, one)}
            if members[scope] != want:
                yield f"diverged: members of {scope[:14]} on {node.name}"
            group = teams.get(object_id) or projects.get(object_id)
            name = organise.said(view, object_id, self._name_of(object_id))
            if group is None or name is None or group.name != name.value["name"]:
                yield f"diverged: name of {scope[:12]} on {node.name}"
            elif (group.state == "active") != view.teams.is_alive(object_id):
                yield f"diverged: life of {scope[:12]} on {node.name}"
        for team, row in teams.items():
            is_inside = self._is_inside(node.account, f"team:{team}", team)
            if is_inside and row.admin != view.teams.admin(team):
                yield f"diverged: admin of {team[:10]} on {node.name}"

    def _log(self, node: Node) -> Iterator[str]:
        with node.database.read() as snapshot:
            rows = snapshot.rows("SELECT lseq, digest, grp FROM registers")
            keys = {row[0]: row[1] for row in snapshot.rows("SELECT device, sign_key FROM devices")}
            accounts = {
                row[0]: row[1:]
                for row in snapshot.rows("SELECT account, root_key, recovery_key FROM accounts")
            }
        held = {one.lseq: one for one in self.held[node.name]}
        if len(held) != len(rows):
            yield f"damaged: of {len(rows)} registers of {node.name}, {len(held)} can be read"
        for lseq, name, group in rows:
            one = held.get(lseq)
            if one is None:
                continue
            if one.name != digest(one.register):
                yield f"damaged: {group} of {node.name} is not what its digest says"
            if group == CONTENT and value_digest(one.register.value) != name:
                yield f"damaged: a content of {node.name} has another digest"
            if one.register.chain is not None and name.hex() != one.name:
                yield f"damaged: a chained register of {node.name} has another digest"
            if one.signature is not None:
                by = signer(one.register)
                root, recovery = accounts[one.register.author]
                key = {"root": root, "recovery": recovery}.get(by) or keys[one.register.device]
                if not vouches(one.signature, to_bytes(one.register), key):
                    yield f"damaged: a signature of {group} on {node.name} does not hold"

    def _totals(self) -> Iterator[str]:
        """Compare the totals of each scope over the nodes that are served it."""
        for scope in self.view.scopes():
            found = {}
            for node in self.nodes:
                agents = self.view.agents(node.account)
                if not node.is_hostile and any(
                    self.view.members.adds(scope, one) for one in agents
                ):
                    with node.database.read() as snapshot:
                        found[node.name] = route.total(snapshot, scope)
            if len(set(found.values())) > 1:
                counts = {name: (one.records, one.mark % 9973) for name, one in found.items()}
                yield f"totals: {scope[:14]}: {counts}"
        for account in self.view.held.objects("acc_"):
            found = {}
            for node in self.nodes:
                if not node.is_hostile and node.account == account:
                    with node.database.read() as snapshot:
                        found[node.name] = route.total(snapshot, route.BY + account)
            if len(set(found.values())) > 1:
                counts = {name: (one.records, one.mark % 9973) for name, one in found.items()}
                yield f"totals: by {account[:8]}: {counts}"

    def _behind(self) -> Iterator[str]:
        for memory in self.view.held.objects("mem_"):
            owner = self.view.held.proof(memory)[0]
            if self._is_safe(owner) and self.view.memories.own(memory) is not None:
                for scope in again(self.view, memory):
                    yield f"behind: {scope[:14]} is shown an older {memory[:10]}, or none"

    def _harm(self) -> Iterator[str]:
        """Give what a hostile node wrote and had no right to, and that counts all the same."""
        for name in sorted(self.truth.hostile & self.believed.held.everything.keys()):
            register = self.believed.held.registers[name]
            scopes = [*register.relies] if register.group in (CONTENT, LINK) else []
            for scope in scopes or [""]:
                must_not = self._must_not_count(name, register, scope)
                if must_not and not self.believed.reason(name, scope):
                    what = f"{register.group[:24]} of {register.object[:10]}"
                    yield f"harm: {what} counts: {must_not}"

    def _must_not_count(self, name: str, register: Register, scope: str) -> str:
        is_plain = signer(register) == "device"
        if is_plain and self.truth.device_of.get(register.device) != register.author:
            return "signed in another's name"
        kind = register.object.partition("_")[0]
        if kind in ("team", "prj"):
            team = self.truth.team_of.get(register.object, register.object)
            admins = self.truth.admins.get(team, set())
            return "" if register.author in admins else "by who was never in charge"
        if kind not in ("mem", "lnk"):
            return ""
        if register.group in (CONTENT, LINK, LIFE) or register.group.startswith(GRANT):
            agent = register.proof[3] if kind == "lnk" else register.proof[1]
            if scope and self.truth.account_of.get(agent) != register.author:
                return "in the name of another's agent"
            scope = scope or register.group.removeprefix(GRANT)
            if is_shared(scope) and not is_ending(register):
                return self._after_removal(name, register, scope, agent)
        return ""

    def _after_removal(self, name: str, register: Register, scope: str, agent: str) -> str:
        removals = self.view.members.unnamed(scope, agent, register.relies.get(scope, ""))
        if removals is None:
            return "by no add"
        made = self.truth.made[name]
        late = any(self.truth.made[digest(one)] < made for one in removals)
        return "after its removal" if late else ""

    def _name_of(self, object_id: str) -> str:
        return "team.name" if object_id.startswith("team_") else "project.name"

    def _is_inside(self, account: str, scope: str, team: str) -> bool:
        if account in (self.view.teams.admin(team), *self.view.held.proof(team)[:1]):
            return True
        return any(self.view.members.adds(scope, agent) for agent in self.view.agents(account))


def listed(node: Node, principal: Principal) -> list[Memory]:
    """Return every memory that an agent is given by the list."""
    return list(node.node.memories.list(principal, Filter(state="all"), MANY).memories)
