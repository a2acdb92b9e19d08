"""Whoever connects and says nothing keeps nobody else from being answered."""

from __future__ import annotations

import json
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from agent_memory_os.server import protocol, sockets
from agent_memory_os.server.protocol import PeerProtocol
from tests.api.served import Served, serving

PATIENCE = 60
HEAD = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """Give a node that is served to four at the port, who have a moment to say what they want."""
    monkeypatch.setattr(PeerProtocol, "most", 4)
    monkeypatch.setattr(PeerProtocol, "head_seconds", 0.5)
    with serving() as served:
        yield served


def connect(served: Served) -> socket.socket:
    """Connect to the port of a node."""
    port = int(served.url.rpartition(":")[2])
    return socket.create_connection(("127.0.0.1", port), PATIENCE)


def rest(caller: socket.socket) -> bytes:
    """Return all that still comes."""
    return b"".join(iter(lambda: caller.recv(65_536), b""))


@pytest.mark.parametrize("said", [b"", b"GET", HEAD, HEAD + b"x: " + b"y" * 10_000])
def test_who_does_not_say_what_is_wanted_is_left(narrow: Served, said: bytes) -> None:
    """A connection on which no whole request begins in time is closed, without an answer."""
    with connect(narrow) as caller:
        caller.sendall(said)
        assert rest(caller) == b""


def test_bit_by_bit_is_no_more_time(narrow: Served) -> None:
    """Whoever sends a head drop by drop has as long for all of it, and not for each drop."""
    with connect(narrow) as caller:
        caller.sendall(HEAD)
        caller.settimeout(0.1)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                caller.sendall(b"a: b\r\n")
                gone = caller.recv(1) == b""
            except TimeoutError:
                continue
            except OSError:
                gone = True
            assert gone
            break
        assert time.monotonic() < until


def test_the_next_request_has_to_come_in_time_too(narrow: Served) -> None:
    """A connection that was answered once may not begin another request and leave it at that."""
    with connect(narrow) as caller:
        caller.sendall(HEAD + b"\r\n")
        assert caller.recv(65_536).startswith(b"HTTP/1.1 200")
        caller.sendall(HEAD)
        assert b"HTTP" not in rest(caller)


def test_a_body_may_take_its_time(narrow: Served) -> None:
    """What was let in is not hurried: its body may take longer than its head."""
    with connect(narrow) as caller:
        head = (
            "POST /v1/memories HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            f"authorization: Bearer {narrow.keys['ann']}\r\ncontent-length: 19\r\n\r\n"
        )
        caller.sendall(head.encode() + b'{"content"')
        with connect(narrow) as other:
            assert rest(other) == b""
        caller.sendall(b':"plums"}')
        assert caller.recv(65_536).startswith(b"HTTP/1.1 201")


def test_there_is_room_behind_a_crowd(narrow: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too many connections the last is told so; the home's socket is open meanwhile."""
    monkeypatch.setattr(PeerProtocol, "head_seconds", PATIENCE)
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(connect(narrow))
        with connect(narrow) as caller:
            head, _, body = rest(caller).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503")
        assert json.loads(body)["code"] == "busy"
        assert sockets.ask(narrow.home, "GET", "/readyz")[0] == 200
    until = time.monotonic() + PATIENCE
    while (answer := httpx.get(f"{narrow.url}/healthz")).status_code == 503:
        assert time.monotonic() < until
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("limits", "room", "wanted"),
    [
        ((256, resource.RLIM_INFINITY), 1000, 1300),
        ((256, 4096), 1000, 1300),
        ((1024, 1024), 724, None),
        ((200, 250), 1, 250),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), 1000, None),
    ],
)
def test_connections_leave_room_for_files(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], room: int, wanted: int | None
) -> None:
    """Of what a process may open, connections take what the server does not need for itself."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: asked.append(given))
    assert protocol.room_for_connections() == room
    assert asked == ([] if wanted is None else [(wanted, limits[1])])
