"""The keys of an account and of this device, in files of mode 0600 under ``<home>/keys``.

An account has a root key, which certifies its devices, and a recovery key, which its person writes
down and takes off the machine (:mod:`recovery`): its public half stays then. A device has an
Ed25519 key to sign and an X25519 key to receive. Private keys are 32 raw bytes in hex, one file
each. The account's id commits to its two public keys, the device's to its own two.

The account's keys are made once and found again, so that a process which died half way through
the first start leaves nothing to mend. The device's keys are always new: a device never goes on
with another's numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from agent_memory_os.errors import DamagedDatabase, Refused
from agent_memory_os.model.identifier import account_id, device_id, sha256
from agent_memory_os.store.node import PublicKeys

FOLDER = "keys"
_ACCOUNT = ("root", "recovery")
_PRIVATE, _PUBLIC = ".key", ".pub"
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
    root, recovery = _found_account(folder)
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
        *_account(folder),
        _signing(_read(folder, "device-sign")),
        seal.public_key().public_bytes_raw().hex(),
    )


def adopt(home: str, root: str, recovery: str) -> None:
    """Make a home that has no keys yet one of an account whose private keys lie elsewhere.

    Raises :class:`Refused` where it is of another account already.
    """
    folder = os.path.join(home, FOLDER)
    os.makedirs(folder, mode=_FOLDER_MODE, exist_ok=True)
    if any(os.path.exists(_path(folder, name)) for name in _ACCOUNT):
        raise Refused(f"{home} has the keys of an account already.", "other_home")
    if os.path.exists(_path(folder, "root", _PUBLIC)) and _account(folder) != (root, recovery):
        raise Refused(f"{home} is a device of another account already.", "other_home")
    for name, key in zip(reversed(_ACCOUNT), (recovery, root), strict=True):
        # The root's comes last: whoever finds it finds both.
        _keep(_path(folder, name, _PUBLIC), key)


def root_key(home: str) -> Ed25519PrivateKey | None:
    """Return the account's root key, or ``None`` where it lies elsewhere."""
    return private_key(home, "root")


def private_key(home: str, name: str) -> Ed25519PrivateKey | None:
    """Return one of the account's two keys, ``root`` or ``recovery``, where it lies in a home."""
    folder = os.path.join(home, FOLDER)
    if not os.path.exists(_path(folder, name)):
        return None
    return Ed25519PrivateKey.from_private_bytes(_read(folder, name))


def keep_public(home: str, name: str, key: str) -> None:
    """Keep the public half of one of the account's keys, which is about to leave the machine."""
    _keep(_path(os.path.join(home, FOLDER), name, _PUBLIC), key)


class PublicDevice(NamedTuple):
    """What others know of a device: its two public keys in hex, which its id commits to."""

    sign: str
    seal: str

    @property
    def id(self) -> str:
        """The device's id, its fingerprint."""
        return device_id(self.sign, self.seal)


class Device(NamedTuple):
    """A node's own device: its id, the key that it signs with, and the one that opens."""

    id: str
    sign: Ed25519PrivateKey
    seal: X25519PrivateKey

    @property
    def public(self) -> PublicDevice:
        """What others may know of it."""
        seal = self.seal.public_key().public_bytes_raw().hex()
        return PublicDevice(public_of(self.sign), seal)


Known = Callable[[str], PublicDevice | None]
"""What looks up a device by its id, and gives ``None`` for one that is not known here."""


def device_of(sign: bytes, seal: bytes) -> Device:
    """Return a device of its two private keys."""
    made = Device(
        "", Ed25519PrivateKey.from_private_bytes(sign), X25519PrivateKey.from_private_bytes(seal)
    )
    return made._replace(id=made.public.id)


def device(home: str) -> Device:
    """Return the device whose keys lie in a home; raise if one is missing."""
    folder = os.path.join(home, FOLDER)
    return device_of(_read(folder, "device-sign"), _read(folder, "device-seal"))


def secret_for(home: str, domain: str) -> bytes:
    """Return 32 secret bytes of this device for one use, which tell nothing of its key."""
    private = _read(os.path.join(home, FOLDER), "device-sign")
    return sha256(domain.encode() + b"\n" + private).digest()


def account_of(home: str) -> str | None:
    """Return the account whose keys lie in a home, private or public, or ``None``."""
    try:
        return account_id(*_account(os.path.join(home, FOLDER)))
    except DamagedDatabase:
        return None


def _account(folder: str) -> tuple[str, str]:
    """Return the public root and recovery keys of the account in a folder of keys."""
    root, recovery = (_half(folder, name) for name in _ACCOUNT)
    return root, recovery


def _found_account(folder: str) -> tuple[str, str]:
    """Return the public keys of the account in a folder; its keys are made where there is none."""
    if not any(os.path.exists(_path(folder, "root", suffix)) for suffix in (_PRIVATE, _PUBLIC)):
        # Left by who died while it took on an account, whose root's half would have come last.
        with suppress(FileNotFoundError):
            os.unlink(_path(folder, "recovery", _PUBLIC))
    for name in _ACCOUNT:
        if not os.path.exists(_path(folder, name, _PUBLIC)):
            _kept(folder, name)
    return _account(folder)


def _half(folder: str, name: str) -> str:
    """Return the public half of one of the account's keys, which lies here or was left here."""
    if os.path.exists(_path(folder, name, _PUBLIC)):
        return _read(folder, name, _PUBLIC).hex()
    return _signing(_read(folder, name))


def _signing(private: bytes) -> str:
    return public_of(Ed25519PrivateKey.from_private_bytes(private))


def public_of(key: Ed25519PrivateKey) -> str:
    """Return the public half of a key that signs, in hex."""
    return key.public_key().public_bytes_raw().hex()


def _kept(folder: str, name: str) -> bytes:
    if os.path.exists(_path(folder, name)):
        return _read(folder, name)
    return _fresh(folder, name)


def _fresh(folder: str, name: str) -> bytes:
    private = Ed25519PrivateKey.generate().private_bytes_raw()
    _keep(_path(folder, name), private.hex())
    return private


def _keep(path: str, key: str) -> None:
    # Written aside and renamed: a key file is whole or not there.
    aside = path + ".new"
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _FILE_MODE)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(key + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)


def _read(folder: str, name: str, suffix: str = _PRIVATE) -> bytes:
    path = _path(folder, name, suffix)
    try:
        with open(path, encoding="ascii") as file:
            key = bytes.fromhex(file.read().strip())
    except (OSError, ValueError) as error:
        raise DamagedDatabase(
            f"The key {path} cannot be read; restore it from a backup."
        ) from error
    if len(key) != 32:  # noqa: PLR2004 - both kinds of key have 32 bytes
        raise DamagedDatabase(f"The key {path} is no key; restore it from a backup.")
    return key


def _path(folder: str, name: str, suffix: str = _PRIVATE) -> str:
    return os.path.join(folder, name + suffix)
