"""The recovery key of an account: as it is written down, typed again, and taken off a machine.

It is 32 bytes and three that check them, as fourteen groups of four letters and digits, in two
lines. Capitals, spaces and lines do not matter, and what looks alike is read as what it must be: 0
is o, 1 is l, 8 is b. Whatever else is mistyped does not check. The file that a home is made with,
64 hex digits, is read, too.

A key that is read is of the account or it is not: its public half is known on every device, and on
every node that ever met the account.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import string

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_memory_os.errors import DamagedDatabase, InvalidInput, NotAllowed
from agent_memory_os.federation.identity import (
    FOLDER,
    keep_public,
    private_key,
    public_of,
)
from agent_memory_os.model.identifier import sha256

MOST_CHARACTERS = 4_096
"""The longest text that is looked at for a key."""

_DOMAIN = b"agent-memory recovery key 1\n"
_NAME = "recovery"
_KEY_BYTES, _CHECK_BYTES = 32, 3
_GROUP, _LINE = 4, 7
_CHARACTERS = 56
_HEX_DIGITS = 64
_ALIKE = str.maketrans("018", "olb")
_BETWEEN = re.compile(r"[\s_.,-]+")


def written(key: Ed25519PrivateKey) -> str:
    """Return a key as a person writes it down: two lines of seven groups."""
    private = key.private_bytes_raw()
    text = base64.b32encode(private + _check(private)).decode().lower()
    groups = [text[at : at + _GROUP] for at in range(0, len(text), _GROUP)]
    return "\n".join("-".join(groups[at : at + _LINE]) for at in range(0, len(groups), _LINE))


def read(text: str) -> Ed25519PrivateKey:
    """Read a key as somebody typed it, or as a file has it; raise :class:`InvalidInput`."""
    if len(text) > MOST_CHARACTERS:
        raise InvalidInput("This is no recovery key: it is much too long.")
    plain = _BETWEEN.sub("", text).casefold()
    if len(plain) == _HEX_DIGITS and set(plain) <= set(string.hexdigits):
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(plain))
    plain = plain.translate(_ALIKE)
    if len(plain) != _CHARACTERS:
        raise InvalidInput(
            f"A recovery key has {_CHARACTERS // _GROUP} groups of {_GROUP} letters and digits, "
            f"and this has {len(plain)} characters in place of {_CHARACTERS}."
        )
    try:
        whole = base64.b32decode(plain.upper())
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("A recovery key has letters and the digits 2 to 7 alone.") from error
    private, check = whole[:_KEY_BYTES], whole[_KEY_BYTES:]
    if check != _check(private):
        raise InvalidInput("Something in this recovery key is mistyped: look at it again.")
    return Ed25519PrivateKey.from_private_bytes(private)


def check_of(key: Ed25519PrivateKey, public: str) -> Ed25519PrivateKey:
    """Return a key that has this public half, or raise :class:`NotAllowed`."""
    if public_of(key) != public:
        raise NotAllowed("This is the recovery key of another account, and not of this one.")
    return key


def in_home(home: str) -> Ed25519PrivateKey | None:
    """Return the recovery key that lies in a home, or ``None`` where it does not."""
    return private_key(home, _NAME)


def lies_in(home: str) -> bool:
    """Say whether a home has the recovery key, whole or not."""
    return os.path.exists(_path(home))


def take_off(home: str) -> None:
    """Take the recovery key off the machine; its public half stays.

    Its bytes are written over, which helps where the disk writes in place.
    """
    key = in_home(home)
    if key is None:
        return
    keep_public(home, _NAME, public_of(key))
    path = _path(home)
    try:
        with open(path, "r+b") as file:
            os.unlink(path)
            file.write(b"0" * os.fstat(file.fileno()).st_size)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise DamagedDatabase(
            f"The key {path} cannot be removed: take it away yourself."
        ) from error


def _check(private: bytes) -> bytes:
    return sha256(_DOMAIN + private).digest()[:_CHECK_BYTES]


def _path(home: str) -> str:
    return os.path.join(home, FOLDER, f"{_NAME}.key")
