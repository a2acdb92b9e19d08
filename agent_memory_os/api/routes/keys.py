"""Keys of the API: made, listed, renewed and revoked by the operator."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, operating
from agent_memory_os.api.answer import answer
from agent_memory_os.api.request.convert import instant
from agent_memory_os.model.key import Limits
from agent_memory_os.wire import keys
from agent_memory_os.wire.schema import operation

router = APIRouter(prefix="/v1/keys", tags=["keys"])
Operator = Annotated[Caller, Depends(operating)]


@router.get("", response_model=operation.Keys)
async def listed(request: Request, _: Operator) -> Response:
    """List all keys, revoked ones too; none shows its secret."""
    door = door_of(request)
    found = await run_in_threadpool(door.node.keys.list)
    return answer({"keys": [keys.of_key(key, door.clock()) for key in found]})


@router.post("", status_code=201, response_model=operation.MadeKey)
async def create(request: Request, _: Operator, body: operation.NewKey) -> Response:
    """Make a key; its token is in this answer and nowhere else."""
    door = door_of(request)
    made = await run_in_threadpool(
        door.node.keys.create,
        body.name,
        body.kind,
        body.agent,
        expires_at=instant(body.expires_at),
        limits=Limits(**body.limits.model_dump()),
    )
    return answer(keys.of_made(made, door.clock()), 201)


@router.post("/{key}/rotate", response_model=operation.MadeKey)
async def rotate(request: Request, _: Operator, key: str, body: operation.Rotation) -> Response:
    """Give a key another secret; the old one opens nothing from now on."""
    door = door_of(request)
    made = await run_in_threadpool(door.node.keys.rotate, key, expires_at=instant(body.expires_at))
    return answer(keys.of_made(made, door.clock()))


@router.delete("/{key}", response_model=operation.Key)
async def revoke(request: Request, _: Operator, key: str) -> Response:
    """Let a key open nothing any more, at once."""
    door = door_of(request)
    return answer(keys.of_key(await run_in_threadpool(door.node.keys.revoke, key), door.clock()))
