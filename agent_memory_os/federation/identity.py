"""The keys of an account and of this device, in files of mode 0600 under ``<home>/keys``.

An account has a root key, which certifies its devices, and a recovery key, which is shown to the
person once and then leaves the machine. A device has an Ed25519 key to sign and an X25519 key to
receive. Private keys are 32 raw bytes in hex, one file each. The account's id commits to its two
public keys, the device's to its own two.

The account's keys are made once and found again, so that a process which died half way through
the first start leaves nothing to mend. The device's keys are always new: a device never goes on
with another's numbers.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.model.identifier import account_id, device_id, sha256
from agent_memory_os.store.node import PublicKeys

FOLDER = "keys"
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700


class Minted(NamedTuple):
    """The ids of an account and a device, and the public keys that they commit to."""

    account: str
    device: str
    keys: PublicKeys


def mint(home: str) -> Minted:
    """Make a device for the account of this home, and the account itself where it has no keys."""
    folder = os.path.join(home, FOLDER)
    os.makedirs(folder, mode=_FOLDER_MODE, exist_ok=True)
    root = _signing(_kept(folder, "root"))
    recovery = _signing(_kept(folder, "recovery"))
    sign = _signing(_fresh(folder, "device-sign"))
    seal_key = X25519PrivateKey.from_private_bytes(_fresh(folder, "device-seal"))
    seal = seal_key.public_key().public_bytes_raw().hex()
    keys = PublicKeys(root, recovery, sign, seal)
    return Minted(account_id(root, recovery), device_id(sign, seal), keys)


def public_keys(home: str) -> PublicKeys:
    """Return the public keys of the private ones that lie in a home; raise if one is missing."""
    folder = os.path.join(home, FOLDER)
    seal = X25519PrivateKey.from_private_bytes(_read(folder, "device-seal"))
    return PublicKeys(
        _signing(_read(folder, "root")),
        _signing(_read(folder, "recovery")),
        _signing(_read(folder, "device-sign")),
        seal.public_key().public_bytes_raw().hex(),
    )


def secret_for(home: str, domain: str) -> bytes:
    """Return 32 secret bytes of this device for one use, which tell nothing of its key."""
    private = _read(os.path.join(home, FOLDER), "device-sign")
    return sha256(domain.encode() + b"\n" + private).digest()


def account_of(home: str) -> str | None:
    """Return the account whose root and recovery keys lie in a home, or ``None``."""
    folder = os.path.join(home, FOLDER)
    try:
        root, recovery = (_signing(_read(folder, name)) for name in ("root", "recovery"))
    except DamagedDatabase:
        return None
    return account_id(root, recovery)


def _signing(private: bytes) -> str:
    key = Ed25519PrivateKey.from_private_bytes(private)
    return key.public_key().public_bytes_raw().hex()


def _kept(folder: str, name: str) -> bytes:
    if os.path.exists(_path(folder, name)):
        return _read(folder, name)
    return _fresh(folder, name)


def _fresh(folder: str, name: str) -> bytes:
    private = Ed25519PrivateKey.generate().private_bytes_raw()
    # Written aside and renamed: a key file is whole or not there.
    aside = _path(folder, name) + ".new"
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _FILE_MODE)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(private.hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, _path(folder, name))
    return private


def _read(folder: str, name: str) -> bytes:
    path = _path(folder, name)
    try:
        with open(path, encoding="ascii") as file:
            private = bytes.fromhex(file.read().strip())
    except (OSError, ValueError) as error:
        raise DamagedDatabase(
            f"The key {path} cannot be read; restore it from a backup."
        ) from error
    if len(private) != 32:  # noqa: PLR2004 - both kinds of key have 32 bytes
        raise DamagedDatabase(f"The key {path} is no key; restore it from a backup.")
    return private


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.key")
