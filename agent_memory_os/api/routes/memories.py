"""Memories: add, list, get, edit, share, revoke, forget, and their history and links."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, reading, text_of
from agent_memory_os.api.answer import answer, expected_version, tagged
from agent_memory_os.api.contract import problems
from agent_memory_os.api.direct import Direct
from agent_memory_os.api.request import convert
from agent_memory_os.api.request.narrow import Listing, to_filter, told
from agent_memory_os.errors import NotAllowed
from agent_memory_os.service.memory.graph import MAX_HOPS
from agent_memory_os.wire import encode
from agent_memory_os.wire.schema import memory as schema
from agent_memory_os.wire.schema import operation
from agent_memory_os.wire.schema.field import Instant

router = APIRouter(prefix="/v1/memories", tags=["memories"], route_class=Direct)
Reader = Annotated[Caller, Depends(reading)]
Hops = told(minimum=1, maximum=MAX_HOPS)


@router.post(
    "",
    status_code=201,
    response_model=schema.Outcome,
    responses={200: {"model": schema.Outcome}, **problems(410)},
)
async def add(
    request: Request,
    caller: Reader,
    body: schema.NewMemory,
    idempotency_key: Annotated[str, Header(alias="Idempotency-Key", max_length=200)] = "",
) -> Response:
    """Remember something for the acting agent; the same again comes back as it is there (200)."""
    door = door_of(request)
    _check_owner(caller, body.owner)
    new = convert.new_memory(body, text_of(idempotency_key))
    outcome = await run_in_threadpool(
        door.node.memories.add, caller.principal, new, body.audience, owner=body.owner
    )
    status = 201 if outcome.is_changed else 200
    shape = encode.of_outcome(outcome, door.clock())
    return answer(shape, status, {"location": f"/v1/memories/{outcome.memory.id}"})


@router.post("/batch", response_model=operation.Outcomes)
async def add_batch(request: Request, caller: Reader, body: operation.Batch) -> Response:
    """Remember many things in one transaction: all of them, or none; outcomes come in order."""
    door = door_of(request)
    _check_owner(caller, body.owner)
    batch = [(convert.new_memory(one), one.audience) for one in body.memories]
    memories, owner = door.node.memories, body.owner
    outcomes = await run_in_threadpool(
        lambda: list(memories.add_many(caller.principal, batch, owner=owner))
    )
    now = door.clock()
    return answer({"outcomes": [encode.of_outcome(outcome, now) for outcome in outcomes]})


@router.post("/erase", response_model=schema.Erased)
async def erase(request: Request, caller: Reader, body: operation.Erasure) -> Response:
    """Forget some of one's own memories for good: all that are named, or none."""
    memories = door_of(request).node.memories
    gone = await run_in_threadpool(memories.erase, caller.principal, body.memories)
    return answer({"erased": list(gone)})


@router.get("", response_model=schema.Page)
async def listed(request: Request, caller: Reader, narrow: Annotated[Listing, Query()]) -> Response:
    """List the memories that the caller may see, newest first, a page at a time."""
    door = door_of(request)
    page = await run_in_threadpool(
        door.node.memories.list,
        caller.principal,
        to_filter(narrow),
        narrow.limit,
        narrow.cursor,
    )
    return answer(encode.of_page(page, door.clock()))


@router.get("/{memory}", response_model=schema.Memory, responses=problems(304))
async def get(request: Request, caller: Reader, memory: str) -> Response:
    """Return one memory. Its ETag names its version: send it as If-Match with an edit."""
    door = door_of(request)
    read = door.node.memories.get
    if caller.principal.is_operator:
        # The operator's view is written to the audit first, and a write may have to wait.
        found = await run_in_threadpool(read, caller.principal, memory)
    else:
        found = read(caller.principal, memory)
    return tagged(request, encode.of_memory(found, door.clock()), found.version)


@router.patch("/{memory}", response_model=schema.Outcome, responses=problems(412))
async def edit(request: Request, caller: Reader, memory: str, body: schema.Changes) -> Response:
    """Write a new version of one's own memory; with If-Match, only of that version."""
    door = door_of(request)
    outcome = await run_in_threadpool(
        door.node.memories.edit,
        caller.principal,
        memory,
        convert.changes(body),
        body.reason,
        allow_secrets=body.allow_secrets,
        version=expected_version(request),
    )
    return answer(encode.of_outcome(outcome, door.clock()))


