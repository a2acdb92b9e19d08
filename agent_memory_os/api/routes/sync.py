"""What peers ask: hello, pull and push. Requests and answers are signed, and no key opens these.

They are there where a server is given what answers peers, and stand in no schema: an ordinary
client cannot call them. ``docs/protocol.md`` tells all of them.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import BinaryIO

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api import spool
from agent_memory_os.api.access import door_of
from agent_memory_os.api.answer import Refusal
from agent_memory_os.api.peer.entry import Asking, asking_of, telling
from agent_memory_os.errors import BadSignature, InvalidInput
from agent_memory_os.federation.requests import CLOCK_SECONDS, digest_of
from agent_memory_os.federation.transport.responder import HELLO, MOST_BYTES, PULL, PUSH

router = APIRouter(tags=["sync"], include_in_schema=False)
_BODY_SECONDS = float(CLOCK_SECONDS)
"""For how long a body may come: as long as a request may be on its way."""


@router.post(HELLO)
async def hello(request: Request) -> Response:
    """Take a peer's hello, and show ours."""
    asking = asking_of(request)
    async with _body(request) as file:
        ours = await asking.work(asking.peering.responder.hello, file.read())
    return Response(ours, 200, dict(asking.sign(200, digest_of(ours))))


@router.post(PULL)
async def pull(request: Request) -> Response:
    """Answer an ask with a bundle, or with nothing."""
    asking, home = asking_of(request), door_of(request).node.context.home

    def answered(device: str, ask: BinaryIO) -> tuple[BinaryIO, bytes]:
        pieces = asking.peering.responder.pull(device, ask)
        file = spool.written(_bounded(pieces), home)
        return file, hashlib.file_digest(file, "sha256").digest()  # type: ignore[arg-type]

    async with _body(request) as ask:
        file, digest = await asking.work(answered, ask)
    if file.tell():
        return spool.sent(file, None, asking.sign(200, digest))
    file.close()
    return _nothing(asking)


@router.post(PUSH)
async def push(request: Request) -> Response:
    """Take a bundle."""
    asking = asking_of(request)
    async with _body(request) as bundle:
        await asking.work(asking.peering.responder.push, bundle)
    return _nothing(asking)


def _nothing(asking: Asking) -> Response:
    return Response(status_code=204, headers=dict(asking.sign(204, digest_of(b""))))


def _bounded(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of an answer; one that is too long for the peer is a fault of ours."""
    left = MOST_BYTES[PULL]
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise RuntimeError(PULL)
        yield piece


@asynccontextmanager
async def _body(request: Request) -> AsyncIterator[BinaryIO]:
    """Give the body, which is the one that was signed; tell the peer what goes wrong with it."""
    home, signed = door_of(request).node.context.home, asking_of(request).proved.request.digest
    with telling(request):
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(_BODY_SECONDS):
                    file = await stack.enter_async_context(spool.held(request, home))
            except TimeoutError as error:
                told = f"The body did not come within {_BODY_SECONDS:.0f} seconds."
                raise Refusal(422, InvalidInput.code, told, {"connection": "close"}) from error
            came = await run_in_threadpool(hashlib.file_digest, file, "sha256")  # type: ignore[arg-type]
            if came.digest() != signed:
                raise BadSignature("The body is not the one that was signed.")
            file.seek(0)
            yield file
