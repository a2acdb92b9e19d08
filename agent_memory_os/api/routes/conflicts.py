"""What edits lost to edits on another device: of the caller's own memories."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.wire import encode, peers
from agent_memory_os.wire.schema import memory
from agent_memory_os.wire.schema import peers as schema

router = APIRouter(prefix="/v1/conflicts", tags=["conflicts"])
Reader = Annotated[Caller, Depends(reading)]


@router.get("", response_model=schema.Conflicts)
async def listed(request: Request, caller: Reader) -> Response:
    """List what edits of the caller's own memories lost to edits on another device."""
    door = door_of(request)
    found = await run_in_threadpool(door.node.conflicts.list, caller.principal)
    return answer({"conflicts": [peers.of_lost(one, door.clock()) for one in found]})


@router.get("/{number}", response_model=schema.LostEdit)
async def show(request: Request, caller: Reader, number: int) -> Response:
    """Return one edit that lost."""
    door = door_of(request)
    found = await run_in_threadpool(door.node.conflicts.get, caller.principal, number)
    return answer(peers.of_lost(found, door.clock()))


@router.post("/{number}/swap", response_model=memory.Outcome)
async def swap(request: Request, caller: Reader, number: int) -> Response:
    """Put an edit back that lost, as an edit; what held until then stays in the history."""
    door = door_of(request)
    done = await run_in_threadpool(door.node.conflicts.swap, caller.principal, number)
    return answer(encode.of_outcome(done, door.clock()))
