"""The handshake: out of the words of a code both sides make the same keys, and show that they did.

SPAKE2 gives both the same secret where both used the same words, and tells whoever used others
nothing but that: an attempt tries one guess, and no more can be tried afterwards on what was
heard. From the secret and all that was said in the open (the number, the URL that the joiner asks
at, both messages) come four keys: two by which each side shows that it has the secret, and two
that seal what each then sends. So whoever stands between and changes anything, or sends the joiner
elsewhere, ends it.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import NamedTuple

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from agent_memory_os.errors import BadCode, InvalidInput
from agent_memory_os.federation.pairing.code import Code, needing_extra
from agent_memory_os.model.canonical import encode
from agent_memory_os.model.identifier import sha256

DOMAIN = b"agent-memory pairing 1\n"
MESSAGE_BYTES = 33
CONFIRM_BYTES = 32
_KEY_BYTES = 32
JOINER, INVITER = b"agent-memory joiner", b"agent-memory inviter"
_WRONG = (
    "The code is not the one of this invitation, or somebody stands between. Compare its words; "
    "where they are right, ask for a new one."
)


class Keys(NamedTuple):
    """What both sides have in common: what each shows, and the key that seals what each sends."""

    joiner_shows: bytes
    inviter_shows: bytes
    joiner_seals: bytes
    inviter_seals: bytes


class Half:
    """One side of a handshake, for one attempt; ``message`` is what the other side needs.

    ``url`` is where the joiner asks.
    """

    def __init__(self, code: Code, url: str, *, is_joiner: bool) -> None:
        # What makes the keys takes a while to import, and nobody may ever pair with this process.
        with needing_extra():
            from spake2 import SPAKE2_A, SPAKE2_B
        side = SPAKE2_A if is_joiner else SPAKE2_B
        self._spake = side(code.secret, idA=JOINER, idB=INVITER)
        self._is_joiner = is_joiner
        self._said: dict[str, object] = {"number": code.number, "url": url}
        self.message: bytes = self._spake.start()

    def keys(self, theirs: bytes) -> Keys:
        """Return the keys that follow from the other side's message.

        Raises :class:`InvalidInput` for a message that none is.
        """
        from spake2 import SPAKEError
        from spake2.ed25519_basic import NotOnCurve

        try:
            secret = self._spake.finish(theirs)
        except (SPAKEError, NotOnCurve, ValueError, AssertionError) as error:
            raise InvalidInput("This is no message of a pairing.") from error
        joiner, inviter = (self.message, theirs) if self._is_joiner else (theirs, self.message)
        return derived(secret, {**self._said, "joiner": joiner.hex(), "inviter": inviter.hex()})


def derived(secret: bytes, said: Mapping[str, object]) -> Keys:
    """Return the keys that follow from what both have in common and what was said in the open."""
    salt = sha256(DOMAIN + encode(said)).digest()
    made = HKDF(SHA256(), 4 * _KEY_BYTES, salt, DOMAIN).derive(secret)
    return Keys(*(made[at : at + _KEY_BYTES] for at in range(0, len(made), _KEY_BYTES)))


def check_shown(shown: bytes, key: bytes) -> None:
    """Raise :class:`BadCode` unless the other side shows the key that it should have."""
    if not hmac.compare_digest(shown, key):
        raise BadCode(_WRONG)


def sealed(key: bytes, payload: bytes) -> bytes:
    """Return what one side sends, so that only the other can read it."""
    return Fernet(urlsafe_b64encode(key)).encrypt(payload)


def opened(key: bytes, token: bytes) -> bytes:
    """Return what the other side sealed; raise :class:`BadCode` if it was another."""
    try:
        return Fernet(urlsafe_b64encode(key)).decrypt(token)
    except InvalidToken as error:
        raise BadCode(_WRONG) from error
