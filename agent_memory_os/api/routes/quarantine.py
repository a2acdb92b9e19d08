"""What peers sent and the node could not take: the operator's."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, operating
from agent_memory_os.api.answer import answer
from agent_memory_os.wire import peers
from agent_memory_os.wire.schema import peers as schema

router = APIRouter(prefix="/v1/quarantine", tags=["quarantine"])
Operator = Annotated[Caller, Depends(operating)]


@router.get("", response_model=schema.Quarantine)
async def listed(request: Request, _: Operator) -> Response:
    """List what could not be taken, newest first: who sent it, and why not."""
    found = await run_in_threadpool(door_of(request).node.quarantine.list)
    return answer({"lines": [peers.of_aside(one) for one in found]})


@router.get("/{number:int}", response_model=schema.AsideLine)
async def show(request: Request, caller: Operator, number: int) -> Response:
    """Return what a line says, as far as it was kept; this is written to the audit."""
    node = door_of(request).node
    said = await run_in_threadpool(node.quarantine.show, caller.principal, number)
    return answer({"number": number, "line": said})


@router.post("/drop", response_model=schema.Dropped)
async def drop(request: Request, _: Operator, body: schema.Numbers) -> Response:
    """Drop lines for good."""
    node = door_of(request).node
    return answer({"dropped": await run_in_threadpool(node.quarantine.drop, body.numbers)})


@router.post("/retry", response_model=schema.Retried)
async def retry(request: Request, _: Operator, body: schema.Numbers) -> Response:
    """Try to take lines again: what they waited for may be there now."""
    node = door_of(request).node
    done = await run_in_threadpool(node.quarantine.retry, body.numbers)
    return answer(done._asdict())
