"""Agents, teams and projects of a served node, and moves between them: the operator's.

What can stand in no path is no name; it is told like every name that nobody has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from agent_memory_os.errors import AlreadyExists, UnknownName
from agent_memory_os.model.organisation import Agent, Project, Team, check_name
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.moves import EVERYTHING, Chosen, Plan, Step, TeamPlan
from agent_memory_os.service.moves.plan import check
from agent_memory_os.service.named import REMOVED, no_members, project_among, unknown
from agent_memory_os.service.organisation import AgentView, TeamView
from agent_memory_os.service.rename import Renamed
from agent_memory_os.wire import fleet
from agent_memory_os.wire.decode import Shape, read
from agent_memory_os.wire.instant import iso

_OPERATOR = Principal.operator()
_DOTS = frozenset(("", ".", ".."))


class RemoteOrganisation:
    """What :class:`service.organisation.Organisation` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def agents(self, *, removed: bool = False) -> tuple[AgentView, ...]:
        """Return the agents of the node with their memberships, by name."""
        shape = self._ask("GET", "agents", params={"removed": removed})
        return read(lambda found: tuple(map(fleet.to_agent_view, found["agents"])), shape)

    def agent(self, name: str) -> Agent:
        """Return the active agent of a name or id, or raise :class:`UnknownName`."""
        return read(fleet.to_agent, self._ask("GET", "agents", self._agent(name)))

    def whoami(self, principal: Principal) -> AgentView:
        """Return the acting agent with its memberships."""
        shape = self._transport.ask("GET", "/v1/whoami", principal)
        if read(lambda found: found["agent"] is None, shape):
            raise self._unknown_agent("")
        return read(lambda found: fleet.to_agent_view(found["agent"]), shape)

    def scopes(self, principal: Principal) -> tuple[str, ...]:
        """Return the scopes (with ids) whose memories reach a principal."""
        shape = self._transport.ask("GET", "/v1/whoami", principal)
        return read(lambda found: tuple(found["scopes"]), shape)

    def add_agent(
        self, name: str, kind: str = "custom", display_name: str = "", notes: str = ""
    ) -> Agent:
        """Make an agent, or bring a removed one back under its old id."""
        body = {"name": name, "kind": kind, "display_name": display_name, "notes": notes}
        return read(fleet.to_agent, self._ask("POST", "agents", body=body))

    def ensure_agent(self, name: str, kind: str = "custom") -> tuple[Agent, bool]:
        """Return the agent of a name, made if it is not there; and whether it was made.

        One that was removed is not brought back by somebody's asking in its name: it raises
        :class:`UnknownName`, and :meth:`add_agent` is what brings it back.
        """
        plain = check_name("agent", name)
        try:
            return self.agent(plain), False
        except UnknownName as error:
            if error.remedy == REMOVED:
                raise
        try:
            return self.add_agent(plain, kind), True
        except AlreadyExists:
            return self.agent(plain), False

    def ensure_agent_or_id(self, name: str) -> None:
        """Make an agent of this name unless one of this name or id is there already.

        One that was removed raises :class:`UnknownName`.
        """
        try:
            self.agent(name)
        except UnknownName as error:
            if error.remedy == REMOVED:
                raise
            self.ensure_agent(name)

    def rename_agent(self, name: str, new_name: str) -> Renamed:
        """Give an agent another name; its id, memories and memberships stay."""
        body = {"name": check_name("agent", new_name)}
        shape = self._ask("PATCH", "agents", self._agent(name), body=body)
        return read(lambda done: _renamed(fleet.to_agent(done), done), shape)

    def remove_agent(self, name: str) -> Agent:
        """Take an agent out of the fleet: it may not act any more; its memories stay."""
        return read(fleet.to_agent, self._ask("DELETE", "agents", self._agent(name)))

    def teams(self) -> tuple[TeamView, ...]:
        """Return the teams of the node with members and projects, by name."""
        return read(
            lambda found: tuple(map(fleet.to_team_view, found["teams"])), self._ask("GET", "teams")
        )

    def add_team(self, name: str, notes: str = "") -> Team:
        """Make a team."""
        body = {"name": name, "notes": notes}
        return read(fleet.to_team, self._ask("POST", "teams", body=body))

    def rename_team(self, name: str, new_name: str) -> Renamed:
        """Give a team another name; its id, members and grants stay."""
        body = {"name": check_name("team", new_name)}
        shape = self._ask("PATCH", "teams", self._team(name), body=body)
        return read(lambda done: _renamed(fleet.to_team(done), done), shape)

    def remove_team(self, name: str) -> Team:
        """End a team: what was shared with it alone is seen by its owner alone."""
        return read(fleet.to_team, self._ask("DELETE", "teams", self._team(name)))

    def hand_over(self, name: str, to: str) -> Team:
        """Put the account of a member in charge of a team: an agent, a peer or an account."""
        shape = self._ask("POST", "teams", self._team(name), "hand-over", body={"to": to})
        return read(fleet.to_team, shape)

    def take_back(self, name: str, recovery_key: str = "") -> Team:
        """Put the account that founded a team in charge of it again, by its recovery key."""
        body = {"recovery_key": recovery_key}
        return read(
            fleet.to_team, self._ask("POST", "teams", self._team(name), "take-back", body=body)
        )

    def add_project(self, team_name: str, name: str, notes: str = "") -> Project:
        """Make a project of a team."""
        body = {"name": name, "notes": notes}
        shape = self._ask("POST", "teams", self._team(team_name), "projects", body=body)
        return read(fleet.to_project, shape)

    def rename_project(self, name: str, new_name: str) -> Renamed:
        """Give a project another name within its team; its id, members and grants stay."""
        shape = self._ask("PATCH", *self._project(name), body={"name": new_name})
        return read(lambda done: _renamed(fleet.to_project(done), done), shape)

    def remove_project(self, name: str) -> Project:
        """End a project, written ``team/name`` or, where that is plain, ``name``."""
        return read(fleet.to_project, self._ask("DELETE", *self._project(name)))

    def join(self, agent_name: str, scope_name: str) -> bool:
        """Add an agent to ``team:NAME`` or ``project:TEAM/NAME``; say whether it was new there."""
        return self._member("PUT", agent_name, scope_name)

    def leave(self, agent_name: str, scope_name: str) -> bool:
        """Take an agent out of a team or project; say whether that changed anything."""
        return self._member("DELETE", agent_name, scope_name)

    def _member(self, method: str, agent_name: str, scope_name: str) -> bool:
        member = self._agent(agent_name)
        kind, _, name = scope_name.partition(":")
        if kind not in ("team", "project"):
            self.agent(agent_name)
            raise no_members(scope_name)
        place = ("teams", self._team(name)) if kind == "team" else self._project(name)
        shape = self._ask(method, *place, "members", member)
        return read(lambda done: bool(done["changed"]), shape)

    def _agent(self, name: str) -> str:
        if _fits_path(name):
            return name
        raise self._unknown_agent(name)

    def _unknown_agent(self, name: str) -> UnknownName:
        return unknown("agent", name, [view.agent.name for view in self.agents()])

    def _team(self, name: str) -> str:
        if _fits_path(name):
            return name
        raise unknown("team", name, [view.team.name for view in self.teams()])

    def _project(self, name: str) -> tuple[str, ...]:
        known = [project for view in self.teams() for project, _ in view.projects]
        found = project_among(known, name)
        return ("teams", found.team, "projects", found.id)

    def _ask(self, method: str, *place: str, **more: Any) -> Shape:  # noqa: ANN401 - a request's
        path = "/".join(["/v1", *(quote(part, safe="") for part in place)])
        return self._transport.ask(method, path, _OPERATOR, **more)


