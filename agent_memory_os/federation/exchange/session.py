"""A session with a peer: hello, pull, push, until neither has anything for the other.

The same steps go over every transport. Where the peer answers at once, what it wants comes with
what it serves; where it comes by later, it is served by what it wanted last, and what was sent is
remembered, so that nothing goes twice while it is away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from agent_memory_os.errors import (
    BadBundle,
    Incompatible,
    InvalidInput,
    NotAddressed,
    TooLarge,
    Unauthenticated,
)
from agent_memory_os.federation import hello
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.exchange import absorb, asking, repair, told
from agent_memory_os.federation.exchange.absorb import Absorber
from agent_memory_os.federation.exchange.heard import Absorbed
from agent_memory_os.federation.exchange.local import Local, only
from agent_memory_os.federation.exchange.serve import Server, records_of
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.federation.hello import Hello, Terms
from agent_memory_os.federation.identity import PublicDevice
from agent_memory_os.federation.transport.base import Transport
from agent_memory_os.model.routing import cursor
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.store.exchange import route, settle
from agent_memory_os.store.file.pace import Pace
from agent_memory_os.store.peer import heads, peers
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.value import NamedTuple

MAX_ROUNDS = 10_000
"""More than any honest peer needs: each round brings some megabytes."""

_SIGNATURES = 500
"""How many signatures are kept in one transaction, at first (:mod:`pace`)."""

_UNREADABLE = (BadBundle, InvalidInput, NotAddressed, TooLarge, Unauthenticated)
"""What is raised of a bundle that is damaged, or is none of the peer's for this node."""


class Report(NamedTuple):
    """What came of a session: registers taken and sent, put aside, and the peer's clock.

    ``waits``: the peer has not been seen yet, and what it was left lies for it to come by.
    """

    taken: int
    sent: int
    aside: int
    offset: int
    waits: bool


def sync(
    local: Local, peer: Peer, transport: Transport, *, pulls: bool = True, pushes: bool = True
) -> Report:
    """Exchange with a peer until neither has anything for the other.

    Raises what the transport raises where it cannot be reached, and :class:`Incompatible` where the
    two have no common way.
    """
    absorb.due(local)
    settle.refresh(local.database)
    terms = greet(local, peer, transport)
    absorber = Absorber(local, peer)
    sent = 0
    for _ in range(MAX_ROUNDS):
        before = absorber.found.taken
        absorber.found.is_more = False
        if pulls:
            _pull(local, peer, transport, absorber, asking.want(local, peer))
        pushed = _push(local, peer, transport) if pushes else None
        sent += pushed.sent if pushed else 0
        is_more = absorber.found.is_more or (pushed is not None and pushed.is_more)
        if not is_more or (absorber.found.taken == before and not (pushed and pushed.sent)):
            break
    found = absorber.found
    if terms and pulls:
        _ask(local, peer, transport, absorber)
    if terms and pulls and pushes and not found.taken and not sent:
        mend(local, peer, transport, absorber)
    with local.database.write() as transaction:
        if terms is None:
            peers.tried(transaction, peer, "")
        elif transport.is_live:
            peers.seen(transaction, peer, terms.offset)
        else:
            peers.came_by(transaction, peer, transaction.now + terms.offset)
        heads.compare(transaction)
    if absorber.faults:
        raise BadBundle(f"What it sent could not be read: {absorber.faults[0]}")
    offset = terms.offset if terms and transport.is_live else 0
    return Report(found.taken, sent, found.aside, offset, terms is None)


def greet(local: Local, peer: Peer, transport: Transport) -> Terms | None:
    """Say hello; return what both will use, or ``None`` while the peer has not been seen."""
    ours = Hello(local.device.id, peer.device, local.database.clock())
    line = transport.hello(hello.written(ours, local.device))
    if line is None:
        return None
    theirs = hello.read(line, local.device.id, only(peer))
    if theirs.device != peer.device:
        raise Incompatible("Another device answers there than the peer's.")
    return hello.agreed(ours, theirs)


def mend(local: Local, peer: Peer, transport: Transport, absorber: Absorber) -> None:
    """Find what the two hold differently on routes that they should hold alike, and exchange it."""
    with local.database.read() as snapshot:
        server = Server(local, snapshot, peer, Want())
        # What this node does not serve the peer is none of the peer's business.
        probes = tuple(
            repair.probe(snapshot, name, records_of(name))
            for name, total in absorber.found.totals.items()
            if server.serves(name) and route.total(snapshot, records_of(name)) != total
        )
    if not probes:
        return
    absorber.found.branches.clear()
    origin = asking.want(local, peer).index_id
    _pull(local, peer, transport, absorber, Want(origin, probes=probes))
    asked = {one.route: one for one in probes}
    with local.database.read() as snapshot:
        leaves = tuple(
            repair.narrowed(snapshot, asked[one.route], one, records_of(one.route))
            for one in absorber.found.branches
            if one.route in asked and not one.is_whole
        )
    _restart(local, peer, [one.route for one in absorber.found.branches if one.is_whole])
    if leaves:
        _pull(local, peer, transport, absorber, Want(origin, leaves=leaves))
        _send_again(local, peer, transport, absorber.found.lack)


