"""Codes by which others join, or further devices: the operator's."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, operating
from agent_memory_os.api.answer import answer
from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.pairing.message import DEVICE
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers.pairing import Invited
from agent_memory_os.wire import peers
from agent_memory_os.wire.schema import peers as schema

router = APIRouter(prefix="/v1/invitations", tags=["invitations"])
Operator = Annotated[Caller, Depends(operating)]


@router.get("", response_model=schema.Invitations)
async def listed(request: Request, _: Operator) -> Response:
    """List the invitations of the last day, the newest first."""
    found = await run_in_threadpool(door_of(request).node.invitations.list)
    return answer({"invitations": [peers.of_invited(one) for one in found]})


@router.post("", status_code=201, response_model=schema.Invitation)
async def add(request: Request, _: Operator, body: schema.NewInvitation) -> Response:
    """Invite somebody into a team, or a further device of the account; the code is in the answer.

    Whoever joins by it does so at this server, without a key. It is good once, for `minutes`, and
    for three tries.
    """
    made = await run_in_threadpool(_made, door_of(request).node, body)
    return answer(peers.of_invited(made), 201)


@router.get("/{number:int}", response_model=schema.Invitation)
async def get(request: Request, _: Operator, number: int) -> Response:
    """Show an invitation, and what has become of it."""
    node = door_of(request).node
    return answer(peers.of_invited(await run_in_threadpool(node.invitations.get, number)))


@router.delete("/{number:int}", response_model=schema.Invitation)
async def withdraw(request: Request, _: Operator, number: int) -> Response:
    """Let nobody join by an invitation any more; one that is over stays as it is."""
    node = door_of(request).node
    return answer(peers.of_invited(await run_in_threadpool(node.invitations.withdraw, number)))


def _made(node: LocalNode, body: schema.NewInvitation) -> Invited:
    if (body.kind == DEVICE) != (body.team is None):
        raise InvalidInput("An invitation into a team names the team, and one of a device none.")
    if body.team is None:
        return node.invitations.device(body.minutes, body.recovery_key)
    return node.invitations.team(body.team, body.minutes)
