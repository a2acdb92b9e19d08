"""Canonical JSON: one value, one sequence of bytes.

Objects have sorted string keys, arrays keep their order, there is no white space, text is UTF-8
as it stands (no escapes but those that JSON demands), and numbers are 64-bit signed integers.
Fractions, lone surrogates and other types are refused, so that two programs can never write the
same value in two ways.
"""

from __future__ import annotations

import json
from hashlib import sha256

from agent_memory_os.errors import InvalidInput

MIN_INTEGER = -(2**63)
MAX_INTEGER = 2**63 - 1

_encode = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
).encode


def encode(value: object) -> bytes:
    """Return the canonical bytes of ``value``; raise :class:`InvalidInput` if it has none."""
    try:
        _check(value)
        return _encode(value).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("Text here is not valid Unicode (a lone surrogate).") from error
    except RecursionError as error:
        raise InvalidInput("The value is nested too deeply.") from error


def digest(value: object) -> bytes:
    """Return the SHA-256 of the canonical bytes of ``value``, 32 bytes."""
    return sha256(encode(value)).digest()


def _check(value: object) -> None:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return
    if kind is int:
        if not MIN_INTEGER <= value <= MAX_INTEGER:  # type: ignore[operator]
            raise InvalidInput("A number here does not fit into 64 bits.")
    elif isinstance(value, dict):
        for name, field in value.items():
            if type(name) is not str:
                raise InvalidInput("The names of fields are text.")
            _check(field)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _check(item)
    else:
        raise InvalidInput(f"A {kind.__name__} has no canonical form here; use text or integers.")
