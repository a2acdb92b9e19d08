"""Agents, teams and projects: who is here, and who is a member of what.

These are the operator's by nature: whoever runs commands on the home may make agents and teams.
A project's members are members of its team; leaving the team is leaving its projects.
"""

from __future__ import annotations

from collections.abc import Mapping

from agent_memory_os.errors import AlreadyExists, InvalidInput
from agent_memory_os.model import register as group
from agent_memory_os.model.identifier import agent_id, project_id, team_id
from agent_memory_os.model.organisation import AGENT_KINDS, Agent, Project, Team, check_name
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.view import ADD, REMOVE
from agent_memory_os.service import rename
from agent_memory_os.service.charge import check_charge, is_in_charge, team_of
from agent_memory_os.service.context import Context, check_clock
from agent_memory_os.service.named import (
    check_free,
    find_agent,
    find_anybody,
    find_project,
    find_scope,
    find_team,
    project_named,
)
from agent_memory_os.service.rename import Renamed
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import open_gate
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer, writing
from agent_memory_os.value import NamedTuple


class TeamView(NamedTuple):
    """A team, the names of its members, and its projects with theirs."""

    team: Team
    members: tuple[str, ...]
    projects: tuple[tuple[Project, tuple[str, ...]], ...]


class AgentView(NamedTuple):
    """An agent, and the names of the teams and projects that it is a member of."""

    agent: Agent
    teams: tuple[str, ...]
    projects: tuple[str, ...]


