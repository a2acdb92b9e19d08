"""How far a peer was served, for each scope.

A node numbers what it applies in the order in which it does (``lseq``). A record goes whole, under
the number of the newest register that is served of it; and where it comes to stand otherwise in a
scope without a register of its own (somebody's writes count there now, or count no more), under a
number that nothing had before. So what a cursor has passed comes again when it has changed, and
nothing else does. A cursor is the number up to which a peer took a scope in, with the index that
gave the numbers, and the token of the frame that it has. It counts only under that index: a
restored or copied file has a new one. The peer moves its cursor in the transaction that takes the
last of the chunk in.

The peer drops the cursors of a scope itself when it may have dropped what counts there again
(:func:`anew`). A purge drops none: what could make a purged content count again is a grant, with
which the record goes again, or the organisation; and a peer that serves what one purges would never
be got past.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.memory import is_ending, is_shared
from agent_memory_os.model.register import CONTENT, LINK, Register
from agent_memory_os.model.routing.serve import token
from agent_memory_os.value import NamedTuple


class Cursor(NamedTuple):
    """How far a scope was taken in, from which index, under which frame."""

    origin: str
    token: str
    lseq: int


ANEW = Cursor("", "", 0)
"""The cursor of who wants all of a scope again, what it brought itself too."""


def start(cursor: Cursor | None, index: str) -> int:
    """Return the number after which a scope is served."""
    return cursor.lseq if cursor is not None and cursor.origin == index else 0


def has_frame(cursor: Cursor | None, index: str, token: str) -> bool:
    """Say whether a peer has the frame of a scope that has this token."""
    return cursor is not None and (cursor.origin, cursor.token) == (index, token)


def anew(
    scopes: Iterable[str], before: View, after: View, account: str, has: Container[str]
) -> list[str]:
    """Return which of these scopes a node of an account has to be served from their beginning.

    ``before`` and ``after`` are its views around a change of the organisation, and ``has`` the
    digests of what it holds. It may have dropped what counts there again: it has joined the scope,
    a narrowing ended that it had believed, or a list came that names what is not here (a newer
    version, which counts no more, had taken its place). The list of a device is of all scopes.
    """
    found = _lacking(before, after, has)
    if any(scope.startswith("acc_") for scope in found):
        return list(scopes)
    return [
        scope
        for scope in scopes
        if scope in found
        or (is_shared(scope) and _is_back(before, after, account, scope))
        or (is_shared(scope) and _narrowed(before, scope) - _narrowed(after, scope))
    ]


def _lacking(before: View, after: View, has: Container[str]) -> set[str]:
    new = [one for name, one in after.held.lists.items() if name not in before.held.lists]
    return {one.scope for one in new if any(entry.digest not in has for entry in one.entries)}


def _is_back(before: View, after: View, account: str, scope: str) -> bool:
    had, has = (
        any(view.members.adds(scope, agent) for agent in view.agents(account))
        for view in (before, after)
    )
    return has and not had


def _narrowed(view: View, scope: str) -> set[str]:
    return {name for name, _ in view.memories.narrowings(scope)}


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
