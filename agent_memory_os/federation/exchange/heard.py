"""What a peer said in its bundles beside registers, as it is heard notice by notice."""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation import address
from agent_memory_os.federation.bundle.notice import Notice, from_line, to_line
from agent_memory_os.federation.exchange import head, repair, told
from agent_memory_os.federation.exchange.repair import Branch, Leaves, Probe, Sketched
from agent_memory_os.federation.exchange.told import Holds, Lists, Move, Want
from agent_memory_os.federation.signing import Refusal
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.routing.cursor import Cursor


class Absorbed:
    """What came in bundles: how many registers, what was put aside, and what the sender said."""

    def __init__(self) -> None:
        self.taken = 0
        self.aside = 0
        self.index_id = ""
        self.cursors: dict[str, Cursor] = {}
        self.asks: dict[str, tuple[str, ...]] = {}
        self.has_want = False
        self.sum = ""
        self.seen = ""
        self.terms = ""
        self.created = 0
        self.is_again = False
        self.is_same = False
        self.standing: list[Notice] = []
        self.holds: Holds | None = None
        self.known: dict[str, int] = {}
        self.offered: list[str] | None = None
        self.is_more = False
        self.totals: dict[str, str] = {}
        self.probes: dict[str, Probe] = {}
        self.leaves: dict[str, Leaves] = {}
        self.branches: dict[str, Branch] = {}
        self.lack: dict[str, list[str]] = {}
        self.sketches: dict[str, Sketched] = {}
        self.torn: list[str] = []
        self.heads: list[Notice] = []
        self.addresses: list[Notice] = []
        self.dropped: list[str] = []
        self._lists = Lists()

    @property
    def want(self) -> Want:
        """What the sender wants."""
        return Want(
            self.index_id,
            self.cursors,
            self.asks,
            self.holds,
            tuple(self.probes.values()),
            tuple(self.leaves.values()),
            tuple(self.sketches.values()),
            self.seen,
        )

    def begin(self) -> None:
        """Forget what an answer says of itself, since another one comes."""
        self.is_again = self.is_same = self.is_more = self.has_want = False
        self.standing.clear()

    def stands(self) -> list[bytes]:
        """Return the lines of what was said in the answer that stands."""
        return [to_line(one) for one in self.standing]

    def repeat(self, lines: Iterable[bytes]) -> None:
        """Hear again what stands."""
        self.hear(map(from_line, lines), [])

    def hear(
        self, notices: Iterable[Notice], refusals: list[Refusal]
    ) -> tuple[list[Kept], list[Move]]:
        """Hear notices; return the lists that came, and the cursors that they move.

        What is no notice of its kind is added to the refusals.
        """
        lists: list[Kept] = []
        moves: list[Move] = []
        for one in notices:
            try:
                if one.kind == told.CURSOR:
                    moves.append(told.move_of(one.fields))
                elif one.kind != told.LIST:
                    self._hear(one)
                elif (listed := self._lists.take(one.fields)) is not None:
                    lists.append(listed)
            except InvalidInput as error:
                refusals.append(Refusal(repr(one).encode(), str(error)))
        return lists, moves

    def _hear(self, one: Notice) -> None:
        fields = one.fields
        match one.kind:
            case told.INDEX:
                self.index_id, self.terms = told.index_of(fields)
            case told.ASKS:
                self.asks |= told.asks_of(fields)
            case head.HEAD:
                self.heads.append(one)
            case address.ADDRESS:
                self.addresses.append(one)
            case told.MORE:
                self.is_more = fields.get("more") is True
            case told.SAME:
                self.is_same = True
            case told.AGAIN:
                self.is_again = True
            case told.DROPPED:
                self.dropped = told.dropped_of(fields)
            case kind if kind in told.STANDING:
                self._hear_standing(one)
            case _:
                self._hear_repair(one)

    def _hear_standing(self, one: Notice) -> None:
        fields = one.fields
        match one.kind:
            case told.WANT:
                self.cursors, self.has_want, self.holds = told.cursors_of(fields), True, None
                self.sum, self.seen = told.sum_in(fields, "sum"), told.sum_in(fields, "seen")
            case told.HOLDS:
                self.holds = told.holds_of(fields)
            case told.KNOWN:
                self.known = told.known_of(fields)
            case told.OFFER:
                self.offered, self.known = told.routes_of(fields), {}
            case _:
                self.totals = repair.totals_of(fields)
        self.standing.append(one)

    def _hear_repair(self, one: Notice) -> None:
        # One of each kind about a route: whoever asks the same a thousand times is answered once.
        fields = one.fields
        match one.kind:
            case repair.PROBE:
                probe = repair.probe_of(fields)
                self.probes[probe.route] = probe
            case repair.LEAVES:
                leaves = repair.leaves_of(fields)
                self.leaves[leaves.route] = leaves
            case repair.BRANCH:
                branch = repair.branch_of(fields)
                self.branches[branch.route] = branch
            case repair.SKETCH:
                sketch = repair.sketch_of(fields)
                self.sketches[sketch.route] = sketch
            case repair.TORN:
                self.torn.append(repair.torn_of(fields))
            case _:
                route, names = repair.lack_of(fields)
                self.lack[route] = names
