"""Nodes of the network: what served nodes announce by multicast DNS, and hearing it.

What is announced is a fingerprint, an address and a port, and is no secret. Whoever is in the
network may announce anything, so what is heard is a hint where to ask, and no more: so many are
heard at most, each is asked who it is, and nothing that is kept is changed by any of it.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Iterable, Sequence
from importlib.util import find_spec

from agent_memory_os.federation.discovery.identity import is_device
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zeroconf import Zeroconf

TYPE = "_agent-memory._tcp.local."
HEAR_SECONDS = 2.0
MAX_HEARD = 64
"""So many announcements are looked at."""

_EACH = 4
"""So many addresses of one are."""


class Heard(NamedTuple):
    """What was announced: a fingerprint, and where to ask."""

    device: str
    address: str
    port: int


def is_there() -> bool:
    """Say whether what speaks multicast DNS is installed."""
    return find_spec("zeroconf") is not None


def hear(seconds: float = HEAR_SECONDS, interfaces: Sequence[str] = ()) -> list[Heard]:
    """Listen for a while; return what was announced, on all interfaces or those of addresses."""
    from zeroconf import ServiceBrowser, ServiceInfo, ServiceStateChange

    names: list[str] = []

    def changed(name: str, state_change: ServiceStateChange, **_: object) -> None:
        if state_change is ServiceStateChange.Added and len(names) < MAX_HEARD:
            names.append(name)

    line = _line(interfaces)
    if line is None:
        return []
    try:
        browser = ServiceBrowser(line, TYPE, handlers=[changed])
        time.sleep(seconds)
        browser.cancel()
        found = []
        for name in dict.fromkeys(names):
            info = ServiceInfo(TYPE, name)
            if info.load_from_cache(line):
                found += heard(name, info.parsed_addresses(), info.port)
        return found
    finally:
        line.close()


def heard(name: str, addresses: Iterable[str], port: int | None) -> list[Heard]:
    """Return what an announcement says, with the addresses to ask; of rubbish, nothing."""
    device = name.removesuffix(f".{TYPE}")
    if not is_device(device) or not port:
        return []
    plain = [one for one in addresses if "%" not in one]
    plain.sort(key=lambda one: ":" in one)
    return [Heard(device, one, port) for one in plain[:_EACH]]


class Announcement:
    """A node that says in its network that it is there, until it is ended."""

    def __init__(self, line: Zeroconf) -> None:
        self._line = line

    def end(self) -> None:
        """Say that it is there no more."""
        self._line.unregister_all_services()
        self._line.close()


def announced(
    device: str, host: str, port: int, interfaces: Sequence[str] = ()
) -> Announcement | None:
    """Announce a node that listens at a host; return ``None`` where there is no network for it."""
    from zeroconf import Error, ServiceInfo

    line = _line(interfaces)
    if line is None:
        return None
    try:
        info = ServiceInfo(
            TYPE,
            f"{device}.{TYPE}",
            port=port,
            parsed_addresses=addresses(host),
            server=f"{device}.local.",
        )
        line.register_service(info)
    except (OSError, Error):
        line.close()
        return None
    return Announcement(line)


def _line(interfaces: Sequence[str]) -> Zeroconf | None:
    """Return the end of a line to the network; ``None`` where there is none."""
    from zeroconf import InterfaceChoice, Zeroconf

    try:
        return Zeroconf(interfaces=list(interfaces) or InterfaceChoice.All)
    except OSError:
        return None


def addresses(host: str) -> list[str]:
    """Return the addresses at which others reach what listens at a host."""
    try:
        is_any = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        return [str(one[4][0]).partition("%")[0] for one in found]
    if not is_any:
        return [host]
    from ifaddr import get_adapters

    every = [one.ip for adapter in get_adapters() for one in adapter.ips]
    plain = [one if isinstance(one, str) else one[0] for one in every]
    return [one for one in plain if not _is_near(one)]


def _is_near(text: str) -> bool:
    address = ipaddress.ip_address(text)
    return address.is_loopback or address.is_link_local
