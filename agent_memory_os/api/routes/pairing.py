"""What strangers ask with a code: two questions, without a key and without a signature.

They are there where a server answers peers, and stand in no schema: an ordinary client cannot call
them. ``docs/protocol.md`` tells both.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from agent_memory_os.api.peer.pairing import Pairing
from agent_memory_os.federation.pairing.message import CLOSE_PATH, OPEN_PATH

router = APIRouter(tags=["pairing"], include_in_schema=False)
_JSON = "application/json"


@router.post(OPEN_PATH)
async def begin(request: Request) -> Response:
    """Answer an attempt at a code."""
    body = await _pairing(request).answer(request, lambda host, line: host.open(line))
    return Response(body, 200, media_type=_JSON)


@router.post(CLOSE_PATH)
async def end(request: Request) -> Response:
    """Let in who has the words of the code."""
    body = await _pairing(request).answer(request, lambda host, line: host.close(line))
    return Response(body, 200, media_type=_JSON)


def _pairing(request: Request) -> Pairing:
    """Return who answers strangers; the guard has let the question in."""
    found: Pairing = request.state.pairing
    return found
