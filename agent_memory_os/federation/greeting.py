"""Greeting a peer: saying hello where the two may have come to speak otherwise, and not else.

What a hello comes to follows from what both say. So each keeps under which terms the two said
hello last; whoever asks later names its own, and the peer refuses who names others than it knows,
or who was greeted when it spoke otherwise itself. Then hello is said, and all begins anew.
"""

from __future__ import annotations

from agent_memory_os.errors import Incompatible
from agent_memory_os.federation import hello
from agent_memory_os.federation.exchange.local import Local, only
from agent_memory_os.federation.hello import Hello, Terms
from agent_memory_os.federation.transport.base import Transport
from agent_memory_os.store.database import Transaction
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer

OURS = hello.terms(Hello("", "", 0))
"""What tells the terms of this version from others."""


def greet(local: Local, peer: Peer, transport: Transport) -> Terms | None:
    """Say hello; return what both will use, or ``None`` while the peer has not been seen."""
    ours = Hello(local.device.id, peer.device, local.database.clock())
    line = transport.hello(hello.written(ours, local.device))
    if line is None:
        return None
    theirs = hello.read(line, local.device.id, only(peer))
    if theirs.device != peer.device:
        raise Incompatible("Another device answers there than the peer's.")
    terms = hello.agreed(ours, theirs)
    if transport.is_live:
        with local.database.write() as transaction:
            keep(transaction, peer, theirs)
    return terms


def keep(transaction: Transaction, peer: Peer, theirs: Hello) -> None:
    """Keep that this node and a peer said hello."""
    peers.set_greeted(transaction, peer, f"{OURS} {hello.terms(theirs)}")


def is_known(peer: Peer) -> bool:
    """Say whether this node said hello to a peer, and would say the same now."""
    return peer.greeted.startswith(f"{OURS} ")


def forget(local: Local, peer: Peer) -> None:
    """Forget that hello was said."""
    with local.database.write() as transaction:
        peers.set_greeted(transaction, peer, "")


def check(peer: Peer, terms: str) -> None:
    """Raise :class:`Incompatible` where a peer that names its terms has to say hello first."""
    if terms and peer.greeted != f"{OURS} {terms}":
        raise Incompatible("One of the two speaks otherwise than before; say hello first.")
