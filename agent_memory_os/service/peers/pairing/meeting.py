"""Making somebody a peer who came by a code, or by whose code this node came.

A peer is what its keys are. One that is a peer already stays it, and may be sent the team besides;
the name that it gives itself is taken as far as nobody else here has it.
"""

from __future__ import annotations

from itertools import count

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.card import Card
from agent_memory_os.federation.identity import root_key
from agent_memory_os.model.organisation import check_name
from agent_memory_os.model.routing.ceiling import FULL, GRANTED, SHARED
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.peers.address import NOWHERE, Address
from agent_memory_os.service.peers.identity import identity_of
from agent_memory_os.service.peers.named import find_peer
from agent_memory_os.service.peers.peers import certify_device, check_card, peer_of
from agent_memory_os.store import audit
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.store.write import Writer
from agent_memory_os.value import NamedTuple

_LONGEST = 60


class Meeting(NamedTuple):
    """Who was met: its card, how it calls itself, where it is, and the team's scope.

    ``name`` is what it is to be called here; empty, it is called as it calls itself.
    """

    card: Card
    called: str
    address: Address
    scope: str
    name: str = ""


def meet(context: Context, writer: Writer, meeting: Meeting, *, certifies: bool = False) -> Peer:
    """Make who was met a peer, or widen what it is sent to the team; return it.

    Where it ``certifies``, a device of this account that is not certified yet is, if the root key
    is here.
    """
    transaction, card = writer.transaction, meeting.card
    identity = identity_of(transaction)
    needs = check_card(transaction, identity, card, own=certifies)
    held = peers.of_device(transaction, card.device)
    ceiling = FULL if card.account == identity.account else meeting.scope
    if held is None:
        # Where the root key is lost, whoever invited certifies it with the recovery key afterwards.
        if needs and root_key(context.home) is not None:
            certify_device(context, writer, identity, card)
        name = meeting.name or free_name(transaction, meeting.called)
        peers.add(transaction, peer_of(card, name, meeting.address, ceiling))
        settle.call_again(transaction)
        audit.add(transaction, OPERATOR, "peer add", card.device, name)
        return find_peer(transaction, card.device)
    wanted = held._replace(ceiling=_widened(held.ceiling, ceiling), name=meeting.name or held.name)
    wanted = wanted._replace(is_learned=0)
    if meeting.address != NOWHERE:
        wanted = wanted._replace(address=meeting.address.url, pin=meeting.address.pin)
    if wanted != held:
        peers.change(transaction, wanted)
        if wanted.name != held.name:
            settle.call_again(transaction)
        audit.add(transaction, OPERATOR, "peer change", card.device, held.name)
    return wanted


def _widened(held: str, scope: str) -> str:
    if held in (FULL, SHARED, GRANTED) or scope in held.split(","):
        return held
    return f"{held},{scope}"


def free_name(snapshot: Snapshot, called: str) -> str:
    """Return the name that somebody gives itself, or one like it that nobody here has."""
    taken = {one.name for one in peers.every(snapshot)}
    try:
        name = check_name("peer", called[:_LONGEST])
    except InvalidInput:
        name = "peer"
    if name not in taken:
        return name
    return next(f"{name}-{n}" for n in count(2) if f"{name}-{n}" not in taken)
