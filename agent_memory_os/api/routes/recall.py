"""Recall: search and pack."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.api.narrow import Searching, to_request
from agent_memory_os.wire import encode, schema

router = APIRouter(prefix="/v1", tags=["recall"])
Reader = Annotated[Caller, Depends(reading)]


@router.get("/search", response_model=schema.Found)
async def search(
    request: Request, caller: Reader, narrow: Annotated[Searching, Query()]
) -> Response:
    """Return the memories that answer a query, best first; nothing found is an answer."""
    door = door_of(request)
    asked = to_request(narrow, door.clock())
    found = await run_in_threadpool(
        door.node.recall.search, caller.principal, asked, explain=narrow.explain
    )
    shape = encode.of_found(narrow.query, found, asked.now, explain=narrow.explain)
    return answer({**shape, "notes": list(found.notes)})
