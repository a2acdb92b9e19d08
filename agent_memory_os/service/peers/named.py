"""A peer as people name it: by its name, which is no other's, or by its fingerprint."""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.errors import AlreadyExists, NotFound
from agent_memory_os.model.organisation import spelt
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer


def find_peer(snapshot: Snapshot, name: str) -> Peer:
    """Return the peer of a name or fingerprint, or raise :class:`NotFound` with near names."""
    known = peers.every(snapshot)
    for peer in known:
        if spelt(name) in (peer.name, peer.device):
            return peer
    raise not_known(name, (peer.name for peer in known))


def is_meant(peer: Peer, plain: str) -> bool:
    """Say whether a word means a peer where more hangs on it than how that peer is dealt with.

    What a peer that nobody added calls itself means nothing there: any member may call itself so.
    """
    return plain == peer.device or (plain == peer.name and not peer.is_learned)


def check_free(snapshot: Snapshot, name: str, device: str) -> None:
    """Raise :class:`AlreadyExists` where a name is that of a peer of another device."""
    for one in peers.every(snapshot):
        if one.name == name and one.device != device:
            raise AlreadyExists(
                f"There is a peer called {name!r} already, of the device {one.device}: choose "
                "another name."
            )


def not_known(name: str, known: Iterable[str]) -> NotFound:
    """Return what is said where no peer is called so."""
    from agent_memory_os.service.audience import nearest

    near = nearest(name, known)
    meant = f"; did you mean {' or '.join(near)}?" if near else "."
    return NotFound(f"There is no peer called {name!r}{meant}")
