"""The organisation as people and the gate read it, made to follow from the chart.

Agents, teams, projects, devices and memberships are few: they are made anew from the chart whenever
anything of it came from a peer, and only what differs is written. What the change means for
memories is found by comparing two charts: whose writes count otherwise in which scope, and where
this account's own agents came in or went out. Those memories are marked, with the links that stand
there, and judged again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.merge import newest
from agent_memory_os.model.organisation import is_name
from agent_memory_os.model.register import (
    AGENT,
    DEVICE,
    PROJECT_MEMBER,
    PROJECT_NAME,
    TEAM_MEMBER,
    TEAM_NAME,
    Register,
)
from agent_memory_os.model.routing.cursor import anew
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Transaction
from agent_memory_os.store.exchange.chart import Chart, read
from agent_memory_os.store.exchange.held import Reader
from agent_memory_os.store.peer import peers
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import cast

_sql = Queries("organisation")
_exchange_sql = Queries("exchange")
_KINDS = {AGENT: "agent", TEAM_NAME: "team", PROJECT_NAME: "project"}

Member = tuple[str, str, str, str]
"""A scope, an agent of it, the add that holds, and the team's add under that."""


def organise(transaction: Transaction, chart: Chart) -> None:
    """Make the tables of the organisation follow from the chart."""
    view = chart.view
    for device, state in devices(view):
        transaction.execute(_exchange_sql["set_device_state"], (state, device))
    for object_id, group, show in (
        ("agt_", AGENT, organisation.put_agent),
        ("team_", TEAM_NAME, organisation.put_team),
        ("prj_", PROJECT_NAME, organisation.put_project),
    ):
        for name in view.held.objects(object_id):
            register = said(view, name, group) or _unvouched(view, name, group)
            if register is not None and _is_grounded(transaction, register):
                show(transaction, _called(register))
    for team in view.held.objects("team_"):
        parameters = {
            "team": team,
            "admin": view.teams.admin(team),
            "charge": view.teams.in_charge(team),
            "state": _state(view, team),
        }
        transaction.execute(_exchange_sql["set_team"], parameters)
    for project in view.held.objects("prj_"):
        parameters = {"project": project, "state": _state(view, project)}
        transaction.execute(_sql["set_project_state"], parameters)
    organisation.tell_apart(transaction, chart.account)
    _put_members(transaction, view)
    transaction.execute(_exchange_sql["set_ripens_at"], (chart.ripens_at,))


@contextmanager
def followed(transaction: Transaction) -> Iterator[None]:
    """Have the organisation, and what is to be judged again, follow from what is logged within.

    Written here, a hand-over or the revocation of a device changes what the registers of many mean,
    and so does whatever somebody says of a team that it took over: it is shown by the rules, as
    what peers bring is.
    """
    before = read(transaction)
    yield
    after = read(transaction)
    organise(transaction, after)
    mark_stale(transaction, before, after)


def _called(register: Register) -> Register:
    """Return a register with a name that can be one: else with the id of what it names.

    Who writes by hand may call a team like another one's id, or an agent like one of ours.
    """
    if is_name(_KINDS[register.group], str(register.value["name"])):
        return register
    return register._replace(value={**register.value, "name": register.object})


def _unvouched(view: View, name: str, group: str) -> Register | None:
    """Return an agent of which no register counts, as one that does not act.

    Its id says whose it is, so that what it owns may be shown all the same. A team keeps its name
    where it was handed over, and the list that would tell whether the name remained is not here.
    """
    if group != AGENT:
        return newest([one for _, one in view.teams.ending(name, group)])
    held = view.held.of(name, group)
    if not held:
        return None
    register = min(held)[1]
    value = {"name": register.proof[1], "kind": "custom", "state": organisation.REMOVED}
    return register._replace(value=value)


def _is_grounded(transaction: Transaction, register: Register) -> bool:
    """Say whether a project's team has a row: a project is shown below it."""
    if register.group != PROJECT_NAME:
        return True
    return transaction.value(_sql["team_row"], {"id": register.proof[0]}) is not None


def said(view: View, object_id: str, group: str) -> Register | None:
    """Return the newest register of an agent, team or project that counts."""
    counts = view.devices.reason if group == AGENT else view.teams.reason
    return newest([one for name, one in view.held.of(object_id, group) if not counts(name, one)])


def devices(view: View) -> list[tuple[str, str]]:
    """Return every device that is known, and whether it is certified or revoked."""
    found: list[tuple[str, str]] = []
    for account in view.held.objects("acc_"):
        for group in view.held.groups(account, DEVICE):
            device = group.removeprefix(DEVICE)
            is_revoked = bool(view.devices.revocations(account, device))
            found.append((device, "revoked" if is_revoked else "certified"))
    return found


