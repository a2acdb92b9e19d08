"""A session with a peer: hello, pull, push, until neither has anything for the other.

The same steps go over every transport. Where the peer answers at once, what it wants comes with
what it serves; where it comes by later, it is served by what it wanted last, and what was sent is
remembered, so that nothing goes twice while it is away.

Who answers at once is asked no more than needs be: hello is not said again while both would say the
same, and neither says again what the other has of it. So where nothing is new, a session is one
question and one answer of a fixed size, however many scopes the two share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from agent_memory_os.errors import (
    BadBundle,
    Incompatible,
    InvalidInput,
    NotAddressed,
    TooLarge,
    Unauthenticated,
)
from agent_memory_os.federation import greeting
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.exchange import absorb, asking, head, mend, repair, told
from agent_memory_os.federation.exchange.absorb import Absorber
from agent_memory_os.federation.exchange.heard import Absorbed
from agent_memory_os.federation.exchange.local import Local, check_peer
from agent_memory_os.federation.exchange.repair import Sketched
from agent_memory_os.federation.exchange.serve import Server
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.federation.hello import Terms
from agent_memory_os.federation.identity import PublicDevice
from agent_memory_os.federation.transport.base import Transport
from agent_memory_os.model.routing import cursor
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.file.pace import Pace
from agent_memory_os.store.peer import heads, peers, receipts
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.value import NamedTuple

MAX_ROUNDS = 10_000
"""More than any honest peer needs: each round brings some megabytes."""

_OTHERWISE = (BadBundle, Incompatible, InvalidInput)
"""What is raised where a peer that was greeted before may speak otherwise now."""

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
    session = Session(local, peer, transport, pulls=pulls, pushes=pushes)
    if pulls and transport.is_live and greeting.is_known(peer):
        try:
            return session.run(None)
        except _OTHERWISE:
            greeting.forget(local, peer)
    return session.run(greeting.greet(local, peer, transport))


class Session:
    """One session with a peer, by one transport."""

    def __init__(
        self, local: Local, peer: Peer, transport: Transport, *, pulls: bool, pushes: bool
    ) -> None:
        self.local = local
        self.peer = peer
        self.transport = transport
        self.pulls = pulls
        self.pushes = pushes
        self.absorber = Absorber(local, peer)
        self.sent = 0
        self._ahead: int | None = None

    def run(self, met: Terms | None) -> Report:
        """Exchange; ``met`` is what hello came to, if it was said and answered."""
        local, found, is_live = self.local, self.absorber.found, self.transport.is_live
        is_met = is_live or met is not None
        early = mend.suspects(local, self.peer) if self.pulls and self.pushes else ()
        began = asking.newest(local)
        self._rounds(early)
        if is_met and self.pulls:
            self._ask()
        if is_met and self.pulls and self.pushes:
            self._mend(early)
        if is_live and self.pulls and found.taken and asking.took_back(local, began):
            # Somebody may wait to hear that this was taken in: it is told with what is asked for.
            self._pull(asking.want(local, self.peer))
        offset = met.offset if met else self._ahead or 0
        with local.database.write() as transaction:
            if not is_met:
                peers.tried(transaction, self.peer, "")
            elif is_live:
                peers.seen(transaction, self.peer, offset)
                if found.has_want:
                    peers.said_again(transaction, self.peer)
            else:
                peers.came_by(transaction, self.peer, transaction.now + offset)
            if self.sent:
                # What the peer said of how it stands was before that.
                peers.set_heard(transaction, self.peer, "")
            heads.compare(transaction)
        if self.absorber.faults:
            raise BadBundle(f"What it sent could not be read: {self.absorber.faults[0]}")
        return Report(found.taken, self.sent, found.aside, offset if is_live else 0, not is_met)

    def _rounds(self, sketches: tuple[Sketched, ...]) -> None:
        found = self.absorber.found
        for _ in range(MAX_ROUNDS):
            before = found.taken
            found.is_more = False
            if self.pulls:
                self._pull(asking.want(self.local, self.peer)._replace(sketches=sketches))
            pushed = self._push() if self.pushes else None
            sent, is_more = pushed or (0, False)
            self.sent += sent
            sketches = ()
            if not (found.is_more or is_more) or (found.taken == before and not sent):
                break

    def _ask(self) -> None:
        """Ask about what is held and not served, where there is anything new to ask."""
        local, peer = self.local, self.peer
        said = asking.question(local, peer, self.absorber.holds, self.absorber.found)
        if said is not None:
            self._pull(asking.want(local, peer)._replace(asks=said.asks))
            asking.asked(local, peer, said)
        if self.pushes:
            self._tell()

    def _tell(self) -> None:
        """Tell the peer what was dropped, of what it was asked about."""
        local, peer = self.local, self.peer
        with local.database.read() as snapshot:
            dropped = receipts.to_tell(snapshot, peer)
        if dropped:
            self._send(lambda _: [Part("", [told.of_dropped(dropped)])])
            with local.database.write() as transaction:
                receipts.told(transaction, peer, dropped)

    def _mend(self, asked: tuple[Sketched, ...]) -> None:
        """Find what the two hold differently though neither has anything new for the other."""
        local, peer, found = self.local, self.peer, self.absorber.found
        if not self.transport.is_live:
            self._mend_later(asked)
            return
        differing = () if found.taken or self.sent else mend.suspects(local, peer, found.totals)
        if differing and not asked:
            self._pull(asking.want(local, peer)._replace(sketches=differing))
        if differing and not found.taken and not any(found.lack.values()):
            mend.walked(local, peer, found, differing, self._pull)
        if any(found.lack.values()):
            self._send(lambda server: mend.lacking(server, found.lack))

    def _mend_later(self, asked: tuple[Sketched, ...]) -> None:
        """Answer and follow up what came of a peer that comes by; ask, where nothing was new."""
        local, peer, found = self.local, self.peer, self.absorber.found
        if found.taken or self.sent:
            asked = ()
        elif found.totals:
            asked = mend.suspects(local, peer, found.totals)
        asked = asking.asked_newly(local, peer, asked)
        questions = [Part("", [*map(repair.of_sketch, asked)])] if asked else []
        follows = partial(mend.follows, local, peer, found)
        self._send(lambda server: [*questions, *follows(server)])

    def _send(self, parts: Callable[[Server], list[Part]]) -> None:
        """Push a bundle of what is said of routes that differ, if there is anything."""
        local, peer = self.local, self.peer
        with local.database.read() as snapshot:
            server = Server(local, snapshot, peer, Want())
            made = [part for part in parts(server) if part.lines]
        give_out(local, server)
        if made:
            self.transport.push(bundled(local, peer, [opening(server.chart), *made]))
        keep(local, server)

    def _pull(self, wanted: Want) -> None:
        """Take in what the peer has for this node.

        A bundle that cannot be read never will be: it is out of the way then, and what it held
        comes again, for the next ask says that it is missing.
        """
        if self.transport.is_live:
            self._pull_live(wanted)
            return
        local, peer = self.local, self.peer
        mark = asking.mark_of(local, peer, wanted)
        is_asked = not (self.transport.waits() and asking.is_left(local, peer, mark))
        self._take(wanted, bundled(local, peer, self._left(wanted)) if is_asked else ())
        if is_asked:
            asking.leave(local, peer, mark)

    def _left(self, wanted: Want) -> list[Part]:
        """Return the parts of an ask that is left for the peer, with how this node stands."""
        with self.local.database.read() as snapshot:
            server = Server(self.local, snapshot, self.peer, Want())
            lines = [*told.of_want(wanted._replace(sketches=())), *server.totals()]
            return [opening(server.chart), Part("", lines)]

    def _pull_live(self, wanted: Want) -> None:
        """Ask a peer that answers at once, and tell it what it does not know of what is wanted."""
        local, peer, found = self.local, self.peer, self.absorber.found
        with local.database.read() as snapshot:
            held = peers.of_device(snapshot, peer.device) or peer
            chart = local.charts.read(snapshot)
        asked_at, text = local.database.clock(), told.written_want(wanted._replace(asks={}))
        wanted = wanted._replace(seen=told.sum_of([held.heard.encode()]) if held.heard else "")
        lines = told.of_want(wanted, told.want_of(held.told))
        parts = [opening(chart, greeting.OURS), Part("", lines)]
        self._take(wanted, bundled(local, peer, parts))
        if found.is_again and held.told:
            self._know("")
            self._pull_live(wanted)
        elif not wanted.is_repair and text != held.told and found.created:
            self._know(text)
        self._note_clock(asked_at)

    def _know(self, text: str) -> None:
        with self.local.database.write() as transaction:
            peers.set_told(transaction, self.peer, text)

    def _note_clock(self, asked_at: int) -> None:
        """Note by how much the peer's clock is ahead at least, by when it made its answer."""
        made, now = self.absorber.found.created, self.local.database.clock()
        if self._ahead is None and made:
            self._ahead = max(made - now, 0) or min(made - asked_at, 0)

    def _take(self, wanted: Want, ask: Iterable[bytes]) -> None:
        local, peer, absorber = self.local, self.peer, self.absorber
        absorber.holds = wanted.holds or absorber.holds
        absorber.found.created = 0
        for delivery in self.transport.pull(ask):
            absorber.found.begin()
            try:
                absorber.take(delivery.file)
            except _UNREADABLE as error:
                # One that is cut off or another's holds up no other; it is told when all is done.
                absorber.faults.append(f"{delivery.name}: {error}")
            delivery.taken()
            note(local, peer, absorber.found, is_live=self.transport.is_live)
            settle.refresh(local.database)

    def _push(self) -> tuple[int, bool] | None:
        """Send the peer what it wants and has not: say how much that was, and whether all.

        ``None`` where it is nothing.
        """
        local, peer = self.local, self.peer
        say_heads(local, peer)
        with local.database.read() as snapshot:
            held = peers.of_device(snapshot, peer.device) or peer
            want = told.want_of(held.wants)
            if want is None:
                return None
            server = Server(local, snapshot, held, want)
            parts = server.held(is_bare=self.transport.is_live)
            if not (server.reached or server.lines.sent or server.hinted):
                return None
        give_out(local, server)
        self.transport.push(bundled(local, peer, [opening(server.chart), *parts]))
        keep(local, server)
        reached = want._replace(cursors={**want.cursors, **server.reached}, asks={})
        with local.database.write() as transaction:
            peers.set_wants(transaction, peer, told.written_want(reached), want.index_id)
            if server.hinted is not None:
                peers.set_cursor(transaction, peer, asking.HINTED, server.hinted)
        return server.lines.sent, server.is_more


