"""Asking whatever answers at a port whether it is a node, and which.

A served node tells everybody its fingerprint, and what its operator has set it to be called; no
more. That proves nothing, and nothing is done for it: who pairs compares fingerprints, by a code
that only the right one knows. What answers may be anything, a program that says nothing for ever or
too much, so it has a second and a few kilobytes, and is followed nowhere.
"""

from __future__ import annotations

import re
import socket
import time

from agent_memory_os.errors import InvalidInput, TooLarge
from agent_memory_os.federation.statement import read_object
from agent_memory_os.model.organisation import check_name
from agent_memory_os.value import NamedTuple

PATH = "/v1/identity"
SECONDS = 1.0
"""For how long an answer may take, all of it."""

MAX_BYTES = 4_096
_PIECE = 1_024
_DEVICE = re.compile(r"dev_[a-z2-7]{32}")
_OK = b"200"


class Identity(NamedTuple):
    """Which node it says that it is: its fingerprint, and what it is called, if it tells that."""

    device: str
    called: str


def is_device(text: object) -> bool:
    """Say whether something is a fingerprint."""
    return isinstance(text, str) and _DEVICE.fullmatch(text) is not None


def asked(address: str, port: int, seconds: float = SECONDS) -> Identity | None:
    """Return which node answers at an address and port; ``None`` where none does in time."""
    host = f"[{address}]" if ":" in address else address
    question = f"GET {PATH} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"
    try:
        data = _answer((address, port), question.encode(), seconds)
    except (OSError, OverflowError):
        return None
    return _identity(data)


def _answer(where: tuple[str, int], question: bytes, seconds: float) -> bytes:
    """Return what comes until the other end closes; nothing, where that is too much or too late."""
    data, end = b"", time.monotonic() + seconds
    with socket.create_connection(where, seconds) as line:
        line.sendall(question)
        while True:
            left = end - time.monotonic()
            if left <= 0 or len(data) > MAX_BYTES:
                return b""
            line.settimeout(left)
            piece = line.recv(_PIECE)
            if not piece:
                return data
            data += piece


def _identity(data: bytes) -> Identity | None:
    head, _, body = data.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    if len(words) < 2 or words[1] != _OK:  # noqa: PLR2004 - the version, and the status
        return None
    try:
        fields = read_object(body, MAX_BYTES)
        device, called = fields.get("device"), fields.get("called") or ""
        if not isinstance(device, str) or not is_device(device) or not isinstance(called, str):
            return None
        return Identity(device, check_name("peer", called) if called else "")
    except (InvalidInput, TooLarge):
        return None
