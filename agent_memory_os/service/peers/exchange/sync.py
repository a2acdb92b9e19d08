"""Exchanging with peers: each alone, one at a time, and what came of each.

A peer that cannot be reached fails alone; what went wrong is kept with it, and told. One that
another process is just exchanging with is passed over. What is left in a folder is taken when
somebody comes by. A bundle can be carried by hand, too, as a file or in a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from agent_memory_os.errors import (
    AgentMemoryError,
    Busy,
    ClockApart,
    InvalidInput,
    NotFound,
    UnknownDevice,
)
from agent_memory_os.federation.exchange import session, told
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.serve import Server
from agent_memory_os.federation.hello import Hello
from agent_memory_os.federation.hello import written as written_hello
from agent_memory_os.federation.transport.folder import FolderTransport
from agent_memory_os.model.routing import acquaint
from agent_memory_os.service.context import Context
from agent_memory_os.service.peers.address import way_to
from agent_memory_os.service.peers.authority.void import Void, void
from agent_memory_os.service.peers.exchange import carried
from agent_memory_os.service.peers.exchange.carried import Parcel
from agent_memory_os.service.peers.exchange.turn import turn
from agent_memory_os.service.peers.exchange.withheld import Withheld, withheld
from agent_memory_os.service.peers.identity import check_place, identity_of, local_of
from agent_memory_os.service.peers.mesh import turns
from agent_memory_os.service.peers.mesh.learned import acquaint_with
from agent_memory_os.service.peers.named import find_peer
from agent_memory_os.service.peers.peers import PeerView, view_of
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.peer import heads, peers, shelf
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.value import NamedTuple

DONE = "done"
WAITS = "waits"
BUSY = "busy"
FAILED = "failed"
REVOKED = "revoked"
NEITHER = "An exchange takes what peers have, or sends them what is here, or does both."


class Synced(NamedTuple):
    """What came of exchanging with a peer.

    ``state``: ``done``; ``waits``, what is left lies there for the peer to come by; ``busy``,
    another process was at it; ``revoked``, its account revoked the device, and nothing is exchanged
    with it; ``failed``, and ``fault`` says why. ``taken`` and ``sent`` count
    registers, ``aside`` what could not be taken.
    """

    peer: str
    device: str
    state: str
    taken: int = 0
    sent: int = 0
    aside: int = 0
    fault: str = ""


class PeerState(NamedTuple):
    """A peer, and how many memories and links it has still to be sent.

    ``behind`` is ``None`` while the peer has never said what it has; ``teams`` are the names of
    those that this node's account and the peer's share.
    """

    peer: PeerView
    behind: int | None
    teams: tuple[str, ...] = ()


class SyncStatus(NamedTuple):
    """How the exchange stands.

    ``offset`` is by how many milliseconds the peers' clocks are ahead of this node's, their median;
    ``aside`` what is in quarantine, ``lost`` what concurrent edits lost. ``withheld`` is what
    authors say that they put into scopes, and is not so here; ``void`` what this account's agents
    shared, and does not count.
    """

    peers: tuple[PeerState, ...]
    offset: int | None
    aside: int
    lost: int
    withheld: tuple[Withheld, ...] = ()
    void: tuple[Void, ...] = ()


class Carried(NamedTuple):
    """A bundle that is carried by hand: whose or for whom, where it lies, how many registers."""

    peer: str
    path: str
    registers: int
    aside: int = 0


class Sync:
    """Every exchange with peers, which is the operator's by nature."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

    def run(
        self,
        names: Iterable[str] = (),
        *,
        pulls: bool = True,
        pushes: bool = True,
        everyone: bool = False,
    ) -> Iterator[Synced]:
        """Exchange with peers, one after the other; yield what came of each.

        Without names it is those whose turn it is (:mod:`turns`), or ``everyone`` that has an
        address. Raises :class:`NotFound` for a name of
        none, before anything is done.
        """
        if not pulls and not pushes:
            raise InvalidInput(NEITHER)
        check_place(self._context)
        local = local_of(self._context)
        with self._database.read() as snapshot:
            wanted = [find_peer(snapshot, name) for name in names]
        if not wanted:
            acquaint_with(self._context, local)
            with self._database.read() as snapshot:
                wanted = [one for one in peers.every(snapshot) if one.address]
                wanted = wanted if everyone else turns.taken(self._context, snapshot.now, wanted)
        return self._each(local, wanted, pulls=pulls, pushes=pushes)

    def status(self) -> SyncStatus:
        """Tell how the exchange with each peer stands."""
        local = local_of(self._context)
        settle.refresh(self._database)
        with self._database.write() as transaction:
            heads.compare(transaction)
        with self._database.read() as snapshot:
            identity = identity_of(snapshot)
            teams = _teams(snapshot, local)
            found = [
                PeerState(
                    view_of(snapshot, identity, one),
                    _behind(local, snapshot, one),
                    teams.get(one.account, ()),
                )
                for one in peers.every(snapshot)
            ]
            lost = len(shelf.lost(snapshot))
            offset, aside = peers.offset(snapshot), peers.count_aside(snapshot)
            missing = withheld(snapshot)
        return SyncStatus(tuple(found), offset, aside, lost, missing, void(self._context))

    def export(self, name: str, out: str, *, replace: bool = False) -> Carried:
        """Write a bundle for a peer to a file, or into a folder that is there; return what it has.

        Raises :class:`AlreadyExists` for a file that is there, unless it may be replaced.
        """
        path = carried.path_of(out)
        with self.parcel(name) as parcel:
            if os.path.isdir(path):
                self._leave(parcel, path)
            else:
                carried.check_free(path, replace=replace)
                carried.write(parcel.pieces(), path)
        return Carried(parcel.peer.name, path, parcel.sent)

    @contextmanager
    def parcel(self, name: str) -> Iterator[Parcel]:
        """Give the bundle that a peer is brought by hand, while nobody else exchanges with it."""
        check_place(self._context)
        local = local_of(self._context)
        with self._database.read() as snapshot:
            peer = find_peer(snapshot, name)
        with self._turn(peer):
            yield Parcel(local, peer)

    def take(self, path: str) -> tuple[Carried, ...]:
        """Take in a bundle from a file, or all that lies in a folder for this device.

        Raises :class:`UnknownDevice` where the file is of no peer, and :class:`NotFound` where
        nothing is there.
        """
        path = carried.path_of(path)
        if not os.path.isdir(path):
            with carried.opened(path) as file:
                return (self.unpack(file, path),)
        check_place(self._context)
        local = local_of(self._context)
        with self._database.read() as snapshot:
            known = peers.every(snapshot)
        found = tuple(one for peer in known for one in self._take_folder(local, path, peer))
        if not found:
            raise NotFound(f"There is nothing of a peer for this device in {path}.")
        return found

    def unpack(self, file: BinaryIO, called: str) -> Carried:
        """Take in a bundle from a file that is open; ``called`` is where it lay, for people.

        Raises :class:`UnknownDevice` where it is of no peer.
        """
        check_place(self._context)
        local, sender = local_of(self._context), carried.sender_of(file, called)
        with self._database.read() as snapshot:
            peer = peers.of_device(snapshot, sender)
        if peer is None:
            raise UnknownDevice(f"{called} was sent by {sender}, which is no peer of this node.")
        with self._turn(peer):
            found = carried.take(local, peer, file)
        return Carried(peer.name, called, found.taken, found.aside)

    def _each(
        self, local: Local, wanted: list[Peer], *, pulls: bool, pushes: bool
    ) -> Iterator[Synced]:
        for peer in wanted:
            with turn(self._context.home, peer.device) as is_ours:
                if is_ours:
                    yield self._one(local, peer.device, pulls=pulls, pushes=pushes)
                else:
                    yield Synced(peer.name, peer.device, BUSY)

    def _one(self, local: Local, device: str, *, pulls: bool, pushes: bool) -> Synced:
        with self._database.read() as snapshot:
            peer = find_peer(snapshot, device)
            is_revoked = settle.is_revoked(snapshot, device)
        if is_revoked:
            return Synced(peer.name, peer.device, REVOKED)
        try:
            way = way_to(local, peer)
            report = session.sync(local, peer, way, pulls=pulls, pushes=pushes)
        except AgentMemoryError as error:
            self._note(peer, error)
            return Synced(peer.name, peer.device, FAILED, fault=str(error))
        state = WAITS if report.waits else DONE
        return Synced(peer.name, peer.device, state, report.taken, report.sent, report.aside)

    def _note(self, peer: Peer, error: AgentMemoryError) -> None:
        """Keep what went wrong with a peer, and how far the clocks are apart where that was it."""
        ahead = error.about.get("offset_seconds") if isinstance(error, ClockApart) else None
        with suppress(AgentMemoryError), self._database.write() as transaction:
            if ahead is not None:
                peers.seen(transaction, peer, -int(ahead) * 1000)
            peers.tried(transaction, peer, str(error))

    def _leave(self, parcel: Parcel, folder: str) -> None:
        """Leave a bundle for a peer in a folder, and a hello beside it."""
        local, peer = parcel.local, parcel.peer
        way = self._folder(local, folder, peer)
        hello = Hello(local.device.id, peer.device, self._database.clock())
        way.hello(written_hello(hello, local.device))
        way.push(parcel.pieces())

    def _folder(self, local: Local, path: str, peer: Peer) -> FolderTransport:
        clock = self._database.clock
        return FolderTransport(path, local.device.id, peer.device, clock, local.nonce)

    def _take_folder(self, local: Local, path: str, peer: Peer) -> Iterator[Carried]:
        with self._turn(peer):
            for delivery in self._folder(local, path, peer).pull():
                found = carried.take(local, peer, delivery.file)
                delivery.taken()
                yield Carried(peer.name, delivery.name, found.taken, found.aside)

    @contextmanager
    def _turn(self, peer: Peer) -> Iterator[None]:
        """Have the turn with a peer, or raise :class:`Busy`."""
        with turn(self._context.home, peer.device) as is_ours:
            if not is_ours:
                raise Busy(f"Another process is exchanging with {peer.name}; try again later.")
            yield


def _teams(snapshot: Snapshot, local: Local) -> dict[str, tuple[str, ...]]:
    """Return the names of the teams that this node's account is in with others, by account."""
    chart = local.charts.read(snapshot)
    names = {f"team:{team.id}": team.name for team in organisation.teams(snapshot)}
    found = acquaint.shared(chart.view, chart.account)
    found[chart.account] = sorted({one for scopes in found.values() for one in scopes})
    return {
        account: tuple(sorted(names[one] for one in scopes if one in names))
        for account, scopes in found.items()
    }


def _behind(local: Local, snapshot: Snapshot, peer: Peer) -> int | None:
    want = told.want_of(peer.wants)
    return None if want is None else Server(local, snapshot, peer, want).behind()
