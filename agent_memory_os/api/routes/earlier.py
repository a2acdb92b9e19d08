"""What users of Agent Memory OS 1.10 call most: their routes and words, over our memories.

Who asks is the key's agent and nobody else: an ``owner`` or a ``requester_…`` of a request may say
so once more, and anything else is refused. What is deleted here can be brought back for 30 days.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os import __version__
from agent_memory_os.api import browser
from agent_memory_os.api.access import Caller, check_agent, door_of, operating, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.api.contract import problems
from agent_memory_os.api.request import alias, convert
from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.audience import PRIVATE
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.wire import earlier
from agent_memory_os.wire.schema import earlier as schema
from agent_memory_os.wire.schema.memory import Status

router = APIRouter(tags=["earlier"])
Reader = Annotated[Caller, Depends(reading)]
Operator = Annotated[Caller, Depends(operating)]


async def requested(
    request: Request, caller: Reader, asked: Annotated[alias.Requester, Query()]
) -> None:
    """Refuse a request that says that another asks, before it is looked at."""
    await run_in_threadpool(alias.check_requester, door_of(request), caller, asked)


Asked = Annotated[None, Depends(requested)]


@router.get("/health", response_model=Status)
async def health() -> Response:
    """Say that the server lives, as /healthz does."""
    return answer({"status": "ok"})


@router.get("/api/node", response_model=schema.RecordNode)
async def node(request: Request, _: Reader) -> Response:
    """Tell what answers: by which name it was asked, and its version."""
    name = browser.name_of(request.headers.get("host", ""))
    return answer({"node_name": name, "version": __version__})


@router.get("/api/memories", response_model=schema.Records)
async def memories(
    request: Request, caller: Reader, asked: Annotated[alias.Listing, Query()]
) -> Response:
    """List memories, newest first. Whoever wants more of them: GET /v1/memories, with a cursor."""
    door = door_of(request)
    owner = await run_in_threadpool(_narrowed, request, caller, asked)
    page = await run_in_threadpool(
        door.node.memories.list,
        caller.principal,
        alias.to_filter(asked, owner),
        asked.offset + asked.limit,
    )
    return answer({"memories": [earlier.of_record(one) for one in page.memories[asked.offset :]]})


@router.post("/api/memories", response_model=schema.Record, responses=problems(410))
async def add(request: Request, caller: Reader, body: schema.NewRecord, _: Asked) -> Response:
    """Remember something for the key's agent; the same again comes back as it is there."""
    door = door_of(request)
    owner = alias.owner_of(door, caller, body.owner)
    given = body.model_dump(exclude={"owner", "scope", "visibility", "decay_half_life_days"})
    given["tags"] = [*body.tags, *alias.tags_of(body.scope)]
    new = NewMemory(half_life_days=body.decay_half_life_days, **convert.plain(given))  # type: ignore[arg-type]
    outcome = await run_in_threadpool(
        door.node.memories.add,
        caller.principal,
        new,
        ", ".join(body.visibility) or PRIVATE,
        owner=owner,
    )
    return answer(earlier.of_record(outcome.memory))


@router.get("/api/memories/{memory}", response_model=schema.Record)
async def get(request: Request, caller: Reader, memory: str, _: Asked) -> Response:
    """Return one memory."""
    read = door_of(request).node.memories.get
    return answer(earlier.of_record(await run_in_threadpool(read, caller.principal, memory)))


@router.patch("/api/memories/{memory}", response_model=schema.Record)
async def edit(
    request: Request, caller: Reader, memory: str, body: schema.RecordChanges, _: Asked
) -> Response:
    """Write a new version of one's own memory; the earlier one stays in its history."""
    given = body.model_dump(exclude_none=True)
    if not given:
        raise InvalidInput("There is nothing to change: name a field.")
    if "decay_half_life_days" in given:
        given["half_life_days"] = given.pop("decay_half_life_days")
    outcome = await run_in_threadpool(
        door_of(request).node.memories.edit, caller.principal, memory, convert.plain(given)
    )
    return answer(earlier.of_record(outcome.memory))


@router.delete("/api/memories/{memory}", response_model=schema.RecordDeleted)
async def delete(request: Request, caller: Reader, memory: str, _: Asked) -> Response:
    """Forget one's own memory; for 30 days it can be brought back."""
    forget = door_of(request).node.memories.forget
    gone = await run_in_threadpool(forget, caller.principal, memory)
    return answer({"deleted": gone.id})


@router.post("/api/memories/{memory}/share", response_model=schema.Record)
async def share(
    request: Request, caller: Reader, memory: str, body: schema.RecordShare, _: Asked
) -> Response:
    """Share one's own memory with an agent, a team or a project."""
    door = door_of(request)
    check_agent(door, caller, body.actor)
    done = await run_in_threadpool(
        door.node.memories.share, caller.principal, memory, _audience(body)
    )
    return answer(earlier.of_record(done.memory))


