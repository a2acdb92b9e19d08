"""What was used through keys: all of it for the operator, for an agent its own use."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.api.request.convert import instant
from agent_memory_os.api.request.narrow import Moment
from agent_memory_os.service.keys import DAY_MS
from agent_memory_os.wire import keys
from agent_memory_os.wire.schema import operation

router = APIRouter(prefix="/v1", tags=["keys"])
Reader = Annotated[Caller, Depends(reading)]
_DAYS = 30


@router.get("/usage", response_model=operation.Usage)
async def usage(request: Request, caller: Reader, since: Moment = None) -> Response:
    """Return what was used from an instant's day on (else of 30 days), by day, key and agent.

    What was used in the last seconds comes later.
    """
    door = door_of(request)
    begin = instant(since)
    begin = door.clock() - _DAYS * DAY_MS if begin is None else begin
    found = await run_in_threadpool(door.node.keys.usage, caller.principal, begin)
    return answer({"usage": [keys.of_usage(one) for one in found]})
