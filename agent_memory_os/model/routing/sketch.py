"""A sketch of a route: a few hundred bytes from which two nodes read what they hold differently.

A sketch has 36 cells of 12 bytes. Each record stands in three of them, as 12 bytes that are
combined with the others there by exclusive or: so a record is put in and taken out by the same
step, whatever else is there, and what two sketches have in common falls out when they are combined.
Of what is left, a cell with one record alone can be read, and is taken out of its other two, which
may leave one alone there: so some dozen records are read that differ, whatever the number of those
that do not.

A record is told by the first letters of its id and the end of its mark. A record that differs is
told twice, once as either has it. Whoever writes very many records could make two of one form, or a
sketch that cannot be read: then the tree of :mod:`model.routing.tree` is walked.
"""

from __future__ import annotations

from base64 import b32encode

from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.routing.tree import NAME, name_of
from agent_memory_os.value import NamedTuple

_NAME_BYTES, _MARK_BYTES, _CHECK_BYTES = 5, 4, 3
_CELL_BYTES = _NAME_BYTES + _MARK_BYTES + _CHECK_BYTES
_CHECK_BITS, _MARK_BITS = 8 * _CHECK_BYTES, 8 * _MARK_BYTES
_MARK = (1 << _MARK_BITS) - 1
_DIGITS = str.maketrans("abcdefghijklmnopqrstuvwxyz234567", "0123456789abcdefghijklmnopqrstuv")
_THIRD = 12
_WIDTH = 3 * _THIRD
BYTES = _WIDTH * _CELL_BYTES


class Told(NamedTuple):
    """A record as it is told: by the first letters of its id, and the end of its mark."""

    name: str
    mark: int


Element = tuple[int, int, int, int]
"""What stands for a record in every sketch, and the cells where it stands."""


class Sketch:
    """A sketch, which records are put into and taken out of."""

    def __init__(self, data: bytes = bytes(BYTES)) -> None:
        self._cells = [
            int.from_bytes(data[at : at + _CELL_BYTES], "big")
            for at in range(0, BYTES, _CELL_BYTES)
        ]

    def toggle(self, object_id: str, mark: int) -> None:
        """Put a record in, or take it out where it is in."""
        self.put(element_of(object_id, mark))

    def put(self, element: Element) -> None:
        """Do what :meth:`toggle` does of what stands for a record."""
        told, first, second, third = element
        cells = self._cells
        cells[first] ^= told
        cells[second] ^= told
        cells[third] ^= told

    def to_bytes(self) -> bytearray:
        """Return the sketch as it is kept and sent."""
        return bytearray(b"".join(cell.to_bytes(_CELL_BYTES, "big") for cell in self._cells))

    def difference(self, other: Sketch) -> list[Told] | None:
        """Return the records that stand in one of two alone; ``None`` where it cannot be told."""
        cells = [one ^ another for one, another in zip(self._cells, other._cells, strict=True)]
        found: list[Told] = []
        waiting = [*range(_WIDTH)]
        # Who makes a sketch up could let this go round for ever.
        while waiting and len(found) <= _WIDTH:
            at = waiting.pop()
            element, *places = _element(cells[at] >> _CHECK_BITS)
            if cells[at] != element or at not in places:
                continue
            found.append(_told(element))
            for place in places:
                cells[place] ^= element
            waiting += places
        return None if any(cells) else found


def element_of(object_id: str, mark: int) -> Element:
    """Return what stands for a record."""
    return _element(_named(object_id) << _MARK_BITS | mark & _MARK)


def is_told(told: Told, object_id: str, mark: int) -> bool:
    """Say whether a record is the one that is told."""
    return (name_of(object_id), mark & _MARK) == told


def _named(object_id: str) -> int:
    try:
        return int(name_of(object_id).translate(_DIGITS), 32)
    except ValueError:  # no id that a node makes: it is found by the tree
        return 0


def _element(value: int) -> Element:
    """Return what stands for a name and a mark, with its check, and the cells where it stands."""
    hashed = sha256(value.to_bytes(_NAME_BYTES + _MARK_BYTES, "big")).digest()
    return (
        value << _CHECK_BITS | int.from_bytes(hashed[:_CHECK_BYTES], "big"),
        hashed[3] % _THIRD,
        hashed[4] % _THIRD + _THIRD,
        hashed[5] % _THIRD + 2 * _THIRD,
    )


def _told(element: int) -> Told:
    value = element >> _CHECK_BITS
    name = b32encode((value >> _MARK_BITS).to_bytes(_NAME_BYTES, "big")).decode().lower()
    return Told(name[:NAME], value & _MARK)
