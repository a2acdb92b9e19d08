"""Real nodes that exchange with each other in one process: homes, files, keys and bundles."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_memory_os import wiring
from agent_memory_os.federation import identity
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.exchange import session, told
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.respond import Answering
from agent_memory_os.federation.exchange.session import Report
from agent_memory_os.federation.signing import sign, to_wire
from agent_memory_os.federation.transport.base import Delivery
from agent_memory_os.federation.transport.memory import Post
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, RecallRequest
from agent_memory_os.model.register import Register
from agent_memory_os.model.routing.sketch import Sketch
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.settings import Settings
from agent_memory_os.store import node
from agent_memory_os.store.database import Transaction
from agent_memory_os.store.exchange import route
from agent_memory_os.store.exchange.held import Reader
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer

CLOCK = 1_800_000_000_000
_MARKS = "SELECT route, mark FROM records WHERE object = ?"
_COUNTED = """
SELECT id, count, total, sketch FROM routes
WHERE id = ?1 OR route = (
  SELECT 'of:' || a.account || '|' || t.route FROM memories AS m JOIN agents AS a ON a.id = m.owner
  JOIN routes AS t ON t.id = ?1 WHERE m.id = ?2
)
"""
_LOSE = (
    "DELETE FROM records WHERE object = ?",
    "DELETE FROM registers WHERE object = ?",
    "DELETE FROM memories WHERE id = ?",
)


class Way:
    """A way to a node in the same process, which remembers what went over it."""

    is_live = True

    def __init__(self, here: Party, there: Party) -> None:
        self.here = here.local.device.id
        self.there = there
        self.sent: list[bytes] = []

    def hello(self, ours: bytes) -> bytes | None:
        """Show the node our hello; return its own."""
        return self.there.answering.hello(self.here, ours)

    def waits(self) -> bool:
        """Say that nothing does."""
        return False

    def push(self, bundle: Iterable[bytes]) -> None:
        """Send a bundle."""
        self.sent.append(b"".join(bundle))
        self.there.answering.push(self.here, io.BytesIO(self.sent[-1]))

    def pull(self, ask: Iterable[bytes] = ()) -> Iterator[Delivery]:
        """Ask, and yield the answer."""
        self.sent.append(b"".join(ask))
        answer = self.there.answering.pull(self.here, io.BytesIO(self.sent[-1]))
        self.sent.append(b"".join(answer))
        yield Delivery("answer", io.BytesIO(self.sent[-1]), lambda: None)


class Party:
    """A node with agents, and short words for what a person does on it."""

    def __init__(self, home: Path, name: str, clock: int = CLOCK) -> None:
        self.name = name
        self.home = home
        self.time = clock
        self.open()

    def open(self) -> None:
        """Open the node, as a program that starts does."""
        self.node = wiring.open_node(Settings(str(self.home), ""))
        self.node.context.database.clock = self.now
        device = identity.device(str(self.home))
        root = Ed25519PrivateKey.from_private_bytes(
            bytes.fromhex((self.home / "keys" / "root.key").read_text().strip())
        )
        self.local = Local(self.node.context.database, device, root, self.node.context.nonce)
        self.answering = Answering(self.local)

    def now(self) -> int:
        """Return the time, which goes on a little whenever somebody looks."""
        self.time += 1
        return self.time

    @property
    def account(self) -> str:
        """The account of this node."""
        with self.node.context.database.read() as snapshot:
            found = node.identity(snapshot)
            assert found is not None
            return found.account

    def agent(self, name: str) -> Principal:
        """Return an agent of this account, made if it is not there."""
        return Principal.of_agent(self.node.organisation.ensure_agent(name)[0].id)

    def remember(self, agent: str, text: str, audience: str = "private") -> str:
        """Add a memory; return its id."""
        outcome = self.node.memories.add(self.agent(agent), NewMemory(text), audience)
        return outcome.memory.id

    def read(self, agent: str) -> dict[str, str]:
        """Return what an agent reads: the words of each memory, by its id."""
        found = self.node.memories.list(self.agent(agent), Filter()).memories
        return {memory.id: memory.text for memory in found}

    def memory(self, agent: str, memory_id: str) -> Memory:
        """Return one memory as an agent reads it."""
        return self.node.memories.get(self.agent(agent), memory_id)

    def search(self, agent: str, words: str) -> list[str]:
        """Return the words of what a search finds."""
        request = RecallRequest(words, now=self.time)
        return [hit.memory.text for hit in self.node.recall.search(self.agent(agent), request).hits]

    def rows(self, query: str, *parameters: object) -> list[tuple[object, ...]]:
        """Return rows of the node's file."""
        with self.node.context.database.read() as snapshot:
            return snapshot.rows(query, parameters)

    def aside(self) -> list[str]:
        """Return why what is in quarantine could not be taken."""
        with self.node.context.database.read() as snapshot:
            return [one.reason for one in peers.aside(snapshot)]

    def peer(self, other: Party, ceiling: str, *, told: Iterable[str] = ()) -> None:
        """Add another node as a peer, and let it know some agents."""
        with other.node.context.database.read() as snapshot:
            root, recovery = node.account_keys(snapshot, other.account)
        public = other.local.device.public
        keys = (public.sign, public.seal, root, recovery)
        who = (other.local.device.id, other.account, other.name)
        made = Peer(0, *who, *keys, "", "", ceiling, "", "", 0, 0)
        agents = [self.agent(one).agent or "" for one in told]
        with self.node.context.database.write() as transaction:
            kept = peers.add(transaction, made)
            peers.introduce(transaction, kept, agents)

    def introduce(self, other: Party, agent: str) -> None:
        """Let a peer know one more agent, and tell it."""
        with self.node.context.database.read() as snapshot:
            peer = peers.of_device(snapshot, other.local.device.id)
        assert peer is not None
        who = self.agent(agent).agent or ""
        with self.node.context.database.write() as transaction:
            peers.introduce(transaction, peer, [who])
        self.sync(other)

    def sync(self, other: Party) -> tuple[Report, int]:
        """Exchange with a peer; return the report, and how many bytes went in all."""
        with self.node.context.database.read() as snapshot:
            peer = peers.of_device(snapshot, other.local.device.id)
        assert peer is not None
        way = Way(self, other)
        report = session.sync(self.local, peer, way)
        return report, sum(map(len, way.sent))


