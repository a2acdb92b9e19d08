"""The URL of a node, as a person writes it."""

from __future__ import annotations

from urllib.parse import urlsplit

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.key import KEY_PREFIX

_API = "/v1"
_SECRETIVE = ("@", "?", "#", KEY_PREFIX)
"""What stands before or in what is a secret: it is not repeated, whatever else is wrong."""


def host_of(url: str) -> str:
    """Return the host that a node's URL names."""
    return str(urlsplit(url).hostname)


def port_of(url: str) -> int:
    """Return the port that a node's URL names; 0 where it names none."""
    return urlsplit(url).port or 0


def node_url(text: str) -> str:
    """Return the URL of a node, with its scheme in lower case and without a slash at its end.

    Raises :class:`InvalidInput` where it is none.
    """
    plain = text.strip()
    scheme = path = ""
    try:
        parts = urlsplit(plain)
        scheme, path = parts.scheme, parts.path.rstrip("/")
        is_whole = scheme in ("http", "https") and bool(parts.hostname)
        is_plain = parts.port != 0
    except ValueError:
        is_whole = is_plain = False
    if any(mark in plain for mark in _SECRETIVE):
        raise InvalidInput("The URL of a node has no name, password or key in it, and no ? or #.")
    if not (is_whole and is_plain and plain.isascii() and plain.isprintable()) or " " in plain:
        raise InvalidInput(f"{plain!r} is no URL of a node, such as http://HOST:8765.")
    if path.endswith(_API):
        raise InvalidInput(f"The URL of a node ends before {_API}, which every request adds.")
    return (scheme + plain[len(scheme) :]).rstrip("/")
