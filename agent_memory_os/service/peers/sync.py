"""Exchanging with peers: each alone, one at a time, and what came of each.

A peer that cannot be reached fails alone; what went wrong is kept with it, and told. One that
another process is just exchanging with is passed over. What is left in a folder is taken when
somebody comes by. A bundle can be carried by hand, too, as a file or in a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from agent_memory_os.errors import (
    AgentMemoryError,
    AlreadyExists,
    Busy,
    ClockApart,
    InvalidInput,
    NotFound,
    UnknownDevice,
)
from agent_memory_os.federation.bundle import manifest
from agent_memory_os.federation.exchange import session, told
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.serve import Server
from agent_memory_os.federation.hello import Hello
from agent_memory_os.federation.hello import written as written_hello
from agent_memory_os.federation.statement import read_object
from agent_memory_os.federation.transport.folder import FolderTransport
from agent_memory_os.service.context import Context
from agent_memory_os.service.peers import carried
from agent_memory_os.service.peers.address import way_to
from agent_memory_os.service.peers.carried import Parcel
from agent_memory_os.service.peers.identity import check_place, identity_of, local_of
from agent_memory_os.service.peers.peers import PeerView, find_peer, view_of
from agent_memory_os.service.peers.turn import turn
from agent_memory_os.service.peers.withheld import Withheld, withheld
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.file.disk import told_as_refusal
from agent_memory_os.store.peer import heads, peers, shelf
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.value import NamedTuple

DONE = "done"
WAITS = "waits"
BUSY = "busy"
FAILED = "failed"


class Synced(NamedTuple):
    """What came of exchanging with a peer.

    ``state``: ``done``; ``waits``, what is left lies there for the peer to come by; ``busy``,
    another process was at it; ``failed``, and ``fault`` says why. ``taken`` and ``sent`` count
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

    ``behind`` is ``None`` while the peer has never said what it has.
    """

    peer: PeerView
    behind: int | None


class SyncStatus(NamedTuple):
    """How the exchange stands.

    ``offset`` is by how many milliseconds the peers' clocks are ahead of this node's, their median;
    ``aside`` what is in quarantine, ``lost`` what concurrent edits lost. ``withheld`` is what
    authors say that they put into scopes, and is not so here.
    """

    peers: tuple[PeerState, ...]
    offset: int | None
    aside: int
    lost: int
    withheld: tuple[Withheld, ...] = ()


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
        self, names: Iterable[str] = (), *, pulls: bool = True, pushes: bool = True
    ) -> Iterator[Synced]:
        """Exchange with peers, one after the other; yield what came of each.

        Without names it is every peer that has an address. Raises :class:`NotFound` for a name of
        none, before anything is done.
        """
        check_place(self._context)
        local = local_of(self._context)
        with self._database.read() as snapshot:
            wanted = [find_peer(snapshot, name) for name in names]
            wanted = wanted or [one for one in peers.every(snapshot) if one.address]
        return self._each(local, wanted, pulls=pulls, pushes=pushes)

    def status(self) -> SyncStatus:
        """Tell how the exchange with each peer stands."""
        local = local_of(self._context)
        settle.refresh(self._database)
        with self._database.write() as transaction:
            heads.compare(transaction)
        with self._database.read() as snapshot:
            identity = identity_of(snapshot)
            found = [
                PeerState(view_of(snapshot, identity, one), _behind(local, snapshot, one))
                for one in peers.every(snapshot)
            ]
            lost = len(shelf.lost(snapshot))
            offset, aside = peers.offset(snapshot), peers.count_aside(snapshot)
            missing = withheld(snapshot)
        return SyncStatus(tuple(found), offset, aside, lost, missing)

    def export(self, name: str, out: str, *, replace: bool = False) -> Carried:
        """Write a bundle for a peer to a file, or into a folder that is there; return what it has.

        Raises :class:`AlreadyExists` for a file that is there, unless it may be replaced.
        """
        check_place(self._context)
        local, path = local_of(self._context), _path(out)
        with self._database.read() as snapshot:
            peer = find_peer(snapshot, name)
        with self._turn(peer):
            parcel = Parcel(local, peer)
            if os.path.isdir(path):
                way = self._folder(local, path, peer)
                hello = Hello(local.device.id, peer.device, self._database.clock())
                way.hello(written_hello(hello, local.device))
                way.push(parcel.pieces())
            else:
                _write(parcel, path, replace=replace)
        return Carried(peer.name, path, parcel.sent)

    def take(self, path: str) -> tuple[Carried, ...]:
        """Take in a bundle from a file, or all that lies in a folder for this device.

        Raises :class:`UnknownDevice` where the file is of no peer, and :class:`NotFound` where
        nothing is there.
        """
        check_place(self._context)
        local, path = local_of(self._context), _path(path)
        if os.path.isdir(path):
            with self._database.read() as snapshot:
                known = peers.every(snapshot)
            found = tuple(one for peer in known for one in self._take_folder(local, path, peer))
            if not found:
                raise NotFound(f"There is nothing of a peer for this device in {path}.")
            return found
        return (self._take_file(local, path),)

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

    def _folder(self, local: Local, path: str, peer: Peer) -> FolderTransport:
        clock = self._database.clock
        return FolderTransport(path, local.device.id, peer.device, clock, local.nonce)

    def _take_folder(self, local: Local, path: str, peer: Peer) -> Iterator[Carried]:
        with self._turn(peer):
            for delivery in self._folder(local, path, peer).pull():
                found = carried.take(local, peer, delivery.file)
                delivery.taken()
                yield Carried(peer.name, delivery.name, found.taken, found.aside)

    def _take_file(self, local: Local, path: str) -> Carried:
        with told_as_refusal(path):
            try:
                file = open(path, "rb")  # noqa: SIM115 - closed below, where it is read
            except FileNotFoundError as error:
                raise InvalidInput(f"There is no bundle at {path}.") from error
        with file:
            sender = _sender(file.readline(manifest.MAX_LINE_BYTES + 1), path)
            file.seek(0)
            with self._database.read() as snapshot:
                peer = peers.of_device(snapshot, sender)
            if peer is None:
                raise UnknownDevice(f"{path} was sent by {sender}, which is no peer of this node.")
            with self._turn(peer):
                found = carried.take(local, peer, file)
        return Carried(peer.name, path, found.taken, found.aside)

    @contextmanager
    def _turn(self, peer: Peer) -> Iterator[None]:
        """Have the turn with a peer, or raise :class:`Busy`."""
        with turn(self._context.home, peer.device) as is_ours:
            if not is_ours:
                raise Busy(f"Another process is exchanging with {peer.name}; try again later.")
            yield


def _behind(local: Local, snapshot: Snapshot, peer: Peer) -> int | None:
    want = told.want_of(peer.wants)
    return None if want is None else Server(local, snapshot, peer, want).behind()


def _path(text: str) -> str:
    if not text.strip():
        raise InvalidInput("The file or folder that was named is empty; name one.")
    return os.path.abspath(os.path.expanduser(text))


def _write(parcel: Parcel, path: str, *, replace: bool) -> None:
    """Write a bundle to a file: whole, or not at all."""
    if os.path.lexists(path) and not replace:
        raise AlreadyExists(f"{path} is there already.", "replace")
    unfinished = f"{path}.new"
    with told_as_refusal(path):
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(parcel.pieces())
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        except BaseException:
            os.unlink(unfinished)
            raise


def _sender(line: bytes, path: str) -> str:
    try:
        found = read_object(line, manifest.MAX_LINE_BYTES).get("sender")
    except AgentMemoryError as error:
        raise InvalidInput(f"{path} is no bundle of a node: of its first line, {error}.") from error
    return found if isinstance(found, str) else "nobody"