def device_of(party: Party, home: Path, name: str, clock: int = CLOCK) -> Party:
    """Return another device of an account: a home of its own with the account's keys."""
    os.makedirs(home / "keys", mode=0o700)
    for key in ("root", "recovery"):
        shutil.copy(party.home / "keys" / f"{key}.key", home / "keys" / f"{key}.key")
    return Party(home, name, clock)


def meet(one: Party, other: Party, ones: Iterable[str] = (), others: Iterable[str] = ()) -> None:
    """Make two nodes peers of each other, which know some of each other's agents."""
    ceiling = "full" if one.account == other.account else "granted"
    one.peer(other, ceiling, told=ones)
    other.peer(one, ceiling, told=others)
    one.sync(other)
    other.sync(one)


def settle(*parties: Party) -> None:
    """Let all of them exchange until none has anything for another; each is sound then."""
    for _ in range(3):
        for one in parties:
            for other in parties:
                if one is not other:
                    one.sync(other)
    for one in parties:
        report = one.node.upkeep.check()
        assert report.ok, (one.name, report.lines)


def send(one: Party, other: Party, lines: Iterable[bytes]) -> None:
    """Push lines to a peer as its device would, whatever they are."""
    public = other.local.device.public
    parts = [Part("", [told.of_index("an index"), *lines])]
    nonce = one.node.context.nonce()
    bundle = written(one.local.device, [public], parts, bundle=nonce, now=one.now())
    other.answering.push(one.local.device.id, io.BytesIO(b"".join(bundle)))


def held_of(party: Party, object_id: str) -> list[Register]:
    """Return the registers that a node holds of an object."""
    with party.node.context.database.read() as snapshot:
        found = Reader(snapshot).of([object_id]).get(object_id, [])
        return [one.register for one in found]


def forged(party: Party, register: Register, **changes: object) -> bytes:
    """Return the line of a changed register, signed by a node's device as its own account's."""
    made: dict[str, object] = {
        "author": party.account,
        "device": party.local.device.id,
        "seq": register.seq + 1_000,
        "stamp": register.stamp + 1_000,
        **changes,
    }
    changed = register._replace(**made)  # type: ignore[arg-type]
    return to_wire(sign(changed, party.local.device.sign))


def post(one: Party, other: Party, way: Post) -> Report:
    """Have a node come by at a post that it shares with a peer; return the report."""
    with one.node.context.database.read() as snapshot:
        peer = peers.of_device(snapshot, other.local.device.id)
    assert peer is not None
    return session.sync(one.local, peer, way.end(one.local.device.id, peer.device))


def lose(party: Party, *memories: str) -> None:
    """Take memories out of a node's file, and out of what its routes count, as if none had come."""
    with party.node.context.database.write() as transaction:
        for memory in memories:
            for number, mark in transaction.rows(_MARKS, (memory,)):
                _take_off(transaction, number, memory, int.from_bytes(mark, "big"))
            for query in _LOSE:
                transaction.execute(query, (memory,))


def _take_off(transaction: Transaction, number: int, memory: str, mark: int) -> None:
    for row, count, total, held in transaction.rows(_COUNTED, (number, memory)):
        sketch = Sketch(held)
        sketch.toggle(memory, mark)
        left = (int.from_bytes(total, "big") - mark) % (1 << 256)
        changed = (count - 1, route.to_bytes(left), sketch.to_bytes(), row)
        transaction.execute(
            "UPDATE routes SET count = ?, total = ?, sketch = ? WHERE id = ?", changed
        )
