"""Statements: objects that a device signed, one on a line.

A statement is an object of canonical JSON with its signature beside its other fields:
``signature``, 64 bytes in hex. What is signed is a domain tag and the canonical bytes of the other
fields, known or not: so a reader keeps what a newer version wrote, and passes it on as it came.

A line is the canonical bytes of the whole object and a line end, and nothing else is one. So a
line that was read can be written again byte for byte, and what two programs read in it is the
same. A line is measured before it is parsed: its length, and how many values it holds, for a short
text can hold values that take twenty times its room.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from agent_memory_os.errors import InvalidInput, TooLarge
from agent_memory_os.model.canonical import encode, encode_checked

MAX_VALUES = 65_536
"""How many values a line may hold: commas and opening brackets outside of its texts."""

SIGNATURE = "signature"
ALONE_BYTES = 64
"""The length of a signature by Ed25519."""

ALONE = frozenset((ALONE_BYTES,))
_REMEMBERED_KEYS = 1024
_SHORT = 65_536
"""What is no longer than this holds few values, whatever is in it."""


class Statement(NamedTuple):
    """The fields that are signed, the signature, and the canonical bytes of the fields."""

    fields: Mapping[str, Any]
    signature: bytes
    body: bytes


def signed(domain: bytes, fields: Mapping[str, object], key: Ed25519PrivateKey) -> Statement:
    """Return the fields with their signature by a device's key."""
    body = encode(fields)
    return Statement(fields, key.sign(domain + body), body)


def holds(domain: bytes, statement: Statement, sign_key: str) -> bool:
    """Say whether a statement was signed under a domain by the key, which is public and in hex."""
    return is_signed(domain + statement.body, statement.signature, sign_key)


def is_signed(data: bytes, signature: bytes, sign_key: str) -> bool:
    """Say whether bytes were signed by the key, which is public and in hex."""
    try:
        _public_key(sign_key).verify(signature, data)
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=_REMEMBERED_KEYS)
def _public_key(sign_key: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(sign_key))


def to_line(statement: Statement) -> bytes:
    """Return a statement as its line, with the line end."""
    return line_of(statement.fields, statement.signature)


def line_of(fields: Mapping[str, Any], signature: bytes) -> bytes:
    """Return the line of fields that are known to be sound, with their signature."""
    return encode_checked({**fields, SIGNATURE: signature.hex()}) + b"\n"


def from_line(line: bytes, most: int, lengths: Collection[int] = ALONE) -> Statement:
    """Read the line of a statement; the signature is looked at by whoever knows the key.

    ``lengths`` are those that a signature may have, in bytes.

    Raises :class:`TooLarge` for a line of more than ``most`` bytes or too many values, and
    :class:`InvalidInput` for any other that is no statement, with the reason.
    """
    fields = read_object(line, most)
    if canonical(fields) != line.removesuffix(b"\n"):
        raise InvalidInput("it is not in canonical form")
    signature = signature_of(fields.pop(SIGNATURE, None), lengths)
    return Statement(fields, signature, _body(line, fields, signature))


def from_text(text: object, most: int) -> Statement:
    """Read a statement that a field has, without its line end; what is none is a notice's fault."""
    if not isinstance(text, str):
        raise InvalidInput("a notice has no line of a statement")
    try:
        return from_line(text.encode(errors="replace") + b"\n", most)
    except TooLarge as error:
        raise InvalidInput(str(error)) from error


def signature_of(text: object, lengths: Collection[int]) -> bytes:
    """Return the signature that a statement has; raise :class:`InvalidInput` where it is none."""
    if isinstance(text, str) and len(text) // 2 in lengths:
        with suppress(ValueError):
            signature = bytes.fromhex(text)
            # Capitals and white space are hex too, and would be a second form.
            if signature.hex() == text:
                return signature
    raise InvalidInput("it has no signature")


def _body(line: bytes, fields: Mapping[str, Any], signature: bytes) -> bytes:
    """Return the canonical bytes of the other fields of a canonical line, cut out of it."""
    piece = f'"{SIGNATURE}":"{signature.hex()}"'.encode()
    before, *after = line.removesuffix(b"\n").split(piece)
    if len(after) != 1:
        # What stands in the fields looks like the signature: which one that is, is not guessed.
        return encode(fields)
    if before.endswith(b","):
        return before[:-1] + after[0]
    return before + after[0].removeprefix(b",")


def read_object(line: bytes, most: int) -> dict[str, Any]:
    """Read a line of JSON that is an object, whatever its form, within limits."""
    value = read_value(line, most)
    if not isinstance(value, dict):
        raise InvalidInput("it is no JSON object")
    return value


def read_value(line: bytes, most: int) -> object:
    """Read a line of JSON, whatever its form, within limits.

    Raises :class:`TooLarge` or :class:`InvalidInput`.
    """
    if len(line) > most:
        raise TooLarge(f"it is longer than {most} bytes")
    if len(line) > _SHORT and _values(line) > MAX_VALUES:
        raise TooLarge(f"it holds more than {MAX_VALUES} values")
    try:
        # Decoded here: what json decodes itself may be UTF-16, whose values were not counted.
        value: object = json.loads(line.decode())
    except RecursionError as error:
        raise InvalidInput("it is nested too deeply") from error
    except ValueError as error:
        raise InvalidInput("it is not JSON") from error
    return value


def canonical(value: object) -> bytes | None:
    """Return the canonical bytes of what was read, or ``None`` if it has none."""
    try:
        return encode(value)
    except InvalidInput:
        return None


def _values(line: bytes) -> int:
    """Return how many values a line can hold, without holding any of them."""
    # What is escaped is taken out, so that every quotation mark left begins or ends a text.
    bare = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > MAX_VALUES * 4:
        return MAX_VALUES + 1
    outside = b"".join(bare.split(b'"')[::2])
    return outside.count(b",") + outside.count(b"[") + outside.count(b"{")
