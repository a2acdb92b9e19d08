"""Finding agents, teams and projects by the names that people use, and whether a name is free.

What is not found is told with the nearest names: who is in the fleet is no secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agent_memory_os.errors import AlreadyExists, InvalidInput, NotAllowed, UnknownName
from agent_memory_os.model.organisation import Agent, Project, Team, is_called_like, spelt
from agent_memory_os.service.audience import nearest
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot

REMOVED = "bring_back_agent"
"""What helps where an agent was removed; it tells that from an agent that never was."""

_REMEDIES = {"agent": "add_agent", "team": "create_team", "project": "create_project"}


def find_agent(snapshot: Snapshot, name: str) -> Agent:
    """Return the active agent of a name or id, or raise :class:`UnknownName` with near names.

    One of another account is refused: it acts, and is changed, there alone.
    """
    found = find_anybody(snapshot, name)
    if not organisation.is_own(snapshot, found.id):
        raise NotAllowed(f"Agent {found.name} is of another account, and acts there alone.")
    return found


def find_anybody(snapshot: Snapshot, name: str) -> Agent:
    """Return the active agent of a name or id, of whatever account."""
    held = organisation.agents_named(snapshot, name)
    found = [agent for agent in held if agent.state == organisation.ACTIVE]
    if len(found) > 1:
        raise several("agent", name, [agent.id for agent in found])
    if not found:
        if held:
            gone = held[0].name
            raise UnknownName(f"Agent {gone!r} was removed.", REMOVED, name=gone)
        known = [*organisation.agents(snapshot), *organisation.others(snapshot)]
        raise unknown("agent", name, [agent.name for agent in known])
    return found[0]


def find_owner(snapshot: Snapshot, name: str) -> Agent:
    """Return the agent of a name or id, removed ones too: its memories are still here."""
    found = organisation.agents_named(snapshot, name)
    return found[0] if found else find_agent(snapshot, name)


def find_team(snapshot: Snapshot, name: str) -> Team:
    """Return the active team of a name or id, or raise :class:`UnknownName` with near names."""
    return team_among(organisation.teams(snapshot), name)


def team_among(known: Sequence[Team], name: str) -> Team:
    """Return the one of these teams that a name or id means; else :class:`UnknownName`."""
    name = spelt(name)
    found = [team for team in known if name in (team.id, team.name)]
    if len(found) > 1:
        raise several("team", name, [team.id for team in found])
    alike = [team.name for team in known if is_called_like(team.name, name)]
    if not found and alike:
        raise several("team", name, alike)
    if not found:
        raise unknown("team", name, [team.name for team in known])
    return found[0]


def find_project(snapshot: Snapshot, name: str) -> Project:
    """Return the active project of ``team/name``, ``name`` or an id; else :class:`UnknownName`."""
    return project_among(organisation.projects(snapshot), name)


def project_among(known: Sequence[Project], name: str) -> Project:
    """Return the one of these projects that a name or id means; else :class:`UnknownName`."""
    name = spelt(name)
    found = [p for p in known if name in (p.id, f"{p.team_name}/{p.name}")]
    found = found or [p for p in known if p.name == name]
    if len(found) > 1:
        names = [f"{p.team_name}/{p.name}" for p in found]
        raise several("project", name, names if len({*names}) > 1 else [p.id for p in found])
    if not found:
        raise unknown("project", name, [f"{p.team_name}/{p.name}" for p in known])
    return found[0]


def find_scope(snapshot: Snapshot, scope_name: str) -> str:
    """Return the scope with an id of ``team:NAME`` or ``project:TEAM/NAME``."""
    kind, _, name = scope_name.partition(":")
    if kind == "team":
        return f"team:{find_team(snapshot, name).id}"
    if kind == "project":
        return f"project:{find_project(snapshot, name).id}"
    raise no_members(scope_name)


def no_members(scope_name: str) -> InvalidInput:
    """Return what is said of what is neither a team nor a project."""
    return InvalidInput(f"{scope_name!r} has no members: write team:NAME or project:TEAM/NAME.")


def project_named(snapshot: Snapshot, team: Team, name: str) -> list[Project]:
    """Return the active projects of a team that are called so."""
    known = organisation.projects(snapshot)
    return [project for project in known if project.team == team.id and project.name == spelt(name)]


def check_free(snapshot: Snapshot, name: str, identifier: str) -> None:
    """Raise :class:`AlreadyExists` where a name's id is that of an agent that is called otherwise.

    An agent's id is made of its first name: whoever took that name would be the other agent.
    """
    for held in organisation.agents_named(snapshot, identifier):
        raise AlreadyExists(
            f"{name} is the first name of agent {held.name}, and no other can have it.",
            "rename_agent",
            held=held.name,
            name=name,
        )


def several(kind: str, name: str, choices: Sequence[str]) -> UnknownName:
    """Return what is said where a name means several, with how each of them is written."""
    if len(choices) == 1:
        return UnknownName(f"No {kind} alone is called {name!r}: write {choices[0]}.")
    return UnknownName(f"More than one {kind} is called {name!r}: write {' or '.join(choices)}.")


def unknown(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """Return what is said where nothing of a kind is called so, with the nearest of the names."""
    near = nearest(name, known)
    if near:
        return UnknownName(f"There is no {kind} called {name!r}; did you mean {' or '.join(near)}?")
    return UnknownName(f"There is no {kind} called {name!r}.", _REMEDIES[kind], name=name)
