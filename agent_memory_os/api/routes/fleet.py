"""Agents, teams and projects: the operator's, but for what every caller may know of itself."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os import wiring
from agent_memory_os.api.access import Caller, door_of, operating, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.model.identifier import kind_of
from agent_memory_os.wire import fleet
from agent_memory_os.wire.schema import organisation
from agent_memory_os.wire.schema.peers import RecoveryKey

router = APIRouter(prefix="/v1", tags=["fleet"])
Reader = Annotated[Caller, Depends(reading)]
Operator = Annotated[Caller, Depends(operating)]


@router.get("/whoami", response_model=organisation.WhoAmI)
async def whoami(request: Request, caller: Reader) -> Response:
    """Tell who acts: an agent with its memberships, or the operator; and what it may do."""
    node = door_of(request).node
    scopes = await run_in_threadpool(node.organisation.scopes, caller.principal)
    agent = None
    if caller.principal.agent is not None:
        view = await run_in_threadpool(node.organisation.whoami, caller.principal)
        agent = fleet.of_agent_view(view)
    return answer(
        {
            "agent": agent,
            "operator": caller.principal.is_operator,
            "rights": sorted(caller.rights),
            "scopes": list(scopes),
        }
    )


@router.get("/agents", response_model=organisation.Agents)
async def agents(request: Request, _: Operator, *, removed: bool = False) -> Response:
    """List the agents with their memberships, by name."""
    node = door_of(request).node
    found = await run_in_threadpool(node.organisation.agents, removed=removed)
    return answer({"agents": [fleet.of_agent_view(view) for view in found]})


@router.post("/agents", status_code=201, response_model=organisation.Agent)
async def add_agent(request: Request, _: Operator, body: organisation.NewAgent) -> Response:
    """Make an agent, or bring a removed one back under its old id."""
    node = door_of(request).node
    made = await run_in_threadpool(
        node.organisation.add_agent, body.name, body.kind, body.display_name, body.notes
    )
    return answer(fleet.of_agent(made), 201)


@router.get("/agents/{agent}", response_model=organisation.Agent)
async def agent(request: Request, _: Operator, agent: str) -> Response:
    """Return an active agent by its name or id."""
    node = door_of(request).node
    return answer(fleet.of_agent(await run_in_threadpool(node.organisation.agent, agent)))


@router.patch("/agents/{agent}", response_model=organisation.Agent)
async def rename_agent(
    request: Request, _: Operator, agent: str, body: organisation.NewName
) -> Response:
    """Give an agent another name; its memories, teams and grants stay."""
    node = door_of(request).node
    done = await run_in_threadpool(wiring.rename_agent, node, agent, body.name)
    return answer(fleet.of_renamed(done))


@router.delete("/agents/{agent}", response_model=organisation.Agent)
async def remove_agent(request: Request, _: Operator, agent: str) -> Response:
    """Take an agent out of the fleet; its memories stay."""
    node = door_of(request).node
    gone = await run_in_threadpool(node.organisation.remove_agent, agent)
    return answer(fleet.of_agent(gone))


@router.get("/teams", response_model=organisation.Teams)
async def teams(request: Request, _: Operator) -> Response:
    """List the teams with their members and projects, by name."""
    found = await run_in_threadpool(door_of(request).node.organisation.teams)
    return answer({"teams": [fleet.of_team_view(view) for view in found]})


@router.post("/teams", status_code=201, response_model=organisation.Team)
async def add_team(request: Request, _: Operator, body: organisation.NewTeam) -> Response:
    """Make a team."""
    node = door_of(request).node
    made = await run_in_threadpool(node.organisation.add_team, body.name, body.notes)
    return answer(fleet.of_team(made), 201)


@router.patch("/teams/{team}", response_model=organisation.Team)
async def rename_team(
    request: Request, _: Operator, team: str, body: organisation.NewName
) -> Response:
    """Give a team another name; its members and grants stay."""
    node = door_of(request).node
    done = await run_in_threadpool(node.organisation.rename_team, team, body.name)
    return answer(fleet.of_renamed(done))


@router.delete("/teams/{team}", response_model=organisation.Team)
async def remove_team(request: Request, _: Operator, team: str) -> Response:
    """End a team and its projects: what was shared with it stays with its owners."""
    gone = await run_in_threadpool(door_of(request).node.organisation.remove_team, team)
    return answer(fleet.of_team(gone))


@router.post("/teams/{team}/hand-over", response_model=organisation.Team)
async def hand_over(
    request: Request, _: Operator, team: str, body: organisation.HandOver
) -> Response:
    """Put the account of a member in charge of a team: an agent, a peer or an account."""
    node = door_of(request).node
    return answer(
        fleet.of_team(await run_in_threadpool(node.organisation.hand_over, team, body.to))
    )


@router.post("/teams/{team}/take-back", response_model=organisation.Team)
async def take_back(request: Request, _: Operator, team: str, body: RecoveryKey) -> Response:
    """Put the account that founded a team in charge of it again, by its recovery key."""
    take = door_of(request).node.organisation.take_back
    return answer(fleet.of_team(await run_in_threadpool(take, team, body.recovery_key)))


@router.put("/teams/{team}/members/{agent}", response_model=organisation.Membership)
async def join_team(request: Request, _: Operator, team: str, agent: str) -> Response:
    """Add an agent to a team."""
    return await _member(request, agent, f"team:{team}", on=True)


@router.delete("/teams/{team}/members/{agent}", response_model=organisation.Membership)
async def leave_team(request: Request, _: Operator, team: str, agent: str) -> Response:
    """Take an agent out of a team and its projects, at once."""
    return await _member(request, agent, f"team:{team}", on=False)


@router.post("/teams/{team}/projects", status_code=201, response_model=organisation.Project)
async def add_project(
    request: Request, _: Operator, team: str, body: organisation.NewTeam
) -> Response:
    """Make a project of a team."""
    node = door_of(request).node
    made = await run_in_threadpool(node.organisation.add_project, team, body.name, body.notes)
    return answer(fleet.of_team(made), 201)


@router.patch("/teams/{team}/projects/{project}", response_model=organisation.Project)
async def rename_project(
    request: Request, _: Operator, team: str, project: str, body: organisation.NewName
) -> Response:
    """Give a project another name within its team."""
    node = door_of(request).node
    named = _named(team, project)
    done = await run_in_threadpool(node.organisation.rename_project, named, body.name)
    return answer(fleet.of_renamed(done))


@router.delete("/teams/{team}/projects/{project}", response_model=organisation.Project)
async def remove_project(request: Request, _: Operator, team: str, project: str) -> Response:
    """End a project."""
    node = door_of(request).node
    gone = await run_in_threadpool(node.organisation.remove_project, _named(team, project))
    return answer(fleet.of_team(gone))


@router.put(
    "/teams/{team}/projects/{project}/members/{agent}", response_model=organisation.Membership
)
async def join_project(
    request: Request, _: Operator, team: str, project: str, agent: str
) -> Response:
    """Add an agent of the team to a project."""
    return await _member(request, agent, f"project:{_named(team, project)}", on=True)


@router.delete(
    "/teams/{team}/projects/{project}/members/{agent}", response_model=organisation.Membership
)
async def leave_project(
    request: Request, _: Operator, team: str, project: str, agent: str
) -> Response:
    """Take an agent out of a project, at once."""
    return await _member(request, agent, f"project:{_named(team, project)}", on=False)


async def _member(request: Request, agent: str, scope: str, *, on: bool) -> Response:
    node = door_of(request).node
    act = node.organisation.join if on else node.organisation.leave
    changed = await run_in_threadpool(act, agent, scope)
    return answer({"agent": agent, "scope": scope, "changed": changed})


def _named(team: str, project: str) -> str:
    """Return how a project of a path is named to the façade: an id stands alone."""
    return project if kind_of(project) == "project" else f"{team}/{project}"
