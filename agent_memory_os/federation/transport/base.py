"""What every transport does: one end of a way to one peer.

A transport carries bytes and understands none of them. It may lose, delay, repeat or reorder
bundles, for whoever reads them finds that out; but it never delivers a part of what was pushed as
if it were all, and a bundle stays until it was taken.

The peer may answer at once, or when it comes by: an ask and an answer are bundles like any other,
and nothing here waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple, Protocol


class Delivery(NamedTuple):
    """A bundle that has come; it comes again, until it is said to be ``taken``.

    ``name`` tells one from another in messages; ``file`` is closed when the next one is asked for.
    """

    name: str
    file: BinaryIO
    taken: Callable[[], None]


class Transport(Protocol):
    """One end of a way to one peer; ``is_live``: the peer answers there at once."""

    is_live: bool

    def hello(self, ours: bytes) -> bytes | None:
        """Show the peer our hello; return its own, or ``None`` while it has shown none."""
        ...

    def waits(self) -> bool:
        """Say whether something that was sent lies there for the peer to come by."""
        ...

    def push(self, bundle: Iterable[bytes]) -> None:
        """Send the pieces of a bundle; where making them fails half way, nothing is sent."""
        ...

    def pull(self, ask: Iterable[bytes] = ()) -> Iterator[Delivery]:
        """Send a bundle that asks, where there is one; yield what the peer has sent, in order.

        What somebody else is reading at this moment is passed over.
        """
        ...
