"""Signed requests and responses between nodes: a profile of RFC 9421, and no bearer tokens.

A request is signed by the device that sends it: method, path, query, digest of the body, the device
that it is for, when it was made, and a nonce. So it can be sent by nobody else, to no other node,
with no other body, and only once: a node keeps each nonce as long as it would take the request.
A response is signed by the device that answers, with its status, the digest of its body, and all
of the request that it answers, signature included: so it answers no other.

The profile is narrow: one signature under the label ``am``, by Ed25519, over these components and
parameters in this order. What is written otherwise is refused, even where RFC 9421 would allow it,
so that there is nothing to interpret.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from agent_memory_os.errors import (
    BadSignature,
    ClockApart,
    InvalidInput,
    NotAddressed,
    Replayed,
    Unauthenticated,
    UnknownDevice,
)
from agent_memory_os.federation.identity import Device, Known
from agent_memory_os.federation.statement import is_signed
from agent_memory_os.model.identifier import sha256
from agent_memory_os.store.database import Database
from agent_memory_os.store.peer import nonces

TO = "agent-memory-to"
DIGEST = "content-digest"
INPUT = "signature-input"
SIGNATURE = "signature"
TAG = "agent-memory/1"
MAX_HEADER = 1_024
"""The longest header of a signature, in characters."""

CLOCK_SECONDS = 300
"""How far the clocks of two nodes may be apart, and for how long a request may be on its way."""

_ASKED = ("@method", "@path", "@query", DIGEST, TO)
_ANSWERED = ("@status", DIGEST)
_COVERED = " ".join(f'"{name}"' for name in _ASKED)
_COVERED_ANSWER = " ".join(
    [
        *(f'"{name}"' for name in _ANSWERED),
        *(f'"{name}";req' for name in _ASKED),
        '"signature";req;key="am"',
    ]
)
_PARAMETERS = re.compile(
    r'created=([0-9]{1,12});keyid="(dev_[a-z2-7]{32})";nonce="([0-9a-f]{32})"'
    rf';alg="ed25519";tag="{TAG}"'
)
_VALUE = re.compile(r"am=:([A-Za-z0-9+/]{86}==):")
_DECLARED = re.compile(r"sha-256=:([A-Za-z0-9+/]{43}=):")
_METHOD = re.compile(r"[A-Z]{1,16}")
_TARGET = re.compile(r"/[!-~]{0,4095}")

Take = Callable[[str, str, int], bool]
"""Takes a device's nonce, to be kept until a second begins, and says whether it was new."""


class Request(NamedTuple):
    """What is asked: method, target (path and query), SHA-256 of the body, device it is for."""

    method: str
    target: str
    digest: bytes
    to: str


class Response(NamedTuple):
    """What is answered: the status, and the SHA-256 of the body."""

    status: int
    digest: bytes


class Proved(NamedTuple):
    """A request that a device signed: by whom, when (seconds), its nonce and its signature."""

    request: Request
    device: str
    created: int
    nonce: str
    signature: bytes


def digest_of(body: bytes) -> bytes:
    """Return the digest of a body that is in memory."""
    return sha256(body).digest()


def declared(headers: Mapping[str, str]) -> bytes:
    """Return the digest that a message declares of its body, which may not have come yet.

    What was signed is this digest: whoever reads the body afterwards compares it.
    """
    found = _DECLARED.fullmatch(headers.get(DIGEST, ""))
    if found is None:
        raise Unauthenticated("It does not say what body it has as nodes do.")
    return base64.b64decode(found[1])


def durable(database: Database) -> Take:
    """Return what keeps nonces in the node's file, so that a restart forgets none."""

    def take(device: str, nonce: str, until: int) -> bool:
        with database.write() as transaction:
            return nonces.take(transaction, device, nonce, until * 1000)

    return take


