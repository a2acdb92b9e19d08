"""Asking whatever answers at a port: it never takes long, and believes nothing that is no node."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from agent_memory_os.federation.discovery.identity import MAX_BYTES, Identity, asked

DEVICE = "dev_" + "a" * 32
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
SHORT = 0.3


@contextmanager
def answering(*pieces: bytes, pause: float = 0.0, host: str = "127.0.0.1") -> Iterator[int]:
    """Give a port at which something answers with some pieces, whatever it is asked."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.bind((host, 0))
        listening.listen()

        def answer() -> None:
            with suppress(OSError):  # nobody asked, or did not wait
                line, _ = listening.accept()
                with line:
                    line.recv(4_096)
                    for piece in pieces:
                        line.sendall(piece)
                        time.sleep(pause)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield int(listening.getsockname()[1])


def said(device: str = DEVICE, called: str = "null") -> bytes:
    """Return what a node says."""
    return HEAD + f'{{"device":"{device}","called":{called}}}'.encode()


def test_a_node_says_which_it_is() -> None:
    """Its fingerprint and its name are taken, in however many pieces they come."""
    with answering(said()[:70], said()[70:], pause=0.01) as port:
        assert asked("127.0.0.1", port) == Identity(DEVICE, "")
    with answering(said(called='"hub"'), host="::1") as port:
        assert asked("::1", port) == Identity(DEVICE, "hub")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\x00\xff\xfe",
        b"SSH-2.0-OpenSSH_9.0\r\n",
        HEAD,
        HEAD + b"[" * 2_000,
        HEAD + b"[]",
        HEAD + b'{"device":7}',
        said("dev_short"),
        said(called="7"),
        said(called='"<script>"'),
        said(called='"a\\nb"'),
        b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\n\r\n" + said()[len(HEAD) :],
        HEAD + b" " * MAX_BYTES + b"{}",
    ],
)
def test_whatever_else_answers_is_no_node(answer: bytes) -> None:
    """Rubbish, another protocol, a redirect or too much is nobody."""
    with answering(answer) as port:
        assert asked("127.0.0.1", port) is None


def test_what_is_slow_is_not_waited_for() -> None:
    """A byte now and then, or none at all, ends when the time is over."""
    began = time.monotonic()
    with answering(*[b"H"] * 50, pause=0.05) as port:
        assert asked("127.0.0.1", port, SHORT) is None
    with answering(pause=5) as port, socket.socket() as other:
        assert asked("127.0.0.1", port, SHORT) is None
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert asked("127.0.0.1", other.getsockname()[1], SHORT) is None
    assert time.monotonic() - began < 10 * SHORT


def test_nobody_is_there() -> None:
    """A port that nobody listens at, or none at all, is nobody."""
    assert asked("127.0.0.1", 9) is None
    assert asked("127.0.0.1", 70_000) is None
    assert asked("no address", 1) is None
