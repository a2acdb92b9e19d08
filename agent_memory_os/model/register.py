"""Registers: the small facts that a node holds, and their canonical bytes.

A register is keyed by ``(object, group, author)`` and kept for each device. It carries a value, a
hybrid stamp, the device's sequence number, the parts that its object's id commits to (``proof``),
and the one scope that it is for, with the digest of the register that admits its author there
(``relies``). A register of the organisation also names the register before it in its device's chain
(``chain``). The signature covers the canonical bytes below and is made when a register is first
sent; it is no part of them.

A stamp is a hybrid logical clock in one signed 64-bit integer: 47 bits of milliseconds of UTC above
16 bits of counter. The next stamp is the clock's, or one more than the last where the clock stands
still or went back; a counter that is full carries into the milliseconds. Stamps order the writes of
one node strictly, and those of many nodes as far as their clocks agree or one has seen the other's.

A group says what a register is about, and its rule how two versions merge. ``latest``: the highest
stamp wins. ``length``: causal length, so that an ending beats all that it has seen, whatever the
clocks say; odd is on, even is off, and a tie in length goes to the higher stamp. ``log``: every
entry is kept, for an entry may name others. A group that is not known is kept and relayed, and
shown to nobody.

The rules over them stand in ``model.authority``, and ``docs/protocol.md`` has vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from agent_memory_os.errors import Refused
from agent_memory_os.model.canonical import encode, encode_checked, encode_text
from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.memory import SHAPES, Content
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

DOMAIN = b"agent-memory register 1\n"

COUNTER_BITS = 16
_OF_MEMORY = 3
MEMORABLE = 128
"""A text that a register names is remembered, and what it means, where it is no longer."""

MAX_MILLISECONDS = 2**47 - 1
MAX_STAMP = 2**63 - 1
FUTURE_LIMIT_MS = 60_000
"""Content and widenings further ahead of the clock than this are parked."""

CONTENT = "memory.content"
LIFE = "memory.life"
GRANT = "memory.grant:"
LINK = "link"
AGENT = "agent"
DEVICE = "account.device:"
TEAM_NAME = "team.name"
TEAM_LIFE = "team.life"
TEAM_MEMBER = "team.member:"
PROJECT_NAME = "project.name"
PROJECT_LIFE = "project.life"
PROJECT_MEMBER = "project.member:"
TEAM_ADMIN = "team.admin"
TEAM_NARROW = "team.narrow"
PROJECT_NARROW = "project.narrow"

LATEST = "latest"
LENGTH = "length"
LOG = "log"


class Rule(NamedTuple):
    """The rule of a group.

    How versions merge, the kind of its objects, the shapes of its value's fields (those that may be
    left out end in ``?``), what stands behind the group's colon (a kind of id, or ``scope``), and
    whether it stands in the chain.
    """

    merge: str
    object_kind: str
    fields: Mapping[str, str]
    subject: str = ""
    is_chained: bool = False


_CONTENT_FIELDS = {
    name: shape + ("?" if name in Content._field_defaults else "") for name, shape in SHAPES.items()
} | {"type": "text"}
_LENGTH_FIELDS = {"length": "positive", "by": "text"}
_NAME_FIELDS = {"name": "text", "notes": "text?"}
_STATE_FIELDS = {"state": "active|removed"}
_MEMBER_FIELDS = {"act": "add|remove", "sees": "digests?", "lists": "digests?"}
_NARROW_FIELDS = {"record": "digest", "length": "positive"}
_ADMIN_FIELDS = {"to": "account", "by": "admin|recovery", "turn": "count", "lists": "digests"}
_AGENT_FIELDS = {
    "name": "text",
    "kind": "text",
    "display_name": "text?",
    "notes": "text?",
    "state": "active|removed?",
}
_DEVICE_FIELDS = {
    "state": "certified|revoked",
    "sign": "key",
    "seal": "key",
    "by": "root|recovery?",
    "sees": "digests?",
    "lists": "digests?",
}

RULES: Mapping[str, Rule] = {
    CONTENT: Rule(LATEST, "memory", _CONTENT_FIELDS),
    LIFE: Rule(LENGTH, "memory", _LENGTH_FIELDS),
    GRANT: Rule(LENGTH, "memory", _LENGTH_FIELDS, "scope"),
    LINK: Rule(LATEST, "link", {"weight": "thousandths"}),
    AGENT: Rule(LATEST, "agent", _AGENT_FIELDS),
    DEVICE: Rule(LOG, "account", _DEVICE_FIELDS, "device", is_chained=True),
    TEAM_NAME: Rule(LOG, "team", _NAME_FIELDS, is_chained=True),
    TEAM_LIFE: Rule(LOG, "team", _STATE_FIELDS, is_chained=True),
    TEAM_MEMBER: Rule(LOG, "team", _MEMBER_FIELDS, "agent", is_chained=True),
    PROJECT_NAME: Rule(LOG, "project", _NAME_FIELDS, is_chained=True),
    PROJECT_LIFE: Rule(LOG, "project", _STATE_FIELDS, is_chained=True),
    PROJECT_MEMBER: Rule(
        LOG, "project", {**_MEMBER_FIELDS, "under": "digest?"}, "agent", is_chained=True
    ),
    TEAM_ADMIN: Rule(LOG, "team", _ADMIN_FIELDS, is_chained=True),
    TEAM_NARROW: Rule(LOG, "team", _NARROW_FIELDS, is_chained=True),
    PROJECT_NARROW: Rule(LOG, "project", _NARROW_FIELDS, is_chained=True),
}
"""Every group that this version knows; a name that ends in a colon is followed by its subject."""


Value = Mapping[str, "Any"]
"""What a register says: text, integers, booleans, lists and mappings of them."""


class Chain(NamedTuple):
    """Where an organisation register stands: after the one with this digest (empty: the first)."""

    previous: str


class Register(NamedTuple):
    """One register. Ids and digests are text, stamps and numbers are integers.

    ``unknown`` are the fields of a newer version: they are signed as the others are, and kept.
    ``edits`` is the stamp of the content that a content was made from; 0 for the first.
    """

    object: str
    group: str
    author: str
    device: str
    stamp: int
    seq: int
    value: Value
    proof: tuple[str, ...]
    relies: Mapping[str, str] = {}
    chain: Chain | None = None
    unknown: Mapping[str, Any] = {}
    edits: int = 0


def of_time(milliseconds: int) -> int:
    """Return the first stamp of a millisecond; a time out of range is brought to an end of it."""
    return min(max(milliseconds, 0), MAX_MILLISECONDS) << COUNTER_BITS


def time_of(stamp: int) -> int:
    """Return the milliseconds of UTC in a stamp."""
    return stamp >> COUNTER_BITS


def following(last: int, now: int) -> int:
    """Return the next write's stamp; ``last`` is the newest known, ``now`` in milliseconds.

    Raises :class:`Refused` where no stamp is left: the clock was once set to the end of time.
    """
    stamp = max(of_time(now), last + 1)
    if stamp > MAX_STAMP:
        raise Refused("The clock of this machine was once set too far ahead: no stamp is left.")
    return stamp


def rule_of(group: str) -> Rule | None:
    """Return the rule of a group, or ``None`` for one that this version does not know."""
    return _remembered_rule(group) if len(group) <= MEMORABLE else _rule(group)


def _rule(group: str) -> Rule | None:
    prefix, colon, rest = group.partition(":")
    return RULES.get(prefix + colon) if bool(colon) == bool(rest) else None


_remembered_rule = lru_cache(maxsize=1024)(_rule)


def to_bytes(register: Register) -> bytes:
    """Return the bytes that a device signs: the domain tag, then canonical JSON."""
    return DOMAIN + encode(to_fields(register))


class Signable(NamedTuple):
    """The bytes that a device signs, and where in them its signature stands on the wire."""

    data: bytes
    at: int

    @property
    def name(self) -> str:
        """The digest of a register's signed bytes."""
        return name_of(self.data)

    def line(self, signature: bytes) -> bytes:
        """Return the line of a register, with the line end: its bytes, and the signature in them.

        No field of this version stands between ``seq`` and ``signature``, nor between that and
        ``stamp``; one of a newer version may.
        """
        said = f'"signature":"{signature.hex()}",'.encode()
        return self.data[len(DOMAIN) : self.at] + said + self.data[self.at :] + b"\n"


