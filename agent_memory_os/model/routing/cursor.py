"""How far a peer was served, for each scope.

A node numbers what it applies in the order in which it does (``lseq``). A cursor is the number up
to which a peer took a scope in, with the index that gave the numbers and the token of the scope's
frame. It counts only while both are the same: a restored or copied file has a new index, and a
change of the organisation may have made something count that the cursor had passed. The peer moves
its cursor in the transaction that takes the chunk in, and drops those of a scope when its own frame
of it changes. A purge drops none: what could make a purged content count again is a grant, which
queues it again, or the frame; and a peer that serves what one purges would never be got past.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.authority.held import Held
from agent_memory_os.model.authority.memory import is_ending
from agent_memory_os.model.register import GRANT, Register
from agent_memory_os.value import NamedTuple


class Cursor(NamedTuple):
    """How far a scope was taken in, from which index, under which frame."""

    origin: str
    token: str
    lseq: int


def start(cursor: Cursor | None, index: str, token: str) -> int:
    """Return the number after which a scope is served."""
    if cursor is None or (cursor.origin, cursor.token) != (index, token):
        return 0
    return cursor.lseq


def chunk(numbered: Iterable[tuple[int, str]], after: int, room: int) -> list[tuple[int, str]]:
    """Return the next records of a scope, oldest first: no more than there is room for."""
    return sorted(item for item in numbered if item[0] > after)[:room]


def queued(held: Held, register: Register) -> list[str]:
    """Return what gets a new number when a register is applied: a grant takes its record along.

    Endings come first, so that nobody holds a content without what ended an earlier grant of it.
    """
    if not register.group.startswith(GRANT):
        return []
    found = sorted(held.about(register.object), key=lambda one: (not is_ending(one[1]), one[0]))
    return [name for name, _ in found]
