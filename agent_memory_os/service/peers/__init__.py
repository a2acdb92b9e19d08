"""Peers, and exchanging with them: who they are, sessions, what could not be taken, conflicts."""

from __future__ import annotations

from agent_memory_os.service.peers.address import NOWHERE, Address
from agent_memory_os.service.peers.peers import Added, PeerChange, Peers, PeerView, Shown
from agent_memory_os.service.peers.sync import Carried, PeerState, Sync, Synced, SyncStatus

__all__ = [
    "NOWHERE",
    "Added",
    "Address",
    "Carried",
    "PeerChange",
    "PeerState",
    "PeerView",
    "Peers",
    "Shown",
    "Sync",
    "SyncStatus",
    "Synced",
]
