"""What another node may have this one ask: no machine of its own, and nothing but a host."""

from __future__ import annotations

import ipaddress
import socket

import pytest

from agent_memory_os.errors import InvalidInput, Refused, Unreachable
from agent_memory_os.federation.transport import outward

INWARD = """
127.0.0.1 127.9.9.9 0.0.0.0 0.1.2.3 169.254.169.254 169.254.0.1 224.0.0.1 255.255.255.255
100.100.100.200 168.63.129.16 192.0.0.192 ::1 :: fe80::1 ff02::1 fd00:ec2::254
::ffff:127.0.0.1 ::ffff:169.254.169.254 64:ff9b::7f00:1 2002:7f00:1:: 2001:0:1:1:1:1:80ff:fffe
""".split()
OUTWARD = "10.0.0.7 192.168.1.5 172.16.0.1 100.64.0.9 93.184.216.34 fd12::1 2606:4700::1".split()


@pytest.mark.parametrize("text", INWARD)
def test_what_leads_here_is_refused(text: str) -> None:
    """An address of this machine, its link or a cloud's own is refused in whatever clothes."""
    assert outward.is_refused(ipaddress.ip_address(text))
    shown = f"[{text}]" if ":" in text else text
    with pytest.raises(InvalidInput):
        outward.checked(f"http://{shown}:8765")


@pytest.mark.parametrize("text", OUTWARD)
def test_what_leads_out_is_asked(text: str) -> None:
    """Networks of a house, a company or the world are where teams are."""
    assert not outward.is_refused(ipaddress.ip_address(text))
    shown = f"[{text}]" if ":" in text else text
    url = f"http://{shown}:8765"
    assert outward.checked(f"{url}/") == url
    assert outward.found(url) == (url, text, f"{shown}:8765")


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:1",
        "http://a.localhost",
        "http://[fe80::1%25eth0]:1",
        "http://hub.example/path",
        "http://me:secret@hub.example",
        "ftp://hub.example",
        "http://" + "a" * 260 + ".example",
    ],
)
def test_a_url_is_a_host_and_a_port(url: str) -> None:
    """Whatever else would be in it is refused."""
    with pytest.raises(InvalidInput):
        outward.checked(url)


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "localhost"])
def test_a_name_for_this_machine_is_found_out(host: str) -> None:
    """What a name comes to is looked at before anything is sent."""
    with pytest.raises((Refused, Unreachable)):
        outward.found(f"http://{host}:8765")


def test_the_address_that_was_looked_at_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what a name comes to the first that leads out is taken, and its name stays in the head."""

    def looked_up(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [("", "", "", "", (one, 443)) for one in ("127.0.0.1", "fe80::1%eth0", "10.0.0.7")]

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    assert outward.found("https://hub.example") == (
        "https://10.0.0.7:443",
        "hub.example",
        "hub.example",
    )


def test_who_is_not_known_does_not_answer() -> None:
    """A host that nobody knows is told as one that does not answer."""
    with pytest.raises(Unreachable, match="not known"):
        outward.found("http://nobody.invalid:1")
