"""Peers, and what they and agents would see: the operator's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api import spool
from agent_memory_os.api.access import Caller, door_of, operating
from agent_memory_os.api.answer import answer, to_bytes
from agent_memory_os.api.request.convert import instant
from agent_memory_os.service.peers import Address, PeerChange
from agent_memory_os.wire import peers
from agent_memory_os.wire.schema import peers as schema

router = APIRouter(prefix="/v1", tags=["peers"])
Operator = Annotated[Caller, Depends(operating)]
_LINES: dict[int | str, dict[str, Any]] = {
    200: {"content": {spool.LINES: {"schema": {"type": "string"}}}, "description": "Lines"}
}


@router.get("/peers", response_model=schema.Peers)
async def listed(request: Request, _: Operator) -> Response:
    """List the peers, by name."""
    found = await run_in_threadpool(door_of(request).node.peers.list)
    return answer({"peers": [peers.of_peer(one) for one in found]})


@router.get("/peers/card", response_model=schema.Card)
async def card(request: Request, _: Operator) -> Response:
    """Show the fingerprint and the card of the node's device, by which others add it."""
    return answer(peers.of_card(await run_in_threadpool(door_of(request).node.peers.card)))


@router.get("/peers/devices", response_model=schema.Devices)
async def devices(request: Request, _: Operator) -> Response:
    """List the devices of the node's account, its own first, and say which are peers."""
    found = await run_in_threadpool(door_of(request).node.peers.devices)
    return answer({"devices": [peers.of_device(one) for one in found]})


@router.get("/peers/neighbors", response_model=schema.Neighbors)
async def neighbors(request: Request, _: Operator) -> Response:
    """List the nodes that are near: on the node's machine, and in its network where it listens.

    What they say of themselves is not proved, and changes nothing.
    """
    return answer(peers.of_nearby(await run_in_threadpool(door_of(request).node.peers.neighbors)))


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
        recovery_key=body.recovery_key,
    )
    return answer(peers.of_added(added), 201 if added.is_new else 200)


@router.post("/peers/devices/revoke", response_model=schema.RevokedDevice)
async def revoke(request: Request, _: Operator, body: schema.DeviceRevocation) -> Response:
    """Revoke a device of the node's account by its fingerprint, or the name that it has here."""
    done = await run_in_threadpool(
        door_of(request).node.peers.revoke_device,
        body.device,
        instant(body.stolen_at),
        body.recovery_key,
        dry_run=body.dry_run,
    )
    return answer(peers.of_revocation(done))


@router.post("/peers/{peer}/certify", response_model=schema.Peer)
async def certify(request: Request, _: Operator, peer: str, body: schema.RecoveryKey) -> Response:
    """Certify a peer that is a device of the node's account, and came by a code."""
    act = door_of(request).node.peers.certify
    return answer(peers.of_peer(await run_in_threadpool(act, peer, body.recovery_key)))


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


@router.get("/peers/{peer}/preview", responses=_LINES, response_class=Response)
async def preview(request: Request, _: Operator, peer: str) -> Response:
    """Return all that a peer would be sent if it had nothing, as JSON Lines; nothing is sent.

    Each line is an object: `where`, `object`, `owner`, `words`, `rule`, `has_content` and `groups`.
    This is written to the audit.
    """
    node = door_of(request).node
    rows = (one._asdict() for one in node.peers.preview(peer))
    return await _as_lines(rows, node.context.home, "preview")


@router.get("/view-as", responses=_LINES, response_class=Response)
async def view_as(request: Request, _: Operator, agent: str) -> Response:
    """Return every memory here that an agent of whatever account may read, as JSON Lines.

    Each line is an object: `memory`, and `rule`, which lets the agent read it. This is written to
    the audit.
    """
    door = door_of(request)
    now, found = door.clock(), door.node.peers.view_as(agent)
    rows = (peers.of_seen(one, now) for one in found)
    return await _as_lines(rows, door.node.context.home, "view")


async def _as_lines(rows: Iterable[Mapping[str, object]], home: str, name: str) -> Response:
    lines = (to_bytes(row) + b"\n" for row in rows)
    file = await run_in_threadpool(spool.written, lines, home)
    headers = {"content-disposition": f'attachment; filename="{name}.jsonl"'}
    return spool.sent(file, spool.LINES, headers)


def _address(body: schema.Address) -> Address:
    return Address(body.url or "", body.folder or "", body.pin or "")
