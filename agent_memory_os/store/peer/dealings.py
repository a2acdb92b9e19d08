"""Whom a file deals with, for another state of the same node: nobody is let in by a restore.

A backup knows nothing of a peer that was removed since, or is sent less since. What was done since
about peers that the backup has stays done; whom it does not have is no peer, but may hold copies.
"""

from __future__ import annotations

from agent_memory_os.model.routing.ceiling import SHARED
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.peer import peers, receipts
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.store.peer.receipts import Former
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("peer")


class Dealings(NamedTuple):
    """The peers of a file, those that it had once, and the devices that are not learned again."""

    peers: tuple[Peer, ...]
    former: tuple[Former, ...]
    unwanted: frozenset[str]

    @property
    def open(self) -> dict[str, str]:
        """Who is let in: the most that each peer is sent, by its device."""
        return {one.device: one.ceiling for one in self.peers}


def read(snapshot: Snapshot) -> Dealings:
    """Return whom a file deals with."""
    former = tuple(receipts.former(snapshot))
    return Dealings(tuple(peers.every(snapshot)), former, peers.unwanted(snapshot))


def carry(transaction: Transaction, said: Dealings) -> int:
    """Have peers be removed and limited as they are said to be; return of how many that was new."""
    now = {one.device: one for one in said.peers}
    gone, count = {one.device for one in said.former}, 0
    known = {(one.device, one.removed_at) for one in receipts.former(transaction)}
    for held in peers.every(transaction):
        one = now.pop(held.device, None)
        if one is not None and (one.ceiling, one.is_learned) != (held.ceiling, held.is_learned):
            transaction.execute(_sql["limit"], (one.ceiling, one.is_learned, held.device))
        elif one is not None or held.device not in gone:
            continue
        else:
            peers.remove(transaction, held.device)
        count += 1
        if SHARED in (held.ceiling, one.ceiling if one else ""):
            peers.judge_shared_again(transaction)
    for device in said.unwanted:
        peers.refuse(transaction, device)
    later = [one for one in said.former if (one.device, one.removed_at) not in known]
    unknown = [one[:3] for one in later] + [one[1:4] for one in now.values()]
    rows = [(*one, transaction.now) for one in unknown]
    transaction.many(_sql["remember_unknown"], rows)
    return count
