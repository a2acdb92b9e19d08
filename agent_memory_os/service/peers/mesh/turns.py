"""Whose turn it is to be exchanged with, when nobody names a peer, and telling where this node is.

Of many peers that were learned a few are taken by chance, so that each gets its turn and no team
exchanges all with all. Who could not be reached is left in peace for a while.
"""

from __future__ import annotations

from agent_memory_os.model.routing import acquaint
from agent_memory_os.service.context import Context
from agent_memory_os.service.peers.address import of_peer
from agent_memory_os.service.peers.identity import check_place, local_of
from agent_memory_os.service.peers.mesh.learned import acquaint_with, say
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer

_CHANCE_BYTES = 8


def due(context: Context) -> list[str]:
    """Get acquainted; return the devices of the peers by a URL whose turn it is by itself."""
    acquaint_with(context, local_of(context))
    with context.database.read() as snapshot:
        known = [one for one in peers.every(snapshot) if of_peer(one).url]
        wanted = taken(context, snapshot.now, known)
        return [one.device for one in wanted if _is_due(one, snapshot.now)]


def taken(context: Context, now: int, known: list[Peer]) -> list[Peer]:
    """Return those of some peers that take their turn: few of those that nobody added."""
    if len(known) <= acquaint.FEW:
        return known
    always = [one for one in known if not one.is_learned]
    others = [one for one in known if one.is_learned and _is_due(one, now)]

    def draw(below: int) -> int:
        return int.from_bytes(context.entropy(_CHANCE_BYTES)) % below

    return acquaint.chosen(always, others, draw)


def tell(context: Context, url: str, called: str) -> None:
    """Tell the members of this account's teams where this node is reached; nothing: nowhere."""
    check_place(context)
    say(context, local_of(context), url, called)


def _is_due(peer: Peer, now: int) -> bool:
    return (peer.next_at or 0) <= now
