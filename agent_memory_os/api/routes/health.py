"""Whether the server lives, is ready, and what it counts: open, and without content or names."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api import metrics
from agent_memory_os.api.access import Caller, door_of, needing
from agent_memory_os.api.answer import answer
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.key import MEASURE

router = APIRouter(tags=["health"])
Measuring = Annotated[Caller, Depends(needing(MEASURE, "read metrics"))]


@router.get("/healthz")
async def healthz() -> Response:
    """Say that the server lives."""
    return answer({"status": "ok"})


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """Say whether the node's file can be read."""
    try:
        await run_in_threadpool(door_of(request).node.ping)
    except AgentMemoryError:
        return answer({"status": "unready"}, 503)
    return answer({"status": "ok"})


@router.get("/metrics")
async def measured(request: Request, _: Measuring) -> Response:
    """Return counters in Prometheus's text format; needs a key for metrics, or the operator's."""
    return Response(door_of(request).metrics.text(), media_type=metrics.MEDIA_TYPE)
