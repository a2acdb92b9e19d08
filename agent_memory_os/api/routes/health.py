"""Whether the server lives, is ready, and what it counts: open, and without content or names."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api import metrics
from agent_memory_os.api.access import Caller, door_of, needing
from agent_memory_os.api.answer import Refusal, answer
from agent_memory_os.api.contract import problems
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.key import MEASURE
from agent_memory_os.model.principal import Principal
from agent_memory_os.wire.schema import memory as schema

router = APIRouter(tags=["health"])
Measuring = Annotated[Caller, Depends(needing(MEASURE, "read metrics"))]


@router.get("/healthz", response_model=schema.Status)
async def healthz() -> Response:
    """Say that the server lives."""
    return answer({"status": "ok"})


@router.get("/readyz", response_model=schema.Status, responses=problems(503))
async def readyz(request: Request) -> Response:
    """Say whether the node's file can be read."""
    try:
        await run_in_threadpool(door_of(request).node.ping)
    except AgentMemoryError as error:
        raise Refusal(503, error.code, "The node's file cannot be read now.") from error
    return answer({"status": "ok"})


@router.get("/metrics", response_class=PlainTextResponse)
async def measured(request: Request, _: Measuring) -> Response:
    """Return counters in Prometheus's text format; needs a key for metrics, or the operator's."""
    door = door_of(request)
    # Who may measure is told of the whole node, in numbers; whom a memory is of is not among them.
    sizes = await run_in_threadpool(door.node.upkeep.sizes, Principal.operator())
    return Response(door.metrics.text(sizes), media_type=metrics.MEDIA_TYPE)
