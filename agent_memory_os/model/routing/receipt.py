"""Receipts: whether a peer has taken in that something was taken back from it.

A record on a route remembers the number under which it first stood there with its content
(:func:`first_of`). Whoever was given the route beyond that number may hold a copy, whether or not
it arrived. That it dropped the copy is believed of its own word alone: it says that it took the
route in as far as the number under which the content was taken back, or that it was told that it
is out, or, of what it asked about, that it dropped it. What was only sent proves nothing.
"""

from __future__ import annotations

from agent_memory_os.value import NamedTuple

ACKNOWLEDGED = "acknowledged"
OUTSTANDING = "outstanding"
UNREACHABLE = "unreachable"
STILL = "still shared"
UNSENT = "never sent"

EVERYTHING = 1 << 62
"""Up to which number a route counts as given out where nobody knows how far it was."""


class Copy(NamedTuple):
    """A copy of a record that a peer may have by one route.

    ``lseq`` is the record's number there, ``first`` the one under which it first stood there with
    its content, ``served`` up to which number the route was given out to the peer, and ``said`` up
    to which the peer itself said that it took it in. ``is_taken``: the content was taken back
    there. ``is_out``: the peer is out of the scope, and ``knows`` that by its own word; ``dropped``
    is the newest number here when it said that it dropped the record, 0 where it never did.
    """

    lseq: int
    first: int
    served: int
    said: int
    is_taken: bool
    is_out: bool = False
    knows: bool = False
    dropped: int = 0


def first_of(old: tuple[int, int | None] | None, *, has_content: bool) -> int | None:
    """Return under which number a record first stood on a route with its content.

    ``old`` is the number that it had there and what this said. ``None``: under the number that it
    gets now; 0: never; below zero: it has been taken back.
    """
    if old is None:
        return None if has_content else 0
    lseq, first = old
    begun = lseq if first is None else abs(first)
    if has_content:
        return begun or None
    return -begun


def state(copy: Copy) -> str:
    """Return how it stands with a copy, whether or not the peer can be reached."""
    if not copy.is_taken and not copy.is_out:
        return STILL
    if not 0 < copy.first <= copy.served:
        return UNSENT
    if copy.is_taken and max(copy.said, copy.dropped) >= copy.lseq:
        return ACKNOWLEDGED
    if copy.is_out and copy.knows:
        return ACKNOWLEDGED
    return OUTSTANDING


def worst(states: list[str]) -> str:
    """Return how it stands with a peer, of what it may have by several routes.

    What it may read by any of them it keeps, and rightly.
    """
    for one in (STILL, OUTSTANDING, ACKNOWLEDGED):
        if one in states:
            return one
    return UNSENT


def overall(states: list[str]) -> str:
    """Return how it stands with a peer, of many memories; what it keeps rightly is beside it."""
    for one in (OUTSTANDING, ACKNOWLEDGED, STILL):
        if one in states:
            return one
    return UNSENT
