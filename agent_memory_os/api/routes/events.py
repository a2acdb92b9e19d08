"""Events as they happen, as a stream of server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from agent_memory_os.api.access import Caller, door_of, is_still_in, reading
from agent_memory_os.api.contract import problems
from agent_memory_os.api.stream.follower import Follower
from agent_memory_os.service.events import Event, News

router = APIRouter(prefix="/v1", tags=["events"])
Reader = Annotated[Caller, Depends(reading)]
KIND = "text/event-stream"
_TOLD: dict[int | str, dict[str, Any]] = {
    200: {"content": {KIND: {"schema": {"type": "string"}}}},
    **problems(422),
}
_STALL_SECONDS = 20.0
"""For how long a reader may take nothing, before its place is given to another."""


@router.get("/events", responses=_TOLD, response_class=Response)
async def events(
    request: Request,
    caller: Reader,
    last_event_id: Annotated[str, Header(alias="Last-Event-ID")] = "",
    *,
    wait: bool = True,
) -> Response:
    """Stream what happens from now on, or after the event of an id, as far as the caller may know.

    ``memory`` is a memory that came or changed, ``gone`` one that could be read until now, and
    ``audience`` says that the caller's own groups changed: what it holds it should read again.
    The data is JSON: the memory's ``id``, and its ``version`` where it is there.
    """
    door = door_of(request)
    follower = await door.streams.follow(
        caller.principal, last_event_id, partial(is_still_in, request, door), waits=wait
    )
    return _Stream(follower)


class _Stream(StreamingResponse):
    """An answer that goes on until one side ends it; its place is free then, however it ends."""

    def __init__(self, follower: Follower) -> None:
        # What stands between is not to keep events back until there are many.
        more = {"x-accel-buffering": "no"}
        super().__init__(_lines(follower), media_type=KIND, headers=more)
        self._follower = follower

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""

        async def patiently(message: Message) -> None:
            async with asyncio.timeout(_STALL_SECONDS):
                await send(message)

        try:
            await super().__call__(scope, receive, patiently)
        except TimeoutError:
            return
        finally:
            self._follower.close()


async def _lines(follower: Follower) -> AsyncIterator[bytes]:
    yield _beat(follower.cursor)
    while (news := await follower.news()) is not None:
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
