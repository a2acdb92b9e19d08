"""One run of a mesh under a virtual clock: nodes exchange by themselves while some write.

Each node exchanges as the product does: by ``sync auto`` from a timer of a minute (``cron``), or as
a server does while it runs (``beat``). First nobody writes, then somebody does once a minute, then
often; at random nodes and moments somebody shares a memory with the team, or takes one back that
has reached all. A change has reached a node once its gate shows it, or no more, to the agent there.

The exchange is the product's own with all that it keeps. Only time is virtual: a contact takes
:data:`CONTACT_MS`, and one that fails as long as a node waits for a connection; a server's beat
and its pokes are done in the moment in which they begin.
"""

from __future__ import annotations

import heapq
import logging
import os
import shutil
import tempfile
import time as clocks
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import NamedTuple

from agent_memory_os import wiring
from agent_memory_os.cli.sync import JITTER_SECONDS, share_of
from agent_memory_os.server import beat as beats
from agent_memory_os.server.beat import LOOK_SECONDS, SECONDS, Beat
from agent_memory_os.service.peers import Synced
from agent_memory_os.service.peers.exchange import sync
from agent_memory_os.settings import Settings
from benchmarks.mesh.fixed import replaced
from benchmarks.mesh.homes import opened, prepared
from benchmarks.mesh.node import Node, Time
from benchmarks.mesh.topology import THREE
from benchmarks.mesh.wire import Wire

CRON, BEAT, SERVE = "cron", "beat", "serve"
SECOND_MS, MINUTE_MS = 1_000, 60_000
CONTACT_MS = 200
FAILED_MS = 5_000
"""As long as a node waits for a connection, before it goes on to the next peer."""

MOST_MINUTES = 600
"""How long what was written may take to reach all, before it is given up."""

_FAST = "/dev/shm"  # noqa: S108 - a run writes much, and nothing of it is kept


class Plan(NamedTuple):
    """What is run: which nodes, how they exchange, and for how many minutes who writes how often.

    ``fail`` is which share of contacts fails. ``is_drawn``: a node's jitter is drawn each minute.
    """

    topology: str
    seed: int
    size: int = 100
    fail: float = 0.3
    by: str = CRON
    is_drawn: bool = False
    idle: int = 2
    active: int = 4
    busy: int = 6
    rate: int = 40


class Load(NamedTuple):
    """Bytes of both ways a minute: of a member at the mean and at most, and of the first node."""

    member: float
    most: float
    first: float


class Outcome(NamedTuple):
    """What came of a run: seconds until each change had reached all, and what it cost.

    ``cpu`` is the milliseconds of both sides of a contact that did not fail.
    """

    shared: list[float]
    revoked: list[float]
    contacts: int
    failed: int
    idle: Load
    active: Load
    cpu: float


class Change:
    """A memory that was shared or taken back: where it shows still has to change at ``left``."""

    def __init__(self, memory: str, author: Node, at: int, left: set[str], *, shows: bool) -> None:
        self.memory = memory
        self.author = author
        self.at = at
        self.left = left
        self.shows = shows


