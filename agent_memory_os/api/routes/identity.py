"""Which node answers here: open to everybody, and nothing but a fingerprint and a set name.

Like pairing it is there where peers are answered, and stands in no schema.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from agent_memory_os.api.access import door_of
from agent_memory_os.api.answer import answer
from agent_memory_os.federation.discovery.identity import PATH

router = APIRouter(tags=["identity"], include_in_schema=False)


@router.get(PATH)
async def identity(request: Request) -> Response:
    """Say which node this is."""
    door = door_of(request)
    device = door.peering.device.id if door.peering is not None else None
    return answer({"device": device, "called": door.called or None})
