"""Peers, and exchanging with them: who they are, sessions, what could not be taken, conflicts."""

from __future__ import annotations

from agent_memory_os.service.peers.address import NOWHERE, Address
from agent_memory_os.service.peers.peers import Added, PeerChange, Peers, PeerView, Shown

__all__ = ["NOWHERE", "Added", "Address", "PeerChange", "PeerView", "Peers", "Shown"]
