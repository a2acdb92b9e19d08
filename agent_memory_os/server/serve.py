"""Serving a node: uvicorn with the API, on a port and on the home's socket, until told to end.

At the end what has begun is finished, what was used is written down, and the socket is gone.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from agent_memory_os import __version__, errors
from agent_memory_os.api.answer import to_bytes
from agent_memory_os.api.app import build
from agent_memory_os.api.door import Door
from agent_memory_os.api.meter import Meter
from agent_memory_os.api.metrics import Metrics
from agent_memory_os.api.sessions import Sessions
from agent_memory_os.server import sockets
from agent_memory_os.service.node import LocalNode
from agent_memory_os.wire import problem

_FLUSH_SECONDS = 5.0
_GRACE_SECONDS = 30
_SWITCH_SECONDS = 0.0005
"""How long one thread may hold the interpreter: a read is not to wait for an import's."""

_LOCAL = frozenset(("localhost", "127.0.0.1", "[::1]"))


class Serving(NamedTuple):
    """What a server is started with."""

    host: str
    port: int
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


class _PeerProtocol(H11Protocol):
    """HTTP that knows who is at the other end of the home's socket."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the peer's user as the client's address."""
        super().connection_made(transport)
        user = sockets.peer(transport.get_extra_info("socket"))
        if user is not None:
            self.client = (f"uid:{user}", 0)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP as everything else is answered that is refused."""
        body = to_bytes(problem.document(400, errors.UsageError.code, msg))
        told = h11.Response(
            status_code=400,
            headers=[
                ("content-type", problem.MEDIA_TYPE),
                ("content-length", str(len(body))),
                ("connection", "close"),
            ],
        )
        for event in (told, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class _Server(uvicorn.Server):
    """A server that says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets=sockets)
        self._ready()


def door_for(node: LocalNode, home: str, serving: Serving) -> Door:
    """Return what every request of a server passes."""
    clock = node.context.database.clock
    named = serving.host if ":" not in serving.host else f"[{serving.host}]"
    return Door(
        node=node,
        clock=clock,
        sessions=Sessions(clock),
        meter=Meter(clock),
        metrics=Metrics(__version__),
        hosts=_LOCAL | {named.lower(), *map(str.lower, serving.hosts)},
        origins=frozenset(serving.origins),
        uid=os.stat(home).st_uid,
    )


def serve(node: LocalNode, home: str, serving: Serving, ready: Callable[[Door, int], None]) -> None:
    """Serve until the process is told to end; ``ready`` is called with the port once it listens."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    door = door_for(node, home, serving)
    at_port = sockets.at_port(serving.host, serving.port)
    in_home = sockets.in_home(home)
    listening = [one for one in (at_port, in_home) if one is not None]
    try:
        asyncio.run(_run(build(door), door, listening, ready))
    finally:
        for one in listening:
            one.close()
        if in_home is not None:
            with suppress(FileNotFoundError):
                os.unlink(sockets.path_in(home))


def server_of(app: ASGIApp, ready: Callable[[], None]) -> uvicorn.Server:
    """Return a server that does not run yet; ``ready`` is called once it listens."""
    config = uvicorn.Config(
        app,
        http=_PeerProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return _Server(config, ready)


async def _run(
    app: ASGIApp, door: Door, listening: list[socket.socket], ready: Callable[[Door, int], None]
) -> None:
    port = listening[0].getsockname()[1]
    server = server_of(app, lambda: ready(door, port))
    flushing = asyncio.create_task(_flush(door))
    try:
        await server.serve(sockets=listening)
    finally:
        flushing.cancel()
        _write_use(door)


async def _flush(door: Door) -> None:
    while True:
        await asyncio.sleep(_FLUSH_SECONDS)
        await asyncio.to_thread(_write_use, door)


def _write_use(door: Door) -> None:
    used, last = door.meter.drain()
    if used or last:
        door.node.keys.note(used, last)
