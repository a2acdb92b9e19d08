"""Where a peer is reached: a URL, a folder, or nowhere, for one that comes by itself."""

from __future__ import annotations

import os

from agent_memory_os.errors import InvalidInput, Refused, Unreachable
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.identity import PublicDevice
from agent_memory_os.federation.transport.base import Transport
from agent_memory_os.federation.transport.folder import FolderTransport
from agent_memory_os.federation.transport.pin import digits_of
from agent_memory_os.federation.transport.url import node_url
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.value import NamedTuple

_URLS = ("http://", "https://")


class Address(NamedTuple):
    """Where a peer is: at most one of ``url`` and ``folder``; ``pin`` is a certificate's SHA-256.

    Nothing at all is a peer that comes by itself.
    """

    url: str = ""
    folder: str = ""
    pin: str = ""


NOWHERE = Address()
"""The address of a peer that comes by itself."""


def checked(address: Address) -> Address:
    """Return an address as it is kept, or raise :class:`InvalidInput` where it is none."""
    if address.url and address.folder:
        raise InvalidInput("A peer is reached by a URL or by a folder, and not by both.")
    if address.pin and not address.url.lower().startswith("https:"):
        raise InvalidInput("A pin is of a certificate: the URL begins with https:// then.")
    pin = digits_of(address.pin) if address.pin else ""
    if address.url:
        return Address(url=node_url(address.url), pin=pin)
    if not address.folder:
        return NOWHERE
    folder = os.path.expanduser(address.folder)
    if not os.path.isabs(folder):
        raise InvalidInput(f"{address.folder!r} is no whole path of a folder.")
    if not os.path.isdir(folder):
        raise InvalidInput(f"{folder} is no folder, or is not there: make it first.")
    return Address(folder=os.path.normpath(folder))


def kept(address: Address) -> tuple[str, str]:
    """Return an address and its pin as the store holds them."""
    return address.url or address.folder, address.pin


def of_peer(peer: Peer) -> Address:
    """Return where a peer is reached."""
    if peer.address.startswith(_URLS):
        return Address(url=peer.address, pin=peer.pin)
    return Address(folder=peer.address)


def way_to(local: Local, peer: Peer) -> Transport:
    """Return this node's end of the way to a peer.

    Raises :class:`Refused` where the peer has no address, and :class:`Unreachable` where the folder
    is not there now: a stick that is not plugged in must not be written to all the same.
    """
    address, clock = of_peer(peer), local.database.clock
    if address.url:
        return _by_http(local, peer, address)
    if not address.folder:
        raise Refused(f"{peer.name} has no address here: it comes by itself.", "change_peer")
    if not os.path.isdir(address.folder):
        raise Unreachable(f"The folder {address.folder} is not there now.")
    return FolderTransport(address.folder, local.device.id, peer.device, clock, local.nonce)


def _by_http(local: Local, peer: Peer, address: Address) -> Transport:
    try:
        from agent_memory_os.federation.transport.http import HttpTransport
    except ModuleNotFoundError as error:
        raise Refused(
            f"To reach a peer by HTTP, the package {error.name} is needed.", "install_remote"
        ) from error
    public = PublicDevice(peer.sign, peer.seal)
    clock = local.database.clock
    is_told = bool(peer.is_learned)
    args = (address.url, local.device, public, clock, local.nonce, address.pin)
    return HttpTransport(*args, is_told=is_told)
