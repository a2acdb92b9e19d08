"""The places that a server listens at."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from agent_memory_os.errors import Refused
from agent_memory_os.server import sockets


def has_ipv6() -> bool:
    """Say whether this machine has a loopback of IPv6."""
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


def test_a_taken_port_is_refused_or_passed_over() -> None:
    """Where a port is taken it is refused in a sentence; with more tries the next one is taken."""
    with sockets.at_port("127.0.0.1", 0) as first:
        taken = first.getsockname()[1]
        with pytest.raises(Refused, match=rf"Port {taken} of 127\.0\.0\.1 cannot be used"):
            sockets.at_port("127.0.0.1", taken)
        with sockets.at_port("127.0.0.1", taken, tries=50) as second:
            assert taken < second.getsockname()[1] < taken + 50


@pytest.mark.parametrize("host", ["no host", "203.0.113.7"])
def test_a_host_that_is_not_here_is_refused(host: str) -> None:
    """A name that says nothing, and an address of another machine, are refused at once."""
    with pytest.raises(Refused, match="cannot be used"):
        sockets.at_port(host, 0, tries=50)


def test_the_last_port_has_no_next() -> None:
    """Behind the last port that there is, no other is tried."""
    with sockets.at_port("127.0.0.1", 65535), pytest.raises(Refused, match="65535"):
        sockets.at_port("127.0.0.1", 65535, tries=50)


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize("host", ["::1", "::"])
def test_ipv6_is_listened_at(host: str) -> None:
    """An address of IPv6 is listened at, and all addresses are those of IPv4 too."""
    with sockets.at_port(host, 0) as listening:
        port = listening.getsockname()[1]
        for address in ("::1", "127.0.0.1")[: 1 + (host == "::")]:
            socket.create_connection((address, port), 10).close()


def test_hosts_are_told_apart() -> None:
    """A URL has an address of IPv6 in brackets, and only loopback is this machine alone."""
    assert sockets.url("::1", 1) == "http://[::1]:1"
    assert sockets.url("127.0.0.1", 1) == "http://127.0.0.1:1"
    assert [sockets.reachable(host) for host in ("0.0.0.0", "::", "x")] == ["127.0.0.1", "::1", "x"]
    loopback = ("localhost", "127.0.0.1", "127.9.9.9", "::1")
    assert all(map(sockets.is_loopback, loopback))
    assert not any(
        map(sockets.is_loopback, ("0.0.0.0", "::", "10.0.0.1", "localhost.example", "127.example"))
    )


def test_the_homes_socket_is_ones_own(tmp_path: Path) -> None:
    """The socket has mode 0600, tells its peer's user, and replaces what a killed server left."""
    home = str(tmp_path)
    made = sockets.in_home(home)
    assert made is not None
    assert stat.S_IMODE(os.stat(sockets.path_in(home)).st_mode) == 0o600
    assert sockets.is_served(home)
    assert sockets.in_home(home) is None
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(sockets.path_in(home))
        accepted, _ = made.accept()
        with accepted:
            assert sockets.peer(accepted) == os.geteuid()
    made.close()
    assert not sockets.is_served(home)
    again = sockets.in_home(home)
    assert again is not None
    again.close()


def test_a_deep_home_has_no_socket(tmp_path: Path) -> None:
    """A home whose path is too long for a socket is served at its port alone."""
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    assert sockets.in_home(str(deep)) is None
    with socket.create_server(("127.0.0.1", 0)) as listening:
        assert sockets.peer(listening) is None
