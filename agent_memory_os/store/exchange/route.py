"""Records on their routes: what a peer is served, found by how new it is, and summed up.

A route is what one kind of peer is served: what an account wrote (``by:``), a scope of a grant, or
what an account shares with everybody (``global:``). A record is one memory or link on a route:
its number is that of the newest register that is served of it there, so that the whole record goes
again whenever anything of it changes; where it stands otherwise though no register came, it gets a
number of its own, so that every cursor that has passed it comes to it again. Its mark is the sum of
the digests of what is served; the sum of all marks tells two nodes whether they hold the same, and
a sketch of them what differs.

Local writes do not place anything: what they touched is placed when somebody next syncs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.kept import place_of
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.authority.plain import Plain
from agent_memory_os.model.register import CONTENT
from agent_memory_os.model.routing import receipt, serve
from agent_memory_os.model.routing.cursor import is_known
from agent_memory_os.model.routing.sketch import Sketch, Told, element_of, is_told
from agent_memory_os.model.routing.tree import name_of
from agent_memory_os.store import node
from agent_memory_os.store.database import Row, Snapshot, Transaction
from agent_memory_os.store.exchange.held import HeldRegister
from agent_memory_os.store.exchange.known import Mark
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")

BY = "by:"
OF = "of:"
ALL = "global:"
_MARK_BYTES = 32
MODULUS = 1 << (8 * _MARK_BYTES)
"""Marks are added up modulo this."""


class Total(NamedTuple):
    """How many records are on a route, and the sum of their marks."""

    records: int
    mark: int


class Placed(NamedTuple):
    """A record of a route: its object, its number, and who brought it, if one peer brought all."""

    object: str
    lseq: int
    source: int | None


def routes_of(plain: Plain) -> list[str]:
    """Return the routes that a memory is served on which is plain."""
    by = BY + plain.content.author
    if not plain.scope:
        return [by]
    return [by, ALL + plain.content.author if plain.scope == GLOBAL else plain.scope]


def served_on(view: View, object_id: str) -> dict[str, list[str]]:
    """Return what is served of an object that ``view`` is about, by route."""
    if object_id.startswith("lnk_"):
        return _link_routes(view, object_id)
    account = view.held.proof(object_id)[0]
    found = {BY + account: serve.written(view, object_id)}
    for scope in view.memories.scopes(object_id):
        route = ALL + account if scope == GLOBAL else scope
        found[route] = serve.record(view, scope, object_id)
    return found


def _link_routes(view: View, link: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, one in view.held.about(link):
        found.setdefault(BY + one.author, []).append(name)
        for scope in one.relies:
            if names := serve.link_record(view, scope, link):
                found[scope] = names
    return found


class Routes:
    """Places records in one transaction; :meth:`close` keeps the totals.

    ``fresh`` gives a number that no register has.
    """

    def __init__(self, transaction: Transaction, fresh: Callable[[], int]) -> None:
        self.transaction = transaction
        self._fresh = fresh
        self._tops: dict[int, int] = {}
        self._rows: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._totals: dict[int, list[int]] = {}
        self._sketches: dict[int, Sketch] = {}
        self._changed: set[int] = set()
        self._counted: dict[tuple[str, str], list[tuple[int, list[int], Sketch | None]]] = {}
        self._records: list[Row] = []
        identity = node.identity(transaction)
        self._own = BY + (identity.account if identity else "")

    def place(
        self,
        view: View,
        object_id: str,
        held: Mapping[str, HeldRegister],
        known: Mapping[int, Mark],
    ) -> None:
        """Place an object as it is held now, and take it off the routes that it left.

        ``known`` is where it was placed.
        """
        account = _account(view, object_id)
        self._place(view, object_id, account, held, known)

    def place_plain(
        self, plain: Plain, memory: str, mark: int, newest: int, source: int | None
    ) -> None:
        """Place a memory that is placed nowhere, and is as a plain one is: all of it is served.

        Its number is ``newest`` or above; ``source`` brought all of it.
        """
        said, element = to_bytes(mark), element_of(memory, mark)
        for number, counted, sketch in self._plain(plain):
            lseq = self._number(number, newest)
            self._records.append((number, memory, lseq, said, source, None))
            for each in counted:
                self._count(each, mark, None)
            if sketch is not None:
                sketch.put(element)

    def _plain(self, plain: Plain) -> list[tuple[int, list[int], Sketch | None]]:
        """Return the routes of a plain memory, each with what it is counted and sketched on.

        That is asked once.
        """
        key = (plain.content.author, plain.scope)
        if key not in self._counted:
            numbers = [self._row(name) for name in routes_of(plain)]
            self._counted[key] = [
                (one, self._counts_on(one, key[0]), self._sketch(one)) for one in numbers
            ]
        return self._counted[key]

    def _place(
        self,
        view: View,
        object_id: str,
        account: str,
        held: Mapping[str, HeldRegister],
        known: Mapping[int, Mark],
    ) -> None:
        before = dict(known)
        for route, names in served_on(view, object_id).items():
            newest = max((held[name] for name in names), key=lambda one: one.lseq, default=None)
            if newest is None:
                continue
            mark = sum(int(name, 16) for name in names) % MODULUS
            number = self._row(route)
            old = before.pop(number, None)
            if old is None or old[0] != mark:
                lseq = self._number(number, newest.lseq)
                source = _source([held[name] for name in names], newest.source)
                stood = None if old is None else old[1:]
                is_taken = _is_taken(view, object_id, route)
                has = not is_taken or any(held[name].register.group == CONTENT for name in names)
                first = receipt.first_of(stood, has_content=has)
                self._records.append((number, object_id, lseq, to_bytes(mark), source, first))
                self._change(number, account, mark, None if old is None else old[0])
                self._toggle(number, object_id, mark, *(() if old is None else old[:1]))
        for number, (mark, *_) in before.items():
            self.transaction.execute(_sql["drop_record"], (number, object_id))
            self._change(number, account, None, mark)
            self._toggle(number, object_id, mark)

    def close(self) -> None:
        """Keep the records, and the totals of the routes that changed."""
        self.transaction.many(_sql["put_record"], self._records)
        self._records.clear()
        for number in sorted(self._changed):
            count, total = self._totals[number]
            row = (count, to_bytes(total), self._sketches[number].to_bytes(), number)
            self.transaction.execute(_sql["set_route"], row)
        self._changed.clear()

    def _row(self, route: str) -> int:
        if route not in self._rows:
            found = self.transaction.row(_sql["route"], (route,))
            if found is None:
                number = self.transaction.execute(_sql["add_route"], (route,))
                found = (number, 0, bytes(_MARK_BYTES), Sketch().to_bytes())
            self._rows[route], count, total, sketched = found
            self._sketches[self._rows[route]] = Sketch(sketched)
            self._names[self._rows[route]] = route
            self._totals[self._rows[route]] = [count, int.from_bytes(total, "big")]
        return self._rows[route]

    def _number(self, route: int, newest: int) -> int:
        """Return the number of a record that changed: above all that was served on its route."""
        if route not in self._tops:
            self._tops[route] = self.transaction.value(_sql["top"], (route,))
        number = newest if newest > self._tops[route] else self._fresh()
        self._tops[route] = number
        return number

    def _change(self, number: int, account: str, new: int | None, old: int | None) -> None:
        for each in self._counts_on(number, account):
            self._count(each, new, old)

    def _counts_on(self, number: int, account: str) -> list[int]:
        """Return what counts a record: its route, and in a team what is one account's there."""
        name = self._name(number)
        beside = [self._row(OF + account + "|" + name)] if is_shared(name) else []
        return [self._row(name), *beside]

    def _toggle(self, number: int, object_id: str, *marks: int) -> None:
        """Put a record into a route's sketch, or take it out, by each of its marks."""
        sketch = self._sketch(number)
        if sketch is not None:
            for mark in marks:
                sketch.toggle(object_id, mark)

    def _sketch(self, number: int) -> Sketch | None:
        """Return the sketch of a route: what another account wrote is compared with nobody."""
        name = self._name(number)
        is_compared = name == self._own or not name.startswith(BY)
        return self._sketches[number] if is_compared else None

    def _name(self, number: int) -> str:
        if number not in self._names:
            self._row(self.transaction.value(_sql["route_name"], (number,)))
        return self._names[number]

    def _count(self, number: int, new: int | None, old: int | None) -> None:
        total = self._totals[number]
        total[0] += (new is not None) - (old is not None)
        total[1] = (total[1] + (new or 0) - (old or 0)) % MODULUS
        self._changed.add(number)


