"""Taking in a bundle: chunk by chunk, verified first, then in short transactions.

What certifies devices comes first, so that what they signed can be verified. A line that is no
register which its device signed is put aside with the reason, and the rest goes on. A route's
cursor moves in the transaction that takes in the last of what it covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import BinaryIO

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.bundle import read
from agent_memory_os.federation.bundle.notice import Notice, sorted_out
from agent_memory_os.federation.bundle.read import Batch
from agent_memory_os.federation.exchange import repair, told
from agent_memory_os.federation.exchange.local import Local, known_devices, only
from agent_memory_os.federation.exchange.order import ordered
from agent_memory_os.federation.exchange.repair import Branch, Leaves, Probe
from agent_memory_os.federation.exchange.told import Lists, Want
from agent_memory_os.federation.signing import (
    UNKNOWN_DEVICE,
    Refusal,
    Signed,
    verified,
)
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.store import node
from agent_memory_os.store.exchange import peers, settle
from agent_memory_os.store.exchange.chart import Charts
from agent_memory_os.store.exchange.log import Arrival
from agent_memory_os.store.exchange.peers import Peer
from agent_memory_os.store.exchange.route import Total
from agent_memory_os.store.exchange.settle import Parcel

PARCEL = 100
"""How many registers are taken in at once: so few that nobody who writes here waits for long."""

_CERTIFIES = b'"group":"account.device:'


class Absorbed:
    """What came in a bundle: how many registers, what was put aside, what the sender wants."""

    def __init__(self) -> None:
        self.taken = 0
        self.aside = 0
        self.index_id = ""
        self.cursors: dict[str, Cursor] = {}
        self.asks: dict[str, tuple[str, ...]] = {}
        self.has_want = False
        self.offered: list[str] | None = None
        self.is_more = False
        self.totals: dict[str, Total] = {}
        self.probes: list[Probe] = []
        self.leaves: list[Leaves] = []
        self.branches: list[Branch] = []
        self.lack: dict[str, list[str]] = {}

    @property
    def want(self) -> Want | None:
        """What the sender wants, where it said so."""
        if not self.has_want:
            return None
        questions = (tuple(self.probes), tuple(self.leaves))
        return Want(self.index_id, self.cursors, self.asks, *questions)


class Absorber:
    """Takes in the bundles of one peer."""

    def __init__(self, local: Local, peer: Peer) -> None:
        self.local = local
        self.peer = peer
        self.found = Absorbed()
        self._charts = Charts()
        self._lists = Lists()

    def take(self, file: BinaryIO) -> Absorbed:
        """Take a bundle in as far as it is sound; a fault in it is raised where it stands."""
        opened = read.opened(file, self.local.device, only(self.peer))
        for batch in opened.batches:
            self._take(batch)
        return self.found

    def _take(self, batch: Batch) -> None:
        parted = sorted_out(batch, told.KINDS)
        refusals = list(parted.refusals)
        lists, moves = self._noticed(parted.notices, refusals)
        first = [line for line in parted.registers if _CERTIFIES in line]
        if first:
            self._write(first, [], {}, refusals)
            refusals = []
            self._again()
        others = [line for line in parted.registers if _CERTIFIES not in line]
        if others or lists or moves or refusals:
            self._write(others, lists, moves, refusals)

    def _noticed(
        self, notices: Iterable[Notice], refusals: list[Refusal]
    ) -> tuple[list[Kept], dict[str, Cursor]]:
        lists: list[Kept] = []
        moves: dict[str, Cursor] = {}
        for one in notices:
            try:
                self._notice(one, lists, moves)
            except InvalidInput as error:
                refusals.append(Refusal(repr(one).encode(), str(error)))
        return lists, moves

    def _notice(self, one: Notice, lists: list[Kept], moves: dict[str, Cursor]) -> None:
        found, fields = self.found, one.fields
        match one.kind:
            case told.INDEX:
                found.index_id = told.index_of(fields)
            case told.WANT:
                found.cursors, found.has_want = told.cursors_of(fields), True
            case told.ASKS:
                found.asks |= told.asks_of(fields)
            case told.CURSOR:
                route, cursor = told.cursor_of(fields)
                moves[route] = cursor
            case told.OFFER:
                found.offered = told.routes_of(fields)
            case told.MORE:
                found.is_more = fields.get("more") is True
            case told.LIST:
                if (listed := self._lists.take(fields)) is not None:
                    lists.append(listed)
            case _:
                self._repair(one)

    def _repair(self, one: Notice) -> None:
        found, fields = self.found, one.fields
        match one.kind:
            case repair.TOTALS:
                found.totals = repair.totals_of(fields)
            case repair.PROBE:
                found.probes.append(repair.probe_of(fields))
            case repair.LEAVES:
                found.leaves.append(repair.leaves_of(fields))
            case repair.BRANCH:
                found.branches.append(repair.branch_of(fields))
            case _:
                route, names = repair.lack_of(fields)
                found.lack[route] = names

    def _write(
        self,
        lines: list[bytes],
        lists: list[Kept],
        moves: dict[str, Cursor],
        refusals: list[Refusal],
    ) -> None:
        """Verify lines, and take them in a few at a time; the cursors move with the last."""
        arrivals: list[Arrival] = []
        with self.local.database.read() as snapshot:
            known, recovery = known_devices(snapshot), node.recovery_keys(snapshot)
            for line, answer in zip(lines, verified(lines, known, recovery), strict=True):
                if isinstance(answer, Signed):
                    arrivals.append(_arrival(answer, line))
                else:
                    refusals.append(answer)
            arrivals, strangers = ordered(arrivals, lru_cache(None)(known))
        refusals += [Refusal(one.line, UNKNOWN_DEVICE) for one in strangers]
        parcels = [*_parcels(arrivals, lists)]
        for number, parcel in enumerate(parcels):
            is_last = number == len(parcels) - 1
            self._commit(parcel, moves if is_last else {}, refusals if is_last else [])

    def _commit(self, parcel: Parcel, moves: dict[str, Cursor], refusals: list[Refusal]) -> None:
        with self.local.database.write() as transaction:
            index = self.found.index_id or self.peer.index_id
            source = settle.source_of(transaction, self.peer.device, index)
            refused = settle.take(transaction, parcel, source, self._charts)
            for one in refused:
                line = one.arrival.line
                peers.put_aside(transaction, self.peer.device, line, one.reason)
            for refusal in refusals:
                peers.put_aside(transaction, self.peer.device, refusal.line, refusal.reason)
            for route, cursor in moves.items():
                peers.set_cursor(transaction, self.peer, route, cursor)
        self.found.taken += len(parcel.arrivals) - len(refused)
        self.found.aside += len(refused) + len(refusals)

    def _again(self) -> None:
        """Take in what was put aside because nobody knew its device, now that more are known."""
        with self.local.database.write() as transaction:
            aside = peers.aside_for(transaction, UNKNOWN_DEVICE)
            for one in aside:
                peers.let_go(transaction, one.id)
        if aside:
            self._write([one.line for one in aside], [], {}, [])


def _arrival(signed: Signed, line: bytes) -> Arrival:
    return Arrival(signed.name, signed.register, signed.signature, line)


def _parcels(arrivals: list[Arrival], lists: list[Kept]) -> Iterator[Parcel]:
    """Yield what is taken in at once; there is one even of nothing, to move cursors with."""
    held: list[Arrival] = []
    for one in arrivals:
        # What came of one record is taken in at once, so that it is judged once.
        if len(held) >= PARCEL and one.register.object != held[-1].register.object:
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
