"""The other end of a way by HTTP: where a peer asks, and who answers it.

The server lets in only what a known peer has signed, and signs what is answered; what is said
itself comes from a :class:`Responder`, which knows nothing of HTTP. Its methods are called in
threads, several at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import BinaryIO, NamedTuple, Protocol

from agent_memory_os import errors
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.federation.hello import LIMITS, MAX_LINE_BYTES
from agent_memory_os.federation.identity import Device, PublicDevice

HELLO, PULL, PUSH = "/v1/sync/hello", "/v1/sync/pull", "/v1/sync/push"
METHOD = "POST"

MOST_BYTES: Mapping[str, int] = {
    HELLO: MAX_LINE_BYTES,
    PULL: LIMITS["body"],
    PUSH: LIMITS["body"],
}
"""Where a peer asks, and how long a body may be there, of a request and of its answer."""

TOLD: tuple[type[AgentMemoryError], ...] = (
    errors.BadBundle,
    errors.BadSignature,
    errors.ClockApart,
    errors.Incompatible,
    errors.InvalidInput,
    errors.LimitReached,
    errors.NotAddressed,
    errors.NotAllowed,
    errors.Replayed,
    errors.Revoked,
    errors.TooLarge,
    errors.UnknownDevice,
)
"""What a peer may say is wrong with what it was sent; anything else is its own business."""


class Responder(Protocol):
    """Answers the requests of peers.

    What it raises of what was sent (``TOLD``) is told to the peer, in its words; of whatever else
    goes wrong the peer learns only that it did.
    """

    def known(self, device: str) -> PublicDevice | None:
        """Return a device that may ask, or ``None``."""
        ...

    def hello(self, device: str, line: bytes) -> bytes:
        """Take a peer's hello, and return ours to it; nothing, where there is none to show."""
        ...

    def pull(self, device: str, ask: BinaryIO) -> Iterable[bytes]:
        """Return the pieces of one bundle that answers an ask; none, where there is none.

        The ask is empty where the peer asks for nothing in particular. It is read before the
        pieces are: they may be made from it one by one.
        """
        ...

    def push(self, device: str, bundle: BinaryIO) -> None:
        """Take a bundle of a peer."""
        ...


class Peering(NamedTuple):
    """What a server needs to answer peers: this node's device, which signs, and who answers."""

    device: Device
    responder: Responder
