"""The private keys of a home in one file, for whoever wants to be the same account again.

The file has mode 0600, a line for each key: its name and its 32 bytes in hex. It is read only into
a home that has no keys. Of a private key that lies elsewhere it has the public half: of the
recovery key that was written down, of both where the account was made on another machine.
"""

from __future__ import annotations

import os
from contextlib import suppress

from agent_memory_os.errors import Damaged, DamagedDatabase
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.file.copy import PARTIAL, put_in_place
from agent_memory_os.store.node import PublicKeys

SUFFIX = ".keys"
_FOLDER = "keys"
_DEVICE = ("device-sign.key", "device-seal.key")
_ACCOUNT = ("root", "recovery")
_SETS = (
    {"root.key", "recovery.key", *_DEVICE},
    # The recovery key was written down, and is not in the home.
    {"root.key", "recovery.pub", *_DEVICE},
    # The account's private keys lie elsewhere.
    {"root.pub", "recovery.pub", *_DEVICE},
)
"""The files that a home may have."""
_KEY_DIGITS = 64


def held(home: str) -> PublicKeys | None:
    """Return the public halves of the keys that lie in a home, or ``None`` where one is missing."""
    from agent_memory_os.federation.identity import public_keys

    try:
        return public_keys(home)
    except Damaged:
        return None


def is_certified(home: str, snapshot: Snapshot) -> bool:
    """Say whether the account has certified this node's device, or has its root key here."""
    from agent_memory_os.federation.identity import root_key
    from agent_memory_os.service.peers.identity import identity_of, state_of

    identity = identity_of(snapshot)
    return root_key(home) is not None or bool(state_of(snapshot, identity.account, identity.device))


def write(home: str, backup: str) -> str:
    """Write the keys of a home beside a backup; return where."""
    names = [*(_half(home, name) for name in _ACCOUNT), *_DEVICE]
    lines = [f"{name.removesuffix('.key')} {_read(home, name)}\n" for name in names]
    target = backup + SUFFIX
    _write(target, "".join(lines))
    return target


def remove(backup: str) -> None:
    """Remove the keys that lie beside a backup, if there are any."""
    with suppress(FileNotFoundError):
        os.unlink(backup + SUFFIX)


def put_back(backup: str, home: str) -> bool:
    """Put the keys beside a backup into a home that has none; say whether that was done."""
    source = backup + SUFFIX
    folder = os.path.join(home, _FOLDER)
    if not os.path.isfile(source) or os.path.isdir(folder):
        return False
    with open(source, encoding="utf-8") as file:
        found = dict(line.split() for line in file if len(line.split()) == 2)  # noqa: PLR2004 - name, key
    found = {name if name.endswith(".pub") else f"{name}.key": key for name, key in found.items()}
    if set(found) not in _SETS or any(len(key) != _KEY_DIGITS for key in found.values()):
        raise DamagedDatabase(f"{source} does not hold the keys of a node; nothing was restored.")
    # Under another name until it is whole: a home has all its keys or none.
    staged = folder + PARTIAL
    os.makedirs(staged, mode=0o700, exist_ok=True)
    for name, key in found.items():
        _write(os.path.join(staged, name), key + "\n")
    os.replace(staged, folder)
    return True


def _half(home: str, name: str) -> str:
    """Return which file of one of the account's keys a home has: it, or its public half alone."""
    has = {end: os.path.exists(os.path.join(home, _FOLDER, name + end)) for end in (".key", ".pub")}
    return f"{name}.pub" if has[".pub"] and not has[".key"] else f"{name}.key"


def _read(home: str, name: str) -> str:
    path = os.path.join(home, _FOLDER, name)
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise DamagedDatabase(f"The key {path} cannot be read; no keys were written.") from error


def _write(path: str, text: str) -> None:
    partial = path + PARTIAL
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
    put_in_place(partial, path)
