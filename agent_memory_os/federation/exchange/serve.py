"""Serving a peer: the parts of the bundle that answers what it wants.

Route by route: the frame where the peer has another one, then the records that are newer than its
cursor, and how far that brings it. A record goes whole. What the peer brought itself, under the
index that it has now, does not go back to it; over some of that alone no cursor is moved. What a
peer asks about is answered last, and what stands until it is said otherwise. A bundle holds so
much; what is left comes with the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain

from agent_memory_os.federation import passing
from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.exchange import asking, repair, told
from agent_memory_os.federation.exchange.local import Lines, Local
from agent_memory_os.federation.exchange.repair import Leaves, Probe, Sketched
from agent_memory_os.federation.exchange.told import Move, Want
from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.register import LIFE, PROJECT_NARROW, TEAM_NARROW
from agent_memory_os.model.routing import ask, ceiling, cursor, serve
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.model.routing.tree import Difference
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import route, settle
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.exchange.held import HeldPlain, HeldRegister, Reader
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer

ROOM = 4_194_304
"""Bytes of registers in a bundle; what is begun is ended, so it may be a little more."""

_BATCH = 100
TOLD = "told"
_TOKEN_DIGITS = 32
_DAY_MS = 86_400_000


class Server:
    """Serves one peer from one snapshot. ``is_more`` says, at the end, that not all had room.

    ``anew`` are the routes of which too much is not alike: they begin anew. ``given`` is how far
    each route is given out. ``hinted`` tells which hints there were, if any.
    """

    def __init__(self, local: Local, snapshot: Snapshot, peer: Peer, want: Want) -> None:
        self.local = local
        self.snapshot = snapshot
        self.peer = peer
        self.want = want
        self.chart: Chart = local.charts.read(snapshot)
        self.reader = Reader(snapshot)
        self.lines = Lines(local)
        self.room = ROOM
        self.is_more = False
        self.reached: dict[str, Cursor] = {}
        self.anew: list[str] = []
        self.given: dict[str, int] = {}
        self.hinted: Cursor | None = None
        self._own_source = settle.known_source(snapshot, peer.device, want.index_id)

    def held(self, ours: Iterable[bytes] = (), *, is_bare: bool = False) -> list[Part]:
        """Return the parts of a bundle, made: what they say of each other is known by then."""
        parts = self.parts(ours, is_bare=is_bare)
        return [Part(part.scope, [*part.lines]) for part in parts]

    def parts(self, ours: Iterable[bytes] = (), *, is_bare: bool = False) -> Iterator[Part]:
        """Yield the parts of a bundle; ``ours`` are lines that stand, too.

        It ``is_bare`` where the peer does not look at what stands, but for what it may ask about.
        """
        if self.want.is_repair:
            yield from self.repairs(self.want.sketches, self.want.probes, self.want.leaves)
            return
        routes = self.offered
        yield from self._told()
        for one in routes:
            if self.is_full:
                self.is_more = True
                break
            yield from self._route(one)
        yield from self._answers()
        if not self.is_more:
            yield from self._passed(routes)
        yield Part("", self._hints(routes) if is_bare else self._standing(ours, routes))
        yield from self.repairs(self.want.sketches, (), ())
        yield Part("", [told.of_more(is_more=self.is_more)])

    def _standing(self, ours: Iterable[bytes], routes: list[str]) -> list[bytes]:
        """Return what is said until it is otherwise, or that it is the same."""
        lines = [*ours, told.of_offer(routes), *self._known(routes)]
        if not self.is_more:
            lines += self.totals(routes)
        return [told.of_same()] if told.sum_of(lines) == self.want.seen else lines

    def _hints(self, routes: list[str]) -> list[bytes]:
        """Return what a peer that only answers may ask about, unless it was told so today."""
        known = [*self._known(routes)]
        if not known:
            return []
        lines = [told.of_offer(routes), *known]
        day = str(self.snapshot.now // _DAY_MS)
        hinted = Cursor(day, told.sum_of(lines), 0)
        if peers.cursors(self.snapshot, self.peer).get(asking.HINTED) == hinted:
            return []
        self.hinted = hinted
        return lines

    @property
    def is_revoked(self) -> bool:
        """Whether the peer's device was revoked: it is served nothing."""
        return settle.is_revoked(self.snapshot, self.peer.device)

    @property
    def is_full(self) -> bool:
        """Whether there is no room left in the bundle."""
        return self.lines.size >= self.room

    def _known(self, routes: list[str]) -> Iterator[bytes]:
        """Say which scopes that the peer holds something of are known here and not served it."""
        holds = self.want.holds
        if holds is None:
            return
        heads = {
            told.hashed(name, holds.salt): head
            for name, head in route.heads(self.snapshot)
            if name not in routes and holds.has(name) and self._may_hold(name)
        }
        if heads:
            yield told.of_known(heads)

    def _may_hold(self, name: str) -> bool:
        """Say whether a peer may hold anything of a scope whose id is no secret.

        What a team or project is called is known only to who was let in; agents and accounts are
        known to many.
        """
        kind, _, owner = name.partition(":")
        mine, theirs = self.chart.account, self.peer.account
        if kind == "agent" and mine != theirs:
            return owner in self.chart.view.agents(theirs)
        return kind != "global" or mine in (owner, theirs)

    def _told(self) -> Iterator[Part]:
        yield from self._frame(TOLD, *self.told_frame(), Cursor(self.chart.origin, "", 0))

    def told_frame(self) -> tuple[list[str], list[str]]:
        """Return the registers and the lists that tell the peer what it is out of."""
        mine = route.places_of(self.snapshot, self.peer.account) if self._is_narrowed() else ()
        told_of = serve.told(self.chart.view, self.peer.account, mine)
        names = sorted({*told_of, *self.introduced()})
        return names, serve.lists(self.chart.view, "", names)

    def _is_narrowed(self) -> bool:
        groups = (TEAM_NARROW, PROJECT_NARROW)
        return any(held.register.group in groups for held in self.chart.entries.values())

    def introduced(self) -> list[str]:
        """Return the registers of this account's devices, and of the agents that a peer knows."""
        agents = peers.introduced(self.snapshot, self.peer)
        return serve.people(self.chart.view, [self.chart.account], agents)

    def _frame(self, name: str, names: list[str], lists: list[str], at: Cursor) -> Iterator[Part]:
        token, held = token_of(names, lists), self.want.cursors.get(name)
        if held is not None and (held.origin, held.token) == (self.chart.origin, token):
            return
        if held is None and not (names or lists or self._has_records(name)):
            return
        self.reached[name] = at._replace(token=token)
        yield Part("", self._frame_lines(name, names, lists))

    def _frame_lines(self, name: str, names: list[str], lists: list[str]) -> Iterator[bytes]:
        yield from self._lines(names)
        for one in lists:
            yield from told.of_list(self.chart.view.held.lists[one])
        yield told.of_move(Move(name, self.reached[name]))

    def behind(self) -> int:
        """Count the records that the peer has still to be sent."""
        found: set[str] = set()
        for name in self.offered:
            records = records_of(name)
            if records:
                after = self._after(name)
                found |= route.objects_after(self.snapshot, records, after, self._own_source)
        return len(found)

    def _route(self, name: str) -> Iterator[Part]:
        names = self.frame_of(name)
        lists = serve.lists(self.chart.view, name, names)
        token, after = token_of(names, lists), self._after(name)
        at, records = Cursor(self.chart.origin, token, after), records_of(name)
        yield from self._frame(name, names, lists, at)
        if records:
            yield Part("", self._records(name, records, at))

    def _after(self, name: str) -> int:
        """Return the number after which the records of a route are sent.

        A frame that changed sends no record again: those that stand otherwise have new numbers.
        """
        return cursor.start(self.want.cursors.get(name), self.chart.origin)

    def _has_records(self, name: str) -> bool:
        """Say whether there is anything on a route that a cursor could move over."""
        return route.total(self.snapshot, records_of(name)).records > 0

    def frame_of(self, name: str) -> list[str]:
        """Return the registers of the organisation that go before the records of a route."""
        if name.startswith("agent:"):
            return serve.people(self.chart.view, *route.owners_on(self.snapshot, name))
        return serve.frame(self.chart.view, name)

    def _records(self, name: str, records: str, at: Cursor) -> Iterator[bytes]:
        """Yield the lines of a route's records after a cursor, and how far they bring it.

        Who asks for them anew may have lost what it brought itself.
        """
        own = None if self.want.cursors.get(name) == cursor.ANEW else self._own_source
        while True:
            found = route.after(self.snapshot, records, at.lseq, _BATCH)
            if not found:
                return
            if self.is_full:
                self.is_more = True
                return
            wanted = [one.object for one in found if one.source is None or one.source != own]
            self.given[records] = found[-1].lseq
            yield from self._all(wanted, records)
            after, at = at.lseq, at._replace(lseq=found[-1].lseq)
            if wanted or len(found) == _BATCH:
                # Over a few records that it brought itself the peer is moved when others come.
                self.reached[name] = at
                yield told.of_move(Move(name, at, after))

    def _all(self, objects: list[str], records: str) -> Iterator[bytes]:
        """Yield the lines of some records of a route."""
        plain = self._plain(objects, records)
        others = [name for name in objects if name not in plain]
        held = self.reader.of(others) if others else {}
        served = {name: self.served(name, records, one) for name, one in held.items()}
        self.lines.sign(plain.values(), served.values())
        for name in objects:
            if name in plain:
                yield from self.lines.of_plain(plain[name])
            else:
                # What takes away goes first: nobody holds a content without what ended a grant.
                found = sorted(served.get(name, ()), key=lambda one: cursor.order(one.register))
                yield from self.lines.of(found)

    def _plain(self, objects: list[str], records: str) -> dict[str, HeldPlain]:
        """Return those of some records of a route that are plain, and served there."""
        found = self.reader.plain(objects, self.chart.view.plains)
        return {
            name: one for name, one in found.items() if records in route.routes_of(one.form.first)
        }

    def served(self, object_id: str, records: str, held: list[HeldRegister]) -> list[HeldRegister]:
        """Return those of an object's registers that are served on a route of records."""
        if records.startswith(route.BY) and not any(one.register.group == LIFE for one in held):
            return held
        plain = self.chart.view.plains.of({one.name: one.register for one in held})
        if plain is not None and records in route.routes_of(plain):
            return held
        names = set(self._judged(object_id, records, held))
        return [one for one in held if one.name in names]

    def _judged(self, object_id: str, records: str, held: list[HeldRegister]) -> list[str]:
        """Return what of a record is served on the route of a scope."""
        registers = {one.name: one.register for one in held}
        if object_id.startswith("lnk_"):
            ends = self.reader.of(held[0].register.proof[:2])
            registers |= {one.name: one.register for found in ends.values() for one in found}
        view = self.chart.view.about(registers)
        if object_id.startswith("lnk_"):
            return serve.link_record(view, records, object_id)
        if records.startswith(route.BY):
            return serve.written(view, object_id)
        scope = GLOBAL if records.startswith(route.ALL) else records
        return serve.record(view, scope, object_id)

    def _answers(self) -> Iterator[Part]:
        for object_id, names in sorted(self.want.asks.items()):
            held = self.reader.of([object_id]).get(object_id, [])
            view = self.chart.view.about({one.name: one.register for one in held})
            found = ask.answers(view, names)
            by_name = {one.name: one for one in held} | self.chart.entries
            lists = serve.lists(view, "", found)
            lines = [*self.lines.of(by_name[name] for name in found if name in by_name)]
            for one in lists:
                lines += told.of_list(view.held.lists[one])
            if lines:
                yield Part("", lines)

    def _passed(self, routes: list[str]) -> Iterator[Part]:
        """Pass on what authors and devices say, of the scopes that are served, where it is new."""
        had, device = self.want.cursors, self.peer.device
        for one in passing.passed(self.snapshot, self.chart, routes, had, device):
            self.reached[one.route] = one.cursor
            yield one.part

    def totals(self, routes: Iterable[str] | None = None) -> Iterator[bytes]:
        """Yield the line that tells the totals of routes, if there are any that both hold alike."""
        own, account = self.chart.account, self.peer.account
        names = self.offered if routes is None else routes
        compared = [name for name in names if repair.compares(name, own, account, own)]
        found = {name: repair.total_of(self.snapshot, records_of(name)) for name in compared}
        yield from [repair.of_totals(found)] if found else ()

    def repairs(
        self,
        sketches: Iterable[Sketched],
        probes: Iterable[Probe],
        leaves: Iterable[Leaves],
    ) -> Iterator[Part]:
        """Answer questions about routes that the two hold differently, of those that are served."""
        for sketch in filter(self._serves, sketches):
            records = records_of(sketch.route)
            read = repair.read_off(self.snapshot, sketch, records)
            if read is None:
                yield Part("", [repair.of_torn(sketch.route)])
            else:
                yield from self._settled(sketch.route, records, read)
        for probe in filter(self._serves, probes):
            branch = repair.answer(self.snapshot, probe, records_of(probe.route))
            self.anew += [probe.route] if branch.is_whole else []
            yield Part("", [repair.of_branch(branch)])
        for asked in filter(self._serves, leaves):
            records = records_of(asked.route)
            found = repair.difference(self.snapshot, asked, records)
            yield from self._settled(asked.route, records, found)

    def _settled(self, name: str, records: str, found: Difference) -> Iterator[Part]:
        yield Part("", self.again(records, found.send))
        yield Part("", [repair.of_lack(name, found.lack)])

    def _serves(self, asked: Sketched | Probe | Leaves) -> bool:
        return self.serves(asked.route)

    @cached_property
    def offered(self) -> list[str]:
        """The routes that the peer is served now, in their order."""
        if self.is_revoked:
            return []
        view, own = self.chart.view, self.chart.account
        return ceiling.routes(view, own, self.peer.account, self.peer.ceiling)

    @cached_property
    def routes(self) -> frozenset[str]:
        """The routes that the peer is served now."""
        return frozenset(self.offered)

    def serves(self, name: str) -> bool:
        """Say whether the peer is served a route now."""
        return name in self.routes

    def again(self, records: str, objects: Iterable[str]) -> Iterator[bytes]:
        """Yield the lines of some records of a route, whatever the cursor says."""
        self.given[records] = route.newest(self.snapshot)
        yield from self._all(list(objects), records)

    def _lines(self, names: Iterable[str]) -> Iterator[bytes]:
        entries: Mapping[str, HeldRegister] = self.chart.entries
        yield from self.lines.of(entries[name] for name in names)


def token_of(*names: Iterable[str]) -> str:
    """Return the token of a frame, by the digests of its registers and lists."""
    return serve.token(chain(*names))[:_TOKEN_DIGITS]


def records_of(name: str) -> str:
    """Return the route whose records are served under a name; nothing where there are none."""
    kind, _, account = name.partition(":")
    if kind in ("own", "back"):
        return route.BY + account
    return "" if kind == "charge" else name