def memberships(view: View) -> set[Member]:
    """Return every add that holds, of agents that are known."""
    found: set[Member] = set()
    for scope in view.scopes():
        prefix = TEAM_MEMBER if scope.startswith("team:") else PROJECT_MEMBER
        for agent in view.members.known(scope):
            if agent in view.held.account_of:
                adds = dict(view.held.of(scope.partition(":")[2], prefix + agent))
                found.update(
                    (scope, agent, name, str(adds[name].value.get("under", "")))
                    for name in view.members.adds(scope, agent)
                )
    return found


def _put_members(transaction: Transaction, view: View) -> None:
    held = {cast("Member", row) for row in transaction.rows(_exchange_sql["memberships"])}
    wanted = memberships(view)
    for scope, agent, name, _ in held - wanted:
        transaction.execute(_exchange_sql["drop_membership"], (scope, agent, name))
    for scope, agent, name, under in sorted(wanted - held):
        kind, _, object_id = scope.partition(":")
        organisation.put_scope(transaction, kind, object_id)
        row = (name, under, transaction.now, scope, agent)
        transaction.execute(_exchange_sql["put_membership"], row)


def _state(view: View, object_id: str) -> str:
    return organisation.ACTIVE if view.teams.is_alive(object_id) else organisation.REMOVED


def mark_stale(transaction: Transaction, before: Chart, after: Chart) -> None:
    """Mark the memories and links that have to be judged again between two charts."""
    old, new = _admissions(before.view), _admissions(after.view)
    changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    for scope, agent in sorted(changed):
        transaction.execute(_exchange_sql["stale_of_owner"], (agent,))
        if scope and after.view.held.account_of.get(agent) == after.account:
            transaction.execute(_exchange_sql["stale_of_scope"], (scope,))
            transaction.execute(_exchange_sql["stale_links_of_scope"], (scope,))
    asserters = json.dumps(sorted({agent for _, agent in changed}))
    transaction.execute(_exchange_sql["stale_of_asserters"], (asserters,))
    for narrowed, _ in sorted(_narrowed(before.view) ^ _narrowed(after.view)):
        transaction.execute(_exchange_sql["stale_of_scope"], (narrowed,))
    transaction.execute(_exchange_sql["stale_hidden"])
    scopes = [row[0] for row in transaction.rows(_exchange_sql["cursor_routes"])]
    has = _Held(transaction, after)
    for scope in anew(scopes, before.view, after.view, after.account, has):
        peers.drop_cursors(transaction, scope)


class _Held:
    """The digests of what is held, worked out only where somebody asks: it is all of the file."""

    def __init__(self, transaction: Transaction, chart: Chart) -> None:
        self._transaction = transaction
        self._chart = chart
        self._names: frozenset[str] | None = None

    def __contains__(self, name: object) -> bool:
        """Say whether a register of this digest is held."""
        if name in self._chart.entries:
            return True
        if self._names is None:
            reader = Reader(self._transaction)
            found: set[str] = set()
            for objects in _paged(self._transaction):
                held = reader.of(objects).values()
                found.update(one.name for registers in held for one in registers)
            self._names = frozenset(found)
        return name in self._names


def _paged(transaction: Transaction) -> Iterator[list[str]]:
    after = ""
    while rows := transaction.rows(_exchange_sql["held_after"], (after,)):
        yield [row[0] for row in rows]
        after = rows[-1][0]


def _narrowed(view: View) -> set[tuple[str, str]]:
    return {(scope, name) for scope in view.scopes() for name, _ in view.memories.narrowings(scope)}


def _admissions(view: View) -> dict[tuple[str, str], tuple[object, ...]]:
    """Return, by scope and agent, what decides whether the agent's writes count there."""
    found: dict[tuple[str, str], tuple[object, ...]] = {}
    for scope in view.scopes():
        for agent in view.members.known(scope):
            found[scope, agent] = tuple(_entries(view, scope, agent))
    devices_of = {
        account: tuple(
            (name, one.value["state"], view.held.listed(one, account) is not None)
            for group in view.held.groups(account, DEVICE)
            for name, one in view.held.of(account, group)
        )
        for account in view.held.objects("acc_")
    }
    for agent, account in view.held.account_of.items():
        found["", agent] = devices_of.get(account, ())
    return found


def _entries(view: View, scope: str, agent: str) -> Iterator[tuple[object, ...]]:
    named: list[Named] = view.members.entries(scope, agent)
    for name, one in named:
        yield name, view.held.listed(one, scope) is not None
    yield (view.members.adds(scope, agent),)
