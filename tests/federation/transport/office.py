"""Nodes that answer peers over HTTP: real servers on this machine, over one post in memory."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import BinaryIO, NamedTuple

from agent_memory_os import wiring
from agent_memory_os.federation.identity import Device, PublicDevice
from agent_memory_os.federation.transport.base import Delivery, Transport
from agent_memory_os.federation.transport.http import HttpTransport
from agent_memory_os.federation.transport.memory import Post
from agent_memory_os.federation.transport.responder import Peering
from tests.api.served import Served, listening, opened
from tests.federation.sample import ANN, BOB, EVE, known

Ends = Callable[[str, str], Transport]
"""Gives a device's end of the way to a peer; all ends that it gives are of one post."""

DEVICES = {one.id: one for one in (ANN, BOB, EVE)}


class Office:
    """Answers peers with what lies for them in a post.

    The first line of an ask says after which bundle to go on, or which one was taken; the rest is
    for this node. The first line of an answer is the name of the bundle.
    """

    def __init__(self, post: Post, device: str) -> None:
        self.post = post
        self._device = device

    def known(self, device: str) -> PublicDevice | None:
        """Return a device that may ask: all of the sample may."""
        return known(device)

    def hello(self, device: str, line: bytes) -> bytes:
        """Take a peer's hello, and return ours to it, or nothing."""
        return self.post.end(device, self._device).hello(line) or b""

    def push(self, device: str, bundle: BinaryIO) -> None:
        """Take a bundle of a peer."""
        self.post.end(device, self._device).push([bundle.read()])

    def pull(self, device: str, ask: BinaryIO) -> Iterable[bytes]:
        """Return the next bundle for a peer, after its name."""
        way = json.loads(ask.readline() or b'{"after": ""}')
        bundles = self.post.bundles.setdefault((self._device, device), {})
        if "taken" in way:
            bundles.pop(way["taken"], None)
            return
        rest = ask.read()
        if rest:
            self.post.end(device, self._device).push([rest])
        for name in sorted(bundles):
            if name > way["after"] and name not in self.post.held:
                yield f"{name}\n".encode()
                yield bundles[name]
                return


class Asker:
    """One end of a way by HTTP to an office: what it asks says what it has taken."""

    is_live = True

    def __init__(self, post: Post, http: HttpTransport) -> None:
        self._held = post.held
        self._http = http
        self.hello = http.hello
        self.push = http.push
        self.waits = http.waits

    def pull(self, ask: Iterable[bytes] = ()) -> Iterator[Delivery]:
        """Send an ask; yield what lies at the peer, one bundle for one request."""
        name, is_more = "", True
        while is_more:
            is_more = False
            with closing(self._http.pull([_line(after=name), *ask])) as found:  # type: ignore[type-var]
                for delivery in found:
                    name, is_more, ask = delivery.file.readline().decode().strip(), True, ()
                    self._held.add(name)
                    try:
                        yield Delivery(name, delivery.file, partial(self._take, name))
                    finally:
                        self._held.discard(name)

    def _take(self, name: str) -> None:
        assert list(self._http.pull([_line(taken=name)])) == []


def _line(**way: str) -> bytes:
    return json.dumps(way).encode() + b"\n"


class Node(NamedTuple):
    """A node that answers peers: what is served, its device, and the post behind it."""

    served: Served
    device: Device
    post: Post

    @property
    def url(self) -> str:
        """Where it is."""
        return self.served.url

    def from_device(self, device: Device, pin: str = "") -> HttpTransport:
        """Return a device's end of the way to this node."""
        return HttpTransport(
            self.url, device, self.device.public, wiring.clock, lambda: secrets.token_hex(16), pin
        )


@contextmanager
def answering(device: Device, office: Office | None = None) -> Iterator[Node]:
    """Serve a node that answers peers by an office, on a port of this machine."""
    office = office or Office(Post(), device.id)
    with opened() as served:
        door = served.door._replace(peering=Peering(device, office))
        with listening(door) as url:
            served.url, served.door = url, door
            try:
                yield Node(served, device, office.post)
            finally:
                served.close()


@contextmanager
def by_http() -> Iterator[Ends]:
    """Give ends of ways by HTTP, between three nodes that are served."""
    post = Post()
    with ExitStack() as held:
        nodes = {
            one.id: held.enter_context(answering(one, Office(post, one.id)))
            for one in DEVICES.values()
        }

        def end(device: str, peer: str) -> Transport:
            return Asker(post, nodes[peer].from_device(DEVICES[device]))

        yield end