class Organisation:
    """Every act on agents, teams and projects, each in one transaction."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

    def agents(self, *, removed: bool = False) -> tuple[AgentView, ...]:
        """Return the agents of this node with their memberships, by name."""
        with self._database.read() as snapshot:
            found = organisation.agents(snapshot, None if removed else organisation.ACTIVE)
            return tuple(_agent_view(snapshot, agent) for agent in found)

    def agent(self, name: str) -> Agent:
        """Return the active agent of a name or id, or raise :class:`UnknownName`."""
        with self._database.read() as snapshot:
            return find_agent(snapshot, name)

    def whoami(self, principal: Principal) -> AgentView:
        """Return the acting agent with its memberships."""
        with self._database.read() as snapshot:
            return _agent_view(snapshot, find_agent(snapshot, principal.agent or ""))

    def scopes(self, principal: Principal) -> tuple[str, ...]:
        """Return the scopes (with ids) whose memories reach a principal."""
        with self._database.read() as snapshot:
            return tuple(sorted(open_gate(snapshot, principal).sight.scopes))

    def add_agent(
        self, name: str, kind: str = "custom", display_name: str = "", notes: str = ""
    ) -> Agent:
        """Make an agent, or bring a removed one back under its old id."""
        with self._context.widening() as writer:
            taken = organisation.agents_named(writer.transaction, check_name("agent", name))
            if taken and taken[0].state == organisation.ACTIVE:
                raise AlreadyExists(f"There is an agent called {name!r} already.")
            return put_agent(writer, name, kind, display_name, notes)

    def ensure_agent(self, name: str, kind: str = "custom") -> tuple[Agent, bool]:
        """Return the agent of a name, made if it is not there; and whether it was made.

        One that was removed is not brought back by somebody's asking in its name: it raises
        :class:`UnknownName`, and :meth:`add_agent` is what brings it back.
        """
        with self._context.widening() as writer:
            if organisation.agents_named(writer.transaction, check_name("agent", name)):
                return find_agent(writer.transaction, name), False
            return put_agent(writer, name, kind, "", ""), True

    def ensure_agent_or_id(self, name: str) -> None:
        """Make an agent of this name unless one of this name or id is there already.

        One that was removed raises :class:`UnknownName`.
        """
        with self._database.read() as snapshot:
            known = organisation.agents_named(snapshot, name)
            if known:
                find_agent(snapshot, name)
        if not known:
            self.ensure_agent(name)

    def remove_agent(self, name: str) -> Agent:
        """Take an agent out of the fleet: it may not act any more; its memories stay."""
        with writing(self._database) as writer:
            agent = find_agent(writer.transaction, name)
            for scope in _agent_scopes(writer.transaction, agent):
                if is_in_charge(writer, scope):
                    put_membership(writer, scope, agent, on=False)
            set_agent_state(writer, agent, organisation.REMOVED)
            return agent._replace(state=organisation.REMOVED)

    def teams(self) -> tuple[TeamView, ...]:
        """Return the teams of this node with members and projects, by name."""
        with self._database.read() as snapshot:
            return tuple(_team_view(snapshot, team) for team in organisation.teams(snapshot))

    def add_team(self, name: str, notes: str = "") -> Team:
        """Make a team."""
        with self._context.widening() as writer:
            if any(
                t.name == check_name("team", name) for t in organisation.teams(writer.transaction)
            ):
                raise AlreadyExists(f"There is a team called {name!r} already.")
            return put_team(writer, name, notes, self._context.nonce())

    def rename_agent(self, name: str, new_name: str) -> Renamed:
        """Give an agent another name; its id, memories and memberships stay."""
        return rename.agent(self._context, name, new_name)

    def rename_team(self, name: str, new_name: str) -> Renamed:
        """Give a team another name; its id, members and grants stay."""
        return rename.team(self._context, name, new_name)

    def rename_project(self, name: str, new_name: str) -> Renamed:
        """Give a project another name within its team; its id, members and grants stay."""
        return rename.project(self._context, name, new_name)

    def remove_team(self, name: str) -> Team:
        """End a team: what was shared with it alone is seen by its owner alone."""
        with writing(self._database) as writer:
            team = find_team(writer.transaction, name)
            check_charge(writer, team.id)
            proof = organisation.proof_of(writer.transaction, "team", team.id)
            value = {"state": organisation.REMOVED}
            writer.put(Draft(team.id, group.TEAM_LIFE, value, proof))
            return team._replace(state=organisation.REMOVED)

    def hand_over(self, name: str, to: str) -> Team:
        """Put the account of a member in charge of a team that this account is in charge of.

        ``to`` is an agent, a peer or an account.
        """
        from agent_memory_os.service.peers.authority import handover

        return handover.hand_over(self._context, name, to)

    def take_back(self, name: str, recovery_key: str = "") -> Team:
        """Put the account that founded a team in charge of it again, by its recovery key.

        That is read from the home where none is given.
        """
        from agent_memory_os.service.peers.authority import handover

        return handover.take_back(self._context, name, recovery_key)

    def add_project(self, team_name: str, name: str, notes: str = "") -> Project:
        """Make a project of a team."""
        with self._context.widening() as writer:
            team = find_team(writer.transaction, team_name)
            check_charge(writer, team.id)
            if project_named(writer.transaction, team, check_name("project", name)):
                raise AlreadyExists(f"Team {team.name} has a project called {name!r} already.")
            return put_project(writer, team, name, notes, self._context.nonce())

    def remove_project(self, name: str) -> Project:
        """End a project, written ``team/name`` or, where that is plain, ``name``."""
        with writing(self._database) as writer:
            project = find_project(writer.transaction, name)
            check_charge(writer, project.team)
            proof = organisation.proof_of(writer.transaction, "project", project.id)
            value = {"state": organisation.REMOVED}
            writer.put(Draft(project.id, group.PROJECT_LIFE, value, proof))
            return project._replace(state=organisation.REMOVED)

    def join(self, agent_name: str, scope_name: str) -> bool:
        """Add an agent to ``team:NAME`` or ``project:TEAM/NAME``; say whether it was new there."""
        with self._context.widening() as writer:
            agent = find_anybody(writer.transaction, agent_name)
            check_clock(writer.transaction)
            return put_membership(
                writer, find_scope(writer.transaction, scope_name), agent, on=True
            )

    def leave(self, agent_name: str, scope_name: str) -> bool:
        """Take an agent out of a team or project; say whether that changed anything."""
        with writing(self._database) as writer:
            agent = find_anybody(writer.transaction, agent_name)
            return put_membership(
                writer, find_scope(writer.transaction, scope_name), agent, on=False
            )


def put_agent(writer: Writer, name: str, kind: str, display_name: str, notes: str) -> Agent:
    """Write an agent's register; its id is of its first name, for good."""
    if kind not in AGENT_KINDS:
        raise InvalidInput(
            f"There is no kind {kind!r} of agent; the kinds are {', '.join(AGENT_KINDS)}."
        )
    plain = check_name("agent", name)
    held = organisation.agents_named(writer.transaction, plain)
    proof = (writer.account, plain)
    identifier = agent_id(*proof)
    if not held:
        check_free(writer.transaction, plain, identifier)
    elif held[0].name == plain:
        identifier = held[0].id
        proof = organisation.proof_of(writer.transaction, "agent", identifier)  # type: ignore[assignment]
    value = _agent_value(plain, kind, display_name, notes, organisation.ACTIVE)
    writer.put(Draft(identifier, group.AGENT, value, proof))
    return Agent(identifier, writer.account, plain, kind, display_name, notes, organisation.ACTIVE)


