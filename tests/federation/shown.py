"""Accounts with fixed keys, and the cards of their devices, for tests of who may be added."""

from __future__ import annotations

from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_memory_os.federation import card
from agent_memory_os.federation.identity import Device
from agent_memory_os.federation.signing import Signed, sign
from agent_memory_os.model.identifier import account_id
from agent_memory_os.model.register import DEVICE, Chain, Register
from tests.federation.sample import ANN, BOB, NOW, made


class Account(NamedTuple):
    """An account's two private keys."""

    root: Ed25519PrivateKey
    recovery: Ed25519PrivateKey

    @property
    def proof(self) -> tuple[str, str]:
        """The public keys, which its id commits to."""
        root, recovery = (key.public_key().public_bytes_raw().hex() for key in self)
        return root, recovery

    @property
    def id(self) -> str:
        """Its id."""
        return account_id(*self.proof)


HOME, AWAY = (
    Account(*(Ed25519PrivateKey.from_private_bytes(made(number)) for number in pair))
    for pair in ((11, 12), (13, 14))
)
"""Two accounts."""


def certificate(account: Account, device: Device, **value: object) -> Signed:
    """Return what certifies a device, by the account's root key."""
    public = device.public
    said = {"state": "certified", "sign": public.sign, "seal": public.seal, **value}
    group = DEVICE + device.id
    key = account.recovery if value.get("by") == "recovery" else account.root
    register = Register(
        account.id, group, account.id, device.id, NOW << 16, 1, said, account.proof, {}, Chain("")
    )
    return sign(register, key)


def card_of(device: Device, account: Account = AWAY, *, certified: bool = True) -> str:
    """Return the card of a device of an account."""
    found = certificate(account, device) if certified else None
    return card.written(device, *account.proof, found)


ANNS, BOBS = card_of(ANN), card_of(BOB)
"""Cards of two devices of one account."""
