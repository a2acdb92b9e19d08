"""The key of a bundle, sealed to each device that may open it.

Each bundle has a key of its own. It is sealed to a device with HPKE (RFC 9180, base mode, X25519
with HKDF-SHA256, and ChaCha20-Poly1305), bound to the bundle, its sender, the device and all the
devices that the bundle is for: so a sealed key is of no use in any other bundle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from agent_memory_os.errors import BadBundle, InvalidInput
from agent_memory_os.federation.identity import Device, PublicDevice
from agent_memory_os.model.canonical import encode

DOMAIN = b"agent-memory bundle key 1\n"
KEY_BYTES = 32
SEALED_BYTES = 32 + KEY_BYTES + 16
"""The encapsulated key, and the sealed one with its tag: so what is opened has its length."""

_suite = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)


class Binding(NamedTuple):
    """What a sealed key is bound to: the bundle, its sender, and the ids of all its devices."""

    bundle: str
    sender: str
    recipients: Sequence[str]

    def info(self, recipient: str) -> bytes:
        """Return the bytes that the key for one device is bound to."""
        return DOMAIN + encode({**self._asdict(), "recipient": recipient})


def seal(key: bytes, binding: Binding, recipient: PublicDevice) -> bytes:
    """Return a bundle's key so that one device alone can read it."""
    public = X25519PublicKey.from_public_bytes(bytes.fromhex(recipient.seal))
    try:
        return _suite.encrypt(key, public, info=binding.info(recipient.id))
    except ValueError as error:
        # A point of small order: whoever gave it out could not open anything either.
        raise InvalidInput(f"The sealing key of the device {recipient.id} is no key.") from error


def unseal(sealed: bytes, binding: Binding, device: Device) -> bytes:
    """Return the key that was sealed to a device; raise :class:`BadBundle` if it was not."""
    try:
        return _suite.decrypt(sealed, device.seal, info=binding.info(device.id))
    except InvalidTag as error:
        raise BadBundle(
            "The bundle's key was not sealed to this device, or not for this bundle."
        ) from error
