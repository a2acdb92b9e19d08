"""When peers are spoken with at once: something was shared or taken back, and is owed to them.

What counts is what was written since one last looked, here or by whatever process, or came from a
peer: grants and lives of memories, and all that is said of the organisation and its devices. New
words alone wait for the next beat. A peer is owed something if there is anything for it that it was
not sent yet. What came from it is not owed to it but where something was taken back, which it then
has already: so what goes round ends where it was known before.
"""

from __future__ import annotations

from agent_memory_os.federation.exchange import told
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.serve import Server
from agent_memory_os.service.context import Context
from agent_memory_os.service.peers.address import of_peer
from agent_memory_os.service.peers.identity import local_of
from agent_memory_os.service.peers.mesh import turns
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import route, settle
from agent_memory_os.store.peer import peers, receipts
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.value import NamedTuple


class News(NamedTuple):
    """What was written after a number: up to which, and whether peers should hear of it at once.

    ``is_ending``: something was taken back.
    """

    number: int
    is_shared: bool
    is_ending: bool


def news(context: Context, after: int | None) -> News:
    """Return what was written after a number; after ``None`` nothing was."""
    with context.database.read() as snapshot:
        number = route.newest(snapshot)
        # A file that was put in the place of this one may count from less.
        if after is None or number <= after:
            return News(number, is_shared=False, is_ending=False)
        return News(number, *receipts.told_of(snapshot, after))


def owed(context: Context) -> list[str]:
    """Return the devices of peers with a URL for which there is something that they were not sent.

    Who could not be reached waits for its turn, and of many that nobody added a few are taken.
    """
    local = local_of(context)
    settle.refresh(context.database)
    with context.database.read() as snapshot:
        reached = [one for one in peers.every(snapshot) if of_peer(one).url and not one.failures]
        found = [one for one in reached if _is_owed(local, snapshot, one)]
        return [one.device for one in turns.taken(context, snapshot.now, found)]


def _is_owed(local: Local, snapshot: Snapshot, peer: Peer) -> bool:
    want = told.want_of(peer.wants)
    if want is None:
        return True
    server = Server(local, snapshot, peer, want)
    # The first of it is enough to know.
    server.room = 1
    server.held(is_bare=True)
    return bool(server.reached or server.lines.sent)