@router.post("/api/memories/{memory}/revoke", response_model=schema.Record)
async def revoke(
    request: Request, caller: Reader, memory: str, body: schema.RecordShare, _: Asked
) -> Response:
    """Take one's own memory back from an agent, a team or a project, at once."""
    door = door_of(request)
    check_agent(door, caller, body.actor)
    done = await run_in_threadpool(
        door.node.memories.revoke, caller.principal, memory, _audience(body)
    )
    return answer(earlier.of_record(done.memory))


@router.get("/api/memories/{memory}/links", response_model=schema.RecordLinks)
async def links(request: Request, caller: Reader, memory: str, _: Asked) -> Response:
    """Return the links of a memory whose other ends the caller may see."""
    found = await run_in_threadpool(door_of(request).node.memories.links, caller.principal, memory)
    return answer({"memory_id": memory, "links": [earlier.of_link(link) for link in found]})


@router.post("/api/links", response_model=schema.RecordLink)
async def link(request: Request, caller: Reader, body: schema.NewRecordLink, _: Asked) -> Response:
    """Assert a link between two memories that the caller may see."""
    made = await run_in_threadpool(
        door_of(request).node.memories.link,
        caller.principal,
        body.src_id,
        body.dst_id,
        body.relation,
        convert.thousandths(body.weight),
    )
    return answer(earlier.of_link(made))


@router.get("/api/search", response_model=schema.RecordHits)
async def search(
    request: Request, caller: Reader, asked: Annotated[alias.Searching, Query()]
) -> Response:
    """Return the memories that answer a query, best first."""
    door = door_of(request)
    owner = await run_in_threadpool(_narrowed, request, caller, asked)
    wanted = alias.to_request(asked, owner, door.clock())
    found = await run_in_threadpool(door.node.recall.search, caller.principal, wanted)
    return answer({"query": asked.q, "results": [earlier.of_hit(hit) for hit in found.hits]})


@router.get("/api/timeline", response_model=schema.Records)
async def timeline(
    request: Request, caller: Reader, asked: Annotated[alias.Timing, Query()]
) -> Response:
    """Return the memories around a memory or an instant, oldest first."""
    door = door_of(request)
    owner = await run_in_threadpool(_narrowed, request, caller, asked)
    at = convert.instant(asked.around)
    found = await run_in_threadpool(
        door.node.memories.timeline,
        caller.principal,
        asked.anchor_id if at is None else at,
        Filter(tags=alias.tags_of(asked.scope), owner=owner),
        asked.limit,
        asked.window_seconds * 1000,
    )
    return answer({"memories": [earlier.of_record(one.memory) for one in found]})


@router.get("/api/context-pack", response_model=schema.RecordPack)
async def pack(
    request: Request, caller: Reader, asked: Annotated[alias.Packing, Query()]
) -> Response:
    """Return a prompt-ready text within a token budget, and why each memory is in it or not."""
    door = door_of(request)
    owner = await run_in_threadpool(_narrowed, request, caller, asked)
    wanted = alias.to_request(asked, owner, door.clock())
    made = await run_in_threadpool(
        door.node.recall.pack, caller.principal, wanted, asked.max_tokens
    )
    return answer(earlier.of_pack(asked.q, made))


@router.get("/api/agents", response_model=schema.RecordAgents)
async def agents(request: Request, _: Operator) -> Response:
    """List the agents with their teams, by name."""
    found = await run_in_threadpool(door_of(request).node.organisation.agents)
    return answer({"agents": [earlier.of_agent(view) for view in found]})


@router.get("/api/teams", response_model=schema.RecordTeams)
async def teams(request: Request, _: Operator) -> Response:
    """List the teams with their members, by name."""
    found = await run_in_threadpool(door_of(request).node.organisation.teams)
    return answer({"teams": [earlier.of_team(view) for view in found]})


@router.get("/api/projects", response_model=schema.RecordProjects)
async def projects(
    request: Request, _: Operator, asked: Annotated[alias.OfTeam, Query()]
) -> Response:
    """List the projects with their members, of one team or of all."""
    found = await run_in_threadpool(door_of(request).node.organisation.teams)
    views = [view for view in found if asked.team in (None, view.team.name, view.team.id)]
    return answer({"projects": [one for view in views for one in earlier.of_projects(view)]})


@router.get("/api/stats", response_model=schema.RecordStats)
async def stats(request: Request, caller: Reader, _: Asked) -> Response:
    """Count what the caller may read."""
    found = await run_in_threadpool(door_of(request).node.upkeep.stats, caller.principal)
    return answer(earlier.of_stats(found))


def _narrowed(request: Request, caller: Caller, asked: alias.Narrow) -> str | None:
    """Return the owner that a request narrows to, or raise where it says that another asks."""
    door = door_of(request)
    alias.check_requester(door, caller, asked)
    return alias.owner_of(door, caller, asked.owner)


def _audience(body: schema.RecordShare) -> str:
    """Return the audience that a body names."""
    named = (("agent", body.to_agent), ("team", body.to_team), ("project", body.to_project))
    grants = [f"{kind}:{name}" for kind, name in named if name is not None]
    if not grants:
        raise InvalidInput("Name to_agent, to_team or to_project.")
    return ", ".join(grants)
