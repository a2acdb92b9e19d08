"""Agents, teams and projects to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_memory_os.model.organisation import Agent, Project, Team
from agent_memory_os.service.moves import Plan, Reach, Step, TeamPlan
from agent_memory_os.service.organisation import AgentView, TeamView
from agent_memory_os.service.rename import Renamed
from agent_memory_os.wire.decode import to_memory
from agent_memory_os.wire.encode import of_memory


def of_agent(agent: Agent) -> dict[str, object]:
    """Return an agent."""
    return {
        "id": agent.id,
        "name": agent.name,
        "kind": agent.kind,
        "display_name": agent.display_name,
        "notes": agent.notes,
        "state": agent.state,
        "account": agent.account,
    }


def of_agent_view(view: AgentView) -> dict[str, object]:
    """Return an agent with its memberships."""
    return {**of_agent(view.agent), "teams": list(view.teams), "projects": list(view.projects)}


def of_team(team: Team | Project) -> dict[str, object]:
    """Return a team or a project."""
    shape: dict[str, object] = {"id": team.id, "name": team.name}
    if isinstance(team, Project):
        shape |= {"team": team.team_name, "team_id": team.team}
    else:
        shape |= {"founder": team.founder, "admin": team.admin}
    return {**shape, "notes": team.notes, "state": team.state}


def of_team_view(view: TeamView) -> dict[str, object]:
    """Return a team with its members, and its projects with theirs."""
    projects = [{**of_team(project), "members": list(names)} for project, names in view.projects]
    return {**of_team(view.team), "members": list(view.members), "projects": projects}


def of_renamed(done: Renamed) -> dict[str, object]:
    """Return what has another name now, and what it was called."""
    thing = done.thing
    shape = of_agent(thing) if isinstance(thing, Agent) else of_team(thing)
    return {**shape, "old_name": done.old_name, "in_file": done.in_file}


def to_agent(shape: Mapping[str, Any]) -> Agent:
    """Return the agent of a shape."""
    return Agent(*(shape[word] for word in Agent._fields))


def to_agent_view(shape: Mapping[str, Any]) -> AgentView:
    """Return the agent of a shape with its memberships."""
    return AgentView(to_agent(shape), tuple(shape["teams"]), tuple(shape["projects"]))


def to_team(shape: Mapping[str, Any]) -> Team:
    """Return the team of a shape."""
    return Team(*(shape[word] for word in Team._fields))


def to_project(shape: Mapping[str, Any]) -> Project:
    """Return the project of a shape."""
    words = ("id", "team_id", "team", "name", "notes", "state")
    return Project(*(shape[word] for word in words))


def to_team_view(shape: Mapping[str, Any]) -> TeamView:
    """Return the team of a shape with its members and projects."""
    projects = tuple((to_project(one), tuple(one["members"])) for one in shape["projects"])
    return TeamView(to_team(shape), tuple(shape["members"]), projects)


def of_plan(plan: Plan, now: int) -> dict[str, object]:
    """Return what a move between agents would do."""
    return {
        "agent": plan.source_name,
        "agent_id": plan.source,
        "to": plan.target_name,
        "to_id": plan.target,
        "memories": plan.memories,
        "skipped": plan.skipped,
        "kept": [_of_reach(one) for one in plan.kept],
        "lost": [_of_reach(one) for one in plan.lost],
        "sample": [of_memory(one, now) for one in plan.sample],
    }


def _of_reach(one: Reach) -> dict[str, object]:
    return {"scope": one.scope, "audience": one.name, "memories": one.memories}


def to_plan(shape: Mapping[str, Any]) -> Plan:
    """Return what a move between agents would do."""
    names = (shape["agent_id"], shape["agent"], shape["to_id"], shape["to"])
    kept, lost = (
        tuple(Reach(one["scope"], one["audience"], one["memories"]) for one in shape[word])
        for word in ("kept", "lost")
    )
    sample = tuple(map(to_memory, shape["sample"]))
    return Plan(*names, shape["memories"], shape["skipped"], kept, lost, sample)


def of_team_plan(plan: TeamPlan, now: int) -> dict[str, object]:
    """Return what a move between teams would do."""
    return {
        "team": plan.source_name,
        "team_id": plan.source,
        "to": plan.target_name,
        "to_id": plan.target,
        "memories": plan.memories,
        "left": [{"agent": name, "memories": count} for name, count in plan.left],
        "sample": [of_memory(one, now) for one in plan.sample],
    }


def to_team_plan(shape: Mapping[str, Any]) -> TeamPlan:
    """Return what a move between teams would do."""
    names = (shape["team_id"], shape["team"], shape["to_id"], shape["to"])
    left = tuple((one["agent"], one["memories"]) for one in shape["left"])
    return TeamPlan(*names, shape["memories"], left, tuple(map(to_memory, shape["sample"])))


def of_step(step: Step) -> dict[str, object]:
    """Return what was moved."""
    return {"moved": step.moved, "skipped": step.skipped, "cursor": step.cursor or None}


def to_step(shape: Mapping[str, Any]) -> Step:
    """Return what was moved."""
    return Step(shape["moved"], shape["skipped"], shape["cursor"] or "")
