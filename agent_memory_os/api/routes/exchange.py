"""Exchanging with peers now, and bundles that are carried by hand: the operator's."""

from __future__ import annotations

from typing import Annotated, BinaryIO

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api import spool
from agent_memory_os.api.access import Caller, door_of, operating
from agent_memory_os.api.answer import Refusal, answer
from agent_memory_os.api.guard import FILES
from agent_memory_os.errors import Unauthenticated
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Carried
from agent_memory_os.wire import peers, problem
from agent_memory_os.wire.schema import peers as schema

router = APIRouter(prefix="/v1/sync", tags=["peers"])
Operator = Annotated[Caller, Depends(operating)]

REGISTERS = "agent-memory-registers"
"""The header that says how many registers are in a bundle."""

_FILE = {FILES[0]: {"schema": {"type": "string", "format": "binary"}}}


@router.get("/status", response_model=schema.SyncStatus)
async def status(request: Request, _: Operator) -> Response:
    """Tell how the exchange with each peer stands, and what came of it."""
    return answer(peers.of_status(await run_in_threadpool(door_of(request).node.sync.status)))


@router.post("", response_model=schema.Exchanged)
async def exchange(request: Request, _: Operator, body: schema.Exchange) -> Response:
    """Exchange with peers now, one after the other; tell what came of each once all are done.

    One that cannot be reached fails alone, and one that is being exchanged with is passed over.
    """
    return answer(await run_in_threadpool(_exchanged, door_of(request).node, body))


@router.post(
    "/export",
    responses={200: {"content": _FILE, "description": "A bundle"}},
    response_class=Response,
)
async def export(request: Request, _: Operator, body: schema.Parcel) -> Response:
    """Return a bundle with all that a peer has not confirmed yet, which only that can open."""
    file, registers = await run_in_threadpool(_bundled, door_of(request).node, body.peer)
    headers = {
        "content-disposition": 'attachment; filename="agent-memory.bundle"',
        REGISTERS: str(registers),
    }
    return spool.sent(file, FILES[0], headers)


@router.post(
    "/import",
    response_model=schema.Unpacked,
    openapi_extra={"requestBody": {"required": True, "content": _FILE}},
)
async def take(request: Request, _: Operator, name: str = "The file") -> Response:
    """Take in a bundle that a peer made for this node, which is the body."""
    node = door_of(request).node
    async with spool.held(request, node.context.home) as file:
        done = await run_in_threadpool(_unpacked, node, file, name)
    return answer(peers.of_carried(done))


def _exchanged(node: LocalNode, body: schema.Exchange) -> dict[str, object]:
    pulls, pushes = body.way != "push", body.way != "pull"
    done = node.sync.run(body.peers, pulls=pulls, pushes=pushes, everyone=body.all)
    return {"peers": [one._asdict() for one in done]}


def _unpacked(node: LocalNode, file: BinaryIO, name: str) -> Carried:
    try:
        return node.sync.unpack(file, name)
    except Unauthenticated as error:
        # The caller's key is fine: what nobody known has signed is the file.
        raise Refusal(422, error.code, str(error), more=problem.more_of(error)) from error


def _bundled(node: LocalNode, name: str) -> tuple[BinaryIO, int]:
    with node.sync.parcel(name) as parcel:
        file = spool.written(parcel.pieces(), node.context.home)
    return file, parcel.sent
