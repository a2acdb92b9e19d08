"""Pairing: invitations, who answers those that come by one, and how to come by one."""

from __future__ import annotations

from agent_memory_os.service.peers.pairing.guest import Guest, Joined, asker
from agent_memory_os.service.peers.pairing.host import Called, Host
from agent_memory_os.service.peers.pairing.invitations import MINUTES, Invitations, Invited

__all__ = ["MINUTES", "Called", "Guest", "Host", "Invitations", "Invited", "Joined", "asker"]
