"""Moving memories, some at a time, so that whoever else writes never waits for long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from agent_memory_os.errors import BadFleetFile, InvalidInput, NotAllowed
from agent_memory_os.model.audience import GLOBAL, PRIVATE
from agent_memory_os.model.identifier import kind_of
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.organisation import Agent
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import Context, check_clock
from agent_memory_os.service.memory.find import NO_CURSOR
from agent_memory_os.service.memory.right import find
from agent_memory_os.service.moves import agent as agents
from agent_memory_os.service.moves import team as teams
from agent_memory_os.service.moves.agent import Way
from agent_memory_os.service.moves.plan import (
    EVERYTHING,
    Chosen,
    Plan,
    Reach,
    Step,
    TeamPlan,
    check,
)
from agent_memory_os.service.moves.team import TeamWay
from agent_memory_os.service.named import find_agent, find_anybody, find_scope, find_team, several
from agent_memory_os.store import memories, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.file.pace import Pace
from agent_memory_os.store.memory import move
from agent_memory_os.store.write import Writer
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

SAMPLE = 5
_PAGE = 500
_BATCH, _MOST = 16, 200
"""How many memories are moved in one transaction, at first and at most (:mod:`pace`)."""


class Moves:
    """Every move of memories: the operator's alone."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def preview(
        self, principal: Principal, source: str, target: str, chosen: Chosen = EVERYTHING
    ) -> Plan:
        """Return what :meth:`run` would do, and change nothing."""
        _check(principal, chosen)
        with self._context.seeing(principal, "move") as (snapshot, gate):
            way = _way(snapshot, source, target)
            grants, skipped = Counter[str](), 0
            found, count = list[Memory](), 0
            for memory in _chosen(snapshot, way, chosen):
                if agents.is_done(snapshot, way, memory):
                    skipped += 1
                    continue
                count += 1
                place = memories.place_of(snapshot, memory)
                grants.update(memories.granted(snapshot, place.row) if place else ())
                if len(found) < SAMPLE:
                    found.append(find(snapshot, gate, memory))
            then = agents.shared(snapshot, way, move.names_of(snapshot, grants))
            kept, lost = (
                tuple(Reach(one.scope, one.name, grants[one.scope]) for one in some)
                for some in then
            )
        names = (way.source.id, way.source.name, way.target.id, way.target.name)
        return Plan(*names, count, skipped, kept, lost, tuple(found))

    def run(
        self,
        principal: Principal,
        source: str,
        target: str,
        chosen: Chosen = EVERYTHING,
        *,
        drops: bool = False,
        cursor: str = "",
    ) -> Iterator[Step]:
        """Move an agent's memories to another agent of the account, a transaction a step.

        ``drops``: also those that somebody reads with whom the other agent may not share; they lose
        them. Without it those raise :class:`Refused` before anything is moved. Repeated, or gone on
        with after a step's ``cursor``, nothing is moved twice.
        """
        _check(principal, chosen)
        after = _after(cursor)
        if not (drops or after):
            self._check_lost(principal, source, target, chosen)
        with self._context.database.read() as snapshot:
            way = _way(snapshot, source, target)._replace(drops=drops)
            parameters = _parameters(snapshot, way, chosen)

        def page(snapshot: Snapshot, after: str) -> list[str]:
            find_agent(snapshot, way.target.id)
            return move.chosen(snapshot, {**parameters, "now": snapshot.now}, after, _PAGE)

        def put(writer: Writer, memory: str) -> bool | None:
            is_wanted = _is_wanted(writer.transaction, way, chosen, memory)
            return agents.put(writer, way, memory) if is_wanted else None

        yield from self._steps(page, put, after)

    def preview_team(
        self, principal: Principal, source: str, target: str, *, keep: bool = False
    ) -> TeamPlan:
        """Return what :meth:`run_team` would do, and change nothing."""
        _check_operator(principal)
        with self._context.seeing(principal, "move") as (snapshot, gate):
            way = _team_way(snapshot, source, target, keep=keep)
            left, count, found = Counter[str](), 0, list[Memory]()
            for memory, owner in _granted(snapshot, way.scopes[0]):
                if not teams.may_share(snapshot, way, owner):
                    left[organisation.agent_name(snapshot, owner)] += 1
                elif teams.is_due(snapshot, way, memory):
                    count += 1
                    if len(found) < SAMPLE:
                        found.append(find(snapshot, gate, memory))
        names = (way.source.id, way.source.name, way.target.id, way.target.name)
        return TeamPlan(*names, count, tuple(sorted(left.items())), tuple(found))

    def run_team(
        self,
        principal: Principal,
        source: str,
        target: str,
        *,
        keep: bool = False,
        cursor: str = "",
    ) -> Iterator[Step]:
        """Share with one team what this account's agents share with another, a transaction a step.

        The first team reads it no more, but for ``keep``. What belongs to agents that are not in
        the other team is skipped.
        """
        _check_operator(principal)
        after = _after(cursor)
        with self._context.database.read() as snapshot:
            way = _team_way(snapshot, source, target, keep=keep)
            check_clock(snapshot)

        def page(snapshot: Snapshot, after: str) -> list[tuple[str, str]]:
            return move.granted_to(snapshot, way.scopes[0], after, _PAGE)

        def put(writer: Writer, item: tuple[str, str]) -> bool:
            return teams.put(writer, way, *item)

        yield from self._steps(page, put, after)

    def _check_lost(self, principal: Principal, source: str, target: str, chosen: Chosen) -> None:
        plan = self.preview(principal, source, target, chosen)
        if plan.lost:
            with self._context.database.read() as snapshot:
                way = _way(snapshot, source, target)
            raise agents.loses(way, [one.name for one in plan.lost], "what is moved")
        if plan.kept:
            with self._context.database.read() as snapshot:
                check_clock(snapshot)

    def _steps(
        self,
        page: Callable[[Snapshot, str], list[T]],
        put: Callable[[Writer, T], bool | None],
        after: str,
    ) -> Iterator[Step]:
        """Yield what each transaction did; what is looked at is read before the lock is taken."""
        if self._context.fault:
            raise BadFleetFile(self._context.fault)
        pace = Pace(self._context.database, _BATCH, _MOST)
        while True:
            with self._context.database.read() as snapshot:
                found = page(snapshot, after)
            is_last = len(found) < _PAGE
            while found or is_last:
                some, found = found[: pace.size], found[pace.size :]
                moved, skipped = self._write(pace, some, put)
                after = _id_of(some[-1]) if some else after
                is_over = is_last and not found
                yield Step(moved, skipped, "" if is_over else after)
                if is_over:
                    return

    @staticmethod
    def _write(
        pace: Pace, some: list[T], put: Callable[[Writer, T], bool | None]
    ) -> tuple[int, int]:
        """Do some in one transaction; return how many were moved, and how many were before."""
        if not some:
            return 0, 0
        with pace.write() as transaction:
            writer = Writer(transaction)
            done = [put(writer, item) for item in some]
            writer.close()
        pace.done(len(some))
        return done.count(True), done.count(False)


