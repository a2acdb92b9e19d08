"""Requests to a node as a peer would send them, and as it would not."""

from __future__ import annotations

import secrets
import socket
from typing import Any, NamedTuple

import httpx

from agent_memory_os import wiring
from agent_memory_os.federation import requests
from agent_memory_os.federation.identity import Device
from agent_memory_os.federation.requests import Request, Response, digest_of
from agent_memory_os.federation.transport.responder import PUSH
from agent_memory_os.wire.problem import MEDIA_TYPE
from tests.federation.sample import ANN, BOB, known
from tests.federation.transport.office import Node


class Ask(NamedTuple):
    """A request before it is signed; ``apart`` is by how many seconds its clock is ahead."""

    target: str = PUSH
    body: bytes = b"bundle"
    method: str = "POST"
    device: Device = ANN
    to: str = BOB.id
    apart: int = 0

    @property
    def request(self) -> Request:
        """What is signed."""
        return Request(self.method, self.target, digest_of(self.body), self.to)

    def signed(self) -> dict[str, str]:
        """Return the headers that sign it, with a nonce of its own."""
        now, nonce = wiring.clock() + self.apart * 1000, secrets.token_hex(16)
        return requests.sign_request(self.request, self.device, now=now, nonce=nonce)

    def head(self, length: int, headers: dict[str, str] | None = None) -> bytes:
        """Return its head as bytes, which announces a body of a length."""
        sent = {"host": "localhost", "content-length": length, **(headers or self.signed())}
        lines = [f"{self.method} {self.target} HTTP/1.1", *(f"{n}: {v}" for n, v in sent.items())]
        return "\r\n".join([*lines, "", ""]).encode()


def send(node: Node, ask: Ask, headers: Any = None, **changed: Any) -> httpx.Response:  # noqa: ANN401
    """Send a request, with other headers or changed on its way, and return what comes back."""
    sent = ask._replace(**changed)
    return node.served[""].request(
        sent.method,
        f"{node.url}{sent.target}",
        content=sent.body,
        headers=ask.signed() if headers is None else headers,
    )


def checked(answer: httpx.Response, ask: Ask, node: Node) -> int:
    """Check that the node signed an answer to this ask; return its status."""
    sent = {name.lower(): value for name, value in answer.request.headers.items()}
    proved = requests.asked(ask.request._replace(to=node.device.id), sent)
    response = Response(answer.status_code, digest_of(answer.content))
    requests.check_response(response, answer.headers, proved, known, now=wiring.clock())
    return answer.status_code


def refused(answer: httpx.Response, ask: Ask, node: Node) -> tuple[int, str]:
    """Check that an answer is a refusal that the node signed; return its status and code."""
    assert answer.headers["content-type"] == MEDIA_TYPE
    return checked(answer, ask, node), answer.json()["code"]


def call(node: Node) -> socket.socket:
    """Open a connection to a node."""
    return socket.create_connection(("127.0.0.1", int(node.url.rpartition(":")[2])), 60)


def rest(line: socket.socket) -> bytes:
    """Return what comes on a connection until it is closed."""
    return b"".join(iter(lambda: line.recv(65_536), b""))
