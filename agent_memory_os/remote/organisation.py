"""Agents, teams and projects of a served node: the operator's."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from agent_memory_os.errors import InvalidInput, UnknownName
from agent_memory_os.model.organisation import Agent, Project, Team
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.organisation import AgentView, TeamView
from agent_memory_os.service.rename import Renamed
from agent_memory_os.wire import fleet
from agent_memory_os.wire.decode import Shape, read

_OPERATOR = Principal.operator()


class RemoteOrganisation:
    """What :class:`service.organisation.Organisation` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def agents(self, *, removed: bool = False) -> tuple[AgentView, ...]:
        """Return the agents of the node with their memberships, by name."""
        shape = self._ask("GET", "agents", params={"removed": removed})
        return tuple(read(fleet.to_agent_view, one) for one in shape["agents"])

    def agent(self, name: str) -> Agent:
        """Return the active agent of a name or id, or raise :class:`UnknownName`."""
        return read(fleet.to_agent, self._ask("GET", "agents", name))

    def whoami(self, principal: Principal) -> AgentView:
        """Return the acting agent with its memberships."""
        shape = self._transport.ask("GET", "/v1/whoami", principal)
        return read(fleet.to_agent_view, shape["agent"])

    def add_agent(
        self, name: str, kind: str = "custom", display_name: str = "", notes: str = ""
    ) -> Agent:
        """Make an agent, or bring a removed one back under its old id."""
        body = {"name": name, "kind": kind, "display_name": display_name, "notes": notes}
        return read(fleet.to_agent, self._ask("POST", "agents", body=body))

    def ensure_agent(self, name: str, kind: str = "custom") -> tuple[Agent, bool]:
        """Return the agent of a name, made if it is not there; and whether it was made."""
        try:
            return self.agent(name), False
        except UnknownName:
            return self.add_agent(name, kind), True

    def ensure_agent_or_id(self, name: str) -> None:
        """Make an agent of this name unless one of this name or id is there already."""
        self.ensure_agent(name)

    def rename_agent(self, name: str, new_name: str) -> Renamed:
        """Give an agent another name; its id, memories and memberships stay."""
        shape = self._ask("PATCH", "agents", name, body={"name": new_name})
        return Renamed(read(fleet.to_agent, shape), shape["old_name"], shape["in_file"])

    def remove_agent(self, name: str) -> Agent:
        """Take an agent out of the fleet: it may not act any more; its memories stay."""
        return read(fleet.to_agent, self._ask("DELETE", "agents", name))

    def teams(self) -> tuple[TeamView, ...]:
        """Return the teams of the node with members and projects, by name."""
        return tuple(read(fleet.to_team_view, one) for one in self._ask("GET", "teams")["teams"])

    def add_team(self, name: str, notes: str = "") -> Team:
        """Make a team."""
        return read(fleet.to_team, self._ask("POST", "teams", body={"name": name, "notes": notes}))

    def rename_team(self, name: str, new_name: str) -> Renamed:
        """Give a team another name; its id, members and grants stay."""
        shape = self._ask("PATCH", "teams", name, body={"name": new_name})
        return Renamed(read(fleet.to_team, shape), shape["old_name"], shape["in_file"])

    def remove_team(self, name: str) -> Team:
        """End a team: what was shared with it alone is seen by its owner alone."""
        return read(fleet.to_team, self._ask("DELETE", "teams", name))

    def add_project(self, team_name: str, name: str, notes: str = "") -> Project:
        """Make a project of a team."""
        body = {"name": name, "notes": notes}
        return read(fleet.to_project, self._ask("POST", "teams", team_name, "projects", body=body))

    def rename_project(self, name: str, new_name: str) -> Renamed:
        """Give a project another name within its team; its id, members and grants stay."""
        shape = self._ask("PATCH", *self._project(name), body={"name": new_name})
        return Renamed(read(fleet.to_project, shape), shape["old_name"], shape["in_file"])

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
        kind, _, name = scope_name.partition(":")
        if kind not in ("team", "project"):
            raise InvalidInput(
                f"{scope_name!r} has no members: write team:NAME or project:TEAM/NAME."
            )
        place = ("teams", name) if kind == "team" else self._project(name)
        return bool(self._ask(method, *place, "members", agent_name)["changed"])

    def _project(self, name: str) -> tuple[str, ...]:
        team, slash, bare = name.partition("/")
        if slash:
            return ("teams", team, "projects", bare)
        found = [
            (view.team.id, project.id)
            for view in self.teams()
            for project, _ in view.projects
            if name in (project.name, project.id)
        ]
        if len(found) != 1:
            raise UnknownName(f"There is no one project called {name!r}: write TEAM/PROJECT.")
        return ("teams", found[0][0], "projects", found[0][1])

    def _ask(self, method: str, *place: str, **more: Any) -> Shape:  # noqa: ANN401 - a request's
        path = "/".join(["/v1", *(quote(part, safe="") for part in place)])
        return self._transport.ask(method, path, _OPERATOR, **more)
