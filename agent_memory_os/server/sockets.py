"""The two places that a server listens at: a port, and a socket in the home.

The socket is for the home's owner on this machine. It is made with mode 0600, and the kernel tells
who is at the other end (``SO_PEERCRED``): nobody else gets an answer.
"""

from __future__ import annotations

import errno
import http.client
import ipaddress
import os
import socket
import struct
import sys

from agent_memory_os.errors import Refused, Unreachable
from agent_memory_os.settings import MAX_PORT

ANY_4, ANY_6 = "0.0.0.0", "::"  # noqa: S104 - the names of all addresses, to know them by
NAME = "node.sock"
_LONGEST = 100
"""Bytes of a socket's path that every system takes."""
_BACKLOG = 128
_ANSWER_SECONDS = 10.0
_UCRED = struct.Struct("3i")


def at_port(host: str, port: int, tries: int = 1) -> socket.socket:
    """Return a listening socket at a port (0: one that is free).

    Where the port is taken, the next ones are tried, ``tries`` in all. Raises :class:`Refused`.
    """
    for at in range(port, min(port + tries, MAX_PORT + 1)):
        try:
            return _listening(host, at)
        except OSError as error:
            is_taken = error.errno == errno.EADDRINUSE
            if not is_taken or at == min(port + tries - 1, MAX_PORT):
                raise Refused(
                    f"Port {port} of {host} cannot be used ({error.strerror}).", "other_port"
                ) from error
    raise AssertionError(tries)  # pragma: no cover - one try at least


def _listening(host: str, port: int) -> socket.socket:
    family, kind, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    # With its protocol named, or asyncio would not turn off the waiting for fuller packets.
    made = socket.socket(family, kind, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            # There the other option would let two servers share a port.
            made.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if host == ANY_6 and socket.has_dualstack_ipv6():
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        made.bind(address)
        made.listen(_BACKLOG)
    except OSError:
        made.close()
        raise
    return made


def url(host: str, port: int) -> str:
    """Return the URL of a port."""
    return f"http://{bracketed(host)}:{port}"


def bracketed(host: str) -> str:
    """Return a host as it stands in a URL: an address of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def own_name() -> str:
    """Return what this machine is called in its network."""
    return socket.gethostname()


def is_loopback(host: str) -> bool:
    """Say whether a host is reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name, which may begin with any number
        return host.lower() == "localhost"


def reachable(host: str) -> str:
    """Return the address at which this machine reaches a server that listens at a host."""
    return {ANY_4: "127.0.0.1", ANY_6: "::1"}.get(host, host)


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
    if not hasattr(socket, "AF_UNIX"):
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path_in(home))
        except OSError:
            return False
    return True


class _Line(http.client.HTTPConnection):
    """HTTP through the socket of a home."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_ANSWER_SECONDS)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def ask(home: str, method: str, path: str) -> tuple[int, bytes]:
    """Return the status and the body with which a home's server answers at its socket.

    Raises :class:`Unreachable` where none answers.
    """
    line = _Line(path_in(home))
    try:
        line.request(method, path)
        answer = line.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"The server of {home} does not answer.") from error
    finally:
        line.close()


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
