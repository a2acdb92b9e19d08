"""Each transport with a way to make ends of it, for the contract that all of them meet."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from pathlib import Path

from agent_memory_os.federation.transport.folder import FolderTransport
from agent_memory_os.federation.transport.memory import Post
from tests.federation.sample import NOW
from tests.federation.transport.office import Ends, by_http


def in_folder(folder: Path) -> Ends:
    """Return ends of ways through a folder."""
    numbers = count()

    def end(device: str, peer: str) -> FolderTransport:
        nonce = lambda: f"{next(numbers):032x}"  # noqa: E731 - the nonces of one test
        return FolderTransport(str(folder), device, peer, lambda: NOW, nonce)

    return end


WAYS: dict[str, Callable[[Path], AbstractContextManager[Ends]]] = {
    "memory": lambda _: nullcontext(Post().end),
    "folder": lambda folder: nullcontext(in_folder(folder)),
    "http": lambda _: by_http(),
}
