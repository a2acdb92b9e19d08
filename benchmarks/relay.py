"""A relay of TCP on loopback that counts what goes through it, each way.

It stands between a client and a server and changes nothing. Counted are the bytes of the streams:
the headers and bodies of HTTP, and not the frames below. What one side has received was counted
before, so that the count is whole as soon as an answer is there.
"""

from __future__ import annotations

import socket
import socketserver
import threading
from contextlib import suppress
from typing import NamedTuple, Self

HOST = "127.0.0.1"
_PIECE = 65_536


class Traffic(NamedTuple):
    """Bytes of the client's to the server, and of the server's to the client."""

    up: int
    down: int

    def since(self, earlier: Traffic) -> Traffic:
        """Return what has come on top of an earlier count."""
        return Traffic(self.up - earlier.up, self.down - earlier.down)


class Relay:
    """Passes on whatever connects to its ``port`` to another port, until it is closed."""

    def __init__(self, upstream: int) -> None:
        self._upstream = upstream
        self._counted = {"up": 0, "down": 0}
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._server = _Server(self)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def traffic(self) -> Traffic:
        """Return what went through since the relay was opened."""
        with self._lock:
            return Traffic(self._counted["up"], self._counted["down"])

    def close(self) -> None:
        """Hang up on both sides of all connections, and take no more."""
        self._server.shutdown()
        self._thread.join()
        with self._lock:
            for end in self._open:
                _shut(end, socket.SHUT_RDWR)
        self._server.server_close()

    def connect(self, client: socket.socket) -> None:
        """Pass on one connection, both ways, until both sides are at their end."""
        try:
            server = socket.create_connection((HOST, self._upstream))
        except OSError:
            return
        with server:
            ends = {client, server}
            with self._lock:
                self._open |= ends
            back = threading.Thread(target=self._pass_on, args=("down", server, client))
            back.start()
            self._pass_on("up", client, server)
            back.join()
            with self._lock:
                self._open -= ends

    def _pass_on(self, way: str, source: socket.socket, target: socket.socket) -> None:
        try:
            while piece := source.recv(_PIECE):
                with self._lock:
                    self._counted[way] += len(piece)
                target.sendall(piece)
        except OSError:
            # Who hung up hears nothing more, and the other need say nothing more.
            _shut(source, socket.SHUT_RDWR)
        _shut(target, socket.SHUT_WR)


class _Server(socketserver.ThreadingTCPServer):
    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        super().__init__((HOST, 0), _Handler)


class _Handler(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        """Pass on one connection."""
        self.server.relay.connect(self.request)


def _shut(end: socket.socket, way: int) -> None:
    with suppress(OSError):
        end.shutdown(way)
