"""Pairing: invitations, who answers those that come by one, and how to come by one."""

from __future__ import annotations

from agent_memory_os.service.peers.pairing.guest import Guest, Joined
from agent_memory_os.service.peers.pairing.host import Host
from agent_memory_os.service.peers.pairing.invitations import Invitations, Invited

__all__ = ["Guest", "Host", "Invitations", "Invited", "Joined"]
