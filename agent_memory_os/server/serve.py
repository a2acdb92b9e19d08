"""Serving a node: uvicorn with the API, on a port and on the home's socket, until told to end.

Told to end (SIGTERM, SIGINT, SIGHUP), it takes no new connection, ends the streams of events, lets
what has begun finish within the grace, writes down what was used, and removes its socket and its
record. Told a second time with SIGINT it ends at once: what was acknowledged is in the file anyway.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp

from agent_memory_os import __version__, wiring
from agent_memory_os.api.app import build
from agent_memory_os.api.door import Door
from agent_memory_os.api.meter import Meter
from agent_memory_os.api.metrics import Metrics
from agent_memory_os.api.sessions import Sessions
from agent_memory_os.api.stream.streams import Streams
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.federation.discovery.multicast import Announcement, announced
from agent_memory_os.federation.transport.responder import Peering
from agent_memory_os.server import record, sockets
from agent_memory_os.server.beat import Beat
from agent_memory_os.server.protocol import PeerProtocol, room_for_connections
from agent_memory_os.service.node import LocalNode

log = logging.getLogger("agent_memory_os.server")

GRACE_SECONDS = 30
_LOOK_SECONDS = 5.0
_SWITCH_SECONDS = 0.0005
"""How long one thread may hold the interpreter: a read is not to wait for an import's."""
_TRIES = 100
"""How many ports are tried where the usual one is taken."""
_INTERRUPTED = 130

_LOCAL = frozenset(("localhost", "127.0.0.1", "[::1]"))


class Serving(NamedTuple):
    """What a server is started with.

    ``may_move`` lets it take the next port that is free, and ``grace`` is how many seconds it lets
    running requests finish when it is told to end. ``called`` is what strangers are told that it is
    called, if anything; it ``announces`` itself in its network.
    """

    host: str
    port: int
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    may_move: bool = False
    grace: int = GRACE_SECONDS
    called: str = ""
    announces: bool = False


