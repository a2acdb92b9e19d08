"""Answering peers: what a server is given, so that peers who ask it are answered."""

from __future__ import annotations

from agent_memory_os.federation.exchange.respond import Answering
from agent_memory_os.federation.transport.responder import Peering
from agent_memory_os.service.context import Context
from agent_memory_os.service.peers.identity import check_place, local_of


def peering_of(context: Context) -> Peering:
    """Return what answers peers by this node: who is a peer is looked up at each request.

    Raises :class:`Refused` in a home that was copied, and :class:`DamagedDatabase` where a key of
    the device is missing.
    """
    check_place(context)
    local = local_of(context)
    return Peering(local.device, Answering(local))
