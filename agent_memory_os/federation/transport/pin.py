"""TLS with the one certificate that was agreed on, whoever signed it and whatever it names.

A pin is the SHA-256 of a certificate. With it nothing else is looked at: no authority, no name, no
date. The check is part of the handshake: nothing is sent to whoever shows another certificate.
"""

from __future__ import annotations

import socket
import ssl

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.identifier import is_hex, sha256

_DIGITS = 64
_OTHER = "it is another than the one that is pinned"


class PinnedContext(ssl.SSLContext):
    """TLS to whoever has the key of the pinned certificate, and to nobody else."""

    pin = b""

    def wrap_socket(  # type: ignore[override]
        self, sock: socket.socket, *, server_hostname: str | None = None
    ) -> ssl.SSLSocket:
        """Return an encrypted connection; raise where another certificate is shown."""
        made = super().wrap_socket(sock, server_hostname=server_hostname)
        shown = made.getpeercert(binary_form=True)
        if shown is None or sha256(shown).digest() != self.pin:
            made.close()
            refusal = ssl.SSLCertVerificationError(1, _OTHER)
            refusal.verify_message = _OTHER
            raise refusal
        return made


def pinned(pin: str) -> PinnedContext:
    """Return how to speak to whoever has a certificate, given its SHA-256 in hex.

    Colons between the digits may be there, as other programs write them.
    """
    context = PinnedContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.pin = bytes.fromhex(digits_of(pin))
    return context


def digits_of(pin: str) -> str:
    """Return the digits of a pin, in lower case; raise :class:`InvalidInput` where it is none."""
    digits = pin.strip().replace(":", "").lower()
    if not is_hex(digits, _DIGITS):
        raise InvalidInput("A pin is the SHA-256 of a certificate: 64 digits of hex.")
    return digits
