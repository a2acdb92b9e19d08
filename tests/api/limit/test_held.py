"""What many send at once has a bound in memory."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.api.served import Served, listening, opened

ROOM = 400_000
PIECE = 100_000
PATIENCE = 60


@pytest.fixture
def narrow() -> Iterator[Served]:
    """Give a node that holds no more of bodies than four of them are long."""
    with opened() as served, listening(served.door._replace(max_held=ROOM)) as url:
        served.url = url
        yield served


def begin(served: Served, path: str = "/v1/memories") -> socket.socket:
    """Send a body but for its end, and leave it at that."""
    caller = socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2])), PATIENCE)
    kind = "application/json" if path == "/v1/memories" else "text/markdown"
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: {kind}\r\n"
        f"authorization: Bearer {served.keys['ann']}\r\ncontent-length: {PIECE + 1}\r\n\r\n"
    )
    caller.sendall(head.encode() + b'{"content":"'.ljust(PIECE, b"a"))
    return caller


def add(served: Served) -> int:
    """Add a memory of some length; return the status."""
    body = {"content": "b" * PIECE}
    return served["ann"].post("/v1/memories", json=body).status_code


def let_arrive(served: Served) -> None:
    """Let the server take what was sent: it answers these after it has looked at that."""
    for _ in range(50):
        assert served["ann"].get("/v1/whoami").status_code == 200


def until_added(served: Served) -> None:
    """Wait until there is room for an add again."""
    end = time.monotonic() + PATIENCE
    while add(served) == 503:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_bodies_together_have_a_bound(narrow: Served) -> None:
    """Who sends more than there is room for beside what others send is told to come again."""
    assert add(narrow) == 201
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(begin(narrow))
        let_arrive(narrow)
        body = {"content": "b" * PIECE}
        answer = narrow["ann"].post("/v1/memories", json=body)
        assert (answer.json()["code"], answer.headers["retry-after"]) == ("busy", "1")
        assert narrow["ann"].get("/v1/whoami").status_code == 200
    until_added(narrow)


def test_a_file_is_held_by_nobody(narrow: Served) -> None:
    """What is imported is written down as it comes, and takes no room from the others."""
    with ExitStack() as held:
        for _ in range(8):
            held.enter_context(begin(narrow, "/v1/import?name=notes.md"))
        let_arrive(narrow)
        assert add(narrow) == 201
