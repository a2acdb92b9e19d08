"""Owners: whose memories are here, and forgetting all of one's."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.wire import encode
from agent_memory_os.wire.schema import memory as schema
from agent_memory_os.wire.schema import operation

router = APIRouter(prefix="/v1/owners", tags=["memories"])
Reader = Annotated[Caller, Depends(reading)]


@router.get("", response_model=schema.Owners)
async def owners(request: Request, caller: Reader) -> Response:
    """Return whose memories are here, and how many of them the caller may see."""
    found = await run_in_threadpool(door_of(request).node.memories.owners, caller.principal)
    return answer({"owners": [encode.of_owner(one) for one in found]})


@router.delete("", response_model=operation.Forgotten)
async def forget_owner(request: Request, caller: Reader, owner: str) -> Response:
    """Forget every memory of one owner: the operator alone; for 30 days each can come back."""
    memories = door_of(request).node.memories
    count = await run_in_threadpool(memories.forget_owner, caller.principal, owner)
    return answer({"forgotten": count})