def signable(register: Register, said: bytes = b"") -> Signable:
    """Return what a device signs of a register that is known to have canonical bytes.

    It is not looked through again. ``said`` are the canonical bytes of its value, where those are
    known.
    """
    if register.unknown or len(register.relies) > 1:
        fields = to_fields(register)
        first = {name: field for name, field in fields.items() if name < "signature"}
        rest = {name: field for name, field in fields.items() if name > "signature"}
        head, tail = encode_checked(first)[:-1] + b",", encode_checked(rest)[1:]
    else:
        head, tail = _pieces(register, said or encode_checked(register.value))
    return Signable(DOMAIN + head + tail, len(DOMAIN) + len(head))


def _pieces(register: Register, said: bytes) -> tuple[bytes, bytes]:
    # Written out in the order of the names: half the time of the general encoder, and every
    # register that is sent or taken in comes by here.
    object_id, group, author, device, stamp, seq, _, proof, relies, chain, _, edits = register
    if chain is None:
        parts = _written_by(author, device)
    else:
        parts = f'{{"author":{encode_text(author)},"chain":{{"previous":'
        parts += f'{encode_text(chain.previous)}}},"device":{encode_text(device)}'
    if edits:
        parts += f',"edits":{edits}'
    parts += f',"group":{encode_text(group)},"object":{encode_text(object_id)}'
    # A memory's proof comes again with its grant; others may be of any length.
    parts += _proven(proof) if len(proof) == _OF_MEMORY else _proven.__wrapped__(proof)
    for scope, add in relies.items():
        # One at most comes by here, so that there is nothing to sort.
        parts += f',"relies":{{{encode_text(scope)}:{encode_text(add)}}}'
    return f'{parts},"seq":{seq},'.encode(), f'"stamp":{stamp},"value":'.encode() + said + b"}"


