"""Peers, and exchanging with them: what a node can do with other nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memories import Outcome
from agent_memory_os.service.peers import (
    NOWHERE,
    Added,
    Address,
    AsideView,
    Carried,
    DeviceView,
    LostEdit,
    Nearby,
    PeerChange,
    PeerView,
    Receipt,
    Retried,
    Revocation,
    Seen,
    Sent,
    Shown,
    Synced,
    SyncStatus,
)
from agent_memory_os.service.peers.pairing import MINUTES, Invited


class Invitations(Protocol):
    """Codes to join by: see :class:`service.peers.pairing.Invitations`."""

    def team(self, name: str, minutes: int = MINUTES) -> Invited:
        """Invite somebody into a team."""

    def device(self, minutes: int = MINUTES, recovery_key: str = "") -> Invited:
        """Invite a further device of the account."""

    def list(self) -> tuple[Invited, ...]:
        """Return the invitations of the last day."""

    def get(self, number: int) -> Invited:
        """Return an invitation by its number."""

    def withdraw(self, number: int) -> Invited:
        """Let nobody join by an invitation any more."""


class Sync(Protocol):
    """Exchanging with peers: see :class:`service.peers.Sync`."""

    def run(
        self,
        names: Iterable[str] = (),
        *,
        pulls: bool = True,
        pushes: bool = True,
        everyone: bool = False,
    ) -> Iterator[Synced]:
        """Exchange with peers, and tell what came of each."""

    def status(self) -> SyncStatus:
        """Tell how the exchange with each peer stands."""

    def export(self, name: str, out: str, *, replace: bool = False) -> Carried:
        """Write a bundle for a peer to a file of this machine."""

    def take(self, path: str) -> tuple[Carried, ...]:
        """Take in a bundle from a file of this machine."""


class Receipts(Protocol):
    """Who took in what was taken back: see :class:`service.peers.Receipts`."""

    def list(self, principal: Principal) -> tuple[Receipt, ...]:
        """Return how it stands with each peer, of all that was taken back of one's own."""

    def get(self, principal: Principal, memory_id: str) -> tuple[Receipt, ...]:
        """Return how it stands with each peer, of one memory of one's own."""

    def left(self, agent: str, scope_name: str) -> tuple[Receipt, ...]:
        """Return how it stands with the peers of an agent's account, of a scope that it left."""


class Quarantine(Protocol):
    """What could not be taken: see :class:`service.peers.Quarantine`."""

    def list(self) -> tuple[AsideView, ...]:
        """Return what is in quarantine."""

    def show(self, principal: Principal, number: int) -> str:
        """Return what a line says."""

    def drop(self, numbers: Iterable[int] | None = None) -> int:
        """Drop some lines, or all of them."""

    def retry(self, numbers: Iterable[int] | None = None) -> Retried:
        """Try to take some lines again, or all of them."""


class Conflicts(Protocol):
    """What concurrent edits lost: see :class:`service.peers.Conflicts`."""

    def list(self, principal: Principal) -> tuple[LostEdit, ...]:
        """Return what was lost of one's own memories."""

    def get(self, principal: Principal, number: int) -> LostEdit:
        """Return one lost edit."""

    def swap(self, principal: Principal, number: int) -> Outcome:
        """Put a lost edit back."""


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
        recovery_key: str = "",
    ) -> Added:
        """Add a peer by its card."""

    def list(self) -> tuple[PeerView, ...]:
        """Return the peers."""

    def get(self, name: str) -> PeerView:
        """Return the peer of a name or fingerprint."""

    def devices(self) -> tuple[DeviceView, ...]:
        """Return the devices of the node's account."""

    def revoke_device(
        self,
        name: str,
        stolen_at: int | None = None,
        recovery_key: str = "",
        *,
        dry_run: bool = False,
    ) -> Revocation:
        """Revoke a device of the node's account."""

    def certify(self, name: str, recovery_key: str = "") -> PeerView:
        """Certify the device of a peer of the node's account."""

    def change(self, name: str, change: PeerChange) -> PeerView:
        """Call, reach or limit a peer otherwise."""

    def remove(self, name: str) -> PeerView:
        """Exchange with a peer no more."""

    def neighbors(self) -> Nearby:
        """Return the nodes that are near the node."""

    def preview(self, name: str) -> Iterator[Sent]:
        """Yield all that a peer would be sent if it had nothing."""

    def view_as(self, name: str) -> Iterator[Seen]:
        """Yield each memory that an agent may read, of whatever account."""
