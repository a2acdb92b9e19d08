"""Canonical JSON: one value, one sequence of bytes.

Objects have text as keys, sorted by code point; arrays keep their order; there is no white space;
text is UTF-8 as it stands (no escapes but those that JSON demands); numbers are 64-bit signed
integers. Fractions, lone surrogates, other types and whatever is nested more than 64 deep are
refused, so that two programs can never write the same value in two ways.

A *shape* is the form of one field of a register: see :data:`SHAPES`, or words with ``|`` between.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from json.encoder import encode_basestring

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.identifier import is_hex, kind_of, sha256

MIN_INTEGER = -(2**63)
MAX_INTEGER = 2**63 - 1
MAX_DEPTH = 64
"""How many arrays and objects may stand inside each other."""

# Nothing can hold itself: what is nested too deeply is refused before.
_encode = json.JSONEncoder(
    ensure_ascii=False,
    sort_keys=True,
    separators=(",", ":"),
    allow_nan=False,
    check_circular=False,
).encode


def encode(value: object, depth: int = MAX_DEPTH) -> bytes:
    """Return the canonical bytes of ``value``; raise :class:`InvalidInput` if it has none.

    What is nested more than ``depth`` deep has none.
    """
    _check(value, depth)
    return _encoded(value)


encode_text: Callable[[str], str] = encode_basestring
"""The canonical form of one text, which has none where it holds a lone surrogate."""


def encode_checked(value: object) -> bytes:
    """Return the canonical bytes of what is known to have some: it is not looked through again."""
    return _encoded(value)


def _encoded(value: object) -> bytes:
    try:
        return _encode(value).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("Text here is not valid Unicode (a lone surrogate).") from error


def digest(value: object, *, is_checked: bool = False) -> bytes:
    """Return the SHA-256 of the canonical bytes of ``value``, 32 bytes.

    What ``is_checked`` is known to have canonical bytes, and is not looked through again.
    """
    return sha256(_encoded(value) if is_checked else encode(value)).digest()


def fits(value: object, shape: str) -> bool:
    """Say whether a field has a shape: one of :data:`SHAPES`, or one of the words of ``a|b``."""
    return check_of(shape)(value)


def check_of(shape: str) -> Callable[[object], bool]:
    """Return what says whether a field has a shape."""
    return SHAPES.get(shape) or partial(_is_word, shape.split("|"))


def _is_word(words: list[str], value: object) -> bool:
    return isinstance(value, str) and value in words


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_integer(value: object) -> bool:
    return type(value) is int and MIN_INTEGER <= value <= MAX_INTEGER


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_INTEGER


def _is_positive(value: object) -> bool:
    return type(value) is int and 1 <= value <= MAX_INTEGER


def _is_odd(value: object) -> bool:
    return _is_positive(value) and value % 2 == 1  # type: ignore[operator]


def _is_thousandths(value: object) -> bool:
    return type(value) is int and 0 <= value <= 1000  # noqa: PLR2004 - thousandths of 1


def _is_flag(value: object) -> bool:
    return type(value) is bool


def _is_texts(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(type(item) is str for item in value)


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and is_hex(value, 64)


def _is_digests(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_is_hash, value))


def _is_account(value: object) -> bool:
    return isinstance(value, str) and kind_of(value) == "account"


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


SHAPES: Mapping[str, Callable[[object], bool]] = {
    "text": _is_text,
    "integer": _is_integer,
    "count": _is_count,
    "positive": _is_positive,
    "odd": _is_odd,
    "thousandths": _is_thousandths,
    "flag": _is_flag,
    "texts": _is_texts,
    "digest": _is_hash,
    "key": _is_hash,
    "digests": _is_digests,
    "account": _is_account,
    "object": _is_object,
}


def _check(value: object, room: int) -> None:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return
    if kind is int:
        if not _is_integer(value):
            raise InvalidInput("A number here does not fit into 64 bits.")
    elif room == 0:
        raise InvalidInput("The value is nested too deeply.")
    elif isinstance(value, dict):
        _check_fields(value, room - 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _check(item, room - 1)
    else:
        raise InvalidInput(f"A {kind.__name__} has no canonical form here; use text or integers.")


def _check_fields(value: Mapping[object, object], room: int) -> None:
    for name, field in value.items():
        if type(name) is not str:
            raise InvalidInput("The names of fields are text.")
        if type(field) is not str:  # most are, and a call for each is dear
            _check(field, room)