class _Server(uvicorn.Server):
    """A server that says when it listens, ends streams when it is to end, and ends at once."""

    def __init__(
        self,
        config: uvicorn.Config,
        door: Door,
        ready: Callable[[], None],
        at_once: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._door = door
        self._ready = ready
        self._at_once = at_once

    @property
    def is_cut_short(self) -> bool:
        """Whether something still runs that was given its time."""
        return bool(self.server_state.tasks)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets=sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take nothing new, end the streams, and let the rest finish."""
        log.info("stopping")
        self._door.ending.set()
        await super().shutdown(sockets=sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Be told to end by a terminal that closes too, where that is not ignored."""
        is_told = (
            sys.platform != "win32"
            and threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL
        )
        if sys.platform != "win32" and is_told:
            signal.signal(signal.SIGHUP, self.handle_exit)
        with super().capture_signals():
            yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's
        """Begin to end; the signal is not raised again afterwards, for all of it was done."""
        if self.should_exit and sig == signal.SIGINT:
            self._at_once()
        self.should_exit = True


def door_for(node: LocalNode, home: str, serving: Serving, peering: Peering | None = None) -> Door:
    """Return what every request of a server passes; ``peering`` is what answers peers."""
    clock = node.context.database.clock
    own = {sockets.bracketed(serving.host)}
    if not sockets.is_loopback(serving.host):
        own.add(sockets.own_name())
    metrics, ending = Metrics(__version__), asyncio.Event()
    return Door(
        node=node,
        clock=clock,
        sessions=Sessions(clock),
        meter=Meter(clock),
        metrics=metrics,
        hosts=_LOCAL | {name.lower() for name in (*own, *serving.hosts)},
        origins=frozenset(serving.origins),
        uid=os.stat(home).st_uid,
        ending=ending,
        streams=Streams(node, metrics, ending),
        peering=peering,
        called=serving.called,
    )


def serve(
    node: LocalNode,
    home: str,
    serving: Serving,
    ready: Callable[[Door, int], None],
    peering: Peering | None = None,
    beat: Beat | None = None,
) -> None:
    """Serve until the process is told to end; ``ready`` is called with the port once it listens.

    Peers are answered where it is given what answers them, and asked where there is a ``beat``.
    Raises :class:`Refused` where the home is served already, or the port cannot be used.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    PeerProtocol.most = room_for_connections()
    place = _Place(home, serving)
    try:
        if beat is not None:
            beat.start()
        asyncio.run(_run(place, door_for(node, home, serving, peering), serving, ready))
    finally:
        place.leave()
        if beat is not None:
            beat.stop()


class _Place:
    """Where a server is: its claim on the home, its port, its socket."""

    def __init__(self, home: str, serving: Serving) -> None:
        self.home = home
        self._claim = record.claim(home)
        self._in_home: socket.socket | None = None
        self.listening: list[socket.socket] = []
        try:
            tries = _TRIES if serving.may_move else 1
            self.listening.append(sockets.at_port(serving.host, serving.port, tries))
            self._in_home = sockets.in_home(home)
        except BaseException:
            self.leave()
            raise
        if self._in_home is not None:
            self.listening.append(self._in_home)
        self.port: int = self.listening[0].getsockname()[1]

    def tell(self, host: str, now: int) -> None:
        """Write down who serves here."""
        self._claim.write(record.Record(os.getpid(), host, self.port, now, __version__))

    def leave(self) -> None:
        """Close and remove what others would take for a server."""
        for one in self.listening:
            one.close()
        if self._in_home is not None:
            with suppress(FileNotFoundError):
                os.unlink(sockets.path_in(self.home))
        self._claim.let_go()


def server_of(
    app: ASGIApp,
    door: Door,
    ready: Callable[[], None],
    *,
    at_once: Callable[[], None] = lambda: None,
    grace: int = GRACE_SECONDS,
) -> _Server:
    """Return a server that does not run yet; ``ready`` is called once it listens.

    ``at_once`` is called where it is told a second time to end.
    """
    config = uvicorn.Config(
        app,
        http=PeerProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=grace,
    )
    return _Server(config, door, ready, at_once)


async def _run(
    place: _Place, door: Door, serving: Serving, ready: Callable[[Door, int], None]
) -> None:
    url = sockets.url(sockets.reachable(serving.host), place.port)
    door = door._replace(url=url)

    announcing: list[asyncio.Task[Announcement | None]] = []

    def listens() -> None:
        place.tell(serving.host, door.clock())
        log.info("serving", extra={"url": url})
        ready(door, place.port)
        if serving.announces and door.peering is not None:
            made = _announced(door.peering.device.id, serving.host, place.port)
            announcing.append(asyncio.create_task(made))

    def at_once() -> None:
        place.leave()
        _end_now(_INTERRUPTED)

    app = build(door)
    server = server_of(app, door, listens, at_once=at_once, grace=serving.grace)
    keeping = asyncio.create_task(_keep_up(door))
    try:
        await server.serve(sockets=place.listening)
    finally:
        keeping.cancel()
        for task in announcing:
            one = await task
            if one is not None:
                await asyncio.to_thread(one.end)
        await _write_use(door)
    log.info("stopped")
    if server.is_cut_short:
        log.warning("what still ran after its time was cut short")
        place.leave()
        # Python would wait for the threads of what still runs, without end.
        _end_now(1)


async def _announced(device: str, host: str, port: int) -> Announcement | None:
    """Announce a node in its network, which takes a moment; log whether that was done."""
    made = await asyncio.to_thread(announced, device, host, port)
    if made is None:
        log.warning("could not be announced: there is no network for it")
    else:
        log.info("announced")
    return made


def _end_now(status: int) -> None:
    sys.stdout.flush()
    logging.shutdown()
    os._exit(status)


async def _keep_up(door: Door) -> None:
    """Write down what was used, and take up what people edited, as long as the server runs."""
    told: tuple[str, ...] = ()
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        await _write_use(door)
        told = await _take_up(door, told)


async def _take_up(door: Door, told: tuple[str, ...]) -> tuple[str, ...]:
    """Read edited files of the home; log that one has a fault, once, and return the faults."""
    try:
        faults = await asyncio.to_thread(wiring.refresh, door.node)
    except (AgentMemoryError, OSError) as error:
        log.warning("edited files could not be read yet", extra={"fault": type(error).__name__})
        return told
    if faults and faults != told:
        # Which fault, the doctor says: a file of the home has names in it.
        log.warning("an edited file has a fault, see agent-memory doctor")
    return faults


async def _write_use(door: Door) -> None:
    """Write down what was used; what cannot be written is kept for the next time."""
    used = door.meter.drain()
    if any(used):
        try:
            await asyncio.to_thread(door.node.keys.note, *used)
        except AgentMemoryError as error:
            door.meter.take_back(*used)
            log.warning("use could not be written yet", extra={"code": error.code})
