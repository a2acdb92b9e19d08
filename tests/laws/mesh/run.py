"""One run of a mesh from one seed: acts, faults and thefts, then healing, then judgement."""

from __future__ import annotations

from random import Random
from typing import Any

from agent_memory_os.model.register import AGENT, DEVICE, LIFE, Register
from agent_memory_os.value import NamedTuple
from tests.laws.mesh.acts import WEIGHTS, Acts
from tests.laws.mesh.drills import Drills
from tests.laws.mesh.exchange import Faults, Wire
from tests.laws.mesh.hostile import Hostile
from tests.laws.mesh.node import Node
from tests.laws.mesh.oracle import Oracle
from tests.laws.mesh.truth import Truth, make_account

ROUNDS = 6
FAULTY = Faults(cut=25, twice=15, overtaken=15)


class Shape(NamedTuple):
    """How big a mesh is, and how long it runs. Each account has two devices at least."""

    accounts: int = 4
    nodes: int = 8
    steps: int = 160

    def devices(self) -> list[int]:
        """Return how many devices each account has: as many as the others, or one more."""
        each, more = divmod(self.nodes, self.accounts)
        return [each + (number < more) for number in range(self.accounts)]


DEFAULT = Shape()


class Result(NamedTuple):
    """What came of a run: what did not hold, and what happened in it."""

    problems: list[str]
    figures: dict[str, int]


