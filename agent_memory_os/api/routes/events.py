"""Events as they happen, as a stream of server-sent events."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from agent_memory_os.api.access import Caller, door_of, is_still_in, reading
from agent_memory_os.api.streams import Follower, News
from agent_memory_os.service.events import Event

router = APIRouter(prefix="/v1", tags=["events"])
Reader = Annotated[Caller, Depends(reading)]
KIND = "text/event-stream"
_TOLD: dict[int | str, dict[str, Any]] = {200: {"content": {KIND: {"schema": {"type": "string"}}}}}


@router.get("/events", responses=_TOLD, response_class=Response)
async def events(
    request: Request,
    caller: Reader,
    last_event_id: Annotated[str, Header(alias="Last-Event-ID", max_length=200)] = "",
) -> Response:
    """Stream what happens from now on, or after the event of an id, as far as the caller may know.

    ``memory`` is a memory that came or changed, ``gone`` one that could be read until now, and
    ``audience`` says that the caller's own groups changed: what it holds it should read again.
    """
    follower = await door_of(request).streams.follow(caller.principal, last_event_id or None)
    return _Stream(follower, request)


class _Stream(StreamingResponse):
    """An answer that goes on until one side ends it; its place is free then, however it ends."""

    def __init__(self, follower: Follower, request: Request) -> None:
        super().__init__(_lines(follower, request), media_type=KIND)
        self._follower = follower

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._follower.close()


async def _lines(follower: Follower, request: Request) -> AsyncIterator[bytes]:
    door = door_of(request)
    yield _beat(follower.cursor)
    looked_at = time.monotonic()
    while (news := await follower.news()) is not None:
        if time.monotonic() - looked_at >= door.streams.beat:
            if not is_still_in(request, door):
                return
            looked_at = time.monotonic()
        yield _told(news) if news.events else _beat(news.cursor)


def _told(news: News) -> bytes:
    """Return a portion of news; only its last event has an id, after which nothing is missing."""
    blocks = [f"event: {event.kind}\ndata: {json.dumps(_shape(event))}\n" for event in news.events]
    return "\n".join([*blocks[:-1], f"id: {news.cursor}\n{blocks[-1]}\n"]).encode()


def _shape(event: Event) -> dict[str, object]:
    shape = {"id": event.memory or None, "version": event.version}
    return {name: value for name, value in shape.items() if value is not None}


def _beat(cursor: str) -> bytes:
    # Without data nothing happens at the other end, but that it knows the id.
    return f": \nid: {cursor}\n\n".encode()
