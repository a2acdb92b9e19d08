"""Peers, and exchanging with them: who they are, sessions, what could not be taken, conflicts."""

from __future__ import annotations

from agent_memory_os.service.peers.address import NOWHERE, Address
from agent_memory_os.service.peers.authority.revocation import Revocation
from agent_memory_os.service.peers.authority.void import Void
from agent_memory_os.service.peers.conflicts import Conflicts, LostEdit
from agent_memory_os.service.peers.devices import DeviceView
from agent_memory_os.service.peers.exchange.holder import Receipt
from agent_memory_os.service.peers.exchange.receipts import Receipts
from agent_memory_os.service.peers.exchange.sync import Carried, PeerState, Sync, Synced, SyncStatus
from agent_memory_os.service.peers.exchange.withheld import Withheld
from agent_memory_os.service.peers.mesh.near import Nearby, Neighbor
from agent_memory_os.service.peers.peers import Added, PeerChange, Peers, PeerView, Shown
from agent_memory_os.service.peers.preview import Seen, Sent
from agent_memory_os.service.peers.quarantine import AsideView, Quarantine, Retried

__all__ = [
    "NOWHERE",
    "Added",
    "Address",
    "AsideView",
    "Carried",
    "Conflicts",
    "DeviceView",
    "LostEdit",
    "Nearby",
    "Neighbor",
    "PeerChange",
    "PeerState",
    "PeerView",
    "Peers",
    "Quarantine",
    "Receipt",
    "Receipts",
    "Retried",
    "Revocation",
    "Seen",
    "Sent",
    "Shown",
    "Sync",
    "SyncStatus",
    "Synced",
    "Void",
    "Withheld",
]
