"""What is measured of nodes that exchange: two of one system, with a relay between them.

A side is a system; a file here is a side. Each answers the same questions about pairs of its own
nodes, which are real processes that serve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from benchmarks.relay import Relay


class Pair(Protocol):
    """Two nodes that serve: the sender has memories of a team, the receiver is to have them."""

    @property
    def relay(self) -> Relay:
        """What the two talk through."""

    @property
    def processes(self) -> Mapping[str, int]:
        """The process ids of the ``sender`` and the ``receiver``."""

    @property
    def writing(self) -> Sequence[str]:
        """How an agent writes at the receiver over HTTP: the port, its key, and the path."""

    def exchange(self) -> None:
        """Let the receiver exchange with the sender once, both ways."""

    def change(self) -> None:
        """Change the content of one memory at the sender."""

    def lose(self) -> None:
        """Take one memory out of the receiver's file, as if it had never come."""

    def differing(self) -> int:
        """Return how many of the team's memories the two have not alike."""


class Side(NamedTuple):
    """A system: its name, how a pair of its nodes is made, and what is asked of it.

    A pair is made in a folder, for so many memories. ``large`` is of how many one is missed, and
    ``asked`` tells by the name of a measure what its figures should be.
    """

    name: str
    paired: Callable[[str, int], AbstractContextManager[Pair]]
    large: int
    asked: Mapping[str, str]
