"""The two places that a server listens at: a port, and a socket in the home.

The socket is for the home's owner on this machine. It is made with mode 0600, and the kernel tells
who is at the other end (``SO_PEERCRED``): nobody else gets an answer.
"""

from __future__ import annotations

import os
import socket
import struct

from agent_memory_os.errors import Refused

NAME = "node.sock"
_LONGEST = 100
"""Bytes of a socket's path that every system takes."""
_BACKLOG = 128
_UCRED = struct.Struct("3i")


def at_port(host: str, port: int) -> socket.socket:
    """Return a listening socket at a port (0: one that is free)."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol named, or asyncio would not turn off the waiting for fuller packets.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        raise Refused(
            f"Port {port} of {host} cannot be used ({error.strerror}): name another, --port PORT."
        ) from error
    return made


def in_home(home: str) -> socket.socket | None:
    """Return a listening socket in the home, or ``None`` where there cannot be one."""
    path = path_in(home)
    if not hasattr(socket, "AF_UNIX") or len(os.fsencode(path)) > _LONGEST or is_served(home):
        return None
    if os.path.lexists(path):
        os.unlink(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        made.bind(path)
    finally:
        os.umask(before)
    made.listen(_BACKLOG)
    return made


def path_in(home: str) -> str:
    """Return where a home's socket lies."""
    return os.path.join(home, NAME)


def is_served(home: str) -> bool:
    """Say whether a server answers at the home's socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path_in(home))
        except OSError:
            return False
    return True


def peer(connection: socket.socket) -> int | None:
    """Return the user at the other end of a socket of the home; ``None`` for a port's."""
    if not hasattr(socket, "AF_UNIX") or connection.family != socket.AF_UNIX:
        return None
    if hasattr(socket, "SO_PEERCRED"):
        raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
        return int(_UCRED.unpack(raw)[1])
    # macOS and BSD: struct xucred begins with a version and the effective user.
    raw = connection.getsockopt(0, 1, 76)
    return int(struct.unpack_from("=Ii", raw)[1])
