"""One run of nodes from one seed: acts, faults and mishaps, then healing, then judgement."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from random import Random

import pytest

from agent_memory_os.federation import together
from agent_memory_os.federation.bundle import write
from agent_memory_os.federation.exchange import absorb, mend, serve
from agent_memory_os.federation.statement import is_signed
from agent_memory_os.model.register import LIFE, Register
from agent_memory_os.store.file import pace
from agent_memory_os.value import NamedTuple
from tests.laws.nodes.acts import WEIGHTS, Acts
from tests.laws.nodes.home import DEVICES, START_MS, template
from tests.laws.nodes.hostile import Hostile
from tests.laws.nodes.node import Node, Time
from tests.laws.nodes.oracle import Oracle
from tests.laws.nodes.receipt import copies, false_words
from tests.laws.nodes.rules import switch_off
from tests.laws.nodes.truth import Truth
from tests.laws.nodes.wire import FAULTY, Faults, Wire
from tests.laws.world import fast_folder

STEPS = 30
ACTS = 3
SYNCS = 3
ROUNDS = 10
BOTH_WAYS = 2
SIZES = (
    {"ann": 2, "bea": 1, "cleo": 1},
    {"ann": 2, "bea": 2, "cleo": 1},
    {"ann": 1, "bea": 2, "cleo": 2},
    {"ann": 3, "bea": 2, "cleo": 2},
)
"""How many devices each account has in a run."""

SKEW_MS = 240_000

SMALL = (
    (write, "MAX_BODY_BYTES", 3_000),
    (serve, "ROOM", 12_000),
    (serve, "_BATCH", 4),
    (absorb, "PARCEL", 6),
)
"""How little there is room for in many runs, so that all comes in many pieces."""


class Result(NamedTuple):
    """What came of a run: what did not hold, and what happened in it."""

    problems: list[str]
    figures: dict[str, int]


class Nodes:
    """Nodes, and what happens to them."""

    def __init__(self, seed: int, folder: Path, sizes: dict[str, int] | None = None) -> None:
        self.chance = Random(seed)
        self.time = Time(START_MS + 60_000)
        self.truth = Truth()
        drawn = self.chance.choice(SIZES)
        here = drawn if sizes is None else sizes
        self.nodes = [
            Node(place, folder, self.time, Random(f"{seed} {place.name}"))
            for place in template()
            if place.number <= here.get(place.account, 0)
        ]
        self.acts = Acts(self.truth, self.nodes, self.chance)
        self.wire = Wire(self.truth, self.chance)
        self.hostile = Hostile(self.truth, self.nodes, self.wire, self.chance)
        self.problems: list[str] = []
        self.figures: dict[str, int] = {}
        self.lost: dict[str, Register] = {}
        """Deletes whose every holder was restored to before them, as far as is known by now."""

    def begin(self) -> None:
        """Pair the nodes, and let an account found a team that others are in."""
        trusting = {("ann", "bea")} if self.chance.random() < 0.3 else set()
        if self.chance.random() < 0.5:
            for node in self.nodes:
                node.is_hostile = node.account == self.nodes[-1].account
        self.pair(trusting)
        for account in sorted({node.account for node in self.nodes})[:2]:
            first = next(node for node in self.nodes if node.account == account)
            for node in self.nodes:
                if node is not first:
                    self.wire.sync(node, first, Faults())
            self.acts.do(Acts.found_team, first)
            for _ in range(5):
                self.acts.do(Acts.join, first)

    def pair(self, trusting: AbstractSet[tuple[str, str]] = frozenset()) -> None:
        """Pair the nodes; what ``trusting`` accounts share with everybody they show each other."""
        for node in self.nodes:
            self.truth.device_of[node.device.id] = node.account
            self.acts.note(node)
        for one in self.nodes:
            for other in self.nodes:
                if one is not other:
                    one.meet(other, self._ceiling(one, other, trusting))
                    self._introduce(one, other)

    def _ceiling(self, one: Node, other: Node, trusting: AbstractSet[tuple[str, str]]) -> str:
        if one.account == other.account:
            return "full"
        if {
            (one.place.account, other.place.account),
            (other.place.account, one.place.account),
        } & trusting:
            self.truth.trusted.add((one.account, other.account))
            return "shared"
        return "granted"

    def _introduce(self, one: Node, other: Node) -> None:
        agents = one.agents()
        one.introduce(other, agents)
        self.truth.introduced |= {(agent, other.account) for agent in agents}

    def step(self) -> None:
        """Let something happen."""
        self.truth.step += 1
        self.time.now += self.chance.randrange(1_000, 60_000)
        acts, weights = zip(*WEIGHTS, strict=True)
        for _ in range(ACTS):
            node = self.chance.choice(self.nodes)
            if node.is_hostile and self.chance.random() < 0.5:
                self.hostile.act(node)
            elif not node.is_behind:
                self.acts.do(self.chance.choices(acts, weights)[0], node)
        for _ in range(SYNCS):
            one, other = self.chance.sample(self.nodes, 2)
            if one.is_here and other.is_here:
                self.wire.sync(one, other, FAULTY, by_post=self.chance.random() < 0.4)
                self._listen(one, other)
                self.acts.note(one)
                self.acts.note(other)
        self.mishap()

    def _listen(self, one: Node, other: Node) -> None:
        """Hear whether two nodes tell the truth of what the other dropped."""
        if not one.is_hostile and not other.is_hostile:
            self.problems += [*false_words(one, other), *false_words(other, one)]

    def mishap(self) -> None:
        """Let something go wrong, now and then."""
        drawn, node = self.chance.randrange(1000), self.chance.choice(self.nodes)
        if drawn < 30:
            node.back_up()
        elif drawn < 45 and node.backups:
            self._restore(node)
        elif drawn < 70:
            node.close()
            node.open()
        elif drawn < 80:
            node.away_until = self.time.now + 20 * 60_000
        elif drawn < 100:
            node.skew = self.chance.randrange(-SKEW_MS, SKEW_MS)

    def _restore(self, node: Node) -> None:
        before = self._deletes(node)
        node.restore(self.chance.choice(node.backups), is_lost=self.chance.random() < 0.7)
        self.acts.note(node)
        held: set[str] = set()
        for one in self.nodes:
            held |= self._deletes(one).keys()
        self.lost |= {name: one for name, one in before.items() if name not in held}

    def _deletes(self, node: Node) -> dict[str, Register]:
        return {
            one.name: one.register
            for one in node.held()
            if one.register.group == LIFE
            and one.register.value["length"] % 2 == 0
            and one.name not in self.truth.hostile
        }

    def heal(self) -> None:
        """Let everything that is to come arrive."""
        self.time.now += 3_600_000
        for node in self.nodes:
            node.skew = 0
        quiet = 0
        for turn in range(ROUNDS):
            self.truth.step += 1
            quiet = 0 if self._meet_all(turn) else quiet + 1
            if quiet == BOTH_WAYS:
                return
        self.problems.append("restless: there is always more to send")

    def _meet_all(self, turn: int) -> int:
        """Have all sync with all, and begin the other way round the next turn: return what went.

        Who syncs also asks, and who only answers does not.
        """
        went = 0
        for one, other in combinations(self.nodes, 2):
            first, second = (one, other) if turn % 2 else (other, one)
            went += self.wire.sync(first, second, Faults())
        for node in self.nodes:
            self.acts.note(node)
        return went

    def judge(self) -> None:
        """Look at whether everything holds that must."""
        self.problems += [f"leak: {one}" for one in sorted(set(self.wire.leaks))]
        oracle = Oracle(self.truth, self.nodes)
        self.problems += oracle.problems()
        honest = [node for node in self.nodes if not node.is_hostile]
        for one, other in permutations(honest, 2):
            self.problems += [*false_words(one, other), *copies(one, other)]
        lost = [one for name, one in self.lost.items() if not oracle.knows(name)]
        self.figures = {
            "hostile writes": self.hostile.written,
            "registers": len(self.truth.signed),
            "bundles": self.wire.bundles,
            "bytes": self.wire.bytes,
            "deletes lost by restores": len(lost),
            "memories back by that": len({one.object for one in lost if oracle.is_back(one)}),
        }


def sizes_of(accounts: int, nodes: int) -> dict[str, int]:
    """Return how many devices each account has: as many as the others, or one more."""
    each, more = divmod(nodes, accounts)
    names = sorted(DEVICES)[:accounts]
    found = {name: each + (number < more) for number, name in enumerate(names)}
    if len(found) < accounts or any(found[name] > DEVICES[name] for name in found):
        raise SystemExit(f"The accounts have these devices, and no more: {DEVICES}.")
    return found


@contextmanager
def opened(
    seed: int, sizes: dict[str, int] | None, off: str, *, is_small: bool, mends: bool
) -> Iterator[Nodes]:
    """Open nodes of a seed, with all rules on or with one off.

    ``is_small``: bundles hold little, and little is taken in at once. ``mends``: what two nodes
    hold differently is found and mended, though nothing of it is new.
    """
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=fast_folder()))
    nodes = Nodes(seed, folder, sizes)
    try:
        with pytest.MonkeyPatch.context() as patch:
            # Nobody else waits for the lock, and what a run does is not to depend on its speed.
            patch.setattr(pace, "FREE", 0.0)
            patch.setattr(pace, "HELD", 1e9)
            patch.setattr(pace, "ALONE", 1e9)
            # All nodes verify the same registers, each several times.
            patch.setattr(together, "is_signed", cache(is_signed))
            for module, name, size in SMALL if is_small else ():
                patch.setattr(module, name, size)
            if not mends:
                patch.setattr(mend, "suspects", lambda *_: ())
            switch_off(off, patch)
            yield nodes
    finally:
        for node in nodes.nodes:
            node.close()
        shutil.rmtree(folder, ignore_errors=True)


def run(
    seed: int, steps: int = STEPS, sizes: dict[str, int] | None = None, off: str = ""
) -> Result:
    """Run nodes from a seed, with all rules on or with one off.

    ``sizes`` says how many devices each account has; without it, that is drawn.
    """
    chance = Random(f"sizes {seed}")
    is_small, mends = chance.random() < 0.7, chance.random() >= 0.5
    with opened(seed, sizes, off, is_small=is_small, mends=mends) as nodes:
        nodes.begin()
        for _ in range(steps):
            nodes.step()
        nodes.heal()
        nodes.judge()
        return Result(nodes.problems, {**nodes.figures, **nodes.acts.done})
