"""How far a peer was served, for each scope.

A node numbers what it applies in the order in which it does (``lseq``). A record goes whole, under
the number of the newest register that is served of it: so a grant takes along the contents that
were there before it and that nobody was served. A cursor is the number up to which a peer took a
scope in, with the index that gave the numbers and the token of the scope's frame. It counts only
while both are the same: a restored or copied file has a new index, and a change of the organisation
may have made something count that the cursor had passed. The peer moves its cursor in the
transaction that takes the last of the chunk in, and drops those of a scope when its own frame of it
changes. A purge drops none: what could make a purged content count again is a grant, with which the
record goes again, or the frame; and a peer that serves what one purges would never be got past.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.memory import is_ending
from agent_memory_os.model.register import CONTENT, LINK, Register
from agent_memory_os.model.routing.serve import token
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


def order(register: Register) -> int:
    """Return which registers of a record go first: the lower ones.

    Endings, then grants and lives, then contents: so, wherever a transfer is cut off, nobody holds
    a content without the grant by which it could ask about it, or without what ended an earlier
    grant.
    """
    if is_ending(register):
        return 0
    return 2 if register.group in (CONTENT, LINK) else 1


def state(view: View, index: str) -> str:
    """Return what a node brings its records under: its index, and the organisation as it is there.

    With another organisation it may keep what it had dropped or passed by.
    """
    organisation = (
        name
        for name, one in view.held.registers.items()
        if not one.object.startswith(("mem_", "lnk_"))
    )
    return f"{index} {token([*organisation, *view.held.lists])}"


def is_known(served: Iterable[tuple[object, Register]], peer: object) -> bool:
    """Say whether a record need not go to a peer: the peer brought all that is served of it.

    ``served`` are its registers, each with who brought it, and ``peer`` is who is served: devices
    with their :func:`state`. Where a part came from elsewhere the record goes whole, and where
    something was taken back: the peer may have dropped what it brought.
    """
    return all(source == peer and not is_ending(one) for source, one in served)
