"""Registers on the wire: signed when first sent, verified before anything is locked.

A register is sent as a statement: its fields, those of a newer version too, and the signature of
the device that wrote it, on one line. It is read again to the same bytes.

What comes from a peer is verified by a generator, which gives one answer a line, in order:
the register, or a refusal with the line and the reason, so that one bad row never holds up the
rest. No more than one line is ever held, and nothing here touches the node's file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from json import JSONDecoder
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_memory_os.errors import InvalidInput, TooLarge
from agent_memory_os.federation import together
from agent_memory_os.federation.identity import Known
from agent_memory_os.federation.statement import ALONE_BYTES, from_line
from agent_memory_os.model.authority.device import RECOVERY, UNKNOWN, signer
from agent_memory_os.model.canonical import MAX_DEPTH, SHAPES, encode, fits
from agent_memory_os.model.identifier import hash_by
from agent_memory_os.model.memory import usual_bytes
from agent_memory_os.model.merge import fault_of
from agent_memory_os.model.register import (
    DEVICE,
    DOMAIN,
    Chain,
    Register,
    name_of,
    signable,
    to_bytes,
)

# OpenSSL is loaded here in any case, and its hash is three times as fast as Python's own.
hash_by(hashlib.sha256)

MAX_LINE_BYTES = 8_388_608
"""The longest line: the largest memory fits, even where each character is written as six."""

UNKNOWN_DEVICE = UNKNOWN
_SHAPES = tuple(
    (name, shape, SHAPES[shape])
    for name, shape in (
        ("object", "text"),
        ("group", "text"),
        ("author", "text"),
        ("device", "text"),
        ("stamp", "integer"),
        ("seq", "integer"),
        ("value", "object"),
    )
)
"""The fields that every register has, but for its proof, what each is, and what looks at it."""

_decode = JSONDecoder().raw_decode
_SAME = 128
_PLAIN = rb'"([^"\\\x00-\x1f]*)"'
_NUMBER = rb"([1-9][0-9]{0,17})"
_USUAL = re.compile(
    rb'\{"author":PLAIN,"device":PLAIN,(?:"edits":NUMBER,)?"group":PLAIN,"object":PLAIN,'
    rb'"proof":\[PLAIN,PLAIN,PLAIN\],(?:"relies":\{"(?P<scope>[^"\\\x00-\x1f]*)":PLAIN\},)?"seq":NUMBER,'
    rb'(?P<signature>"signature":"([0-9a-f]+)",)"stamp":NUMBER,"value":(\{.*\})\}\n?'.replace(
        b"PLAIN", _PLAIN
    ).replace(b"NUMBER", _NUMBER),
    re.DOTALL,
)
"""The line of a register of a memory, with nothing in it that would be written with a backslash."""

_LENGTHS = (ALONE_BYTES, together.BYTES)
_DIGITS = tuple(2 * length for length in _LENGTHS)
_KNOWN = frozenset(Register._fields) - {"unknown"}
_REMEMBERED_KEYS = 1024
_SHORT = 65_536
"""What is no longer than this holds few values, whatever is in it."""


class Signed(NamedTuple):
    """A register with the signature of its device, and its digest."""

    register: Register
    signature: bytes
    name: str


class Refusal(NamedTuple):
    """A line that is no register which its device signed, and why."""

    line: bytes
    reason: str


Answer = Signed | Refusal

Recovery = Callable[[str], "str | None"]
"""What looks up the recovery key of an account, and gives ``None`` for one that is not known."""


def _nobody(_account: str) -> None:
    return None


def sign(register: Register, key: Ed25519PrivateKey) -> Signed:
    """Return a register with the signature of the device that wrote it."""
    data = to_bytes(register)
    return Signed(register, key.sign(data), name_of(data))


def to_wire(signed: Signed) -> bytes:
    """Return the line of a signed register."""
    return signable(signed.register).line(signed.signature)


def from_wire(line: bytes) -> Signed:
    """Read the line of a register whose form is right; its signature is not looked at.

    Raises :class:`InvalidInput` or :class:`TooLarge` with the reason.
    """
    return _read_wire(line)[0]


def _read_wire(line: bytes) -> tuple[Signed, bytes]:
    """Read the line of a register; return it, and the bytes that its device has to have signed."""
    return read_usual(line) or read_any(line)


def read_usual(line: bytes) -> tuple[Signed, bytes] | None:
    """Read a line as this version writes it of a memory: only its value is parsed.

    Gives nothing where anything about it is unusual, or wrong. What it gives is what
    :func:`read_any` gives.
    """
    found = _USUAL.fullmatch(line) if len(line) <= _SHORT else None
    if found is None:
        return None
    try:
        texts = [piece.decode() if piece else "" for piece in found.groups()[:-1]]
        said = found[found.re.groups]
        value = _value(said) if len(said) <= _SAME else _parsed(said)
    except (ValueError, InvalidInput, RecursionError):
        return None
    author, device, edits, group, object_id, *texts = texts
    *proof, scope, add, seq, _, signed, stamp = texts
    if value is None or len(signed) not in _DIGITS:
        return None
    register = Register(
        object_id,
        group,
        author,
        device,
        int(stamp),
        int(seq),
        value,
        tuple(proof),
        {} if found["scope"] is None else {scope: add},
        edits=int(edits or 0),
    )
    if fault_of(register) is not None:
        return None
    begin, end = found.span("signature")
    data = DOMAIN + line[:begin] + line[end:].removesuffix(b"\n")
    return Signed(register, bytes.fromhex(signed), name_of(data)), data


def _parsed(said: bytes) -> dict[str, Any] | None:
    """Return the value whose canonical bytes these are, if they are those of any."""
    value, _ = _decode(said.decode())
    return value if (usual_bytes(value) or encode(value, MAX_DEPTH - 1)) == said else None


_value = lru_cache(maxsize=1024)(_parsed)
"""Grants say the same of one memory after the other."""


def read_any(line: bytes) -> tuple[Signed, bytes]:
    """Read the line of any register; return it, and the bytes that its device has to have signed.

    Raises :class:`InvalidInput` or :class:`TooLarge` with the reason.
    """
    statement = from_line(line, MAX_LINE_BYTES, _LENGTHS)
    register = _register(statement.fields)
    fault = fault_of(register)
    if fault is not None:
        raise InvalidInput(fault)
    # What is left out where it is empty is refused where it is there: so these are the same bytes.
    data = DOMAIN + statement.body
    return Signed(register, statement.signature, name_of(data)), data


def verified(
    lines: Iterable[bytes], known: Known, recovery: Recovery = _nobody
) -> Iterator[Answer]:
    """Yield for each line, in order, the register that its device signed, or why it is refused.

    ``known`` is asked in the thread of the caller, and once for each device: lines that came in
    one batch of a bundle are verified together, so that a device which was certified in the batch
    before is known. What certifies or revokes a device is signed by its account's key, which it
    carries, and the taking back of a team by the ``recovery`` key of its account.
    """
    remembered = lru_cache(maxsize=_REMEMBERED_KEYS)(known)
    for line in lines:
        yield _answer(line, remembered, recovery)


def _answer(line: bytes, known: Known, recovery: Recovery) -> Answer:
    try:
        signed, data = _read_wire(line)
    except (InvalidInput, TooLarge) as error:
        return Refusal(line, str(error))
    key = _key_of(signed.register, known, recovery)
    if key is None:
        return Refusal(line, UNKNOWN_DEVICE)
    if together.vouches(signed.signature, data, key):
        return signed
    return Refusal(line, "its device did not sign it")


def _key_of(register: Register, known: Known, recovery: Recovery) -> str | None:
    """Return the public key that has to have signed a register, or ``None``."""
    by = signer(register)
    if register.group.startswith(DEVICE):
        root, recovered = register.proof
        return recovered if by == RECOVERY else root
    if by == RECOVERY:
        return recovery(register.author)
    device = known(register.device)
    return None if device is None else device.sign


def _register(fields: Mapping[str, Any]) -> Register:
    for name, shape, check in _SHAPES:
        if not check(fields.get(name)):
            raise InvalidInput(f"its {name} is no {shape}")
    if not fits(fields.get("proof"), "texts"):
        raise InvalidInput("its proof is no array of text")
    return Register(
        fields["object"],
        fields["group"],
        fields["author"],
        fields["device"],
        fields["stamp"],
        fields["seq"],
        fields["value"],
        tuple(fields["proof"]),
        _reliance(fields),
        _chain(fields),
        {name: fields[name] for name in fields.keys() - _KNOWN},
        _edits(fields),
    )


def _reliance(fields: Mapping[str, Any]) -> dict[str, str]:
    relies = fields.get("relies", {})
    # Empty, it would be left out: the signed bytes would be others.
    if not isinstance(relies, dict) or ("relies" in fields and not relies):
        raise InvalidInput("what it relies on is no add register of a scope")
    return relies


def _edits(fields: Mapping[str, Any]) -> int:
    edits = fields.get("edits", 0)
    # Nothing is left out where it is 0, so that there is one line for each signed register.
    if not fits(edits, "count") or ("edits" in fields and not edits):
        raise InvalidInput("what it was made from is no stamp")
    return int(edits)


def _chain(fields: Mapping[str, Any]) -> Chain | None:
    if "chain" not in fields:
        return None
    chain = fields["chain"]
    if not isinstance(chain, dict) or set(chain) != {"previous"}:
        raise InvalidInput("its chain has other fields than previous")
    if not fits(chain["previous"], "text"):
        raise InvalidInput("its chain names no register")
    return Chain(chain["previous"])
