"""Peers in the store: who they are, how far their routes were taken in, what could not be taken."""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.file.value import fit
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("peer")
_exchange_sql = Queries("exchange")
_FORM = "ittttttttttttIiIIttttiitIt"

_LATELY_MS = 7 * 86_400_000

MOST_MINUTES = 30
"""A peer that cannot be reached is tried at least this often: once in so many minutes."""

PATIENT_MINUTES = 10
"""For so long a peer is tried each time after it was last seen.

Where contacts fail now and then, a change would else wait for one of many that was put off.
"""

_MINUTE_MS = 60_000
_LOG_MOST = 5
_SHARE_OF_SILENCE = 4

MAX_ASIDE = 1_000
"""How many lines are kept in quarantine; older ones make room."""

MAX_ASIDE_BYTES = 65_536
"""A longer line is kept as far as this."""


class Peer(NamedTuple):
    """A peer: its device and account with their public keys in hex, and how it is dealt with.

    ``address`` is a URL or a folder, ``ceiling`` the most that it is sent, ``index`` the index that
    it had last, ``wants`` what it asked for last, ``offset`` by how many milliseconds its clock is
    ahead (``None``: the two have never spoken at once), ``fault`` what went wrong at the last try.
    ``greeted``: under which terms the two said hello. ``told``: what it knows to be wanted of it;
    ``heard``: what it said that stands until it says otherwise. ``failures``: how often it could
    not be reached since it last was. ``is_learned``: nobody added it
    (:mod:`service.peers.mesh.learned`). ``said``: how far it said itself that it took in what is
    served here, and ``said_at`` when; ``under``: this node's index when it was added.
    """

    row: int
    device: str
    account: str
    name: str
    sign: str
    seal: str
    root: str
    recovery: str
    address: str
    pin: str
    ceiling: str
    index_id: str
    wants: str
    offset: int | None
    added_at: int
    tried_at: int | None = None
    seen_at: int | None = None
    fault: str = ""
    greeted: str = ""
    told: str = ""
    heard: str = ""
    failures: int = 0
    is_learned: int = 0
    said: str = ""
    said_at: int | None = None
    under: str = ""

    @property
    def next_at(self) -> int | None:
        """When it is tried again by itself, where it could not be reached: less and less often.

        One that was seen lately is not put off, and later by a quarter of its silence at most.
        """
        if not self.failures or self.tried_at is None:
            return None
        wait = min(1 << min(self.failures, _LOG_MOST), MOST_MINUTES) * _MINUTE_MS
        if self.seen_at is not None:
            silence = self.tried_at - self.seen_at
            is_late = silence >= PATIENT_MINUTES * _MINUTE_MS
            wait = min(wait, silence // _SHARE_OF_SILENCE) if is_late else 0
        return self.tried_at + wait


class Aside(NamedTuple):
    """A line in quarantine: its number, who sent it and when, why it was not taken, its size."""

    id: int
    peer: str
    at: int
    reason: str
    size: int
    line: bytes


def add(transaction: Transaction, peer: Peer) -> Peer:
    """Keep a new peer; return it with its row."""
    parameters = {
        "device": peer.device,
        "account": peer.account,
        "name": peer.name,
        "sign_key": peer.sign,
        "seal_key": peer.seal,
        "root_key": peer.root,
        "recovery_key": peer.recovery,
        "address": peer.address,
        "pin": peer.pin,
        "ceiling": peer.ceiling,
        "now": transaction.now,
        "is_learned": peer.is_learned,
    }
    transaction.execute(_sql["allow"], (peer.device,))
    added = peer._replace(row=transaction.execute(_sql["add"], parameters))
    transaction.execute(_sql["known_again"], (peer.device,))
    organisation.tell_apart(transaction)
    return added


def change(transaction: Transaction, peer: Peer) -> None:
    """Keep how a peer is called, reached and limited."""
    parameters = {
        "name": peer.name,
        "address": peer.address,
        "pin": peer.pin,
        "ceiling": peer.ceiling,
        "device": peer.device,
        "is_learned": peer.is_learned,
    }
    transaction.execute(_sql["change"], parameters)
    organisation.tell_apart(transaction)


def remove(transaction: Transaction, device: str) -> None:
    """Forget a peer, and how far its routes were taken in; what it was given is remembered."""
    transaction.execute(_sql["remember"], (device, transaction.now))
    transaction.execute(_sql["remove"], (device,))
    organisation.tell_apart(transaction)


def refuse(transaction: Transaction, device: str) -> None:
    """Keep that a device is not to be learned again: a person removed it."""
    transaction.execute(_sql["refuse"], (device,))


def unwanted(snapshot: Snapshot) -> frozenset[str]:
    """Return the devices that are not to be learned."""
    return frozenset(row[0] for row in snapshot.rows(_sql["unwanted"]))


def every(snapshot: Snapshot) -> list[Peer]:
    """Return the peers of this node, by name."""
    return [Peer(*fit(row, _FORM)) for row in snapshot.rows(_sql["all"])]


def of_device(snapshot: Snapshot, device: str) -> Peer | None:
    """Return the peer of a device, or ``None``."""
    row = snapshot.row(_sql["of_device"], (device,))
    return None if row is None else Peer(*fit(row, _FORM))


def introduce(transaction: Transaction, peer: Peer, agents: Iterable[str]) -> None:
    """Let a peer's account be told of some of this account's agents."""
    transaction.many(_sql["introduce"], [(peer.row, agent) for agent in agents])


def introduced(snapshot: Snapshot, peer: Peer) -> list[str]:
    """Return the agents that a peer's account is told of."""
    return [row[0] for row in snapshot.rows(_sql["introduced"], (peer.row,))]


def judge_shared_again(transaction: Transaction) -> None:
    """Have it judged again what accounts share with everybody, since whose is shown has changed.

    What was dropped here because its account was not trusted is asked for anew.
    """
    transaction.execute(_sql["drop_shared_cursors"])
    transaction.execute(_exchange_sql["stale_of_scope"], (GLOBAL,))
    transaction.execute(_exchange_sql["stale_hidden"])


def set_wants(transaction: Transaction, peer: Peer, wants: str, index: str) -> None:
    """Keep what a peer asked for last, and the index that it has."""
    transaction.execute(_sql["set_wants"], (wants, index, peer.row))


def set_said(transaction: Transaction, peer: Peer, said: str, at: int) -> None:
    """Keep how far a peer itself said that it took in what is served here, and when."""
    transaction.execute(_sql["set_said"], (said, at, peer.row))


def said_again(transaction: Transaction, peer: Peer) -> None:
    """Keep that a peer has just said what it had said before."""
    transaction.execute(_sql["said_again"], (transaction.now, peer.row))


def set_greeted(transaction: Transaction, peer: Peer, terms: str) -> None:
    """Keep under which terms this node and a peer said hello; nothing where they have to again."""
    transaction.execute(_sql["set_greeted"], (terms, peer.row))


def set_told(transaction: Transaction, peer: Peer, wants: str) -> None:
    """Keep what a peer knows to be wanted of it."""
    transaction.execute(_sql["set_told"], (wants, peer.row))


def set_heard(transaction: Transaction, peer: Peer, lines: str) -> None:
    """Keep what a peer said that stands until it says otherwise."""
    transaction.execute(_sql["set_heard"], (lines, peer.row))


def tried(transaction: Transaction, peer: Peer, fault: str) -> None:
    """Keep that a peer could not be reached, or could not be understood."""
    transaction.execute(_sql["tried"], (transaction.now, fault, peer.row))


def seen(transaction: Transaction, peer: Peer, offset: int) -> None:
    """Keep that a peer answered, and by how much its clock is ahead."""
    now = transaction.now
    transaction.execute(_sql["seen"], (now, now, offset, peer.row))


def came_by(transaction: Transaction, peer: Peer, at: int) -> None:
    """Keep that what a peer left was found, and when it was there by its own clock."""
    now = transaction.now
    transaction.execute(_sql["seen"], (now, min(at, now), None, peer.row))


def offset(snapshot: Snapshot) -> int | None:
    """Return by how much the clocks of peers that were seen lately are ahead: the median.

    ``None`` where no peer was.
    """
    since = snapshot.now - _LATELY_MS
    found = [int(row[0]) for row in snapshot.rows(_sql["offsets"], (since,))]
    if not found:
        return None
    middle = len(found) // 2
    return found[middle] if len(found) % 2 else (found[middle - 1] + found[middle]) // 2


def cursors(snapshot: Snapshot, peer: Peer) -> dict[str, Cursor]:
    """Return how far each route of a peer was taken in."""
    return {row[0]: Cursor(*row[1:]) for row in snapshot.rows(_sql["cursors"], (peer.row,))}


def set_cursor(transaction: Transaction, peer: Peer, route: str, cursor: Cursor) -> None:
    """Keep how far a route was taken in: in the transaction that took it in."""
    transaction.execute(_sql["set_cursor"], (peer.row, route, *cursor))


def set_frame(transaction: Transaction, peer: Peer, route: str, cursor: Cursor) -> None:
    """Keep the frame of a route that was taken in, and of its records no more than there were."""
    transaction.execute(_sql["set_frame"], (peer.row, route, *cursor))


def move_cursor(
    transaction: Transaction, peer: Peer, route: str, cursor: Cursor, after: int
) -> None:
    """Keep how far a route was taken in, where it had been taken in as far as ``after``."""
    row = (cursor.lseq, peer.row, route, cursor.origin, cursor.token, after)
    transaction.execute(_sql["move_cursor"], row)


def drop_cursor(transaction: Transaction, peer: Peer, route: str) -> None:
    """Ask a peer for a route from its beginning."""
    transaction.execute(_sql["drop_cursor"], (peer.row, route))


def drop_cursors(transaction: Transaction, route: str) -> None:
    """Ask every peer for a route from its beginning."""
    transaction.execute(_sql["drop_cursors"], (route,))


def put_aside(transaction: Transaction, peer: str, line: bytes, reason: str) -> None:
    """Keep a line that could not be taken, and why, so that somebody can look at it."""
    name, held = bytearray(sha256(line).digest()), bytearray(line[:MAX_ASIDE_BYTES])
    row = (peer, transaction.now, reason, len(line), name, held)
    transaction.execute(_sql["put_aside"], row)
    transaction.execute(_sql["clear_aside"], (MAX_ASIDE,))


def aside(snapshot: Snapshot, limit: int = MAX_ASIDE) -> list[Aside]:
    """Return what is in quarantine, newest first."""
    return [Aside(*fit(row, "ititib")) for row in snapshot.rows(_sql["aside"], (limit,))]


def aside_for(snapshot: Snapshot, reason: str, limit: int = MAX_ASIDE) -> list[Aside]:
    """Return what is in quarantine for one reason."""
    return [Aside(*row) for row in snapshot.rows(_sql["aside_for"], (reason, limit))]


def count_aside(snapshot: Snapshot) -> int:
    """Return how many lines are in quarantine."""
    return int(snapshot.value(_sql["count_aside"]))


def let_go(transaction: Transaction, number: int) -> bool:
    """Take a line out of quarantine; say whether it was there."""
    return transaction.change(_sql["let_go"], (number,)) == 1
