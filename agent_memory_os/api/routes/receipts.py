"""Receipts: who took in what was taken back, of the caller's own memories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, operating, reading
from agent_memory_os.api.answer import answer
from agent_memory_os.service.peers import Receipt
from agent_memory_os.wire import peers
from agent_memory_os.wire.schema import peers as schema

router = APIRouter(prefix="/v1", tags=["receipts"])
Reader = Annotated[Caller, Depends(reading)]
Operator = Annotated[Caller, Depends(operating)]


@router.get("/receipts", response_model=schema.Receipts)
async def listed(request: Request, caller: Reader) -> Response:
    """Tell of each peer whether it took in what was taken back of the caller's memories."""
    receipts = door_of(request).node.receipts
    return _told(await run_in_threadpool(receipts.list, caller.principal))


@router.get("/receipts/left", response_model=schema.Receipts)
async def left(request: Request, _: Operator, agent: str, scope: str) -> Response:
    """Tell of the peers of an agent's account whether they took in that it left a scope."""
    receipts = door_of(request).node.receipts
    return _told(await run_in_threadpool(receipts.left, agent, scope))


@router.get("/memories/{memory}/receipts", response_model=schema.Receipts)
async def get(request: Request, caller: Reader, memory: str) -> Response:
    """Tell of each peer whether it took in that one of the caller's memories was taken back."""
    receipts = door_of(request).node.receipts
    return _told(await run_in_threadpool(receipts.get, caller.principal, memory))


def _told(found: Iterable[Receipt]) -> Response:
    return answer({"receipts": [peers.of_receipt(one) for one in found]})