class RemoteMoves:
    """What :class:`service.moves.Moves` does, asked of a served node some hundred at a time."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def preview(
        self, principal: Principal, source: str, target: str, chosen: Chosen = EVERYTHING
    ) -> Plan:
        """Return what :meth:`run` would do, and change nothing."""
        body = _choosing(source, target, chosen)
        return read(fleet.to_plan, self._ask("/preview", principal, body))

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
        """Move an agent's memories to another agent of the account, a request a step.

        Raises what the local one does.
        """
        body = {**_choosing(source, target, chosen), "drop_grants": drops}
        return self._steps("", principal, body, cursor)

    def preview_team(
        self, principal: Principal, source: str, target: str, *, keep: bool = False
    ) -> TeamPlan:
        """Return what :meth:`run_team` would do, and change nothing."""
        body = {"team": source, "to": target, "keep": keep}
        return read(fleet.to_team_plan, self._ask("/team/preview", principal, body))

    def run_team(
        self,
        principal: Principal,
        source: str,
        target: str,
        *,
        keep: bool = False,
        cursor: str = "",
    ) -> Iterator[Step]:
        """Share with one team what this account's agents share with another, a request a step."""
        body = {"team": source, "to": target, "keep": keep}
        return self._steps("/team", principal, body, cursor)

    def _steps(self, path: str, principal: Principal, body: Shape, cursor: str) -> Iterator[Step]:
        while True:
            done = self._ask(path, principal, {**body, "cursor": cursor})
            step = read(fleet.to_step, done)
            yield step
            cursor = step.cursor
            if not cursor:
                return

    def _ask(self, path: str, principal: Principal, body: Shape) -> Shape:
        return self._transport.ask("POST", f"/v1/moves{path}", principal, body=body, is_long=True)


def _choosing(source: str, target: str, chosen: Chosen) -> dict[str, object]:
    check(chosen)
    wanted = chosen.wanted
    asked: dict[str, object] = {
        "agent": source,
        "to": target,
        "type": list(wanted.types),
        "tag": list(wanted.tags),
        "time_field": wanted.time_field,
        "state": wanted.state,
        "back": chosen.back,
    }
    more = {
        "author": wanted.author,
        "session": wanted.session,
        "pinned": wanted.pinned,
        "since": iso(wanted.since),
        "until": iso(wanted.until),
        "audience": chosen.audience,
    }
    return asked | {name: value for name, value in more.items() if value is not None}


def _renamed(thing: Agent | Team | Project, shape: Shape) -> Renamed:
    return Renamed(thing, shape["old_name"], shape["in_file"])


def _fits_path(name: str) -> bool:
    return name not in _DOTS and "/" not in name
