"""Peers, and how the exchange with them stands: the operator's."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, operating
from agent_memory_os.api.answer import answer
from agent_memory_os.service.peers import Address, PeerChange
from agent_memory_os.wire import peers
from agent_memory_os.wire.schema import peers as schema

router = APIRouter(prefix="/v1", tags=["peers"])
Operator = Annotated[Caller, Depends(operating)]


@router.get("/peers", response_model=schema.Peers)
async def listed(request: Request, _: Operator) -> Response:
    """List the peers, by name."""
    found = await run_in_threadpool(door_of(request).node.peers.list)
    return answer({"peers": [peers.of_peer(one) for one in found]})


@router.get("/peers/card", response_model=schema.Card)
async def card(request: Request, _: Operator) -> Response:
    """Show the fingerprint and the card of the node's device, by which others add it."""
    return answer(peers.of_card(await run_in_threadpool(door_of(request).node.peers.card)))


@router.post(
    "/peers",
    status_code=201,
    response_model=schema.AddedPeer,
    responses={200: {"model": schema.AddedPeer}},
)
async def add(request: Request, _: Operator, body: schema.NewPeer) -> Response:
    """Add a peer by its card; the same again changes nothing."""
    added = await run_in_threadpool(
        door_of(request).node.peers.add,
        body.card,
        body.name,
        _address(body),
        body.ceiling,
        body.introduce,
        own=body.own,
    )
    return answer(peers.of_added(added), 201 if added.is_new else 200)


@router.patch("/peers/{peer}", response_model=schema.Peer)
async def change(request: Request, _: Operator, peer: str, body: schema.PeerChange) -> Response:
    """Call, reach or limit a peer otherwise, or tell its account of more agents."""
    address = None if body.address is None else _address(body.address)
    wanted = PeerChange(body.name, address, body.ceiling, tuple(body.introduce))
    changed = await run_in_threadpool(door_of(request).node.peers.change, peer, wanted)
    return answer(peers.of_peer(changed))


@router.delete("/peers/{peer}", response_model=schema.Peer)
async def remove(request: Request, _: Operator, peer: str) -> Response:
    """Exchange with a peer no more; what it was sent stays with it."""
    return answer(peers.of_peer(await run_in_threadpool(door_of(request).node.peers.remove, peer)))


@router.get("/sync/status", response_model=schema.SyncStatus)
async def status(request: Request, _: Operator) -> Response:
    """Tell how the exchange with each peer stands, and what came of it."""
    return answer(peers.of_status(await run_in_threadpool(door_of(request).node.sync.status)))


def _address(body: schema.Address) -> Address:
    return Address(body.url or "", body.folder or "", body.pin or "")
