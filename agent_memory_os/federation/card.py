"""Cards: what a device shows of itself, on one line that can be pasted.

A card has the device's two public keys, the two of its account, and the certificate: the register
by which the account's root or recovery key says that the device is its own. The device signs all of
it, so that nobody can put another account round a device's keys. The ids follow from the keys; so a
card says nothing that has to be believed, but that whoever gave it is whom one means. That is what
people compare fingerprints for.

A device that its account has not certified yet has a card without a certificate. It is of use on
the machine that can certify it, and nowhere else.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, NamedTuple

from agent_memory_os.errors import AgentMemoryError, InvalidInput
from agent_memory_os.federation.identity import Device, PublicDevice
from agent_memory_os.federation.signing import Refusal, Signed, to_wire, verified
from agent_memory_os.federation.statement import (
    SIGNATURE,
    Statement,
    from_line,
    holds,
    line_of,
    read_object,
    signed,
    to_line,
)
from agent_memory_os.model.canonical import fits
from agent_memory_os.model.identifier import account_id
from agent_memory_os.model.register import DEVICE

DOMAIN = b"agent-memory card 1\n"
PREFIX = "amc_"
MAX_LINE_BYTES = 8_192
_MAX_CHARACTERS = len(PREFIX) + MAX_LINE_BYTES * 4 // 3
_KEYS = ("sign", "seal", "root", "recovery")


class Card(NamedTuple):
    """What a device shows: its keys and its account's, in hex, and its certificate, if any."""

    sign: str
    seal: str
    root: str
    recovery: str
    certificate: Signed | None

    @property
    def public(self) -> PublicDevice:
        """The device."""
        return PublicDevice(self.sign, self.seal)

    @property
    def device(self) -> str:
        """The device's id, its fingerprint."""
        return self.public.id

    @property
    def account(self) -> str:
        """The account's id."""
        return account_id(self.root, self.recovery)


def written(device: Device, root: str, recovery: str, certificate: Signed | None) -> str:
    """Return the card of a device as the text that is pasted."""
    public = device.public
    fields: dict[str, Any] = dict(
        zip(_KEYS, (public.sign, public.seal, root, recovery), strict=True)
    )
    if certificate is not None:
        fields["certificate"] = read_object(to_wire(certificate), MAX_LINE_BYTES)
    line = to_line(signed(DOMAIN, fields, device.sign))
    return PREFIX + urlsafe_b64encode(line.rstrip(b"\n")).decode().rstrip("=")


def read(text: str) -> Card:
    """Read a card; white space in it is what mail and terminals put there.

    Raises :class:`InvalidInput` where it is none, or where anything in it does not fit.
    """
    plain = "".join(text.split())
    if not plain.startswith(PREFIX):
        raise InvalidInput(f"This is no card of a device: a card begins with {PREFIX}.")
    try:
        statement = from_line(_line(plain), MAX_LINE_BYTES)
        return _card(statement)
    except AgentMemoryError as error:
        raise InvalidInput(
            f"This card is not whole, or was changed ({error}); ask for it again."
        ) from error


def _line(plain: str) -> bytes:
    if len(plain) > _MAX_CHARACTERS:
        raise InvalidInput("it is too long")
    packed = plain.removeprefix(PREFIX)
    try:
        line = urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    except ValueError as error:
        raise InvalidInput("something is missing") from error
    if urlsafe_b64encode(line).decode().rstrip("=") != packed:
        raise InvalidInput("it has other characters than a card's")
    return line + b"\n"


def _card(statement: Statement) -> Card:
    fields = statement.fields
    if not all(fits(fields.get(name), "key") for name in _KEYS):
        raise InvalidInput("a key is missing")
    if not holds(DOMAIN, statement, str(fields["sign"])):
        raise InvalidInput("the device did not sign it")
    sign, seal, root, recovery = (str(fields[name]) for name in _KEYS)
    found = Card(sign, seal, root, recovery, None)
    if "certificate" not in fields:
        return found
    return found._replace(certificate=_certificate(found, fields["certificate"]))


def _certificate(card: Card, shape: object) -> Signed:
    """Return the certificate in a card: of its device, and signed by its account's key."""
    if not isinstance(shape, dict):
        raise InvalidInput("its certificate is none")
    others = {name: value for name, value in shape.items() if name != SIGNATURE}
    found = next(verified([_certificate_line(others, shape.get(SIGNATURE))], _nobody))
    if isinstance(found, Refusal):
        raise InvalidInput(f"its certificate does not hold: {found.reason}")
    register = found.register
    place = (register.object, register.group, register.value.get("state"))
    keys = (register.value.get("sign"), register.value.get("seal"))
    if (*place, *keys) != (card.account, DEVICE + card.device, "certified", card.sign, card.seal):
        raise InvalidInput("its certificate is of another device")
    return found


def _certificate_line(fields: dict[str, Any], signature: object) -> bytes:
    if not isinstance(signature, str):
        raise InvalidInput("its certificate is not signed")
    try:
        return line_of(fields, bytes.fromhex(signature))
    except ValueError as error:
        raise InvalidInput("its certificate is not signed") from error


def _nobody(_device: str) -> None:
    """Know no device: an account's key signs a certificate, and stands in it."""
