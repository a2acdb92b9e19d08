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
from agent_memory_os.model.merge import fault_of, fault_of_alike
from agent_memory_os.model.register import (
    DEVICE,
    DOMAIN,
    Chain,
    Register,
    name_of,
    rule_of,
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
_MEMORABLE = 1_024
_TEXT = rb'"[^"\\\x00-\x1f]*"'
_WITHIN = rb'([^"\\\x00-\x1f]*)'
_NUMBER = rb"([1-9][0-9]{0,17})"
_INTEGER = rb"(0|-?[1-9][0-9]{0,17})"
_USUAL = re.compile(
    rb'(\{"author":TEXT,"device":TEXT,)(?:"edits":NUMBER,)?("group":TEXT,"object":")WITHIN'
    rb'(","proof":\[TEXT,TEXT,")WITHIN("\],(?:"relies":\{TEXT:TEXT\},)?"seq":)NUMBER,'
    rb'"signature":"([0-9a-f]+)","stamp":NUMBER,"value":(\{.*\})\}\n?'.replace(b"TEXT", _TEXT)
    .replace(b"WITHIN", _WITHIN)
    .replace(b"NUMBER", _NUMBER),
    re.DOTALL,
)
"""The line of a register of a memory, with nothing in it that would be written with a backslash.

What stands before the id, between it and the nonce, and behind that is the same for many.
"""

_USUAL_CONTENT = re.compile(
    rb'\{"content":"WITHIN","created_at":INTEGER,"type":"WITHIN","updated_at":INTEGER\}'.replace(
        b"WITHIN", _WITHIN
    ).replace(b"INTEGER", _INTEGER)
)
"""The value of a content that says its words, its type and when: in canonical form as it stands."""

_BEFORE, _BEHIND = len(b'"signature":"'), len(b'",')
_SIGNED = 9
"""The group of a signature in a usual line, and how many bytes beside it belong to its field."""

_LENGTHS = (ALONE_BYTES, together.BYTES)
_DIGITS = tuple(2 * length for length in _LENGTHS)
_NOTHING: Mapping[str, Any] = {}
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
    writer, edits, group, name, owner, nonce, relies, seq, signed, stamp, said = found.groups()
    try:
        make = _form if len(writer + group + owner + relies) <= _MEMORABLE else _form.__wrapped__
        form = make(writer, group, owner, relies)
        value, is_right = _value_of(said)
        register = Register(
            name.decode(),
            form.group,
            form.author,
            form.device,
            int(stamp),
            int(seq),
            value,
            (*form.owner, nonce.decode()),
            form.relies,
            None,
            _NOTHING,
            int(edits or 0),
        )
    except (ValueError, InvalidInput, RecursionError):
        return None
    if len(signed) not in _DIGITS or not form.takes(register, is_right=is_right):
        return None
    begin, end = found.span(_SIGNED)
    data = b"".join((DOMAIN, line[: begin - _BEFORE], line[end + _BEHIND :].removesuffix(b"\n")))
    return Signed(register, bytes.fromhex(signed.decode()), name_of(data)), data


class _Form:
    """What many registers of memories have in common: all but memory, numbers, stamps and values.

    What the rules say of it is found out with the first that is right.
    """

    def __init__(self, writer: bytes, group: bytes, owner: bytes, relies: bytes) -> None:
        # Each is written as the pattern has it, so the texts have their places between the marks.
        by, of, on = (piece.decode().split('"') for piece in (writer, owner, relies))
        self.author, self.device = by[3], by[7]
        self.group = group.decode().split('"')[3]
        self.owner = (of[4], of[6])
        self.relies = {on[4]: on[6]} if on[2] == "relies" else {}
        rule = rule_of(self.group)
        self._is_known = rule is not None and rule.object_kind == "memory"
        self._is_sound = False

    def takes(self, register: Register, *, is_right: bool) -> bool:
        """Say whether a register of the form can be valid; its value ``is_right`` in any case."""
        if self._is_sound and not register.edits:
            return fault_of_alike(register, is_right=is_right) is None
        is_sound = fault_of(register) is None
        self._is_sound = self._is_sound or (is_sound and self._is_known and not register.edits)
        return is_sound


_form = lru_cache(maxsize=256)(_Form)


def _value_of(said: bytes) -> tuple[dict[str, Any], bool]:
    """Return the value whose canonical bytes these are, and whether it is a content's for sure.

    Raises :class:`ValueError` where they are those of no value.
    """
    found = _USUAL_CONTENT.fullmatch(said)
    if found is None:
        return (_value(said) if len(said) <= _SAME else _parsed(said)), False
    content, created, kind, updated = found.groups()
    value = {
        "content": content.decode(),
        "created_at": int(created),
        "type": kind.decode(),
        "updated_at": int(updated),
    }
    return value, True


def _parsed(said: bytes) -> dict[str, Any]:
    value: dict[str, Any] = _decode(said.decode())[0]
    if (usual_bytes(value) or encode(value, MAX_DEPTH - 1)) != said:
        raise InvalidInput("it is not in canonical form")
    return value


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
    if together.vouches(signed.signature, data, key, bytes.fromhex(signed.name)):
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
