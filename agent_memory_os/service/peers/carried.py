"""A bundle that is carried by hand: one file with all that a peer has not confirmed yet.

It holds what this node wants of the peer, and what the peer wants of it, as far as is known; before
the peer has said anything, that is everything which it is served. Nothing is remembered of it here,
for a file may be lost: the next one holds the same again, until something of the peer's has come.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.exchange import absorb, asking, told
from agent_memory_os.federation.exchange.absorb import Absorber
from agent_memory_os.federation.exchange.heard import Absorbed
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.serve import Server
from agent_memory_os.federation.exchange.session import bundled, keep, note, opening, say_heads
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.peer.peers import Peer


class Parcel:
    """A bundle for one peer; ``sent`` counts its registers once all of it was made."""

    def __init__(self, local: Local, peer: Peer) -> None:
        self._local = local
        self._peer = peer
        self.sent = 0

    def pieces(self) -> Iterator[bytes]:
        """Yield the lines of the bundle."""
        local, peer = self._local, self._peer
        absorb.due(local)
        settle.refresh(local.database)
        say_heads(local, peer)
        wanted = Part("", told.of_want(asking.want(local, peer)))
        with local.database.read() as snapshot:
            server = Server(local, snapshot, peer, told.want_of(peer.wants) or Want())
            server.room = sys.maxsize
            parts = chain([opening(server.chart), wanted], server.parts())
            yield from bundled(local, peer, parts)
        keep(local, server)
        self.sent = server.sent


def take(local: Local, peer: Peer, file: BinaryIO) -> Absorbed:
    """Take in a bundle of a peer that was carried here."""
    absorb.due(local)
    found = Absorber(local, peer).take(file)
    note(local, peer, found)
    settle.refresh(local.database)
    return found
