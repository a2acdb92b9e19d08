"""The organisation, and the keys of the API: what a node can do with who is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from agent_memory_os.model.key import Key, Limits
from agent_memory_os.model.organisation import Agent, Project, Team
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.keys import MadeKey
from agent_memory_os.service.moves import EVERYTHING, Chosen, Plan, Step, TeamPlan
from agent_memory_os.service.organisation import AgentView, TeamView
from agent_memory_os.service.rename import Renamed
from agent_memory_os.store.keys import Usage


class Organisation(Protocol):
    """Agents, teams and projects: see :class:`service.organisation.Organisation`."""

    def agents(self, *, removed: bool = False) -> tuple[AgentView, ...]:
        """Return the agents with their memberships."""

    def agent(self, name: str) -> Agent:
        """Return the active agent of a name or id."""

    def whoami(self, principal: Principal) -> AgentView:
        """Return the acting agent with its memberships."""

    def scopes(self, principal: Principal) -> tuple[str, ...]:
        """Return the scopes whose memories reach a principal."""

    def add_agent(
        self, name: str, kind: str = "custom", display_name: str = "", notes: str = ""
    ) -> Agent:
        """Make an agent."""

    def ensure_agent(self, name: str, kind: str = "custom") -> tuple[Agent, bool]:
        """Return the agent of a name, made if it is not there."""

    def ensure_agent_or_id(self, name: str) -> None:
        """Make an agent unless one of this name or id is there."""

    def rename_agent(self, name: str, new_name: str) -> Renamed:
        """Give an agent another name."""

    def remove_agent(self, name: str) -> Agent:
        """Take an agent out of the fleet."""

    def teams(self) -> tuple[TeamView, ...]:
        """Return the teams with members and projects."""

    def add_team(self, name: str, notes: str = "") -> Team:
        """Make a team."""

    def rename_team(self, name: str, new_name: str) -> Renamed:
        """Give a team another name."""

    def remove_team(self, name: str) -> Team:
        """End a team."""

    def hand_over(self, name: str, to: str) -> Team:
        """Put the account of a member in charge of a team."""

    def take_back(self, name: str, recovery_key: str = "") -> Team:
        """Put the account that founded a team in charge of it again."""

    def add_project(self, team_name: str, name: str, notes: str = "") -> Project:
        """Make a project of a team."""

    def rename_project(self, name: str, new_name: str) -> Renamed:
        """Give a project another name."""

    def remove_project(self, name: str) -> Project:
        """End a project."""

    def join(self, agent_name: str, scope_name: str) -> bool:
        """Add an agent to a team or project."""

    def leave(self, agent_name: str, scope_name: str) -> bool:
        """Take an agent out of a team or project."""


class Moves(Protocol):
    """Memories from one agent or team to another: see :class:`service.moves.Moves`."""

    def preview(
        self, principal: Principal, source: str, target: str, chosen: Chosen = EVERYTHING
    ) -> Plan:
        """Return what a move between agents would do."""

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
        """Move an agent's memories to another agent."""

    def preview_team(
        self, principal: Principal, source: str, target: str, *, keep: bool = False
    ) -> TeamPlan:
        """Return what a move between teams would do."""

    def run_team(
        self,
        principal: Principal,
        source: str,
        target: str,
        *,
        keep: bool = False,
        cursor: str = "",
    ) -> Iterator[Step]:
        """Share with one team what is shared with another."""


class Keys(Protocol):
    """The keys of the API, for those who manage them: see :class:`service.keys.Keys`."""

    def create(
        self,
        name: str,
        kind: str,
        agent: str | None = None,
        *,
        expires_at: int | None = None,
        limits: Limits | None = None,
    ) -> MadeKey:
        """Make a key."""

    def list(self) -> tuple[Key, ...]:
        """Return all keys."""

    def rotate(self, name: str, *, expires_at: int | None = None) -> MadeKey:
        """Give a key another secret."""

    def revoke(self, name: str) -> Key:
        """Let a key open nothing any more."""

    def usage(self, principal: Principal, since: int) -> tuple[Usage, ...]:
        """Return what was used."""
