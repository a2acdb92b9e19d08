"""Taking in a bundle: chunk by chunk, verified first, then in short transactions.

What certifies devices comes first, so that what they signed can be verified. A line that is no
register which its device signed is put aside with the reason, and the rest goes on. A route's
cursor moves in the transaction that takes in the last of what it covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, repeat
from typing import BinaryIO, NamedTuple

from agent_memory_os.errors import AgentMemoryError, InvalidInput
from agent_memory_os.federation import address
from agent_memory_os.federation.bundle import read
from agent_memory_os.federation.bundle.notice import Notice, Sorted, sorted_out
from agent_memory_os.federation.bundle.read import Batch
from agent_memory_os.federation.exchange import head, told
from agent_memory_os.federation.exchange.heard import Absorbed
from agent_memory_os.federation.exchange.local import Local, check_peer, known_devices, only
from agent_memory_os.federation.exchange.told import Holds, Move
from agent_memory_os.federation.order import ordered
from agent_memory_os.federation.signing import UNKNOWN_DEVICE, Refusal, Signed, verified
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.routing import acquaint
from agent_memory_os.store import node
from agent_memory_os.store.database import Transaction
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.exchange.arrival import Arrival, arrived
from agent_memory_os.store.exchange.chart import Charts
from agent_memory_os.store.exchange.settle import Parcel
from agent_memory_os.store.file.pace import Pace
from agent_memory_os.store.peer import addresses, heads, peers
from agent_memory_os.store.peer.peers import Aside, Peer

PARCEL, MOST = 200, 1_600
"""How many registers are taken in at once, at first and at most (:mod:`pace`)."""

SAID_AT_ONCE = 50
"""How many heads and addresses are verified while others wait."""

_BEYOND = 16
"""So many lines are verified beyond those that are taken in next: a record ends among them."""

_CERTIFIES = b'"group":"account.device:'


class Held(NamedTuple):
    """What was verified and is still to be taken in, with what was said beside it."""

    arrivals: list[Arrival]
    lists: list[Kept]
    moves: list[Move]
    refusals: list[Refusal]


class Absorber:
    """Takes in the bundles of one peer; ``holds`` is what it was last told of scopes."""

    def __init__(self, local: Local, peer: Peer) -> None:
        self.local = local
        self.peer = peer
        self.found = Absorbed()
        self.holds: Holds | None = None
        self.faults: list[str] = []
        self._charts = Charts()
        self._pace = Pace(local.database, PARCEL, MOST)
        self._held = Held([], [], [], [])

    def take(self, file: BinaryIO) -> Absorbed:
        """Take a bundle in as far as it is sound; a fault in it is raised where it stands."""
        check_peer(self.local.database, self.peer)
        opened = read.opened(file, self.local.device, only(self.peer))
        self.found.created = opened.manifest.created
        while (parted := self._next(opened.batches)) is not None:
            self._take(parted)
        self._flush()
        return self.found

    def _next(self, batches: Iterator[Batch]) -> Sorted | None:
        """Return the lines of the next batch; where there is a fault, what came before is taken."""
        try:
            batch = next(batches, None)
            return None if batch is None else sorted_out(batch, told.KINDS)
        except AgentMemoryError:
            self._flush()
            raise

    def _take(self, parted: Sorted) -> None:
        refusals = list(parted.refusals)
        lists, moves = self.found.hear(parted.notices, refusals)
        first = [line for line in parted.registers if _CERTIFIES in line]
        if first:
            self._flush()
            self._write(first, refusals)
            refusals = []
            self._again()
        others = [line for line in parted.registers if _CERTIFIES not in line]
        self._held.lists.extend(lists)
        at = 0
        while at < len(others):
            # No more than is taken in at once: while others are verified, the lock is free.
            room = self._pace.size - len(self._held.arrivals)
            part = others[at : at + max(room, 0) + _BEYOND]
            at += len(part)
            self._held.arrivals.extend(self._verified(part, self._held.refusals))
            if len(self._held.arrivals) >= self._pace.size:
                self._flush_whole()
        self._held.moves.extend(moves)
        self._held.refusals.extend(refusals)

    def _flush_whole(self) -> None:
        """Take in as much as is taken in at once, but for the last record: more of it may come."""
        arrivals = self._held.arrivals
        at = _boundary(arrivals, self._pace.size)
        rest = arrivals[at:]
        if at:
            del arrivals[at:]
            self._flush()
            self._held.arrivals.extend(rest)

    def _flush(self) -> None:
        """Take in what was verified and is held."""
        held, self._held = self._held, Held([], [], [], [])
        if any(held):
            self._commit_all(held)

    def _write(
        self, lines: list[bytes], refusals: list[Refusal], gone: Iterable[int] | None = None
    ) -> None:
        """Verify lines, and take them in.

        ``gone`` are the numbers of lines in quarantine that are let go with the first.
        """
        self._commit_all(Held(self._verified(lines, refusals), [], [], refusals), gone)

    def _verified(self, lines: list[bytes], refusals: list[Refusal]) -> list[Arrival]:
        """Return what devices signed that are known here; add what they did not to the refusals."""
        arrivals: list[Arrival] = []
        if not lines:
            return arrivals
        with self.local.database.read() as snapshot:
            known, recovery = known_devices(snapshot), node.recovery_keys(snapshot)
            for line, answer in zip(lines, verified(lines, known, recovery), strict=True):
                if isinstance(answer, Signed):
                    arrivals.append(_arrival(answer, line))
                else:
                    refusals.append(answer)
            arrivals, strangers = ordered(arrivals, lru_cache(None)(known))
        refusals += [Refusal(one.line, UNKNOWN_DEVICE) for one in strangers]
        return arrivals

    def _commit_all(self, held: Held, gone: Iterable[int] | None = None) -> None:
        """Take in what is held, a few at a time; the cursors move with the last."""
        said = len(self.found.heads) + len(self.found.addresses) if held.moves else 0
        more = repeat(Parcel([], []), -(-said // SAID_AT_ONCE) if said > SAID_AT_ONCE else 0)
        parcels = chain(_parcels(held.arrivals, held.lists, self._pace), more)
        parcel, is_first = next(parcels), True
        while True:
            following = next(parcels, None)
            rest = (held.moves, held.refusals) if following is None else ([], [])
            # What people say of themselves is not taken in before what came with it: who is in
            # which team is part of that.
            is_late = bool(held.moves) and (following is None or not parcel.arrivals)
            self._commit(parcel, *rest, gone=gone, is_first=is_first, is_late=is_late)
            if following is None:
                return
            parcel, is_first = following, False

    def _commit(
        self,
        parcel: Parcel,
        moves: list[Move],
        refusals: list[Refusal],
        *,
        gone: Iterable[int] | None,
        is_first: bool,
        is_late: bool,
    ) -> None:
        with self._pace.write() as transaction:
            for number in gone or () if is_first else ():
                peers.let_go(transaction, number)
            # What was put aside may have been brought by another peer: this one is served it, too.
            source = self._source(transaction) if gone is None else None
            refused = settle.take(transaction, parcel, source, self._charts)
            for each in refused:
                line = each.arrival.line
                peers.put_aside(transaction, self.peer.device, line, each.reason)
            if is_late:
                self._keep_said(transaction, refusals)
            for refusal in refusals[-peers.MAX_ASIDE :]:
                peers.put_aside(transaction, self.peer.device, refusal.line, refusal.reason)
            for move in moves:
                self._move(transaction, move)
        self._pace.done(len(parcel.arrivals))
        self.found.taken += len(parcel.arrivals) - len(refused)
        self.found.aside += len(refused) + len(refusals)

    def _source(self, transaction: Transaction) -> int:
        """Return the number of who brings what comes: it does not go back to it."""
        index = self.found.index_id or self.peer.index_id
        return settle.source_of(transaction, self.peer.device, index)

    def _move(self, transaction: Transaction, move: Move) -> None:
        """Move a cursor; what came after something that is missing here does not."""
        if move.after is None:
            peers.set_frame(transaction, self.peer, move.route, move.cursor)
        else:
            peers.move_cursor(transaction, self.peer, move.route, move.cursor, move.after)

    def _keep_said(self, transaction: Transaction, refusals: list[Refusal]) -> None:
        """Keep what authors say that they put into scopes, and where devices are.

        No more of it than others can wait for, and of nobody who is not in what it is about.
        """
        said, places = self.found.heads, self.found.addresses
        if not said and not places:
            return
        some, self.found.heads = said[:SAID_AT_ONCE], said[SAID_AT_ONCE:]
        room = SAID_AT_ONCE - len(some)
        near, self.found.addresses = places[:room], places[room:]
        chart, known = self.local.charts.read(transaction), known_devices(transaction)
        account_of = settle.account_of(transaction)
        for one in some:
            try:
                found = head.head_of(one.fields, known, account_of)
            except InvalidInput as error:
                refusals.append(Refusal(repr(one).encode(), str(error)))
            else:
                if acquaint.was_in(chart.view, found.account, found.scope):
                    heads.keep(transaction, found, self.peer.device)
        if near:
            self._keep_addresses(transaction, near, refusals)

    def _keep_addresses(
        self, transaction: Transaction, some: list[Notice], refusals: list[Refusal]
    ) -> None:
        """Keep where devices of people in the same teams are; from who may not, it is put aside."""
        known, account_of = known_devices(transaction), settle.account_of(transaction)
        chart = self.local.charts.read(transaction)
        near = {chart.account, *acquaint.shared(chart.view, chart.account)}
        for one in some:
            try:
                found = address.said_in(one.fields, known, account_of, transaction.now)
            except InvalidInput as error:
                refusals.append(Refusal(repr(one).encode(), str(error)))
            else:
                if found is not None and found.account in near and found.device != chart.device:
                    addresses.keep(transaction, found, self.peer.device)

    def _again(self) -> None:
        """Take in what was put aside because nobody knew its device, now that more are known."""
        with self.local.database.read() as snapshot:
            aside = peers.aside_for(snapshot, UNKNOWN_DEVICE)
        self.take_aside(aside)

    def take_aside(self, aside: list[Aside]) -> None:
        """Try to take lines in that were put aside; what cannot be taken is put aside again."""
        for at in range(0, len(aside), PARCEL):
            part = aside[at : at + PARCEL]
            self._write([one.line for one in part], [], [one.id for one in part])


def _arrival(signed: Signed, line: bytes) -> Arrival:
    return arrived(signed.name, signed.register, signed.signature, line)


def _boundary(arrivals: list[Arrival], size: int) -> int:
    """Return where a record begins, so much further on, or the last one before."""
    for at in chain(range(size, len(arrivals)), range(min(size, len(arrivals)) - 1, 0, -1)):
        if arrivals[at].register.object != arrivals[at - 1].register.object:
            return at
    return 0


def _parcels(arrivals: list[Arrival], lists: list[Kept], pace: Pace) -> Iterator[Parcel]:
    """Yield what is taken in at once; there is one even of nothing, to move cursors with."""
    held: list[Arrival] = []
    for one in arrivals:
        # What came of one record is taken in at once, so that it is judged once.
        if len(held) >= pace.size and one.register.object != held[-1].register.object:
            yield Parcel(held, lists)
            held, lists = [], []
        held.append(one)
    yield Parcel(held, lists)


def due(local: Local) -> int:
    """Take in what was parked and is due; return how many registers."""
    with local.database.read() as snapshot:
        parked = settle.due(snapshot)
        known, recovery = known_devices(snapshot), node.recovery_keys(snapshot)
        answers = [*verified((line for _, line in parked), known, recovery)]
    if not parked:
        return 0
    arrivals = [
        _arrival(one, line)
        for one, (_, line) in zip(answers, parked, strict=True)
        if isinstance(one, Signed)
    ]
    with local.database.write() as transaction:
        settle.take(transaction, Parcel(arrivals, []), None, Charts())
        settle.unpark(transaction, [name for name, _ in parked])
    return len(arrivals)
