"""Where a served node is: a URL, or ``unix:`` and the path of a home's socket."""

from __future__ import annotations

import os
from typing import NamedTuple

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.transport.url import node_url
from agent_memory_os.settings import SOCKET

_UNIX = "unix:"


class Address(NamedTuple):
    """Where requests go, and how people are told of it; ``socket`` is a path, or empty."""

    url: str
    shown: str
    socket: str = ""

    @property
    def is_encrypted(self) -> bool:
        """Whether nobody on the way can read along."""
        return self.url.startswith("https:")


def parse(text: str) -> Address:
    """Return the address that a person wrote; raise :class:`InvalidInput` where it is none.

    ``unix:PATH`` may name the socket, or the home that it lies in.
    """
    plain = text.strip()
    if plain.startswith(_UNIX):
        return _of_socket(plain.removeprefix(_UNIX))
    return Address(node_url(plain), plain)


def _of_socket(path: str) -> Address:
    real = os.path.abspath(os.path.expanduser(path))
    if not path or "\0" in path:
        raise InvalidInput("Behind unix: stands the path of a home, or of its socket.")
    socket = os.path.join(real, SOCKET) if os.path.isdir(real) else real
    return Address("http://localhost", f"{_UNIX}{path}", socket)
