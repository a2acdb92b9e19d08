"""Upkeep: counts and the audit for everybody; doctor, mending and backups for the operator."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api import spool
from agent_memory_os.api.access import Caller, door_of, operating, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.api.request.convert import instant
from agent_memory_os.api.request.narrow import Moment, Named, Page
from agent_memory_os.service.upkeep import AuditFilter
from agent_memory_os.wire import upkeep
from agent_memory_os.wire.schema import operation
from agent_memory_os.wire.schema.field import Closed

router = APIRouter(prefix="/v1", tags=["upkeep"])
Reader = Annotated[Caller, Depends(reading)]
Operator = Annotated[Caller, Depends(operating)]

DATABASE = "application/vnd.sqlite3"
MEMORIES = "agent-memory-memories"
"""The header that says how many memories are in a backup."""

_FILE = {"content": {DATABASE: {"schema": {"type": "string", "format": "binary"}}}}


class Looking(Closed):
    """What the audit is narrowed by."""

    agent: Named = None
    action: Named = None
    since: Moment = None
    until: Moment = None
    limit: Page = 50
    cursor: str = ""


@router.get("/stats", response_model=operation.Stats)
async def stats(request: Request, caller: Reader) -> Response:
    """Count what the caller may read."""
    found = await run_in_threadpool(door_of(request).node.upkeep.stats, caller.principal)
    return answer(upkeep.of_stats(found))


@router.get("/audit", response_model=operation.Audit)
async def audit(request: Request, caller: Reader, how: Annotated[Looking, Query()]) -> Response:
    """Return a page of the audit: all of it for the operator, for an agent its own acts."""
    wanted = AuditFilter(how.agent, how.action, instant(how.since), instant(how.until))
    node = door_of(request).node
    found = await run_in_threadpool(
        node.upkeep.audit, caller.principal, wanted, how.limit, how.cursor
    )
    return answer(upkeep.of_audit(found))


@router.get("/upkeep/doctor", response_model=operation.Examination)
async def doctor(request: Request, caller: Operator) -> Response:
    """Examine the node; change nothing."""
    found = await run_in_threadpool(door_of(request).node.upkeep.doctor, caller.principal)
    return answer({"findings": [upkeep.of_finding(one) for one in found]})


@router.get("/upkeep/check", response_model=operation.Check)
async def check(request: Request, _: Operator) -> Response:
    """Say quickly whether the node's file is sound."""
    return answer(upkeep.of_check(await run_in_threadpool(door_of(request).node.upkeep.check)))


@router.get("/upkeep/sizes", response_model=operation.Sizes)
async def sizes(request: Request, caller: Operator) -> Response:
    """Tell how much the whole node holds."""
    found = await run_in_threadpool(door_of(request).node.upkeep.sizes, caller.principal)
    return answer(found._asdict())


@router.get("/upkeep/last-backup", response_model=operation.LastBackup)
async def last_backup(request: Request, _: Operator) -> Response:
    """Tell when and where the last backup was made on the node's machine."""
    found = await run_in_threadpool(door_of(request).node.upkeep.last_backup)
    return answer(upkeep.of_last_backup(found))


@router.post("/upkeep/mend", response_model=operation.Mended)
async def mend(request: Request, _: Operator) -> Response:
    """Mend what can be mended without loss."""
    return answer({"mended": list(await run_in_threadpool(door_of(request).node.upkeep.mend))})


@router.post("/upkeep/reindex", response_model=operation.Count)
async def reindex(request: Request, _: Operator) -> Response:
    """Make the search index anew from the memories."""
    return answer({"memories": await run_in_threadpool(door_of(request).node.upkeep.reindex)})


@router.post("/upkeep/purge", response_model=operation.Count)
async def purge(request: Request, _: Operator) -> Response:
    """Erase what was forgotten more than 30 days ago."""
    return answer({"memories": await run_in_threadpool(door_of(request).node.upkeep.purge)})


@router.get(
    "/backup", responses={200: _FILE | {"description": "A backup"}}, response_class=Response
)
async def backup(request: Request, _: Operator) -> Response:
    """Return a verified backup of the node: one file, without the private keys."""
    copied = await run_in_threadpool(door_of(request).node.upkeep.copy)
    headers = {
        "content-disposition": f'attachment; filename="{copied.name}"',
        MEMORIES: str(copied.memories),
    }
    return spool.sent(copied.file, DATABASE, headers)
