"""A transport in memory, between devices of one process: for tests, as exact as a real one."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from agent_memory_os.federation.transport.base import Delivery

Way = tuple[str, str]


class Post:
    """What is under way between any number of devices; :meth:`end` gives a device its end."""

    def __init__(self) -> None:
        self.hellos: dict[Way, bytes] = {}
        self.bundles: dict[Way, dict[str, bytes]] = {}
        self.held: set[str] = set()
        self.sent = 0

    def end(self, device: str, peer: str) -> MemoryTransport:
        """Return a device's end of the way to a peer."""
        return MemoryTransport(self, device, peer)


class MemoryTransport:
    """One end of a way to one peer, in memory."""

    is_live = False

    def __init__(self, post: Post, device: str, peer: str) -> None:
        self._post = post
        self._out, self._in = (device, peer), (peer, device)

    def hello(self, ours: bytes) -> bytes | None:
        """Show the peer our hello; return its own, or ``None`` while it has shown none."""
        self._post.hellos[self._out] = ours
        return self._post.hellos.get(self._in)

    def waits(self) -> bool:
        """Say whether something that was sent lies there for the peer to come by."""
        return bool(self._post.bundles.get(self._out))

    def push(self, bundle: Iterable[bytes]) -> None:
        """Send the pieces of a bundle; where making them fails half way, nothing is sent."""
        whole = b"".join(bundle)
        self._post.sent += 1
        self._post.bundles.setdefault(self._out, {})[f"{self._post.sent:015}"] = whole

    def pull(self, ask: Iterable[bytes] = ()) -> Iterator[Delivery]:
        """Send a bundle that asks, where there is one; yield what the peer has sent, in order."""
        pieces = list(ask)
        if pieces:
            self.push(pieces)
        inbox = self._post.bundles.setdefault(self._in, {})
        for name in sorted(inbox):
            if name not in self._post.held and name in inbox:
                yield from self._lent(name, inbox)

    def _lent(self, name: str, inbox: dict[str, bytes]) -> Iterator[Delivery]:
        def taken() -> None:
            inbox.pop(name, None)

        self._post.held.add(name)
        try:
            with io.BytesIO(inbox[name]) as file:
                yield Delivery(name, file, taken)
        finally:
            self._post.held.discard(name)
