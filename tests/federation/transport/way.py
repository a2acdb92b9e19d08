"""Each transport with a way to make ends of it, for the contract that all of them meet."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

from agent_memory_os.federation.transport.base import Transport
from agent_memory_os.federation.transport.folder import FolderTransport
from agent_memory_os.federation.transport.memory import Post
from tests.federation.sample import NOW

Ends = Callable[[str, str], Transport]
"""Gives a device's end of the way to a peer; all ends that it gives are of one post."""


def in_memory(_folder: Path) -> Ends:
    """Return ends of ways in memory."""
    return Post().end


def in_folder(folder: Path) -> Ends:
    """Return ends of ways through a folder."""
    numbers = count()

    def end(device: str, peer: str) -> FolderTransport:
        nonce = lambda: f"{next(numbers):032x}"  # noqa: E731 - the nonces of one test
        return FolderTransport(str(folder), device, peer, lambda: NOW, nonce)

    return end


WAYS = {"memory": in_memory, "folder": in_folder}