def bundled(local: Local, peer: Peer, parts: Iterable[Part]) -> Iterator[bytes]:
    """Return the lines of a bundle to a peer, or raise :class:`Revoked`."""
    check_peer(local.database, peer)
    public = PublicDevice(peer.sign, peer.seal)
    now = local.database.clock()
    return written(local.device, [public], parts, bundle=local.nonce(), now=now)


def opening(chart: Chart, terms: str = "") -> Part:
    """Return the part with which a bundle begins: under which index its sender numbers."""
    return Part("", [told.of_index(cursor.state(chart.view, chart.origin), terms)])


def give_out(local: Local, server: Server) -> None:
    """Keep how far the peer is going to be given each route, before anything goes."""
    origin, given = server.chart.origin, server.given
    if not given:
        return
    with local.database.read() as snapshot:
        held = receipts.served(snapshot, server.peer.device)
    unknown = receipts.Served("", 0)
    new = {name: at for name, at in given.items() if not held.get(name, unknown).has(origin, at)}
    if new:
        with local.database.write() as transaction:
            receipts.serve(transaction, server.peer.device, origin, new)


def keep(local: Local, server: Server) -> None:
    """Keep the signatures that were made while serving; ask for what is to begin anew."""
    pace, at = Pace(local.database, _SIGNATURES, _SIGNATURES * 8), 0
    while at < len(server.lines.made):
        with pace.write() as transaction:
            part = server.lines.made[at : at + pace.size]
            settle.keep_signatures(transaction, part)
        at += len(part)
        pace.done(len(part))
    if server.lines.made:
        local.charts.forget()
    if server.anew:
        with local.database.write() as transaction:
            for name in server.anew:
                peers.set_cursor(transaction, server.peer, name, cursor.ANEW)