def _restart(local: Local, peer: Peer, routes: list[str]) -> None:
    """Ask for routes from their beginning, and serve them so: too much of them is not the same."""
    if not routes:
        return
    with local.database.write() as transaction:
        held = peers.of_device(transaction, peer.device)
        want = want_of(held.wants if held else "") or Want()
        cursors = {name: at for name, at in want.cursors.items() if name not in routes}
        wants = written_want(want._replace(cursors=cursors))
        peers.set_wants(transaction, peer, wants, want.index_id)
        for name in routes:
            peers.drop_cursor(transaction, peer, name)


def _send_again(local: Local, peer: Peer, transport: Transport, lack: dict[str, list[str]]) -> None:
    with local.database.read() as snapshot:
        server = Server(local, snapshot, peer, Want())
        parts = [Part("", [told.of_index(cursor.state(server.chart.view, server.chart.origin))])]
        for name, names in lack.items():
            if not server.serves(name):
                continue
            records = records_of(name)
            found = [*repair.lacking(snapshot, records, names)]
            parts.append(Part(name, [*server.again(records, found)]))
        if server.sent:
            transport.push(bundled(local, peer, parts))
    keep(local, server)


def _ask(local: Local, peer: Peer, transport: Transport, absorber: Absorber) -> None:
    """Ask about what is held and not served, where there is anything new to ask."""
    said = asking.question(local, peer, absorber.holds, absorber.found)
    if said is not None:
        wanted = asking.want(local, peer)
        _pull(local, peer, transport, absorber, wanted._replace(asks=said.asks))
        asking.asked(local, peer, said)


def _pull(local: Local, peer: Peer, transport: Transport, absorber: Absorber, wanted: Want) -> None:
    """Take in what the peer has for this node.

    A bundle that cannot be read never will be: it is out of the way then, and what it held comes
    again, for the next ask says that it is missing.
    """
    absorber.holds = wanted.holds
    mark = None if transport.is_live else asking.mark_of(local, wanted)
    parts = [Part("", told.of_want(wanted))]
    is_asked = mark is None or not (transport.waits() and asking.is_left(local, peer, mark))
    for delivery in transport.pull(bundled(local, peer, parts) if is_asked else ()):
        try:
            absorber.take(delivery.file)
        except _UNREADABLE as error:
            # One that is cut off or another's holds up no other; it is told when all is done.
            absorber.faults.append(f"{delivery.name}: {error}")
        delivery.taken()
        note_want(local, peer, absorber.found)
        settle.refresh(local.database)
    if mark is not None and is_asked:
        asking.leave(local, peer, mark)


class Pushed(NamedTuple):
    """How many registers were sent, and whether there are more."""

    sent: int
    is_more: bool


def _push(local: Local, peer: Peer, transport: Transport) -> Pushed | None:
    """Send the peer what it wants and has not; ``None`` where that is nothing."""
    with local.database.read() as snapshot:
        held = peers.of_device(snapshot, peer.device)
        want = want_of(held.wants if held else "")
        if want is None:
            return None
        server = Server(local, snapshot, held or peer, want)
        parts = server.held()
        if not server.reached and not server.sent:
            return None
        opening = Part("", [told.of_index(cursor.state(server.chart.view, server.chart.origin))])
        transport.push(bundled(local, peer, [opening, *parts]))
    keep(local, server)
    reached = Want(want.index_id, {**want.cursors, **server.reached}, {})
    with local.database.write() as transaction:
        peers.set_wants(transaction, peer, written_want(reached), want.index_id)
    return Pushed(server.sent, server.is_more)


def bundled(local: Local, peer: Peer, parts: Iterable[Part]) -> Iterator[bytes]:
    """Yield the lines of a bundle to a peer."""
    public = PublicDevice(peer.sign, peer.seal)
    now = local.database.clock()
    return written(local.device, [public], parts, bundle=local.nonce(), now=now)


def keep(local: Local, server: Server) -> None:
    """Keep the signatures that were made while serving, and the heads."""
    pace, at = Pace(local.database, _SIGNATURES, _SIGNATURES * 8), 0
    while at < len(server.signatures):
        with pace.write() as transaction:
            part = server.signatures[at : at + pace.size]
            settle.keep_signatures(transaction, part)
        at += len(part)
        pace.done(len(part))
    if server.heads:
        with local.database.write() as transaction:
            for one in server.heads:
                heads.keep(transaction, one)


def note_want(local: Local, peer: Peer, found: Absorbed) -> None:
    """Keep what a peer wants, where it has said so."""
    if found.has_want:
        with local.database.write() as transaction:
            peers.set_wants(transaction, peer, written_want(found.want), found.index_id)


def written_want(want: Want) -> str:
    """Return what a peer wants as it is kept."""
    cursors = {name: list(held) for name, held in want.cursors.items()}
    asks = {name: list(digests) for name, digests in want.asks.items()}
    return json.dumps({"index": want.index_id, "cursors": cursors, "asks": asks})


def want_of(text: str) -> Want | None:
    """Return what a peer wanted last, or ``None`` if it has said nothing yet."""
    if not text:
        return None
    found = json.loads(text)
    cursors = {name: Cursor(*held) for name, held in found["cursors"].items()}
    asks = {name: tuple(digests) for name, digests in found["asks"].items()}
    return Want(found["index"], cursors, asks)
