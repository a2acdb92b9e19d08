"""Servers that are no node, or one that dies: each answers every call in its own way."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

JSON = "application/json"
HTML = "text/html"


def says(status: str, kind: str, body: bytes, more: str = "") -> bytes:
    """Return an answer of HTTP, whole."""
    return _head(status, kind, len(body), more) + body


def cut_off(kind: str, body: bytes, more: str = "") -> bytes:
    """Return an answer that promises more than it has."""
    return _head("200 OK", kind, len(body) + 1000, more) + body


def _head(status: str, kind: str, length: int, more: str) -> bytes:
    # It says that it hangs up: else who asks next may not have seen it yet, and ask into nothing.
    told = f"content-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n{more}"
    return f"HTTP/1.1 {status}\r\n{told}\r\n".encode()


@contextmanager
def answering(answer: bytes | Callable[[bytes], bytes]) -> Iterator[str]:
    """Answer each call with these bytes and hang up; the URL is given."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_serve, args=(server, answer))
        thread.start()
        host, port = server.getsockname()
        try:
            yield f"http://{host}:{port}"
        finally:
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()
            thread.join()


def _serve(server: socket.socket, answer: bytes | Callable[[bytes], bytes]) -> None:
    with suppress(OSError):
        while True:
            call, _ = server.accept()
            with call, suppress(OSError):
                asked = call.recv(65_536)
                call.sendall(answer if isinstance(answer, bytes) else answer(asked))


def closed_port() -> int:
    """Return a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
