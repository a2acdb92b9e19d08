"""Who exchanges with whom, by itself: the links of a mesh, from the one that asks to its peer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

Link = tuple[int, int]

THREE = 3
TWO = 2


def hub(size: int, _: Random) -> Iterator[Link]:
    """Yield links from each to the first one."""
    return ((one, 0) for one in range(1, size))


def hub_and_two(size: int, chance: Random) -> Iterator[Link]:
    """Yield links from each to the first one, and to two others."""
    for one in range(1, size):
        yield one, 0
        others = [other for other in range(1, size) if other != one]
        yield from ((one, other) for other in chance.sample(others, TWO))


def three(size: int, chance: Random) -> Iterator[Link]:
    """Yield links from each to three others."""
    for one in range(size):
        others = [other for other in range(size) if other != one]
        yield from ((one, other) for other in chance.sample(others, THREE))


def ring(size: int, _: Random) -> Iterator[Link]:
    """Yield links from each to the one before it and the one after it."""
    for one in range(size):
        yield from ((one, (one + step) % size) for step in (-1, 1))


def everyone(size: int, _: Random) -> Iterator[Link]:
    """Yield links from each to all others."""
    return ((one, other) for one in range(size) for other in range(size) if one != other)


LINKS: Mapping[str, Callable[[int, Random], Iterator[Link]]] = {
    "hub": hub,
    "hub+2": hub_and_two,
    "three": three,
    "mesh": everyone,
    "ring": ring,
}
"""Each topology by its name. In a ``mesh`` each node exchanges with three of all, drawn anew."""