def sign_request(request: Request, device: Device, *, now: int, nonce: str) -> dict[str, str]:
    """Return the headers of a request; ``now`` is in milliseconds, ``nonce`` is 16 bytes in hex."""
    parameters = _parameters(now // 1000, device.id, nonce)
    signature = device.sign.sign(_asked_base(request, parameters))
    return {
        DIGEST: _content_digest(request.digest),
        TO: request.to,
        INPUT: f"am=({_COVERED});{parameters}",
        SIGNATURE: _signature_header(signature),
    }


def check_request(
    request: Request, headers: Mapping[str, str], known: Known, take: Take, *, now: int
) -> Proved:
    """Return who signed a request, which is as it arrived: ``to`` is the device of this node.

    ``headers`` has lower-case names. Raises :class:`Unauthenticated` or one of its kind, or
    :class:`NotAddressed`; what it says of clocks is true, for the signature was looked at before.
    """
    proved = check_signature(request, headers, known)
    check_new(proved, take, now=now)
    return proved


def check_signature(request: Request, headers: Mapping[str, str], known: Known) -> Proved:
    """Return who signed a request, whenever that was; raise as :func:`check_request` does."""
    if headers.get(TO) != request.to:
        raise NotAddressed("The request is for another node.")
    created, device, nonce, parameters = _signed_with(headers, _COVERED)
    proved = Proved(request, device, created, nonce, _signature(headers))
    _check(headers, request.digest, proved, _asked_base(request, parameters), known)
    return proved


def check_new(proved: Proved, take: Take, *, now: int) -> None:
    """Take a request that was signed, once and in time.

    Raises :class:`ClockApart` or :class:`Replayed`.
    """
    behind = now // 1000 - proved.created
    if abs(behind) > CLOCK_SECONDS:
        raise ClockApart(
            f"The request was signed {_apart(behind)} the clock of this node; the clocks of two"
            f" nodes may be {CLOCK_SECONDS} seconds apart.",
            offset_seconds=str(-behind),
        )
    if not take(proved.device, proved.nonce, proved.created + CLOCK_SECONDS + 1):
        raise Replayed("The request was sent before, and is taken once.")


def asked(request: Request, headers: Mapping[str, str]) -> Proved:
    """Return what a request of one's own was sent with, so that its response can be checked."""
    created, device, nonce, _ = _signed_with(headers, _COVERED)
    return Proved(request, device, created, nonce, _signature(headers))


def sign_response(
    response: Response, proved: Proved, device: Device, *, now: int
) -> dict[str, str]:
    """Return the headers of a response to a request."""
    parameters = _parameters(now // 1000, device.id, proved.nonce)
    signature = device.sign.sign(_answered_base(response, proved, parameters))
    return {
        DIGEST: _content_digest(response.digest),
        INPUT: f"am=({_COVERED_ANSWER});{parameters}",
        SIGNATURE: _signature_header(signature),
    }


def check_response(
    response: Response, headers: Mapping[str, str], proved: Proved, known: Known, *, now: int
) -> int:
    """Check that the device that was asked answered this request; return its clock's offset.

    The offset is in seconds, and positive where the other clock is ahead. Raises
    :class:`Unauthenticated` or one of its kind.
    """
    created, device, nonce, parameters = _signed_with(headers, _COVERED_ANSWER)
    if device != proved.request.to or nonce != proved.nonce:
        raise BadSignature("The answer is another device's, or to another request.")
    answer = proved._replace(device=device, signature=_signature(headers))
    _check(headers, response.digest, answer, _answered_base(response, proved, parameters), known)
    return created - now // 1000


def _check(
    headers: Mapping[str, str], digest: bytes, proved: Proved, base: bytes, known: Known
) -> None:
    if headers.get(DIGEST) != _content_digest(digest):
        raise BadSignature("The body is not the one that was signed.")
    public = known(proved.device)
    if public is None:
        raise UnknownDevice(f"The device {proved.device} is not known here.")
    if not is_signed(base, proved.signature, public.sign):
        raise BadSignature(f"The device {proved.device} did not sign this.")


def _signed_with(headers: Mapping[str, str], covered: str) -> tuple[int, str, str, str]:
    value = headers.get(INPUT, "")
    begin = f"am=({covered});"
    parameters = value.removeprefix(begin)
    found = None
    if len(value) <= MAX_HEADER and value.startswith(begin):
        found = _PARAMETERS.fullmatch(parameters)
    if found is None:
        raise Unauthenticated("It is not signed as nodes sign what they send to each other.")
    return int(found[1]), found[2], found[3], parameters


def _signature(headers: Mapping[str, str]) -> bytes:
    value = headers.get(SIGNATURE, "")
    found = _VALUE.fullmatch(value) if len(value) <= MAX_HEADER else None
    signature = base64.b64decode(found[1]) if found else b""
    if value != _signature_header(signature):
        raise Unauthenticated("It carries no signature that can be read.")
    return signature


def _signature_header(signature: bytes) -> str:
    return f"am=:{base64.b64encode(signature).decode()}:"


def _apart(behind: int) -> str:
    return f"{behind} seconds behind" if behind > 0 else f"{-behind} seconds ahead of"


def _content_digest(digest: bytes) -> str:
    return f"sha-256=:{base64.b64encode(digest).decode()}:"


def _parameters(seconds: int, device: str, nonce: str) -> str:
    return f'created={seconds};keyid="{device}";nonce="{nonce}";alg="ed25519";tag="{TAG}"'


def _components(request: Request) -> list[str]:
    if not _METHOD.fullmatch(request.method) or not _TARGET.fullmatch(request.target):
        raise InvalidInput("The method or the target of the request cannot be signed.")
    path, _, query = request.target.partition("?")
    values = (request.method, path, f"?{query}", _content_digest(request.digest), request.to)
    return list(values)


def _asked_base(request: Request, parameters: str) -> bytes:
    lines = [f'"{name}": {value}' for name, value in zip(_ASKED, _components(request), strict=True)]
    return "\n".join([*lines, f'"@signature-params": ({_COVERED});{parameters}']).encode()


def _answered_base(response: Response, proved: Proved, parameters: str) -> bytes:
    asked = zip(_ASKED, _components(proved.request), strict=True)
    signature = base64.b64encode(proved.signature).decode()
    lines = [
        f'"@status": {response.status}',
        f'"{DIGEST}": {_content_digest(response.digest)}',
        *(f'"{name}";req: {value}' for name, value in asked),
        f'"signature";req;key="am": :{signature}:',
        f'"@signature-params": ({_COVERED_ANSWER});{parameters}',
    ]
    return "\n".join(lines).encode()
