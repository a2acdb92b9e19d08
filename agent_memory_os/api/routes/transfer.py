"""Import and export: files in, files out, each as long as it is."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api import spool
from agent_memory_os.api.access import Caller, door_of, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.api.door import Door
from agent_memory_os.api.guard import FILES
from agent_memory_os.api.request.narrow import Named
from agent_memory_os.errors import NotAllowed
from agent_memory_os.importers import read_as
from agent_memory_os.service.transfer import ImportReport
from agent_memory_os.wire.schema import operation
from agent_memory_os.wire.schema.field import Closed
from agent_memory_os.wire.transfer import findings, of_report

router = APIRouter(prefix="/v1", tags=["transfer"])
Reader = Annotated[Caller, Depends(reading)]
_LINES = {spool.LINES: {"schema": {"type": "string"}}}
_FILE = {FILES[0]: {"schema": {"type": "string", "format": "binary"}}}


class Taking(Closed):
    """How what is imported is taken: for whom, shared with whom, and whether at all.

    ``folder`` is where the file lies at home, so that it is told from an equal one elsewhere.
    """

    folder: str = ""
    audience: str = "private"
    owner: Named = None
    dry_run: bool = False
    allow_secrets: bool = False


class File(Taking):
    """The same, and what the file is called: its name, and its format where that is known."""

    name: str
    format: Named = None


@router.get(
    "/export",
    responses={200: {"content": _LINES, "description": "Lines"}},
    response_class=Response,
)
async def export(request: Request, caller: Reader) -> Response:
    """Return what the caller may read as JSON Lines, which an import reads again."""
    node = door_of(request).node
    lines = (line.encode() for line in node.transfer.export(caller.principal))
    file = await run_in_threadpool(spool.written, lines, node.context.home)
    name = {"content-disposition": 'attachment; filename="memories.jsonl"'}
    return spool.sent(file, spool.LINES, name)


@router.post(
    "/import",
    response_model=operation.Imported,
    openapi_extra={"requestBody": {"required": True, "content": _FILE}},
)
async def import_file(request: Request, caller: Reader, how: Annotated[File, Query()]) -> Response:
    """Import a file, which is the body: an export, a transcript, notes; for the acting agent."""
    door = door_of(request)
    _check_owner(caller, how)
    async with spool.received(request, door) as path:
        report = await run_in_threadpool(_import, door, caller, how, path)
    return answer(of_report(report))


@router.post(
    "/findings",
    response_model=operation.Imported,
    openapi_extra={"requestBody": {"required": True, "content": _LINES}},
)
async def take(request: Request, caller: Reader, how: Annotated[Taking, Query()]) -> Response:
    """Import what an importer found where the files are, a line of JSON each."""
    door = door_of(request)
    _check_owner(caller, how)
    async with spool.received(request, door) as path:
        report = await run_in_threadpool(_take_found, door, caller, how, path)
    return answer(of_report(report))


def _check_owner(caller: Caller, how: Taking) -> None:
    if how.owner is not None and not caller.principal.is_operator:
        raise NotAllowed("Only the operator says for which agent something is imported.")


def _import(door: Door, caller: Caller, how: File, path: str) -> ImportReport:
    return door.node.transfer.take(
        caller.principal,
        read_as(path, how.name, how.format),
        how.folder,
        how.audience,
        owner=how.owner,
        dry_run=how.dry_run,
        allow_secrets=how.allow_secrets,
    )


def _take_found(door: Door, caller: Caller, how: Taking, path: str) -> ImportReport:
    with open(path, "rb") as file:
        return door.node.transfer.take(
            caller.principal,
            findings(file),
            how.folder,
            how.audience,
            owner=how.owner,
            dry_run=how.dry_run,
            allow_secrets=how.allow_secrets,
        )
