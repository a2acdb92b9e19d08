"""What goes between the nodes of a mesh in one process: each contact, whether it fails, its bytes.

The way to a peer is in the place of HTTP and answers at once, as HTTP does: who is asked answers by
the same code as its server. A contact that fails does so at its beginning, as where nothing is at
an address: the exchange raises and keeps what it does for a person.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from agent_memory_os.errors import Unreachable
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.transport.base import Delivery
from agent_memory_os.store.peer.peers import Peer
from benchmarks.mesh.node import Node

HEADS = 1_106
"""The bytes of HTTP's heads with a request and its answer, both signed, as ``sync`` counts them."""


class Wire:
    """The ways between nodes. ``bytes`` are both ways' by node, ``met`` who had contact."""

    def __init__(self, nodes: Iterable[Node], fails: Callable[[], bool]) -> None:
        self.fails = fails
        self.bytes: Counter[str] = Counter()
        self.contacts = 0
        self.failed = 0
        self.requests = 0
        self.met: set[str] = set()
        self._by_device = {node.device: node for node in nodes}

    def way_to(self, local: Local, peer: Peer) -> Way:
        """Begin a contact: return a node's way to a peer."""
        way = Way(self, self._by_device[local.device.id], self._by_device[peer.device])
        self.contacts += 1
        way.is_down = self.fails()
        self.failed += way.is_down
        if not way.is_down:
            self.met |= {way.one.name, way.other.name}
        return way


class Way:
    """A node's way to a peer that answers at once; ``is_down``: it cannot be reached now."""

    is_live = True

    def __init__(self, wire: Wire, one: Node, other: Node) -> None:
        self.wire = wire
        self.one = one
        self.other = other
        self.is_down = False

    def waits(self) -> bool:
        """Say that nothing does."""
        return False

    def hello(self, ours: bytes) -> bytes:
        """Show the peer our hello; return its own."""
        self._ask(ours)
        return self._count(self.other.answering.hello(self.one.device, ours))

    def push(self, bundle: Iterable[bytes]) -> None:
        """Send a bundle."""
        self.other.answering.push(self.one.device, io.BytesIO(self._ask(b"".join(bundle))))

    def pull(self, ask: Iterable[bytes] = ()) -> Iterator[Delivery]:
        """Send a bundle that asks; yield the answer."""
        asked = io.BytesIO(self._ask(b"".join(ask)))
        answer = self._count(b"".join(self.other.answering.pull(self.one.device, asked)))
        yield Delivery("the answer", io.BytesIO(answer), lambda: None)

    def _ask(self, body: bytes) -> bytes:
        if self.is_down:
            raise Unreachable(f"{self.other.name} does not answer.")
        self.wire.requests += 1
        for node in (self.one, self.other):
            self.wire.bytes[node.name] += HEADS
        return self._count(body)

    def _count(self, body: bytes) -> bytes:
        for node in (self.one, self.other):
            self.wire.bytes[node.name] += len(body)
        return body
