"""Answering peers: what a node does when a peer says hello, pulls or pushes.

A node that only answers asks about what it is not served, too: whoever comes hints at what it
knows, the question goes with the next answer, and what comes next answers it. It is kept in memory
meanwhile; where it is lost, the hint comes again the next day.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from agent_memory_os.errors import UnknownDevice
from agent_memory_os.federation import greeting, hello
from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.exchange import absorb, asking, session, told
from agent_memory_os.federation.exchange.absorb import Absorber
from agent_memory_os.federation.exchange.asking import Question
from agent_memory_os.federation.exchange.local import Local, check_peer, only
from agent_memory_os.federation.exchange.serve import Server
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.federation.hello import Hello
from agent_memory_os.federation.identity import PublicDevice
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.peer import heads, peers, receipts
from agent_memory_os.store.peer.peers import Peer


class Answering:
    """Answers the requests of peers, each of which was signed by the device that is named."""

    def __init__(self, local: Local) -> None:
        self.local = local
        self._questions: dict[str, Question] = {}
        self._given: dict[str, Question] = {}

    def known(self, device: str) -> PublicDevice | None:
        """Return the keys of a peer, or ``None`` for whoever is none."""
        with self.local.database.read() as snapshot:
            peer = peers.of_device(snapshot, device)
        return None if peer is None else PublicDevice(peer.sign, peer.seal)

    def hello(self, device: str, line: bytes) -> bytes:
        """Read a peer's hello; return ours. Raises where the two have no common way."""
        peer = self._peer(device)
        theirs = hello.read(line, self.local.device.id, only(peer))
        ours = Hello(self.local.device.id, device, self.local.database.clock())
        terms = hello.agreed(ours, theirs)
        with self.local.database.write() as transaction:
            greeting.keep(transaction, peer, theirs)
            peers.seen(transaction, peer, terms.offset)
        return hello.written(ours, self.local.device)

    def pull(self, device: str, ask: BinaryIO) -> Iterator[bytes]:
        """Yield the lines of the bundle that answers what a peer asks for."""
        local, peer = self.local, self._peer(device)
        came = local.database.clock()
        absorb.due(local)
        found = Absorber(local, peer).take(ask)
        greeting.check(peer, found.terms)
        want = session.note(local, peer, found, found.created - came)
        settle.refresh(local.database)
        session.say_heads(local, peer)
        wanted = asking.want(local, peer)
        question = self._questions.get(device)
        if question is not None:
            wanted = wanted._replace(asks=question.asks)
            self._given[device] = question
        with local.database.read() as snapshot:
            server = Server(local, snapshot, peer, want or Want())
            parts, dropped = [session.opening(server.chart)], list[str]()
            if want is None:
                parts.append(Part("", [told.of_again()]))
            else:
                parts += server.held(told.of_want(wanted))
                dropped = receipts.to_tell(snapshot, peer)
                parts += [Part("", [told.of_dropped(dropped)])] if dropped else []
        session.give_out(local, server)
        yield from session.bundled(local, peer, parts)
        session.keep(local, server)
        if dropped:
            with local.database.write() as transaction:
                receipts.tried(transaction, peer, dropped)

    def push(self, device: str, bundle: BinaryIO) -> None:
        """Take in what a peer sends; what it hints at is asked when it next comes."""
        peer = self._peer(device)
        found = Absorber(self.local, peer).take(bundle)
        settle.refresh(self.local.database)
        given = self._given.pop(device, None)
        if given is not None:
            self._questions.pop(device, None)
            asking.asked(self.local, peer, given)
        if found.dropped:
            with self.local.database.write() as transaction:
                receipts.hear(transaction, peer, peer.index_id, found.dropped, ())
        if found.known:
            holds = asking.want(self.local, peer).holds
            question = asking.question(self.local, peer, holds, found)
            if question is not None:
                self._questions[device] = question
        if found.taken:
            with self.local.database.write() as transaction:
                heads.compare(transaction)

    def _peer(self, device: str) -> Peer:
        with self.local.database.read() as snapshot:
            peer = peers.of_device(snapshot, device)
        if peer is None:
            raise UnknownDevice(f"The device {device} is not known here.")
        check_peer(self.local.database, peer)
        return peer
