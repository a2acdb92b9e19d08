"""How far something that takes long has come: shares of the whole, told as they are done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

Progress = Callable[[float], None]
"""Is told of each further share of the whole; all of them make one."""

_EVERY = 1000


def unwatched(_share: float) -> None:
    """Let nobody know."""


def part(progress: Progress, share: float) -> Progress:
    """Return the progress of a part that is such a share of the whole."""
    return lambda done: progress(done * share)


class Meter:
    """Tells how many of some items are done, of which there are about so many."""

    def __init__(self, progress: Progress, count: int) -> None:
        self._progress = progress
        self._count = max(1, count)
        self._done = 0
        self._told = 0.0

    def add(self, items: int) -> None:
        """Say that some more are done."""
        self._done += items
        self._tell(min(self._done / self._count, 1.0))

    def end(self) -> None:
        """Say that all are, however many there were."""
        self._tell(1.0)

    def _tell(self, share: float) -> None:
        self._progress(share - self._told)
        self._told = share


def each(items: Iterable[T], count: int, progress: Progress) -> Iterator[T]:
    """Yield items, of which there are about so many, and tell how far they have come."""
    meter = Meter(progress, count)
    for number, item in enumerate(items, 1):
        yield item
        if number % _EVERY == 0:
            meter.add(_EVERY)
    meter.end()