def _is_taken(view: View, object_id: str, route: str) -> bool:
    """Say whether a memory was taken back on a route, and does not merely count there no more.

    What does not count is hidden by those who hold it, and not dropped.
    """
    if object_id.startswith("lnk_"):
        return False
    scope = GLOBAL if route.startswith(ALL) else route
    is_by = route.startswith(BY)
    return view.memories.is_dead(object_id) or (
        not is_by and view.memories.is_revoked(object_id, scope)
    )


def _account(view: View, object_id: str) -> str:
    """Return whose record an object is: its owner's, or that of the agent that asserts a link.

    Not the author's of any register of it: anybody may sign something of it that does not count.
    """
    proof = view.held.proof(object_id)
    return view.held.account_of.get(proof[3], "") if object_id.startswith("lnk_") else proof[0]


def _source(served: Iterable[HeldRegister], newest: int | None) -> int | None:
    """Return who brought all of a record, and need not be sent it; ``None`` for nobody."""
    if newest is None:
        return None
    pairs = [(one.source, one.register) for one in served]
    return newest if is_known(pairs, newest) else None


def to_bytes(mark: int) -> bytearray:
    """Return a mark as it is kept and sent."""
    return bytearray(mark.to_bytes(_MARK_BYTES, "big"))


def total(snapshot: Snapshot, route: str) -> Total:
    """Return how many records are on a route, and the sum of their marks."""
    row = snapshot.row(_sql["route"], (route,))
    return Total(0, 0) if row is None else Total(row[1], int.from_bytes(row[2], "big"))


