"""Peers, and exchanging with them: what a node can do with other nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from agent_memory_os.service.peers import (
    NOWHERE,
    Added,
    Address,
    PeerChange,
    PeerView,
    Shown,
    SyncStatus,
)


class Sync(Protocol):
    """Exchanging with peers: see :class:`service.peers.Sync`."""

    def status(self) -> SyncStatus:
        """Tell how the exchange with each peer stands."""


class Peers(Protocol):
    """The nodes that this one exchanges with: see :class:`service.peers.Peers`."""

    def card(self) -> Shown:
        """Return this device's fingerprint, and its card."""

    def add(
        self,
        card: str,
        name: str,
        address: Address = NOWHERE,
        ceiling: str | None = None,
        introduce: Iterable[str] = (),
        *,
        own: bool = False,
    ) -> Added:
        """Add a peer by its card."""

    def list(self) -> tuple[PeerView, ...]:
        """Return the peers."""

    def get(self, name: str) -> PeerView:
        """Return the peer of a name or fingerprint."""

    def change(self, name: str, change: PeerChange) -> PeerView:
        """Call, reach or limit a peer otherwise."""

    def remove(self, name: str) -> PeerView:
        """Exchange with a peer no more."""