class Mesh:
    """Nodes that are run."""

    def __init__(self, nodes: Sequence[Node], time: Time, plan: Plan) -> None:
        self.nodes = nodes
        self.time = time
        self.plan = plan
        self.chance = Random(f"{plan.topology} {plan.seed}")
        self.wire = Wire(nodes, lambda: self.chance.random() < plan.fail)
        self.waiting: dict[str, Change] = {}
        self.there: list[tuple[str, Node]] = []
        """Memories that have reached all, with their authors."""
        self.taken: dict[bool, list[float]] = {True: [], False: []}
        self.changes = count(1)
        self._looks: dict[str, Beat] = {}
        self._by_name = {node.name: node for node in nodes}
        self._numbers = count()
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        for node in nodes:
            self._begin(node)

    def at(self, moment: int, act: Callable[[], None]) -> None:
        """Let something happen at a moment."""
        heapq.heappush(self._events, (moment, next(self._numbers), act))

    def run(self, until: int) -> None:
        """Let everything happen that does until a moment."""
        while self._events and self._events[0][0] <= until:
            moment, _, act = heapq.heappop(self._events)
            self.time.now = moment
            act()
            self._look()
        self.time.now = until

    def write(self, minutes: int, rate: int) -> None:
        """Let so many changes happen in each of the minutes that come."""
        for minute in range(minutes):
            for _ in range(rate):
                moment = self.time.now + self.chance.randrange(MINUTE_MS)
                self.at(moment + minute * MINUTE_MS, self._change)

    def _change(self) -> None:
        """Have somebody share a memory, or take one back."""
        if self.there and self.chance.random() < 1 / 2:
            memory, author = self.there.pop(self.chance.randrange(len(self.there)))
            author.revoke(memory)
        else:
            author = self.chance.choice(self.nodes)
            memory = author.share(f"what {author.name} found out, number {next(self.changes)}")
            shows = True
            self._note(memory, author, shows=shows)
            return
        self._note(memory, author, shows=False)

    def _note(self, memory: str, author: Node, *, shows: bool) -> None:
        left = {node.name for node in self.nodes if node is not author}
        self._is_looked_at(author.name)
        self.waiting[memory] = Change(memory, author, self.time.now, left, shows=shows)

    def _look(self) -> None:
        """See which changes have reached the nodes that just had contact."""
        met, self.wire.met = sorted(self.wire.met), set()
        for name in met:
            self._is_looked_at(name)
            node = self._by_name[name]
            for memory in node.news() & self.waiting.keys():
                change = self.waiting[memory]
                if name in change.left and node.shows(memory) == change.shows:
                    change.left.discard(name)
                    if not change.left:
                        self._done(self.waiting.pop(memory))

    def _is_looked_at(self, name: str) -> None:
        """Let a server look at its file soon, as it does all the time."""
        if name in self._looks:
            self.at(self.time.now + int(LOOK_SECONDS * SECOND_MS), self._looks[name].look)

    def _done(self, change: Change) -> None:
        """Note that a change has reached all."""
        self.taken[change.shows].append((self.time.now - change.at) / SECOND_MS)
        if change.shows:
            self.there.append((change.memory, change.author))

    def _begin(self, node: Node) -> None:
        """Let a node exchange by itself from now on."""
        if self.plan.by == CRON:
            self.at(self.time.now, lambda: self._tick(node))
        else:
            beat = Beat(Settings(node.home, None), self.chance.random)
            if self.plan.by == SERVE:
                self._looks[node.name] = beat
                beat.look()
            # The server was started at any time.
            first = self.time.now + int(self.chance.random() * SECONDS * SECOND_MS)
            self.at(first, lambda: self._beat(beat))

    def _tick(self, node: Node) -> None:
        """Do what a timer does each minute: run ``sync auto``, which waits for a while first."""
        self.at(self.time.now + MINUTE_MS, lambda: self._tick(node))
        share = self.chance.random() if self.plan.is_drawn else share_of(node.device)
        waits = int(JITTER_SECONDS * SECOND_MS * share)
        self.at(self.time.now + waits, lambda: self._go_on(self._started(node)))

    def _started(self, node: Node) -> Iterator[Synced]:
        names: list[str] = []
        if self.plan.topology == "mesh":
            others = [one.name for one in self.nodes if one is not node]
            names = self.chance.sample(others, min(THREE, len(others)))
        return node.node.sync.run(names)

    def _go_on(self, run: Iterator[Synced]) -> None:
        """Exchange with one peer, and with the next one as soon as that is over."""
        done = next(run, None)
        if done is not None:
            taken = FAILED_MS if done.state == sync.FAILED else CONTACT_MS
            self.at(self.time.now + taken, lambda: self._go_on(run))

    def _beat(self, beat: Beat) -> None:
        """Do what a server does at a beat; the next one comes as the server waits for it."""
        beat.once()
        pause = int(SECONDS * SECOND_MS * (1 + self.chance.random() / 2))
        self.at(self.time.now + pause, lambda: self._beat(beat))


def run(work: str, plan: Plan) -> Outcome:
    """Run the nodes of a plan, from homes that are kept in a folder."""
    kept = prepared(work, plan.size, plan.topology)
    place = _FAST if os.access(_FAST, os.W_OK) else work
    with tempfile.TemporaryDirectory(prefix="mesh-", dir=place) as folder:
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        time, chance = Time(), Random(f"entropy {plan.seed}")
        # A while after the last exchange when the homes were made: all were seen lately.
        time.now += MINUTE_MS
        with opened(folder, plan.size, time, chance) as nodes, _virtual(time, chance):
            mesh = Mesh(nodes, time, plan)
            locals_ = {node.home: node.answering.local for node in nodes}
            with (
                replaced(sync, "way_to", mesh.wire.way_to),
                # What the organisation means is read once, and not by each contact of each minute.
                replaced(sync, "local_of", lambda context: locals_[context.home]),
            ):
                return _measured(mesh, plan)


@contextmanager
def _virtual(time: Time, chance: Random) -> Iterator[None]:
    """Let what is opened anew have the run's time and chance, and say nothing of failures."""
    log = logging.getLogger("agent_memory_os.peers")
    with (
        replaced(wiring, "clock", time),
        replaced(os, "urandom", chance.randbytes),
        replaced(log, "disabled", value=True),
        replaced(beats, "time", SimpleNamespace(monotonic=lambda: time.now / SECOND_MS)),
        replaced(beats, "_TOGETHER_SECONDS", 0.0),
    ):
        yield


def _measured(mesh: Mesh, plan: Plan) -> Outcome:
    # All are at their usual pace after a while.
    mesh.run(mesh.time.now + 2 * MINUTE_MS)
    began = clocks.process_time()
    contacts, failed = mesh.wire.contacts, mesh.wire.failed
    idle = _load(mesh, plan.idle)
    mesh.write(plan.active, 1)
    active = _load(mesh, plan.active)
    mesh.write(plan.busy, plan.rate)
    mesh.run(mesh.time.now + plan.busy * MINUTE_MS)
    for _ in range(MOST_MINUTES):
        if not mesh.waiting:
            break
        mesh.run(mesh.time.now + MINUTE_MS)
    else:
        raise SystemExit(f"{len(mesh.waiting)} changes have not reached all nodes")
    contacts, failed = mesh.wire.contacts - contacts, mesh.wire.failed - failed
    cpu = SECOND_MS * (clocks.process_time() - began) / max(1, contacts - failed)
    return Outcome(mesh.taken[True], mesh.taken[False], contacts, failed, idle, active, cpu)


def _load(mesh: Mesh, minutes: int) -> Load:
    """Let some minutes pass; return what they weighed."""
    before = Counter(mesh.wire.bytes)
    mesh.run(mesh.time.now + minutes * MINUTE_MS)
    each = [(mesh.wire.bytes[node.name] - before[node.name]) / minutes for node in mesh.nodes]
    return Load(sum(each[1:]) / len(each[1:]), max(each[1:]), each[0])
