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


def each(items: Iterable[T], count: int, progress: Progress) -> Iterator[T]:
    """Yield items, of which there are about so many, and tell how far they have come.

    At the end all is told, however many there were.
    """
    told = 0.0
    for number, item in enumerate(items, 1):
        yield item
        if number % _EVERY == 0:
            share = min(number / max(1, count), 1.0)
            progress(share - told)
            told = share
    progress(1.0 - told)