class Mesh:
    """Nodes, and what happens to them."""

    def __init__(self, seed: int, off: str = "", shape: Shape = DEFAULT) -> None:
        self.chance = Random(seed)
        self.truth = Truth(self.chance)
        self.off = off
        self.steps = shape.steps
        accounts = [make_account(n, devices) for n, devices in enumerate(shape.devices(), 1)]
        for account in accounts:
            self.truth.account_of.update({agent: account.id for agent, _ in account.agents})
        self.nodes = [
            Node(self.truth, account, device, off)
            for account in accounts
            for device in account.devices
        ]
        self.acts = Acts(self.truth, self.nodes)
        self.hostile = Hostile(self.truth, self.nodes)
        self.wire = Wire(self.truth)
        self.drills = Drills(self.truth, self.acts, self.hostile, self.wire)
        self.backups: dict[str, dict[str, Any]] = {}
        self.lost: set[str] = set()
        self.drilled = self.chance.choice((0, 2, 6))
        self.last_drill = self.steps - self.chance.randrange(8)
        self._begin()

    def _begin(self) -> None:
        for node in self.nodes:
            node.skew = self.chance.randrange(-300_000, 300_000)
        for first, *others in self._by_account():
            account = first.account
            for device in account.devices:
                value = {"state": "certified", "sign": device.sign, "seal": device.seal}
                first.write(account.id, DEVICE + device.id, value, account.keys)
            for agent, name in account.agents:
                first.write(agent, AGENT, {"name": name, "kind": "custom"}, (account.id, name))
            for other in others:
                self.acts.introduce(first, other)
        firsts = [nodes[0] for nodes in self._by_account()]
        for node in firsts[:2]:
            self.acts.found(node, 1)
        self._join(firsts)
        if self.chance.random() < 0.7:
            self.acts.found(self.nodes[-1], 0)
            for node in self._by_account()[-1]:
                node.is_hostile = True

    def _by_account(self) -> list[list[Node]]:
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            found.setdefault(node.account.id, []).append(node)
        return list(found.values())

    def _join(self, firsts: list[Node]) -> None:
        for node in firsts:
            for founder in firsts[:2]:
                if node is not founder and self.chance.random() < 0.7:
                    self.acts.introduce(founder, node)
                    scope = self.acts.charge(founder)
                    self.acts.add(founder, scope[-1], node.account.agents[0][0])
                    if len(scope) > 1:
                        self.acts.add(founder, scope[0], node.account.agents[0][0])

    def run(self) -> Result:
        """Let things happen, heal, and judge."""
        for step in range(1, self.steps + 1):
            self.truth.step = step
            self.truth.clock += self.chance.randrange(1_000, 60_000)
            self._step()
        self._heal()
        oracle = Oracle(self.truth, self._reached(), self.off)
        problems = [f"leak: {leak}" for leak in self.wire.leaks]
        problems += [f"clobbered: {lost}" for lost in self.acts.lost]
        problems += oracle.problems()
        deletes = self._lost_deletes(oracle)
        figures = {
            "hostile writes": self.hostile.written,
            "forgeries refused": self.hostile.refused,
            "registers": len(self.truth.signed),
            "lost by restores": len(self.lost),
            "deletes lost by restores": len(deletes),
            "memories back by that": len({one.object for one in deletes if oracle.is_back(one)}),
            "do not count": len(oracle.view.void()),
            **oracle.figures(),
        }
        return Result(problems, figures)

    def _lost_deletes(self, oracle: Oracle) -> list[Register]:
        """Return the deletes whose every holder was restored to before them."""
        gone = [
            self.truth.signed[name]
            for name in sorted(self.lost - self.truth.hostile)
            if not oracle.knows(name)
        ]
        return [one for one in gone if one.group == LIFE and one.value["length"] % 2 == 0]

    def _reached(self) -> list[Node]:
        return [node for node in self.nodes if node.device.id not in self.truth.stolen]

    def _step(self) -> None:
        node = self.chance.choice(self.nodes)
        node.due()
        is_stolen = node.device.id in self.truth.stolen
        if is_stolen or (node.is_hostile and self.chance.random() < 0.5):
            self.hostile.act(node)
        elif not node.is_stale and self.chance.random() < 0.5:
            acts, weights = zip(*WEIGHTS, strict=True)
            self.chance.choices(acts, weights)[0](self.acts, node)
        if self.chance.randrange(100) < self.drilled:
            self.drills.run()
        if self.truth.step == self.last_drill:
            for _ in range(3):
                self.drills.run()
        for _ in range(2):
            one, other = self.chance.sample(self.nodes, 2)
            self._sync(one, other, FAULTY)
        self._mishap()

    def _sync(self, one: Node, other: Node, faults: Faults) -> None:
        for node in (one, other):
            node.due()
        self.wire.pull(one, other, faults)
        self.wire.pull(other, one, faults)
        one.is_stale = other.is_stale = False

    def _mishap(self) -> None:
        drawn, node = self.chance.randrange(1000), self.chance.choice(self.nodes)
        if drawn < 40:
            self.backups[node.device.id] = node.save()
        elif drawn < 55 and node.device.id in self.backups:
            self._restore(node)
        elif drawn < 59 and not self.truth.stolen and not node.is_hostile:
            self.truth.stolen[node.device.id] = self.truth.step
            node.is_hostile = True
        elif drawn < 62 and not node.is_hostile:
            self._withhold(node)
        elif drawn < 70:
            node.skew = self.chance.randrange(-300_000, 300_000)

    def _restore(self, node: Node) -> None:
        gone = node.restore(self.backups.pop(node.device.id))
        others = {name for other in self.nodes for name in (*other.registers, *other.parked)}
        self.lost |= gone - others

    def _withhold(self, node: Node) -> None:
        view = node.view()
        for scope in view.scopes_of(node.account.agents[0][0]):
            self.truth.withheld.add((node.account.id, scope))

    def _heal(self) -> None:
        self.truth.step += 1
        self.truth.clock += 3_600_000
        self.acts.pair_again()
        for node in self._reached():
            node.due()
            if not node.is_hostile:
                self.acts.revoke_device(node)
        for last in range(ROUNDS):
            self._meet()
            if last < ROUNDS - 3:
                for node in self._reached():
                    self.acts.sign_again(node)

    def _meet(self) -> None:
        nodes = self._reached()
        for one in nodes:
            for other in nodes:
                if one is not other:
                    self.wire.pull(one, other, Faults())


def run(seed: int, off: str = "", shape: Shape = DEFAULT) -> Result:
    """Run a mesh from a seed, with all rules on or with one off."""
    return Mesh(seed, off, shape).run()
