"""Where a reader has got to: a word that tells nothing of what it has not been told.

It holds the number of a register, whose log that is in, and whose the word is; numbers count the
changes of everybody, so it is encrypted. The key follows from the device's own, and so the word
holds after a restart; with another node, or for another reader, it is none.
"""

from __future__ import annotations

import base64
import re
import struct

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.principal import Principal
from agent_memory_os.value import NamedTuple

_DOMAIN = "agent-memory event cursor 1"
_PLACE = struct.Struct(">q16s16s")
_FORM = re.compile(r"[A-Za-z0-9_-]{1,200}")


class Place(NamedTuple):
    """The number of a register, and a digest of the incarnation of its log."""

    number: int
    log: bytes


def digest(text: str) -> bytes:
    """Return enough of the SHA-256 of a text to tell it from others."""
    return sha256(text.encode(errors="replace")).digest()[:16]


def checked(cursor: object) -> str:
    """Return what has the form of a cursor; raise :class:`InvalidInput` for what has not."""
    if not isinstance(cursor, str) or _FORM.fullmatch(cursor) is None:
        raise _foreign()
    return cursor


class Cursors:
    """Writes and reads the cursors of one node; one that is none raises :class:`InvalidInput`."""

    def __init__(self, home: str) -> None:
        from cryptography.fernet import Fernet

        from agent_memory_os.federation.identity import secret_for

        key = secret_for(home, _DOMAIN)
        self._fernet = Fernet(base64.urlsafe_b64encode(key))

    def write(self, principal: Principal, number: int, incarnation: str) -> str:
        """Return the word for a reader that has been told of everything up to a register."""
        place = _PLACE.pack(number, digest(incarnation), _reader(principal))
        return self._fernet.encrypt(place).decode().rstrip("=")

    def read(self, principal: Principal, cursor: str) -> Place:
        """Return where a reader's word stands."""
        from cryptography.fernet import InvalidToken

        padded = checked(cursor) + "=" * (-len(cursor) % 4)
        try:
            number, log, reader = _PLACE.unpack(self._fernet.decrypt(padded.encode()))
        except (InvalidToken, struct.error, ValueError) as error:
            raise _foreign() from error
        if reader != _reader(principal):
            raise _foreign()
        return Place(number, log)


def _reader(principal: Principal) -> bytes:
    return digest("operator" if principal.is_operator else f"agent {principal.agent}")


def _foreign() -> InvalidInput:
    return InvalidInput("That is no cursor of yours; begin without one.")
