"""A holder: a peer that may have copies of memories, or a device that was a peer once.

What it was given is known by how far each route was given out to it; what it took in, by its own
word alone (:mod:`agent_memory_os.model.routing.receipt`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property

from agent_memory_os.federation.exchange import told
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.serve import TOLD, Server, token_of
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.routing import ask, receipt
from agent_memory_os.model.routing.ceiling import SHARED
from agent_memory_os.model.routing.receipt import Copy
from agent_memory_os.model.routing.serve import OWN
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import route
from agent_memory_os.store.peer import receipts
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.store.peer.receipts import Former, Row
from agent_memory_os.value import NamedTuple

GONE = "it is no peer of this node any more"
REVOKED = "its account revoked it, and nothing reaches it: what it had, it keeps"


class Receipt(NamedTuple):
    """How it stands with one peer; ``device`` is its fingerprint.

    ``copies`` counts those that are outstanding there, and ``acknowledged`` those that it said that
    it dropped. ``since``: when it last said how far it took in what it is served, in milliseconds
    of UTC. ``fault``: why it cannot be reached. ``comes_by``: nobody here can call it.
    """

    peer: str
    device: str
    is_own: bool
    state: str
    copies: int
    acknowledged: int
    since: int | None
    fault: str
    comes_by: bool


class Stand(NamedTuple):
    """What a holder knows of a route: how far it was given out to it, and how far it says it is."""

    served: int
    said: int
    is_inside: bool
    is_out: bool
    knows: bool


class Holder:
    """A peer that may hold copies, in one snapshot."""

    def __init__(
        self, local: Local, snapshot: Snapshot, peer: Peer, former: Former | None = None
    ) -> None:
        self._server = Server(local, snapshot, peer, Want())
        self._chart = self._server.chart
        self._peer = peer
        self._is_former = former is not None
        # A file that was restored does not know what was given out after its backup.
        is_of_this = peer.under == self._chart.origin
        self._is_known = bool(former.is_whole) if former is not None else is_of_this
        self.account = peer.account
        self.is_own = peer.account == self._chart.account
        said = told.want_of(peer.said)
        self._said = {} if said is None else said.cursors
        self._served = receipts.served(snapshot, peer.device)
        self._dropped = receipts.dropped(snapshot, peer.device)
        self._stand = cache(self._stands)

    @classmethod
    def former(cls, local: Local, snapshot: Snapshot, one: Former) -> Holder:
        """Return a device that is no peer any more."""
        empty = ("",) * 8
        peer = Peer(0, one.device, one.account, one.name, *empty, "", None, 0)
        said = peer._replace(said=one.said, said_at=one.said_at)
        return cls(local, snapshot, said, one)

    def left(self) -> Iterator[str]:
        """Yield the routes that were given out to it, and that it is out of now."""
        for name in self._served:
            if self._stand(name).is_out:
                yield name

    def receipt(self, places: Mapping[str, list[Row]]) -> Receipt:
        """Return how it stands with some memories that stand so."""
        peer = self._peer
        found = [self.state(memory, rows) for memory, rows in places.items()]
        copies, done = found.count(receipt.OUTSTANDING), found.count(receipt.ACKNOWLEDGED)
        state = receipt.overall(found)
        fault = GONE if self._is_former else peer.fault
        fault = REVOKED if self._server.is_revoked else fault
        if state == receipt.OUTSTANDING and fault:
            state = receipt.UNREACHABLE
        return Receipt(
            peer.name,
            peer.device,
            self.is_own,
            state,
            copies,
            done,
            peer.said_at,
            fault if state == receipt.UNREACHABLE else "",
            not self._is_former and not peer.address.startswith(("http:", "https:")),
        )

    def state(self, memory: str, rows: list[Row]) -> str:
        """Return how it stands with one memory, by however many routes it came."""
        dropped = self._dropped.get(memory, (0, 0))[0]
        return receipt.worst([receipt.state(one) for one in self._copies(rows, dropped)])

    def _copies(self, rows: list[Row], dropped: int) -> Iterator[Copy]:
        by_it = route.BY + self.account
        if not self.is_own and any(row.route == by_it for row in rows):
            # Whose memory it is holds no copy of it.
            return
        for row in rows:
            stand = self._stand(row.route)
            if stand.served or stand.is_inside:
                yield Copy(
                    row.lseq,
                    abs(row.first),
                    stand.served,
                    stand.said,
                    row.first <= 0,
                    stand.is_out,
                    stand.knows,
                    dropped,
                )

    def _stands(self, name: str) -> Stand:
        is_inside = self._is_inside(name)
        is_revoked = self._server.is_revoked
        is_out = is_revoked or (is_shared(name) and not is_inside and not self.is_own)
        said = self._said.get(self._called(name))
        is_said = said is not None and said.origin == self._chart.origin
        return Stand(
            self._given(name, is_inside=is_inside),
            said.lseq if said is not None and is_said else 0,
            is_inside,
            is_out,
            is_out and not is_revoked and self._knows_it_is_out and self._was_removed(name),
        )

    def _called(self, name: str) -> str:
        """Return what the peer calls a route of records."""
        return OWN + self.account if name == route.BY + self.account else name

    def _is_inside(self, name: str) -> bool:
        """Say whether it is for the peer what stands on a route, whatever the ceiling."""
        view, (kind, _, who) = self._chart.view, name.partition(":")
        if self.is_own:
            return name == route.BY + self.account
        if kind == "agent":
            return who in view.agents(self.account)
        if kind == "global":
            return who == self._chart.account and self._peer.ceiling == SHARED
        return ask.is_inside(view, self.account, name)

    def _given(self, name: str, *, is_inside: bool) -> int:
        """Return how far a route was given out to the peer; all of it, where nobody can know."""
        held = self._served.get(name)
        if self.is_own and name != route.BY + self.account:
            return 0
        if held is not None:
            # Who was none any more when the backup was made was given nothing after it.
            is_over = self._is_former and self._is_known
            is_so_far = is_over or held.origin == self._chart.origin
            return held.lseq if is_so_far else receipt.EVERYTHING
        is_at_risk = is_inside or self._was_in(name)
        return receipt.EVERYTHING if is_at_risk and not self._is_known else 0

    def _was_in(self, name: str) -> bool:
        agents = self._chart.view.agents(self.account)
        return is_shared(name) and not {*agents}.isdisjoint(self._chart.view.members.ever(name))

    def _was_removed(self, name: str) -> bool:
        view = self._chart.view
        return any(view.members.was_removed(name, one) for one in view.agents(self.account))

    @cached_property
    def _knows_it_is_out(self) -> bool:
        """Whether the peer said that it was told all that it is out of."""
        said = self._said.get(TOLD)
        expected = token_of(*self._server.told_frame())
        return said is not None and (said.origin, said.token) == (self._chart.origin, expected)
