"""URLs that came from other nodes: which of them are asked at all.

Whoever is in a team tells the others where it is reached, and a hostile member may tell anything.
So such a URL is no more than a scheme, a host and a port; and the host is looked up here, and what
it comes to is looked at before anything is sent: this machine itself, its link, and what clouds
serve their machines at are never asked. What is then asked is the very address that was looked at,
so that a name which comes to something else the next time helps nobody. Networks of a house or a
company are asked, for teams live in them: one question of a fixed form goes there, sealed for a
device, and whatever answers without that device's signature is not read.
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from agent_memory_os.errors import InvalidInput, Refused, Unreachable
from agent_memory_os.federation.transport.url import node_url
from agent_memory_os.value import NamedTuple

MAX_URL = 255
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NEVER = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",
            "100.100.100.200/32",
            "168.63.129.16/32",
            "192.0.0.0/24",
            "240.0.0.0/4",
            "fd00:ec2::/32",
        ),
    )
)
"""What is no machine of anybody, and where clouds tell machines their secrets."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PORTS = {"http": 80, "https": 443}


class Place(NamedTuple):
    """Where a host was found: its address as it stands in a URL, and the host and port as named."""

    url: str
    host: str
    name: str


def checked(url: str) -> str:
    """Return a URL of another node as it is kept; raise :class:`InvalidInput` for what is none.

    What a name comes to is looked at when it is asked.
    """
    plain = node_url(url)
    parts = urlsplit(plain)
    if len(plain) > MAX_URL or parts.path:
        raise InvalidInput(f"{plain[:MAX_URL]!r} is more than a host and a port.")
    host = str(parts.hostname)
    if host == "localhost" or host.endswith(".localhost") or "%" in host:
        raise _inward(plain)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return plain
    if is_refused(address):
        raise _inward(plain)
    return plain


def is_refused(address: IPAddress) -> bool:
    """Say whether an address is one that nobody else may have this node ask."""
    inner = _inner(address)
    if inner is not None:
        return is_refused(inner)
    is_near = address.is_loopback or address.is_link_local or address.is_unspecified
    if is_near or address.is_multicast:
        return True
    return any(address in network for network in _NEVER if network.version == address.version)


def _inner(address: IPAddress) -> IPAddress | None:
    """Return the address of IPv4 that one of IPv6 leads to, if it does."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


def found(url: str) -> Place:
    """Look the host of a URL up; return the address that is to be asked in its place.

    Raises :class:`Unreachable` where it is not found, :class:`Refused` where it may not be asked.
    """
    parts = urlsplit(url)
    host, port = str(parts.hostname), parts.port or _PORTS[parts.scheme]
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unreachable(f"The peer at {url} does not answer: its host is not known.") from error
    for *_, where in answers:
        address = ipaddress.ip_address(str(where[0]).partition("%")[0])
        if not is_refused(address):
            shown = f"[{address}]" if address.version > 4 else str(address)  # noqa: PLR2004
            return Place(f"{parts.scheme}://{shown}:{port}", host, parts.netloc)
    raise Refused(f"{url} leads to this machine or its link, and another node named it.")


def _inward(url: str) -> InvalidInput:
    return InvalidInput(f"{url} leads to this machine or its link.")
