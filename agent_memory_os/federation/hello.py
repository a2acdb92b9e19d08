"""Hello: what two nodes tell each other first, and what both will use.

Each tells the range of protocols that it speaks, how it seals bundles, its features, its limits and
its clock. A hello is a statement that the device signs, to one other device: nobody on the way can
take anything out of it, and it is of no use to a third. What both use follows from the two hellos
alone, the same on both sides: the newest protocol that both speak, the features that both have,
the lower of two limits.

A peer that seals bundles in no way that is known here, or not at all, is refused, and so is one
that speaks only older or only newer protocols. Nothing is ever sent in the open instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from agent_memory_os.errors import (
    BadSignature,
    Incompatible,
    InvalidInput,
    NotAddressed,
    TooLarge,
    UnknownDevice,
)
from agent_memory_os.federation import signing
from agent_memory_os.federation.bundle import chunk, manifest
from agent_memory_os.federation.identity import Device, Known
from agent_memory_os.federation.statement import (
    MAX_VALUES,
    Statement,
    from_line,
    holds,
    signed,
    to_line,
)
from agent_memory_os.model.canonical import MAX_DEPTH, digest, fits

DOMAIN = b"agent-memory hello 1\n"
MAX_LINE_BYTES = 4_096
OLDEST = NEWEST = 1
"""The protocols that this version speaks."""

_AFTER_WHEN = 3
_TERMS_DIGITS = 32

SEAL = "hpke-x25519-sha256-chacha20poly1305"
PLAIN = "plain"
FEATURES: tuple[str, ...] = ()
"""What this version can do beyond what every node must."""

LIMITS: Mapping[str, int] = {
    "body": 8_388_608,
    "chunk": chunk.MAX_PLAIN_BYTES,
    "depth": MAX_DEPTH,
    "line": signing.MAX_LINE_BYTES,
    "recipients": manifest.MAX_RECIPIENTS,
    "values": MAX_VALUES,
}
"""The most that this version takes: bytes of a request's body, of a chunk and of a line, arrays and
objects inside each other, devices of a bundle, values of a line."""

_MAX_WORDS = 64
_WORD = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")


class Hello(NamedTuple):
    """What a device tells another: ``oldest`` and ``newest`` protocol, and what the module says."""

    device: str
    to: str
    now: int
    oldest: int = OLDEST
    newest: int = NEWEST
    seals: tuple[str, ...] = (SEAL,)
    features: tuple[str, ...] = FEATURES
    limits: Mapping[str, int] = LIMITS


class Terms(NamedTuple):
    """What both sides use, and by how many milliseconds the other clock is ahead."""

    protocol: int
    seal: str
    features: tuple[str, ...]
    limits: Mapping[str, int]
    offset: int


def terms(hello: Hello) -> str:
    """Return what tells a hello from one that would come to something else: all but who and when.

    Two nodes that said hello need not say it again while both would say the same.
    """
    said = {name: getattr(hello, name) for name in Hello._fields[_AFTER_WHEN:]}
    return digest(said).hex()[:_TERMS_DIGITS]


def written(hello: Hello, device: Device) -> bytes:
    """Return a hello as the line that the device signed."""
    return to_line(signed(DOMAIN, hello._asdict(), device.sign))


def read(line: bytes, to: str, known: Known) -> Hello:
    """Read a hello that was sent to a device.

    Raises :class:`InvalidInput` where it is none, :class:`NotAddressed` where it is for another
    device, :class:`UnknownDevice` or :class:`BadSignature` where nobody known signed it.
    """
    try:
        statement = from_line(line, MAX_LINE_BYTES)
    except (InvalidInput, TooLarge) as error:
        raise InvalidInput(f"This is no hello of a node: {error}.") from error
    hello = _hello(statement)
    if hello.to != to:
        raise NotAddressed("The hello is for another device.")
    public = known(hello.device)
    if public is None:
        raise UnknownDevice(f"The device {hello.device} is not known here.")
    if not holds(DOMAIN, statement, public.sign):
        raise BadSignature(f"The device {hello.device} did not sign this hello.")
    return hello


def agreed(ours: Hello, theirs: Hello) -> Terms:
    """Return what both sides use; raise :class:`Incompatible` where there is nothing."""
    protocol = min(ours.newest, theirs.newest)
    if protocol < ours.oldest:
        raise Incompatible(
            f"The peer speaks protocol {theirs.newest} at most, and this node {ours.oldest} at"
            " least; update the peer."
        )
    if protocol < theirs.oldest:
        raise Incompatible(
            f"The peer speaks protocol {theirs.oldest} at least, and this node {ours.newest} at"
            " most; update this node."
        )
    return Terms(
        protocol,
        _seal(ours, theirs),
        tuple(sorted({*ours.features} & {*theirs.features})),
        {name: min(most, theirs.limits.get(name, most)) for name, most in ours.limits.items()},
        theirs.now - ours.now,
    )


def _seal(ours: Hello, theirs: Hello) -> str:
    common = [seal for seal in ours.seals if seal in theirs.seals and seal != PLAIN]
    if common:
        return min(common)
    if set(theirs.seals) <= {PLAIN}:
        raise Incompatible("The peer would send and take memories in the open; no node does.")
    raise Incompatible("The peer seals bundles in no way that is known here; update the older one.")


def _hello(statement: Statement) -> Hello:
    fields = statement.fields
    for name, shape in (("device", "text"), ("to", "text"), ("now", "count")):
        _demand(name, is_right=fits(fields.get(name), shape))
    for name in ("oldest", "newest"):
        _demand(name, is_right=fits(fields.get(name), "count"))
    _demand("newest", is_right=fields["newest"] >= fields["oldest"])
    for name in ("seals", "features"):
        _demand(name, is_right=_is_words(fields.get(name)))
    _demand("limits", is_right=_is_limits(fields.get("limits")))
    taken = {name: fields[name] for name in Hello._fields}
    words = {name: tuple(fields[name]) for name in ("seals", "features")}
    return Hello(**{**taken, **words})


def _demand(name: str, *, is_right: bool) -> None:
    if not is_right:
        raise InvalidInput(f"This is no hello of a node: its {name} is not right.")


def _is_words(value: object) -> bool:
    if not isinstance(value, list) or len(value) > _MAX_WORDS:
        return False
    return all(isinstance(word, str) and _WORD.fullmatch(word) for word in value)


def _is_limits(value: Any) -> bool:  # noqa: ANN401 - whatever a peer sent
    if not isinstance(value, dict) or len(value) > _MAX_WORDS:
        return False
    return _is_words(list(value)) and all(fits(most, "positive") for most in value.values())