def sketch(snapshot: Snapshot, route: str) -> Sketch:
    """Return the sketch of a route."""
    row = snapshot.row(_sql["route"], (route,))
    return Sketch() if row is None else Sketch(row[3])


def named(snapshot: Snapshot, route: str, names: Iterable[str]) -> list[tuple[str, int]]:
    """Return the records of a route that are named so, each with its mark."""
    row = snapshot.row(_sql["route"], (route,))
    begun = json.dumps([f"{kind}_{name}" for name in names for kind in ("lnk", "mem")])
    rows = [] if row is None else snapshot.rows(_sql["named"], (row[0], begun))
    return [(object_id, int.from_bytes(mark, "big")) for object_id, mark in rows]


def told(snapshot: Snapshot, route: str, records: Iterable[Told]) -> tuple[list[str], list[str]]:
    """Return which records that are told are on a route, and the names of those that are not."""
    wanted = list(records)
    held: dict[str, list[tuple[str, int]]] = {}
    for object_id, mark in named(snapshot, route, {one.name for one in wanted}):
        held.setdefault(name_of(object_id), []).append((object_id, mark))
    here, lack = set(), set()
    for one in wanted:
        found = [name for name, mark in held.get(one.name, ()) if is_told(one, name, mark)]
        here |= {*found}
        if not found:
            lack.add(one.name)
    return sorted(here), sorted(lack)


def total_of(snapshot: Snapshot, scope: str, account: str) -> Total:
    """Return how many records of an account are in a scope, and the sum of their marks."""
    return total(snapshot, OF + account + "|" + scope)


def newest(snapshot: Snapshot) -> int:
    """Return the number of the newest register."""
    return int(snapshot.value(_sql["newest"]))


def after(snapshot: Snapshot, route: str, lseq: int, limit: int) -> list[Placed]:
    """Return the next records of a route, oldest first."""
    row = snapshot.row(_sql["route"], (route,))
    if row is None:
        return []
    return [Placed(*found) for found in snapshot.rows(_sql["served"], (row[0], lseq, limit))]


def objects_after(snapshot: Snapshot, route: str, lseq: int, source: int | None) -> set[str]:
    """Return the records of a route after a number, but for what one source brought."""
    row = snapshot.row(_sql["route"], (route,))
    if row is None:
        return set()
    return {found[0] for found in snapshot.rows(_sql["newer_records"], (row[0], lseq, source))}


def marks(snapshot: Snapshot, route: str) -> Iterable[tuple[str, int]]:
    """Yield every record of a route with its mark."""
    row = snapshot.row(_sql["route"], (route,))
    if row is not None:
        for object_id, mark in snapshot.each(_sql["marks"], (row[0],)):
            yield object_id, int.from_bytes(mark, "big")


def owners_on(snapshot: Snapshot, route: str) -> tuple[set[str], set[str]]:
    """Return the accounts and the agents that own what is on a route."""
    rows = snapshot.rows(_sql["owners_on"], (route,))
    return {row[0] for row in rows}, {row[1] for row in rows}


def places_of(snapshot: Snapshot, account: str) -> set[str]:
    """Return the places (hashes) of the memories of an account that are on its route."""
    return {place_of(name) for name, _ in marks(snapshot, BY + account)}


def heads(snapshot: Snapshot) -> list[tuple[str, int]]:
    """Return every route of a scope, with the number of what is newest there."""
    return [(row[0], row[1]) for row in snapshot.rows(_sql["heads"])]


def foreign(snapshot: Snapshot, account: str, scopes: Iterable[str], limit: int) -> list[str]:
    """Return memories of others with contents here in some scopes, and all that is not shown."""
    parameters = {"account": account, "scopes": json.dumps(list(scopes)), "limit": limit}
    return [row[0] for row in snapshot.rows(_sql["foreign"], parameters)]


def owned_scopes(snapshot: Snapshot, account: str) -> list[str]:
    """Return the scopes in which memories of one account are held."""
    return [row[0] for row in snapshot.rows(_sql["owned_scopes"], (account,))]


def foreign_scopes(snapshot: Snapshot, account: str) -> list[str]:
    """Return the scopes in which memories of other accounts are held."""
    return [row[0] for row in snapshot.rows(_sql["foreign_scopes"], (account,))]
