"""HTTP on a connection: who is at its other end, and how long and how often it may keep us waiting.

Whoever connects has said nothing yet, and may be anybody. So a connection that does not say in time
what it wants is closed, and at the port there are so many at most: the rest of what the process may
open is left for the database, for files, and for the home's socket.
"""

from __future__ import annotations

import asyncio
import sys

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from agent_memory_os import errors
from agent_memory_os.api.answer import to_bytes
from agent_memory_os.server import sockets
from agent_memory_os.wire import problem

MOST_CONNECTIONS = 1000
"""So many are open at the port at once."""

_HEAD_SECONDS = 30.0
_OWN_FILES = 300
"""So many files the server opens itself: connections to the database, and what is sent by it."""


def room_for_connections() -> int:
    """Return how many connections the process may take, after it asked for as many as it wants."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + _OWN_FILES
    if resource.RLIM_INFINITY not in (soft, hard):
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(1, min(MOST_CONNECTIONS, soft - _OWN_FILES))


class PeerProtocol(H11Protocol):
    """HTTP that knows who is at the other end of the home's socket."""

    most = MOST_CONNECTIONS
    head_seconds = _HEAD_SECONDS
    _awaited: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the peer's user as the client's address; turn away who is one too many."""
        super().connection_made(transport)
        user = sockets.peer(transport.get_extra_info("socket"))
        if user is not None:
            self.client = (f"uid:{user}", 0)
        elif len(self.connections) > self.most:
            self._refuse(503, errors.Busy.code, "Too many connections are open; try again later.")
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Take what came; of a request that has begun, all of its head is to come in time."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._await_head()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP as everything else is answered that is refused."""
        self._refuse(400, errors.UsageError.code, msg)

    def _await_head(self) -> None:
        if self._awaited is None:
            self._awaited = self.loop.call_later(self.head_seconds, self.timeout_keep_alive_handler)

    def _stop_waiting(self) -> None:
        if self._awaited is not None:
            self._awaited.cancel()
            self._awaited = None

    def _refuse(self, status: int, code: str, detail: str) -> None:
        body = to_bytes(problem.document(status, code, detail))
        told = h11.Response(
            status_code=status,
            headers=[
                ("content-type", problem.MEDIA_TYPE),
                ("content-length", str(len(body))),
                ("connection", "close"),
            ],
        )
        for event in (told, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
