"""The relay passes everything on as it came, and counts it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from benchmarks.relay import HOST, Relay, Traffic

LONG = bytes(range(256)) * 4_000


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """Yield a socket that listens."""
    with socket.create_server((HOST, 0)) as listening:
        listening.settimeout(10)
        yield listening


def test_both_ways_are_counted_and_nothing_is_changed(server: socket.socket) -> None:
    """What one side has received was counted, byte for byte and each way by itself."""
    with Relay(server.getsockname()[1]) as relay, connected(relay) as client:
        peer, _ = server.accept()
        with peer:
            sender = threading.Thread(target=client.sendall, args=(LONG,))
            sender.start()
            assert received(peer, len(LONG)) == LONG
            sender.join()
            assert relay.traffic() == Traffic(len(LONG), 0)
            peer.sendall(b"answer")
            assert received(client, 6) == b"answer"
            assert relay.traffic() == Traffic(len(LONG), 6)


def test_the_end_of_one_way_leaves_the_other_open(server: socket.socket) -> None:
    """A client that has said all still hears the answer, and then its end."""
    with Relay(server.getsockname()[1]) as relay, connected(relay) as client:
        peer, _ = server.accept()
        with peer:
            client.sendall(b"question")
            client.shutdown(socket.SHUT_WR)
            assert received(peer, 9) == b"question"
            peer.sendall(b"answer")
        assert received(client, 7) == b"answer"


def test_connections_are_counted_together(server: socket.socket) -> None:
    """The count is of all connections, and what was counted before can be taken off."""
    with Relay(server.getsockname()[1]) as relay:
        before = relay.traffic()
        for _ in range(3):
            with connected(relay) as client:
                peer, _ = server.accept()
                with peer:
                    client.sendall(b"twelve bytes")
                    assert received(peer, 12) == b"twelve bytes"
        assert relay.traffic().since(before) == Traffic(36, 0)
        assert relay.traffic().since(relay.traffic()) == Traffic(0, 0)


def test_closing_hangs_up(server: socket.socket) -> None:
    """A relay that is closed ends what is open through it."""
    relay = Relay(server.getsockname()[1])
    with connected(relay) as client:
        peer, _ = server.accept()
        with peer:
            relay.close()
            assert received(client, 1) == b""
            assert received(peer, 1) == b""


def test_a_side_that_hangs_up_ends_the_other(server: socket.socket) -> None:
    """Whoever goes on sending to a side that is gone is hung up on."""
    with Relay(server.getsockname()[1]) as relay, connected(relay) as client:
        server.accept()[0].close()
        with pytest.raises(ConnectionError):
            client.sendall(LONG * 100)


def test_nothing_is_behind_the_relay(server: socket.socket) -> None:
    """A client is hung up on where nothing listens."""
    port = server.getsockname()[1]
    server.close()
    with Relay(port) as relay, connected(relay) as client:
        assert received(client, 1) == b""
        assert relay.traffic() == Traffic(0, 0)


def connected(relay: Relay) -> socket.socket:
    """Return a connection to the relay."""
    return socket.create_connection((HOST, relay.port), timeout=10)


def received(end: socket.socket, count: int) -> bytes:
    """Return so many bytes, or what came until the end."""
    found = bytearray()
    while len(found) < count and (piece := end.recv(count - len(found))):
        found += piece
    return bytes(found)
