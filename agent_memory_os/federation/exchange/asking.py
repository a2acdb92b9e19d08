"""What this node wants of a peer: from where each route goes on, and what it asks about.

It asks about records of others that it holds in a scope which the peer knows and does not serve it,
and about contents that it may not show, for their grant may never have been told to it: that they
were taken back may not have been told either. Whether the peer knows a scope is asked first, in a
way that tells it nothing of those that it does not; and that it knows one is believed only of who
may (:func:`agent_memory_os.model.routing.ask.may_know`). What was asked before is asked again when
either of the two holds something else.
"""

from __future__ import annotations

from typing import NamedTuple

from agent_memory_os.federation.exchange import told
from agent_memory_os.federation.exchange.heard import Absorbed
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.repair import Sketched
from agent_memory_os.federation.exchange.told import Holds, Want
from agent_memory_os.model.canonical import digest
from agent_memory_os.model.routing import ask, cursor
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import route
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.exchange.held import Reader
from agent_memory_os.store.peer import peers, receipts
from agent_memory_os.store.peer.peers import Peer

MOST = 2_000
"""How many records are asked about in one session."""

ASKED = "asked"
"""The cursor that tells what was asked last."""

LEFT = "left"
"""The cursor that tells which want was left last for a peer to come by."""

_DAY_MS = 86_400_000

MENDED = "mended"
"""The cursor that tells by which sketches a peer that comes by was asked last what differs."""

HELD = "holds"
"""The cursor that tells how a peer was told last in which scopes something of others is held."""


HINTED = "hinted"
"""The cursor that tells what a peer that only answers was told last that it may ask about."""


def want(local: Local, peer: Peer) -> Want:
    """Return what this node wants of a peer."""
    with local.database.read() as snapshot:
        chart = local.charts.read(snapshot)
        state = cursor.state(chart.view, chart.origin)
        cursors = peers.cursors(snapshot, peer)
        said = cursors.pop(HELD, None)
        for kept in (ASKED, LEFT, MENDED, HINTED):
            cursors.pop(kept, None)
        scopes = sorted(_scopes(snapshot, chart, peer))
    salt = _salt(local, peer, scopes, said)
    hashes = frozenset(told.hashed(one, salt) for one in scopes)
    return Want(state, cursors, holds=Holds(salt, hashes))


def _salt(local: Local, peer: Peer, scopes: list[str], said: Cursor | None) -> str:
    """Return the salt under which scopes are told: another one whenever they are others.

    So a peer learns no more from the hashes than whether something changed, and how many there are.
    """
    name = digest(scopes).hex()
    if said is not None and said.token == name:
        return said.origin
    salt = local.nonce()
    if scopes or said is not None:
        with local.database.write() as transaction:
            peers.set_cursor(transaction, peer, HELD, Cursor(salt, name, 0))
    return salt


class Question(NamedTuple):
    """What is asked about, by object, and the mark by which it is known to have been asked."""

    asks: dict[str, tuple[str, ...]]
    mark: Cursor


def question(local: Local, peer: Peer, holds: Holds | None, found: Absorbed) -> Question | None:
    """Return what a peer is asked about after it was heard; ``None`` where there is nothing new."""
    with local.database.read() as snapshot:
        chart = local.charts.read(snapshot)
        named = _known(_scopes(snapshot, chart, peer), holds, found)
        objects = route.foreign(snapshot, chart.account, named, MOST)
        offered = frozenset(found.offered or ())
        known = offered | named.keys()
        asks: dict[str, tuple[str, ...]] = {}
        for object_id, held in Reader(snapshot).of(objects).items():
            view = chart.view.about({one.name: one.register for one in held})
            served = offered - named.keys()
            names = ask.asks(view, chart.account, peer.account, served, known)
            if names:
                asks[object_id] = tuple(names)
        said = [[name, *names] for name, names in sorted(asks.items())]
        mark = Cursor(found.index_id, digest([said, sorted(named.items())]).hex(), 0)
        if not asks or peers.cursors(snapshot, peer).get(ASKED) == mark:
            return None
        return Question(asks, mark)


def mark_of(local: Local, peer: Peer, wanted: Want) -> Cursor:
    """Return what tells a want from another."""
    with local.database.read() as snapshot:
        scopes = sorted(_scopes(snapshot, local.charts.read(snapshot), peer))
    asks = [[name, *names] for name, names in sorted(wanted.asks.items())]
    cursors = [[name, *at] for name, at in sorted(wanted.cursors.items())]
    return Cursor(wanted.index_id, digest([cursors, asks, scopes]).hex(), 0)


def is_left(local: Local, peer: Peer, mark: Cursor) -> bool:
    """Say whether a want is the one that was left last for a peer to come by.

    Who is away for a month finds one of them, and not one for each time that somebody tried.
    """
    with local.database.read() as snapshot:
        return peers.cursors(snapshot, peer).get(LEFT) == mark


def leave(local: Local, peer: Peer, mark: Cursor) -> None:
    """Keep that a want was left."""
    with local.database.write() as transaction:
        peers.set_cursor(transaction, peer, LEFT, mark)


def asked_newly(local: Local, peer: Peer, sketches: tuple[Sketched, ...]) -> tuple[Sketched, ...]:
    """Return these questions, if they are not the ones that were left last for a peer to come by.

    An answer may be lost: the next day they are left again.
    """
    with local.database.read() as snapshot:
        held = peers.cursors(snapshot, peer).get(MENDED)
        said = [[one.route, one.sketch.hex()] for one in sketches]
        mark = Cursor(str(snapshot.now // _DAY_MS), digest(said).hex(), 0)
    if held == mark or not (sketches or held):
        return ()
    with local.database.write() as transaction:
        if sketches:
            peers.set_cursor(transaction, peer, MENDED, mark)
        else:
            peers.drop_cursor(transaction, peer, MENDED)
    return sketches


def asked(local: Local, peer: Peer, said: Question) -> None:
    """Keep that a question was answered, and what was dropped by that: the peer is told so."""
    with local.database.write() as transaction:
        peers.set_cursor(transaction, peer, ASKED, said.mark)
        receipts.tell(transaction, peer, said.asks)


def newest(local: Local) -> int:
    """Return the number of the newest register here."""
    with local.database.read() as snapshot:
        return route.newest(snapshot)


def took_back(local: Local, after: int) -> bool:
    """Say whether anything was taken back by what came here after a number."""
    with local.database.read() as snapshot:
        return receipts.told_of(snapshot, after)[1]


def _scopes(snapshot: Snapshot, chart: Chart, peer: Peer) -> set[str]:
    """Return the scopes with memories of others here about which a peer may be asked."""
    found = route.foreign_scopes(snapshot, chart.account)
    if peer.account == chart.account:
        return set(found)
    inside = {one for one in found if ask.is_inside(chart.view, peer.account, one)}
    return inside.union(route.owned_scopes(snapshot, peer.account))


def _known(scopes: set[str], holds: Holds | None, found: Absorbed) -> dict[str, int]:
    if holds is None:
        return {}
    hashes = {told.hashed(scope, holds.salt): scope for scope in scopes}
    return {hashes[name]: head for name, head in found.known.items() if name in hashes}