def say_heads(local: Local, peer: Peer) -> None:
    """Say anew what this account put into the scopes that a peer is served, where that changed."""
    with local.database.read() as snapshot:
        server = Server(local, snapshot, peer, Want())
        changed = [*head.changed(snapshot, server.chart, local.device, server.offered)]
    if changed:
        with local.database.write() as transaction:
            for one in changed:
                heads.keep(transaction, one)


def note(
    local: Local,
    peer: Peer,
    found: Absorbed,
    offset: int | None = None,
    *,
    is_live: bool = True,
) -> Want | None:
    """Keep what a peer wants and how it stands, where it has said so; return what it wants.

    ``None``: it told what is new of it, and this node has not the rest. ``offset`` is by how much
    its clock is ahead, where it has just asked. It ``is_live`` where the peer said so just now.
    """
    with local.database.read() as snapshot:
        held = peers.of_device(snapshot, peer.device) or peer
    if found.is_same:
        found.repeat(held.heard.encode().splitlines(keepends=True))
    want = told.whole(found.want, found.sum, told.want_of(held.wants))
    if want is None:
        return None
    heard = ""
    if any(one.kind in (told.OFFER, repair.TOTALS) for one in found.standing):
        heard = b"".join(found.stands()).decode()
    wants = told.written_want(want) if found.has_want else held.wants
    is_new = found.has_want and (wants, want.index_id) != (held.wants, held.index_id)
    is_heard = heard not in ("", held.heard)
    said = told.written_want(want._replace(asks={}, holds=None))
    # A bundle that lay about may have been made before one that was read already.
    is_late = not is_live and found.created < (held.said_at or 0)
    is_said = found.has_want and not is_late and (said != held.said or offset is not None)
    is_about = bool(found.dropped or want.asks)
    if is_new or is_heard or is_said or is_about or offset is not None:
        with local.database.write() as transaction:
            if is_said:
                at = transaction.now if is_live else min(found.created, transaction.now)
                peers.set_said(transaction, peer, said, at)
            if is_about or is_said:
                receipts.hear(transaction, held, want.index_id, found.dropped, want.asks)
            if is_new:
                peers.set_wants(transaction, peer, wants, want.index_id)
            if is_heard:
                peers.set_heard(transaction, peer, heard)
            if offset is not None:
                peers.seen(transaction, peer, offset)
    return want
