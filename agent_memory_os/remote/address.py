"""Where a served node is: a URL, or ``unix:`` and the path of a home's socket."""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import urlsplit

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.key import KEY_PREFIX
from agent_memory_os.settings import SOCKET

_UNIX = "unix:"
_API = "/v1"
_SECRETIVE = ("@", "?", "#", KEY_PREFIX)
"""What stands before or in what is a secret: it is not repeated, whatever else is wrong."""


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
    path = ""
    try:
        parts = urlsplit(plain)
        path = parts.path.rstrip("/")
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_plain = parts.port != 0
    except ValueError:
        is_whole = is_plain = False
    if any(mark in plain for mark in _SECRETIVE):
        raise InvalidInput("The URL of a node has no name, password or key in it, and no ? or #.")
    if not (is_whole and is_plain and plain.isascii() and plain.isprintable()) or " " in plain:
        raise InvalidInput(f"{plain!r} is no URL of a node, such as http://HOST:8765.")
    if path.endswith(_API):
        raise InvalidInput(f"The URL of a node ends before {_API}, which every request adds.")
    return Address(plain.rstrip("/"), plain)


def _of_socket(path: str) -> Address:
    real = os.path.abspath(os.path.expanduser(path))
    if not path or "\0" in path:
        raise InvalidInput("Behind unix: stands the path of a home, or of its socket.")
    socket = os.path.join(real, SOCKET) if os.path.isdir(real) else real
    return Address("http://localhost", f"{_UNIX}{path}", socket)
