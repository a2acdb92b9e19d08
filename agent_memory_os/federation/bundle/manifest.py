"""The first line of a bundle: whose it is, for whom, and its key, sealed to each device.

The manifest is a statement that the sender signs. It stands in the open, and tells nothing but
devices, times and sizes.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from cryptography.fernet import Fernet

from agent_memory_os.errors import (
    BadBundle,
    BadSignature,
    InvalidInput,
    NotAddressed,
    TooLarge,
    UnknownDevice,
)
from agent_memory_os.federation.bundle.seal import SEALED_BYTES, Binding, seal, unseal
from agent_memory_os.federation.identity import Device, Known, PublicDevice
from agent_memory_os.federation.statement import Statement, from_line, holds, signed, to_line
from agent_memory_os.model.canonical import fits
from agent_memory_os.model.identifier import NONCE_BYTES, is_hex, kind_of

DOMAIN = b"agent-memory bundle 1\n"
FORMAT = "agent-memory-bundle/1"
MAX_RECIPIENTS = 1_000
MAX_LINE_BYTES = 262_144
"""The longest manifest: as many devices as there may be, and room for what is not known yet."""


class Manifest(NamedTuple):
    """Which bundle it is, who sent it and when (milliseconds of UTC), and its devices, sorted."""

    bundle: str
    sender: str
    created: int
    recipients: tuple[str, ...]

    @property
    def binding(self) -> Binding:
        """What the bundle's key is bound to."""
        return Binding(self.bundle, self.sender, self.recipients)


class Accepted(NamedTuple):
    """A manifest that holds, the bundle's key, and the sender's public signing key in hex."""

    manifest: Manifest
    key: bytes
    sign_key: str


def begin(
    sender: Device, devices: Iterable[PublicDevice], bundle: str, now: int, key: bytes
) -> tuple[Manifest, bytes]:
    """Return the manifest of a new bundle, and its line; ``bundle`` is a nonce in hex.

    Raises :class:`TooLarge` for more than :data:`MAX_RECIPIENTS` devices.
    """
    by_id = {device.id: device for device in devices}
    if not 0 < len(by_id) <= MAX_RECIPIENTS:
        raise TooLarge(f"A bundle is for 1 to {MAX_RECIPIENTS} devices, and not for {len(by_id)}.")
    manifest = Manifest(bundle, sender.id, now, tuple(sorted(by_id)))
    sealed = [
        {"device": device, "key": seal(key, manifest.binding, by_id[device]).hex()}
        for device in manifest.recipients
    ]
    fields = {**manifest._asdict(), "format": FORMAT, "recipients": sealed}
    return manifest, to_line(signed(DOMAIN, fields, sender.sign))


def accept(line: bytes, device: Device, known: Known) -> Accepted:
    """Read a manifest that was sent to a device.

    Raises :class:`BadBundle` where it is none, :class:`UnknownDevice` where the sender is not
    known, :class:`BadSignature` where that did not sign it, and :class:`NotAddressed` where it is
    for other devices.
    """
    try:
        statement = from_line(line, MAX_LINE_BYTES)
    except (InvalidInput, TooLarge) as error:
        raise BadBundle(f"This is no bundle: of its first line, {error}.") from error
    manifest, sealed = _manifest(statement.fields)
    sign_key = _sign_key(statement, manifest.sender, known)
    if device.id not in sealed:
        raise NotAddressed("The bundle is for other devices, and cannot be opened by this one.")
    key = unseal(sealed[device.id], manifest.binding, device)
    return Accepted(manifest, key, sign_key)


def cipher(key: bytes) -> Fernet:
    """Return what seals and opens chunks with the key of a bundle."""
    return Fernet(base64.urlsafe_b64encode(key))


def _sign_key(statement: Statement, sender: str, known: Known) -> str:
    public = known(sender)
    if public is None:
        raise UnknownDevice(f"The bundle was sent by {sender}, a device that is not known here.")
    if not holds(DOMAIN, statement, public.sign):
        raise BadSignature(f"The bundle names {sender} as its sender, which did not sign it.")
    return public.sign


def _manifest(fields: Mapping[str, Any]) -> tuple[Manifest, dict[str, bytes]]:
    if fields.get("format") != FORMAT:
        raise BadBundle(f"The bundle is not of the format {FORMAT}.")
    bundle, sender, created = (fields.get(name) for name in ("bundle", "sender", "created"))
    if not isinstance(bundle, str) or not is_hex(bundle, NONCE_BYTES * 2):
        raise BadBundle("The bundle has no id.")
    if not isinstance(sender, str) or kind_of(sender) != "device":
        raise BadBundle("The bundle names no device as its sender.")
    if not isinstance(created, int) or not fits(created, "count"):
        raise BadBundle("The bundle does not say when it was made.")
    sealed = _sealed(fields.get("recipients"))
    return Manifest(bundle, sender, created, tuple(sealed)), sealed


def _sealed(recipients: object) -> dict[str, bytes]:
    if not isinstance(recipients, list) or not 0 < len(recipients) <= MAX_RECIPIENTS:
        raise BadBundle(f"The bundle is not for 1 to {MAX_RECIPIENTS} devices.")
    sealed = dict(map(_entry, recipients))
    if len(sealed) < len(recipients) or list(sealed) != sorted(sealed):
        raise BadBundle("The bundle's devices are not in order, or one is named twice.")
    return sealed


def _entry(entry: object) -> tuple[str, bytes]:
    device, key = (entry.get("device"), entry.get("key")) if isinstance(entry, dict) else (0, 0)
    if not isinstance(device, str) or kind_of(device) != "device":
        raise BadBundle("The bundle is for something that is no device.")
    if not isinstance(key, str) or not is_hex(key, SEALED_BYTES * 2):
        raise BadBundle(f"The bundle has no key for {device}.")
    return device, bytes.fromhex(key)
