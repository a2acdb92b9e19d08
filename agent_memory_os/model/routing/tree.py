"""Finding what two nodes hold differently on a route, in a few kilobytes.

Each record has a mark, the sum of the digests of what is served of it, and marks add up: of the
whole route, of each of its 128 branches (by the last letters of the ids, which are hashes), of
each branch's 128 twigs. Where the totals differ, the sums of the branches are compared, those of
the twigs of a branch that differs, and then the records of a twig, one by one. Sums are sent short,
three bytes of them times a number that is drawn for the occasion: two that differ look the same
once in some millions, and not again the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agent_memory_os.value import NamedTuple

WIDTH = 128
SHORT = 3
"""Bytes of a sum, and of a record's mark, as they are sent."""

NAME = 8
"""Characters of an id by which a record is named within a twig."""

_BITS = 256
_LETTERS = {letter: at for at, letter in enumerate("abcdefghijklmnopqrstuvwxyz234567")}

Marks = Iterable[tuple[str, int]]
"""The records of a route, each with its mark."""


class Twig(NamedTuple):
    """A place in the tree: a branch, and a twig of it."""

    branch: int
    twig: int


def place(object_id: str) -> Twig:
    """Return where a record stands: by the last three letters of its id."""
    number = 0
    for letter in object_id[-3:]:
        number = number * 32 + _LETTERS.get(letter, 0)
    return Twig(number >> 8, (number >> 1) % WIDTH)


def short(mark: int, salt: int) -> bytes:
    """Return a mark or a sum of marks as it is sent; ``salt`` is odd."""
    return ((mark * salt) % (1 << _BITS) >> (_BITS - 8 * SHORT)).to_bytes(SHORT, "big")


def branches(marks: Marks, salt: int) -> bytes:
    """Return the short sums of all branches, one after the other."""
    sums = [0] * WIDTH
    for object_id, mark in marks:
        sums[place(object_id).branch] += mark
    return b"".join(short(one, salt) for one in sums)


def twigs(marks: Marks, branch: int, salt: int) -> bytes:
    """Return the short sums of the twigs of a branch, one after the other."""
    sums = [0] * WIDTH
    for object_id, mark in marks:
        at = place(object_id)
        if at.branch == branch:
            sums[at.twig] += mark
    return b"".join(short(one, salt) for one in sums)


def leaves(marks: Marks, wanted: Iterable[Twig], salt: int) -> dict[str, tuple[str, bytes]]:
    """Return the records of some twigs: id and short mark, by the name within a twig."""
    among = set(wanted)
    return {
        name_of(object_id): (object_id, short(mark, salt))
        for object_id, mark in marks
        if place(object_id) in among
    }


def name_of(object_id: str) -> str:
    """Return what a record is named by within a twig."""
    return object_id.partition("_")[2][:NAME]


def differing(ours: bytes, theirs: bytes) -> list[int]:
    """Return which of two rows of short sums differ."""
    return [
        at
        for at in range(WIDTH)
        if ours[at * SHORT : (at + 1) * SHORT] != theirs[at * SHORT : (at + 1) * SHORT]
    ]


class Difference(NamedTuple):
    """What two nodes hold differently: the ids that one has to send, the names that it lacks."""

    send: tuple[str, ...]
    lack: tuple[str, ...]


def compared(ours: Mapping[str, tuple[str, bytes]], theirs: Mapping[str, bytes]) -> Difference:
    """Compare the records of the same twigs. What differs goes both ways: it is merged."""
    send = [object_id for name, (object_id, mark) in ours.items() if theirs.get(name) != mark]
    lack = [name for name, mark in theirs.items() if name not in ours or ours[name][1] != mark]
    return Difference(tuple(sorted(send)), tuple(sorted(lack)))
