"""Nodes nearby: those that are served on this machine, and those that announce themselves.

Each was asked who it is, and says so without proof. Nothing comes of it: no peer is added, changed
or reached otherwise for what a neighbor says. Whoever wants to exchange with one pairs with it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable

from agent_memory_os.federation.discovery import multicast
from agent_memory_os.federation.discovery.identity import Identity, asked
from agent_memory_os.federation.discovery.multicast import Heard
from agent_memory_os.federation.transport.outward import is_refused
from agent_memory_os.federation.transport.url import host_of, port_of
from agent_memory_os.service.context import USUAL_PORT, Context
from agent_memory_os.service.peers.address import of_peer
from agent_memory_os.service.peers.devices import devices_of
from agent_memory_os.service.peers.identity import CERTIFIED, identity_of
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.peer import peers
from agent_memory_os.value import NamedTuple

HERE, NETWORK = "here", "network"
PEER, OWN, UNKNOWN = "peer", "own", "unknown"

MAX_PORTS = 100
"""So many ports of this machine are asked, from the usual one on: those that ``serve`` takes."""

MAX_RECORDED = 32
"""And so many that peers of this node were reached at."""

_LOOPBACK = "127.0.0.1"
_SELF = (_LOOPBACK, "localhost")
_AT_ONCE = 16


class Neighbor(NamedTuple):
    """A node that is near: its fingerprint, its name if it tells one, and its URL.

    ``where`` is ``here``, on this machine, or ``network``. ``state``: a ``peer`` already, by the
    name ``peer``; an ``own`` device of this account that is no peer; or ``unknown``.
    """

    device: str
    called: str
    url: str
    where: str
    state: str
    peer: str


class Nearby(NamedTuple):
    """The nodes that are near; ``is_whole``: the network was listened to as well."""

    neighbors: tuple[Neighbor, ...]
    is_whole: bool


def look(
    context: Context,
    hear: Callable[[], list[Heard]] = multicast.hear,
    ports: Iterable[int] | None = None,
) -> Nearby:
    """Return the nodes that are near; ``hear`` listens to the network, if that is installed.

    ``ports`` are those of this machine that are asked, else the usual ones and the recorded.
    """
    from concurrent.futures import ThreadPoolExecutor

    with context.database.read() as snapshot:
        known = {one.device: one.name for one in peers.every(snapshot)}
        own = {one.device for one in devices_of(snapshot) if one.state == CERTIFIED}
        this = identity_of(snapshot).device
        wanted = [*(ports if ports is not None else _ports(snapshot))]
    is_whole = multicast.is_there()
    places = [(_LOOPBACK, port, HERE) for port in wanted]
    places += [(one.address, one.port, NETWORK) for one in _outward(hear() if is_whole else [])]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = pool.map(lambda place: asked(*place[:2]), places)
        found: dict[str, Neighbor] = {}
        for (address, port, where), answer in zip(places, answers, strict=True):
            if answer is None or answer.device == this or answer.device in found:
                continue
            found[answer.device] = _neighbor(answer, _url(address, port), where, known, own)
    return Nearby(tuple(sorted(found.values())), is_whole)


def _neighbor(
    answer: Identity, url: str, where: str, known: dict[str, str], own: set[str]
) -> Neighbor:
    state = PEER if answer.device in known else OWN if answer.device in own else UNKNOWN
    return Neighbor(*answer, url, where, state, known.get(answer.device, ""))


def _outward(heard: Iterable[Heard]) -> list[Heard]:
    """Return what leads to other machines: whoever is in the network may announce this one's."""
    return [one for one in heard if not is_refused(ipaddress.ip_address(one.address))]


def _ports(snapshot: Snapshot) -> list[int]:
    urls = [address.url for address in map(of_peer, peers.every(snapshot)) if address.url]
    recorded = [port_of(url) for url in urls if host_of(url) in _SELF and port_of(url)]
    usual = range(USUAL_PORT, USUAL_PORT + MAX_PORTS)
    return [*dict.fromkeys([*usual, *sorted(recorded)[:MAX_RECORDED]])]


def _url(address: str, port: int) -> str:
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"
