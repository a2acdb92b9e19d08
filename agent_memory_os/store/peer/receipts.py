"""Receipts in the store: what was given out to whom, and what its holders say that they dropped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from agent_memory_os.model.routing.receipt import EVERYTHING
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.exchange import route
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("receipt")

_TOLD_AT_ONCE = 500
_TRIES = 3
"""How often a peer is told in answers what was dropped: nobody says that an answer arrived."""


class Served(NamedTuple):
    """How far a route was given out, and under which index."""

    origin: str
    lseq: int

    def has(self, origin: str, lseq: int) -> bool:
        """Say whether that is at least so far."""
        return self.origin == origin and self.lseq >= lseq


class Former(NamedTuple):
    """A device that was a peer, what it had said then and when, and when it was removed.

    ``is_whole``: this file saw all that it was given.
    """

    device: str
    account: str
    name: str
    said: str
    said_at: int | None
    removed_at: int
    is_whole: int


class Row(NamedTuple):
    """Where a memory stands: its route, its number, and under which it first had its content there.

    ``first`` is below zero where the content was taken back.
    """

    route: str
    lseq: int
    first: int


def served(snapshot: Snapshot, device: str) -> dict[str, Served]:
    """Return how far each route was given out to a device."""
    return {row[0]: Served(*row[1:]) for row in snapshot.rows(_sql["served"], (device,))}


def serve(transaction: Transaction, device: str, origin: str, given: Mapping[str, int]) -> None:
    """Keep that routes are given out to a device so far."""
    rows = [(device, name, origin, lseq, EVERYTHING) for name, lseq in given.items()]
    transaction.many(_sql["serve"], rows)


def former(snapshot: Snapshot) -> list[Former]:
    """Return the devices that were peers and are none now, by name."""
    return [Former(*row) for row in snapshot.rows(_sql["former"])]


def hear(
    transaction: Transaction,
    peer: Peer,
    index: str,
    dropped: Iterable[str],
    asks: Iterable[str],
) -> None:
    """Keep what a peer says that it dropped, and believe it no more of what it asks about.

    With another index it has another file than when it said so.
    """
    if index.partition(" ")[0] != peer.index_id.partition(" ")[0]:
        transaction.execute(_sql["undone"], (peer.device,))
    transaction.many(_sql["holds"], [(peer.device, name) for name in asks])
    newest, now = route.newest(transaction), transaction.now
    rows = [(peer.device, name, now, newest) for name in dropped]
    transaction.many(_sql["drop"], rows)


def dropped(snapshot: Snapshot, device: str) -> dict[str, tuple[int, int]]:
    """Return what a device said that it dropped: the newest number here by then, and when."""
    return {row[0]: (row[1], row[2]) for row in snapshot.rows(_sql["dropped"], (device,))}


def tell(transaction: Transaction, peer: Peer, asked: Iterable[str]) -> None:
    """Have a peer told of what it was asked about that no content of it is here any more."""
    names = [*asked]
    kept = {row[0] for row in transaction.rows(_sql["kept"], (json.dumps(names),))}
    transaction.many(_sql["tell"], [(peer.row, name) for name in names if name not in kept])


def to_tell(snapshot: Snapshot, peer: Peer) -> list[str]:
    """Return what a peer is to be told next that was dropped."""
    return [row[0] for row in snapshot.rows(_sql["to_tell"], (peer.row, _TOLD_AT_ONCE))]


def told(transaction: Transaction, peer: Peer, names: Iterable[str]) -> None:
    """Keep that a peer was told what was dropped."""
    transaction.many(_sql["told"], [(peer.row, name) for name in names])


def tried(transaction: Transaction, peer: Peer, names: Iterable[str]) -> None:
    """Keep that a peer was told what was dropped in an answer, which may not arrive."""
    transaction.many(_sql["tried"], [(peer.row, name) for name in names])
    transaction.execute(_sql["tried_enough"], (peer.row, _TRIES))


def taken(snapshot: Snapshot) -> list[str]:
    """Return the memories that were taken back on any route."""
    return [row[0] for row in snapshot.rows(_sql["taken"])]


def standing(snapshot: Snapshot, name: str) -> list[str]:
    """Return the memories that stand on a route with their content."""
    return [row[0] for row in snapshot.rows(_sql["standing"], (name,))]


def places(snapshot: Snapshot, memories: Iterable[str]) -> dict[str, list[Row]]:
    """Return where some memories stand or stood, by memory."""
    found: dict[str, list[Row]] = {}
    for row in snapshot.each(_sql["places"], (json.dumps([*memories]),)):
        found.setdefault(row[1], []).append(Row(row[0], row[2], row[3]))
    return found


def owned(snapshot: Snapshot, memories: Iterable[str], agent: str) -> set[str]:
    """Return those of some memories, erased ones too, that an agent owns."""
    rows = snapshot.rows(_sql["owned"], (json.dumps([*memories]), agent))
    return {row[0] for row in rows}


def begun(snapshot: Snapshot, begins: str) -> list[tuple[str, str]]:
    """Return the memories whose id begins so, erased ones too, each with its owner."""
    return [(row[0], row[1]) for row in snapshot.rows(_sql["begun"], (begins,))]


def is_unsettled(snapshot: Snapshot) -> bool:
    """Say whether anything is still to be placed or judged again."""
    return bool(snapshot.value(_sql["unsettled"]))


def told_of(snapshot: Snapshot, after: int) -> tuple[bool, bool]:
    """Say whether registers after a number share or take back, and whether any takes back."""
    shares, ends = snapshot.row(_sql["told_of"], (after,)) or (0, 0)
    return bool(shares), bool(ends)