def _id_of(item: object) -> str:
    return str(item[0] if isinstance(item, tuple) else item)


def _check_operator(principal: Principal) -> None:
    if not principal.is_operator:
        raise NotAllowed("This is the operator's: act as the operator.")


def _check(principal: Principal, chosen: Chosen) -> None:
    _check_operator(principal)
    check(chosen)


def _after(cursor: str) -> str:
    if cursor and kind_of(cursor) != "memory":
        raise InvalidInput(NO_CURSOR)
    return cursor


def _way(snapshot: Snapshot, source: str, target: str) -> Way:
    """Return from which agent to which: both of this account, and the other one active."""
    way = Way(_owner(snapshot, source), find_agent(snapshot, target))
    if way.source.id == way.target.id:
        raise InvalidInput(f"{way.source.name} has its memories already: name two agents.")
    return way


def _owner(snapshot: Snapshot, name: str) -> Agent:
    """Return the agent of a name or id, also where it was removed: its memories are still here."""
    held = organisation.agents_named(snapshot, name)
    active = [one for one in held if one.state == organisation.ACTIVE]
    if not held or active:
        return find_agent(snapshot, name)
    if len(held) > 1:
        raise several("agent", name, [one.id for one in held])
    if not organisation.is_own(snapshot, held[0].id):
        find_anybody(snapshot, name)
    return held[0]


def _team_way(snapshot: Snapshot, source: str, target: str, *, keep: bool) -> TeamWay:
    way = TeamWay(find_team(snapshot, source), find_team(snapshot, target), keep)
    if way.source.id == way.target.id:
        raise InvalidInput(f"{way.source.name} reads what it reads: name two teams.")
    return way


def _parameters(snapshot: Snapshot, way: Way, chosen: Chosen) -> dict[str, object]:
    granted = chosen.audience
    if granted is not None and granted not in (GLOBAL, PRIVATE):
        kind, _, name = granted.partition(":")
        granted = (
            f"agent:{find_anybody(snapshot, name).id}"
            if kind == "agent"
            else find_scope(snapshot, granted)
        )
    return dict(move.parameters_of(snapshot, way.source.id, chosen.wanted, granted))


def _chosen(snapshot: Snapshot, way: Way, chosen: Chosen) -> Iterator[str]:
    """Yield the memories that are to be moved, those that were moved before among them."""
    parameters, after = _parameters(snapshot, way, chosen), ""
    while found := move.chosen(snapshot, parameters, after, _PAGE):
        after = found[-1]
        yield from (one for one in found if _is_wanted(snapshot, way, chosen, one))


def _is_wanted(snapshot: Snapshot, way: Way, chosen: Chosen, memory: str) -> bool:
    if not chosen.back:
        return True
    nonce = memories.nonce_of(snapshot, memory)
    return move.came_from(snapshot, memory, nonce) == way.target.id


def _granted(snapshot: Snapshot, scope: str) -> Iterator[tuple[str, str]]:
    after = ""
    while found := move.granted_to(snapshot, scope, after, _PAGE):
        after = found[-1][0]
        yield from found
