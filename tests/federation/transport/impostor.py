"""Servers that stand where a peer should: each call is answered as a test says, or passed on."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from agent_memory_os import wiring
from agent_memory_os.federation import requests
from agent_memory_os.federation.identity import Device
from agent_memory_os.federation.requests import Proved, Request, Response, digest_of
from tests.federation.sample import BOB

PATIENCE = 60


class Call(NamedTuple):
    """A request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def proved(self) -> Proved:
        """What an answer to it is bound to."""
        request = Request(
            self.method, self.target, digest_of(self.body), self.headers["agent-memory-to"]
        )
        return requests.asked(request, self.headers)


def says(status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> bytes:
    """Return an answer of HTTP."""
    told = {"content-length": len(body), **(headers or {})}
    lines = [f"HTTP/1.1 {status} Some", *(f"{name}: {value}" for name, value in told.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def signed(
    proved: Proved,
    body: bytes = b"",
    status: int = 200,
    device: Device = BOB,
    ahead: int = 0,
) -> dict[str, str]:
    """Return the headers by which a device signs an answer, at a clock that may be ahead."""
    response = Response(status, digest_of(body))
    return requests.sign_response(response, proved, device, now=wiring.clock() + ahead * 1000)


@contextmanager
def answering(answer: Callable[[Call], bytes]) -> Iterator[str]:
    """Answer each call with what a test makes of it, and hang up; the URL is given."""

    def serve(line: socket.socket) -> None:
        with line.makefile("rb") as file:
            method, target, _ = file.readline().decode().split()
            fields = iter(lambda: file.readline().decode().strip(), "")
            headers = dict(field.split(": ", 1) for field in fields)
            headers = {name.lower(): value for name, value in headers.items()}
            body = file.read(int(headers.get("content-length", 0)))
            line.sendall(answer(Call(method, target, headers, body)))

    with _listening(serve) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def encrypted(url: str, context: ssl.SSLContext, seen: list[bytes]) -> Iterator[str]:
    """Stand before a node and speak TLS; what comes out of that is noted."""
    port = int(url.rpartition(":")[2])

    def serve(plain: socket.socket) -> None:
        with (
            context.wrap_socket(plain, server_side=True) as line,
            socket.create_connection(("127.0.0.1", port), PATIENCE) as node,
        ):
            back = threading.Thread(target=_pump, args=(node, line))
            back.start()
            _pump(line, node, seen)
            back.join()

    with _listening(serve) as own:
        yield f"https://127.0.0.1:{own}"


def _pump(source: socket.socket, sink: socket.socket, seen: list[bytes] | None = None) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            if seen is not None:
                seen.append(data)
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


@contextmanager
def _listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    calls: list[threading.Thread] = []

    def one(line: socket.socket) -> None:
        with line, suppress(OSError):
            line.settimeout(PATIENCE)
            serve(line)

    def listen(server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                line, _ = server.accept()
                calls.append(threading.Thread(target=one, args=(line,)))
                calls[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=listen, args=(server,))
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()
            thread.join()
            for call in calls:
                call.join()