@router.delete("/{memory}", response_model=schema.Memory | schema.Erased)
async def forget(request: Request, caller: Reader, memory: str, *, erase: bool = False) -> Response:
    """Forget one's own memory: for 30 days it can be brought back; with ``erase`` it is gone."""
    door = door_of(request)
    if erase:
        gone = await run_in_threadpool(door.node.memories.erase, caller.principal, [memory])
        return answer({"erased": list(gone)})
    found = await run_in_threadpool(door.node.memories.forget, caller.principal, memory)
    return answer(encode.of_memory(found, door.clock()))


@router.post("/{memory}/share", response_model=schema.Outcome)
async def share(request: Request, caller: Reader, memory: str, body: schema.Audience) -> Response:
    """Share one's own memory with an audience."""
    door = door_of(request)
    outcome = await run_in_threadpool(
        door.node.memories.share, caller.principal, memory, body.audience
    )
    return answer(encode.of_outcome(outcome, door.clock()))


@router.post("/{memory}/revoke", response_model=schema.Outcome)
async def revoke(
    request: Request, caller: Reader, memory: str, body: schema.Revocation
) -> Response:
    """Take back what was shared, at once: one audience, or all where none is named."""
    door = door_of(request)
    outcome = await run_in_threadpool(
        door.node.memories.revoke, caller.principal, memory, body.audience
    )
    return answer(encode.of_outcome(outcome, door.clock()))


@router.post("/{memory}/bring-back", response_model=schema.Memory)
async def bring_back(request: Request, caller: Reader, memory: str) -> Response:
    """Undo a forgetting, within 30 days."""
    door = door_of(request)
    found = await run_in_threadpool(door.node.memories.bring_back, caller.principal, memory)
    return tagged(request, encode.of_memory(found, door.clock()), found.version)


@router.post("/{memory}/supersede", response_model=schema.Outcome)
async def supersede(
    request: Request, caller: Reader, memory: str, body: schema.Supersession
) -> Response:
    """Say that one's own newer memory replaces this one; another's is only proposed."""
    door = door_of(request)
    outcome = await run_in_threadpool(
        door.node.memories.supersede, caller.principal, memory, body.newer
    )
    return answer(encode.of_outcome(outcome, door.clock()))


@router.get("/{memory}/history", response_model=schema.History)
async def history(request: Request, caller: Reader, memory: str) -> Response:
    """Return the versions of a memory that the caller may see, oldest first."""
    door = door_of(request)
    found = await run_in_threadpool(door.node.memories.history, caller.principal, memory)
    return answer({"versions": [encode.of_version(version) for version in found]})


@router.get("/{memory}/as-of", response_model=schema.Version)
async def as_of(request: Request, caller: Reader, memory: str, at: Instant) -> Response:
    """Return the version that was true at an instant."""
    door = door_of(request)
    asked = convert.instant(at) or 0
    found = await run_in_threadpool(door.node.memories.as_of, caller.principal, memory, asked)
    return answer(encode.of_version(found))


@router.get("/{memory}/links", response_model=schema.Links)
async def links(request: Request, caller: Reader, memory: str) -> Response:
    """Return the links of a memory whose other ends the caller may see."""
    door = door_of(request)
    found = await run_in_threadpool(door.node.memories.links, caller.principal, memory)
    return answer({"links": [encode.of_link(link) for link in found]})


@router.get("/{memory}/graph", response_model=schema.Graph)
async def graph(
    request: Request, caller: Reader, memory: str, hops: Annotated[int, Hops] = 1
) -> Response:
    """Return the memories that links lead to from one, so many hops far, and those links."""
    door = door_of(request)
    found = await run_in_threadpool(door.node.memories.graph, caller.principal, memory, hops)
    return answer(encode.of_graph(found, door.clock()))


@router.put("/{memory}/links/{other}", response_model=schema.Link)
async def link(
    request: Request, caller: Reader, memory: str, other: str, body: schema.NewLink
) -> Response:
    """Assert a link from this memory to another one."""
    door = door_of(request)
    weight = convert.thousandths(body.weight)
    made = await run_in_threadpool(
        door.node.memories.link, caller.principal, memory, other, body.relation, weight
    )
    return answer(encode.of_link(made))


@router.delete("/{memory}/links/{other}", response_model=schema.Link)
async def unlink(
    request: Request, caller: Reader, memory: str, other: str, relation: str = "related_to"
) -> Response:
    """Take back a link; it comes back without weight."""
    door = door_of(request)
    gone = await run_in_threadpool(
        door.node.memories.unlink, caller.principal, memory, other, relation
    )
    return answer(encode.of_link(gone))


def _check_owner(caller: Caller, owner: str | None) -> None:
    if owner is not None and not caller.principal.is_operator:
        raise NotAllowed("Only the operator says for which agent a memory is added.")
