"""Who asks to pair: anybody, with a code at most. What is said is bounded, counted, and in turn.

Nobody is known here, so all that a stranger may cost is limited for all of them together: how long
a question is and takes to come, how many codes are tried in a minute, how many are answered at a
time. None of it is taken from what people, agents and peers are allowed. No browser comes in: a
page could be made to try codes. What pairing needs is imported when somebody first asks.

A stranger is told what is wrong with its code, its question, or that there are too many; and who
has the code, that its device was revoked. Of whatever else goes wrong it learns only that it did.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from threading import Lock

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request

from agent_memory_os import settings, wiring
from agent_memory_os.api.answer import Refusal, refusal_of
from agent_memory_os.api.door import Door
from agent_memory_os.api.peer.entry import OF_BROWSERS, too_large
from agent_memory_os.errors import (
    AgentMemoryError,
    BadCode,
    Busy,
    InvalidInput,
    LimitReached,
    NotAllowed,
    Revoked,
    TooLarge,
)
from agent_memory_os.federation.pairing.message import CLOSE_PATH, MOST_BYTES, OPEN_PATH
from agent_memory_os.model.key import Limits
from agent_memory_os.settings import Names
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_memory_os.service.peers.pairing import Host

log = logging.getLogger("agent_memory_os.pairing")

PATHS = frozenset((OPEN_PATH, CLOSE_PATH))
MOST_TRIES = 30
"""So many codes are tried in a minute at this server, of everybody together."""

MOST_AT_ONCE = 2
"""So many questions are answered at a time; what else is asked waits."""

MOST_WAITING = 8
"""So many questions are held that came whole, those that are answered among them."""

_BODY_SECONDS = 10.0
_METER = "pairing"
_JSON = "application/json"
_TOLD = (BadCode, InvalidInput, LimitReached, Revoked, TooLarge)
_RETRY = {"retry-after": "1"}
_NOT_NOW = "The node cannot answer now; try again later."
_MANY = "Too many are pairing at once; try again later."


class Pairing:
    """Where strangers come in with a code. It belongs to the server's loop, but for the host."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._workers = CapacityLimiter(MOST_AT_ONCE)
        self._waiting = 0
        self._host: Host | None = None
        self._making = Lock()

    def admit(self, request: Request) -> None:
        """Let a question in by its head, or raise what its sender is told."""
        headers = request.headers
        if any(name in headers for name in OF_BROWSERS):
            raise Refusal(403, NotAllowed.code, "A page may not pair with this server.")
        if request.method != "POST":
            told = "This path takes POST."
            raise Refusal(405, "method_not_allowed", told, {"allow": "POST"})
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != _JSON:
            told = f"The body's content type must be {_JSON}."
            raise Refusal(415, "unsupported_media_type", told)
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) > MOST_BYTES:
            raise too_large(MOST_BYTES)
        if self._waiting >= MOST_WAITING:
            raise Refusal(503, Busy.code, _MANY, _RETRY)
        if request.scope["path"] == OPEN_PATH:
            self._door.meter.take(_METER, Limits(requests=MOST_TRIES), is_write=False)

    async def answer(self, request: Request, act: Callable[[Host, bytes], bytes]) -> bytes:
        """Return the answer to a question that was let in."""
        try:
            body = await _body(request)
            self._waiting += 1
            try:
                return await to_thread.run_sync(self._answered, act, body, limiter=self._workers)
            finally:
                self._waiting -= 1
        except AgentMemoryError as error:
            raise _for_a_stranger(request, error) from error

    def _answered(self, act: Callable[[Host, bytes], bytes], body: bytes) -> bytes:
        return act(self._current(), body)

    def _current(self) -> Host:
        """Return who answers, made when the first one asks; the node may have been renewed."""
        from agent_memory_os.service.peers.pairing import Called, Host

        node = self._door.node
        usual = Names(wiring.user_name(), socket.gethostname().partition(".")[0])
        names = settings.own_names(node.context.home, os.environ, usual)
        called = Called(*names, node.default_agent)
        with self._making:
            if self._host is None:
                self._host = Host(node.context, called)
            self._host.context, self._host.called = node.context, called
            return self._host


async def _body(request: Request) -> bytes:
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            return await request.body()
    except TimeoutError as error:
        told = f"The body did not come within {_BODY_SECONDS:.0f} seconds."
        raise Refusal(422, InvalidInput.code, told, {"connection": "close"}) from error
    except ClientDisconnect as error:
        raise InvalidInput("The body ended before it was whole.") from error


def _for_a_stranger(request: Request, error: AgentMemoryError) -> Refusal:
    if isinstance(error, _TOLD):
        return refusal_of(error)
    more = {"request": request.state.request_id, "code": error.code}
    log.warning("somebody who pairs could not be answered", extra=more)
    return Refusal(503, Busy.code, _NOT_NOW, _RETRY)