class Frame(NamedTuple):
    """The bytes that registers have in common which differ in nothing but memory, time and value.

    They are of memories of one owner, of one group, from one device, for one scope. ``head`` ends
    where the memory's id begins, ``proof`` goes from behind that to its nonce, and ``tail`` from
    behind that to the sequence number.
    """

    head: str
    proof: str
    tail: str

    def signable(self, memory: str, nonce: str, seq: int, stamp: int, said: bytes) -> Signable:
        """Return what a device signs of one of them; ``said`` are the bytes of its value."""
        head = f"{self.head}{memory}{self.proof}{nonce}{self.tail}{seq},".encode()
        tail = f'"stamp":{stamp},"value":'.encode()
        return Signable(b"".join((head, tail, said, b"}")), len(head))


def frame_of(register: Register) -> Frame:
    """Return what a register of a memory has in common with others.

    Nothing of a newer version is in it, and no edit.
    """
    head, _ = _pieces(register, b"")
    nonce, number = register.proof[2], f"{register.seq},"
    before, _, after = head.decode().partition(f'"object":{encode_text(register.object)}')
    proof, _, tail = after.partition(f"{encode_text(nonce)}]")
    return Frame(
        f'{DOMAIN.decode()}{before}"object":"',
        f'"{proof}"',
        f'"]{tail.removesuffix(number)}',
    )


@lru_cache(maxsize=256)
def _written_by(author: str, device: str) -> str:
    return f'{{"author":{encode_text(author)},"device":{encode_text(device)}'


@lru_cache(maxsize=16)
def _proven(proof: tuple[str, ...]) -> str:
    return f',"proof":[{",".join(map(encode_text, proof))}]'


def to_fields(register: Register) -> dict[str, object]:
    """Return the fields that a device signs, those of a newer version too."""
    fields: dict[str, object] = {
        **register.unknown,
        "object": register.object,
        "group": register.group,
        "author": register.author,
        "device": register.device,
        "stamp": register.stamp,
        "seq": register.seq,
        "value": register.value,
        "proof": register.proof,
    }
    if register.relies:
        fields["relies"] = register.relies
    if register.chain is not None:
        fields["chain"] = {"previous": register.chain.previous}
    if register.edits:
        fields["edits"] = register.edits
    return fields


def digest(register: Register) -> str:
    """Return the SHA-256 of the signed bytes, in hex: the name of this version of the register."""
    return name_of(to_bytes(register))


def name_of(signed_bytes: bytes) -> str:
    """Return the digest of a register's signed bytes."""
    return sha256(signed_bytes).hexdigest()
