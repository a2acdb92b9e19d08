"""The node's own side of an exchange: its file, its keys, and who its peers are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_memory_os.errors import Revoked
from agent_memory_os.federation import together
from agent_memory_os.federation.identity import Device, PublicDevice
from agent_memory_os.federation.signing import Signed
from agent_memory_os.model.authority.device import RECOVERY, ROOT, signer
from agent_memory_os.model.register import CONTENT, GRANT, Register, Signable, signable
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.exchange.chart import Charts
from agent_memory_os.store.exchange.held import HeldPlain, HeldRegister
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.store.queries import Queries

_sql = Queries("exchange")


class Local:
    """A node: its file, its device, the root key of its account where it is here, and chance.

    ``nonce`` gives 16 random bytes in hex. ``charts`` reads what the organisation means here, for
    any number of threads.
    """

    def __init__(
        self,
        database: Database,
        device: Device,
        root: Ed25519PrivateKey | None,
        nonce: Callable[[], str],
    ) -> None:
        self.database = database
        self.device = device
        self.root = root
        self.nonce = nonce
        self.charts = Charts()

    def signature(self, held: HeldRegister) -> bytes | None:
        """Return the signature of a register, made now where it has none; ``None`` if it cannot."""
        found = self.signed(held)
        return None if found is None else found.signature

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


class Lines:
    """Writes registers as lines, with signatures that are made where they have none yet.

    ``made`` are the new ones, by the numbers of registers; ``sent`` counts lines, ``size`` bytes.
    """

    def __init__(self, local: Local) -> None:
        self.local = local
        self.made: list[tuple[int, bytes]] = []
        self.sent = 0
        self.size = 0
        self._together: dict[bytes, bytes] = {}

    def sign(self, plain: Iterable[HeldPlain], others: Iterable[Iterable[HeldRegister]]) -> None:
        """Make the signatures of what this device signs with others, of all that comes next.

        Those are contents and first grants, by the scope that they are for: what others read than
        the people of one scope, and what whoever is out of it is told, is signed alone.
        """
        groups: dict[str, list[bytes]] = {}
        for memory in plain:
            scope = memory.form.first.scope
            for piece in memory.pieces if scope else ():
                if self._is_to_sign(piece.signature, piece.device):
                    groups.setdefault(scope, []).append(piece.digest)
        for one in chain.from_iterable(others):
            scope = _scope_of(one.register)
            if scope and self._is_to_sign(one.signature, one.register.device):
                groups.setdefault(scope, []).append(bytes.fromhex(one.name))
        self._together = {}
        for digests in groups.values():
            for at in range(0, len(digests), together.WIDTH):
                some = digests[at : at + together.WIDTH]
                if len(some) > 1:
                    made = together.signed_together(some, self.local.device.sign)
                    self._together.update(zip(some, made, strict=True))

    def of(self, held: Iterable[HeldRegister]) -> Iterator[bytes]:
        """Yield the lines of registers, but for those that nobody here can sign."""
        for one in held:
            signature = self._together.get(bytes.fromhex(one.name)) or self.local.signature(one)
            if signature is not None:
                made = one.signable or signable(one.register)
                yield self._line(made, one.lseq, one.signature, signature)

    def of_plain(self, held: HeldPlain) -> Iterator[bytes]:
        """Yield the lines of a plain memory's registers, as :meth:`of` does."""
        for one in held.pieces:
            signature = self._together.get(one.digest) or one.signature
            if self._is_to_sign(signature, one.device):
                signature = self.local.device.sign.sign(one.signable.data)
            if signature is not None:
                yield self._line(one.signable, one.lseq, one.signature, signature)

    def _is_to_sign(self, signature: bytes | None, device: str) -> bool:
        return signature is None and device == self.local.device.id

    def _line(self, made: Signable, lseq: int, held: bytes | None, signature: bytes) -> bytes:
        if held is None:
            self.made.append((lseq, signature))
        line = made.line(signature)
        self.size += len(line)
        self.sent += 1
        return line


def _scope_of(register: Register) -> str:
    """Return the scope whose people alone read a register while they are in it, if there is any."""
    if register.group == CONTENT:
        return next(iter(register.relies), "")
    is_first = register.group.startswith(GRANT) and register.value["length"] == 1
    return register.group.removeprefix(GRANT) if is_first else ""


def known_devices(snapshot: Snapshot) -> Callable[[str], PublicDevice | None]:
    """Return what looks up the keys of a device that some register certified."""

    def known(device: str) -> PublicDevice | None:
        row = snapshot.row(_sql["device_keys"], (device,))
        return None if row is None else PublicDevice(*row)

    return known


def check_peer(database: Database, peer: Peer) -> None:
    """Raise :class:`Revoked` for a device that its account revoked."""
    with database.read() as snapshot:
        if settle.is_revoked(snapshot, peer.device):
            raise Revoked(
                f"The device {peer.device} was revoked by its account: nothing is exchanged with "
                "it, and it comes back as a new device only."
            )


def only(peer: Peer) -> Callable[[str], PublicDevice | None]:
    """Return what knows one peer, and nobody else."""
    return partial(_only, peer)


def _only(peer: Peer, device: str) -> PublicDevice | None:
    return PublicDevice(peer.sign, peer.seal) if device == peer.device else None