def set_agent_state(writer: Writer, agent: Agent, state: str) -> None:
    """Write that an agent acts, or does not any more."""
    proof = organisation.proof_of(writer.transaction, "agent", agent.id)
    value = _agent_value(agent.name, agent.kind, agent.display_name, agent.notes, state)
    writer.put(Draft(agent.id, group.AGENT, value, proof))


def _agent_value(
    name: str, kind: str, display_name: str, notes: str, state: str
) -> Mapping[str, object]:
    fields = {
        "name": name,
        "kind": kind,
        "display_name": display_name,
        "notes": notes,
        "state": state,
    }
    return {field: text for field, text in fields.items() if text}


def put_team(writer: Writer, name: str, notes: str, nonce: str) -> Team:
    """Write a new team's register."""
    proof = (writer.account, nonce)
    identifier = team_id(*proof)
    plain = check_name("team", name)
    writer.put(Draft(identifier, group.TEAM_NAME, {"name": plain, "notes": notes}, proof))
    return Team(identifier, writer.account, writer.account, plain, notes, organisation.ACTIVE)


def put_project(writer: Writer, team: Team, name: str, notes: str, nonce: str) -> Project:
    """Write a new project's register."""
    proof = (team.id, nonce)
    identifier = project_id(*proof)
    plain = check_name("project", name)
    writer.put(Draft(identifier, group.PROJECT_NAME, {"name": plain, "notes": notes}, proof))
    return Project(identifier, team.id, team.name, plain, notes, organisation.ACTIVE)


def put_membership(writer: Writer, scope: str, agent: Agent, *, on: bool) -> bool:
    """Write that an agent is a member of a scope or is none; say whether anything changed."""
    snapshot = writer.transaction
    kind, _, object_id = scope.partition(":")
    is_member = any(member.id == agent.id for member in organisation.members(snapshot, scope))
    if is_member == on:
        return False
    check_charge(writer, team_of(snapshot, scope))
    member_group = f"{kind}.member:{agent.id}"
    proof = organisation.proof_of(snapshot, kind, object_id)
    value: dict[str, object] = {"act": ADD if on else REMOVE}
    if on:
        value["sees"] = list(organisation.removals(snapshot, object_id, member_group))
        if kind == "project":
            value["under"] = _team_add(snapshot, proof[0], agent)
    else:
        from agent_memory_os.store.exchange import freeze

        value["lists"] = freeze.lists_of(writer, object_id, agent.id)
    writer.put(Draft(object_id, member_group, value, proof))
    return True


def _team_add(snapshot: Snapshot, team: str, agent: Agent) -> str:
    found = organisation.standing_add(snapshot, f"team:{team}", agent.id)
    if found is None:
        names = [held.name for held in organisation.teams(snapshot) if held.id == team]
        team_name = names[0] if names else team
        raise InvalidInput(
            f"{agent.name} is not in the project's team, {team_name}; add it there first.",
            "join",
            kind="team",
            name=team_name,
            agent=agent.name,
        )
    return found


def _agent_scopes(snapshot: Snapshot, agent: Agent) -> list[str]:
    scopes = [f"project:{project.id}" for project in organisation.projects(snapshot)]
    scopes += [f"team:{team.id}" for team in organisation.teams(snapshot)]
    return [s for s in scopes if any(m.id == agent.id for m in organisation.members(snapshot, s))]


def _agent_view(snapshot: Snapshot, agent: Agent) -> AgentView:
    scopes = set(_agent_scopes(snapshot, agent))
    teams = [t.name for t in organisation.teams(snapshot) if f"team:{t.id}" in scopes]
    projects = [
        f"{p.team_name}/{p.name}"
        for p in organisation.projects(snapshot)
        if f"project:{p.id}" in scopes
    ]
    return AgentView(agent, tuple(teams), tuple(projects))


def _team_view(snapshot: Snapshot, team: Team) -> TeamView:
    projects = [p for p in organisation.projects(snapshot) if p.team == team.id]
    return TeamView(
        team,
        _names(snapshot, f"team:{team.id}"),
        tuple((project, _names(snapshot, f"project:{project.id}")) for project in projects),
    )


def _names(snapshot: Snapshot, scope: str) -> tuple[str, ...]:
    return tuple(member.name for member in organisation.members(snapshot, scope))
