"""One chunk of a bundle: its line, and what is in it.

A chunk is the plaintext (a header of canonical JSON, a line end, and lines), compressed, sealed
with the bundle's key as a Fernet token, and signed by the sender. All recipients hold the key, so
the signature alone tells that the chunk is the sender's and not another recipient's; it is looked
at before anything is decrypted or inflated.

Fernet binds nothing to what it seals, so the header does: which bundle this is and which of its
chunks, whether it is the last, who sent it and for whom (a digest of the list), the scope of its
lines, and the digest of the line before it, of the manifest for the first. Fernet's own time is
public and is no guard against anything; it is not looked at.
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

from cryptography.fernet import Fernet, InvalidToken

from agent_memory_os.errors import BadBundle, BadSignature, InvalidInput, TooLarge
from agent_memory_os.federation.bundle.manifest import Manifest
from agent_memory_os.federation.identity import Device
from agent_memory_os.federation.statement import (
    canonical,
    from_line,
    holds,
    read_object,
    signed,
    to_line,
)
from agent_memory_os.model.canonical import digest, encode
from agent_memory_os.model.identifier import sha256

DOMAIN = b"agent-memory chunk 1\n"
MAX_PLAIN_BYTES = 262_144
"""The largest plaintext of a chunk: Fernet holds the whole of it in memory."""

MAX_HEADER_BYTES = 2_048
MAX_BODY_BYTES = MAX_PLAIN_BYTES - MAX_HEADER_BYTES

MAX_LINE_BYTES = 360_448
"""The longest line of a chunk: base64 of a plaintext that cannot be compressed, and its frame."""

MAX_SCOPE = 200

_LEVEL = 3
"""Half the time of zlib's own level, for a fourteenth more bytes; a reader takes any."""


class Chunk(NamedTuple):
    """What a chunk holds: lines of one scope, or a part of a line that is longer than a chunk."""

    number: int
    is_last: bool
    scope: str
    body: bytes


class Place(NamedTuple):
    """Where the next chunk of a bundle stands: its number, and the digest of the line before."""

    manifest: Manifest
    number: int
    previous: str

    def after(self, line: bytes) -> Place:
        """Return the place after a line."""
        return self._replace(number=self.number + 1, previous=line_digest(line))


def first(manifest: Manifest, line: bytes) -> Place:
    """Return the place of the first chunk, after the manifest's line."""
    return Place(manifest, 0, line_digest(line))


def line_digest(line: bytes) -> str:
    """Return the digest of a line without its end, by which the next one names it."""
    return sha256(line.removesuffix(b"\n")).hexdigest()


def closed(chunk: Chunk, place: Place, fernet: Fernet, sender: Device) -> bytes:
    """Return the line of a chunk at its place in a bundle."""
    plain = encode(_header(place, chunk.scope, is_last=chunk.is_last)) + b"\n" + chunk.body
    seconds = place.manifest.created // 1000
    packed = zlib.compress(plain, _LEVEL)
    token = fernet.encrypt_at_time(packed, seconds).decode()
    fields = {"bundle": place.manifest.bundle, "index": place.number, "token": token}
    return to_line(signed(DOMAIN, fields, sender.sign))


def unclosed(line: bytes, place: Place, fernet: Fernet, sign_key: str) -> Chunk:
    """Read the line of a chunk that stands at a place in a bundle.

    ``sign_key`` is the sender's. Raises :class:`BadSignature` where the sender did not sign it,
    and :class:`BadBundle` where it is no chunk, or stands somewhere else.
    """
    try:
        statement = from_line(line, MAX_LINE_BYTES)
    except (InvalidInput, TooLarge) as error:
        raise BadBundle(f"Chunk {place.number} of the bundle is none: {error}.") from error
    fields = statement.fields
    if fields.get("bundle") != place.manifest.bundle:
        raise BadBundle(f"Chunk {place.number} belongs to another bundle.")
    if fields.get("index") != place.number or isinstance(fields["index"], bool):
        raise BadBundle(f"Chunk {place.number} is missing here, or another was repeated.")
    if not holds(DOMAIN, statement, sign_key):
        raise BadSignature(f"Chunk {place.number} was not signed by the bundle's sender.")
    return _chunk(_opened(fields.get("token"), place, fernet), place)


def _header(place: Place, scope: str, *, is_last: bool) -> dict[str, Any]:
    manifest = place.manifest
    return {
        "bundle": manifest.bundle,
        "index": place.number,
        "last": is_last,
        "sender": manifest.sender,
        "recipients": digest(manifest.recipients).hex(),
        "scope": scope,
        "prev_hash": place.previous,
    }


def _opened(token: object, place: Place, fernet: Fernet) -> bytes:
    try:
        packed = fernet.decrypt(token.encode() if isinstance(token, str) else b"")
    except InvalidToken as error:
        raise BadBundle(f"Chunk {place.number} cannot be opened with the bundle's key.") from error
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(packed, MAX_PLAIN_BYTES + 1)
    except zlib.error as error:
        raise BadBundle(f"Chunk {place.number} is not compressed as it should be.") from error
    if len(plain) > MAX_PLAIN_BYTES:
        raise BadBundle(f"Chunk {place.number} holds more than {MAX_PLAIN_BYTES} bytes.")
    if not inflater.eof or inflater.unused_data:
        raise BadBundle(f"Chunk {place.number} is not compressed as it should be.")
    return plain


def _chunk(plain: bytes, place: Place) -> Chunk:
    head, end, body = plain.partition(b"\n")
    header = _object(head, place.number)
    scope, is_last = header.get("scope"), header.get("last")
    if not end or not isinstance(scope, str) or len(scope) > MAX_SCOPE:
        raise BadBundle(f"Chunk {place.number} does not say what scope it is of.")
    if not isinstance(is_last, bool):
        raise BadBundle(f"Chunk {place.number} does not say whether it is the last.")
    expected = _header(place, scope, is_last=is_last)
    for name, field in expected.items():
        if header.get(name) != field:
            raise BadBundle(f"Chunk {place.number} belongs somewhere else: its {name} is another.")
    if canonical({**header, **expected}) != head:
        raise BadBundle(f"The header of chunk {place.number} is not in canonical form.")
    return Chunk(place.number, is_last, scope, body)


def _object(head: bytes, index: int) -> dict[str, Any]:
    try:
        return read_object(head, MAX_HEADER_BYTES)
    except (InvalidInput, TooLarge) as error:
        raise BadBundle(f"The header of chunk {index} is none: {error}.") from error
