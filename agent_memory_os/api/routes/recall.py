"""Recall: search and pack."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.api.direct import Direct
from agent_memory_os.api.request.convert import instant
from agent_memory_os.api.request.narrow import (
    LongPacking,
    LongSearching,
    Packing,
    Searching,
    Timing,
    to_filter,
    to_request,
)
from agent_memory_os.wire import encode
from agent_memory_os.wire.instant import iso
from agent_memory_os.wire.schema import memory as schema

router = APIRouter(prefix="/v1", tags=["recall"], route_class=Direct)
Reader = Annotated[Caller, Depends(reading)]


@router.get("/search", response_model=schema.Found)
async def search(
    request: Request, caller: Reader, narrow: Annotated[Searching, Query()]
) -> Response:
    """Return the memories that answer a query, best first; nothing found is an answer."""
    return await _search(request, caller, narrow)


@router.post("/search", response_model=schema.Found)
async def search_long(request: Request, caller: Reader, narrow: LongSearching) -> Response:
    """Do the same for a query of any length, in a body; whoever may read may do so."""
    return await _search(request, caller, narrow)


@router.get("/pack", response_model=schema.Pack)
async def pack(request: Request, caller: Reader, narrow: Annotated[Packing, Query()]) -> Response:
    """Return a prompt-ready text within a token budget, and why each memory is in it or not."""
    return await _pack(request, caller, narrow)


@router.post("/pack", response_model=schema.Pack)
async def pack_long(request: Request, caller: Reader, narrow: LongPacking) -> Response:
    """Do the same for a query of any length, in a body; whoever may read may do so."""
    return await _pack(request, caller, narrow)


@router.get("/timeline", response_model=schema.Timeline)
async def timeline(
    request: Request, caller: Reader, narrow: Annotated[Timing, Query()]
) -> Response:
    """Return the memories before and after a memory (its id) or an instant, oldest first."""
    door = door_of(request)
    around = narrow.around if narrow.at is None else instant(narrow.at) or 0
    found = await run_in_threadpool(
        door.node.memories.timeline,
        caller.principal,
        around,
        to_filter(narrow),
        narrow.limit,
        narrow.window,
    )
    return answer(encode.of_moments(found, door.clock()))


async def _search(request: Request, caller: Caller, narrow: Searching) -> Response:
    door = door_of(request)
    asked = to_request(narrow, door.clock())
    found = await run_in_threadpool(
        door.node.recall.search,
        caller.principal,
        asked,
        explain=narrow.explain,
        superseded=narrow.superseded,
    )
    shape = encode.of_found(narrow.query, found, asked.now, explain=narrow.explain)
    return answer({**shape, "now": iso(asked.now), "notes": list(found.notes)})


async def _pack(request: Request, caller: Caller, narrow: Packing) -> Response:
    door = door_of(request)
    asked = to_request(narrow, door.clock())
    made = await run_in_threadpool(
        door.node.recall.pack,
        caller.principal,
        asked,
        narrow.max_tokens,
        superseded=narrow.superseded,
    )
    hits = [encode.of_hit(hit, asked.now) for hit in made.hits]
    shape = encode.of_pack(narrow.query, made)
    return answer({**shape, "hits": hits, "notes": list(made.notes)})
