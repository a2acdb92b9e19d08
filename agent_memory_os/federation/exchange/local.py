"""The node's own side of an exchange: its file, its keys, and who its peers are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_memory_os.federation.identity import Device, PublicDevice
from agent_memory_os.federation.signing import Signed
from agent_memory_os.model.authority.device import RECOVERY, ROOT, signer
from agent_memory_os.model.register import signable
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.exchange.held import HeldRegister
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")


class Local(NamedTuple):
    """A node: its file, its device, the root key of its account where it is here, and chance.

    ``nonce`` gives 16 random bytes in hex.
    """

    database: Database
    device: Device
    root: Ed25519PrivateKey | None
    nonce: Callable[[], str]

    def signed(self, held: HeldRegister) -> Signed | None:
        """Return a register with its signature, made now where it has none; ``None`` if it cannot.

        What another device wrote and never sent can be signed by nobody here.
        """
        register = held.register
        if held.signature is not None:
            return Signed(register, held.signature, held.name)
        by, key = signer(register), None
        if by == ROOT:
            key = self.root
        elif by != RECOVERY and register.device == self.device.id:
            key = self.device.sign
        if key is None:
            return None
        made = held.signable or signable(register)
        return Signed(register, key.sign(made.data), held.name)


def known_devices(snapshot: Snapshot) -> Callable[[str], PublicDevice | None]:
    """Return what looks up the keys of a device that some register certified."""

    def known(device: str) -> PublicDevice | None:
        row = snapshot.row(_sql["device_keys"], (device,))
        return None if row is None else PublicDevice(*row)

    return known


def only(peer: Peer) -> Callable[[str], PublicDevice | None]:
    """Return what knows one peer, and nobody else."""
    return partial(_only, peer)


def _only(peer: Peer, device: str) -> PublicDevice | None:
    return PublicDevice(peer.sign, peer.seal) if device == peer.device else None
