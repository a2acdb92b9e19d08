"""The view: what a set of registers means, as pure functions that are evaluated when reading.

Membership follows adds and removals. An add holds while every removal of that member is among
those that it names; so a removal that the adder had not seen wins, and adding again needs a new
add that names the removal. A project's add also names the team's add, and ends with it. Content
counts while its life is the present one: the tombstone of a life beats all content of that life
and of those before it, whatever the clocks say.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.value import NamedTuple

ADD = "add"
REMOVE = "remove"


class Entry(NamedTuple):
    """An add or a removal of one member of one scope, by the digest of its register.

    ``sees`` are the digests of the removals that an add names; ``under`` is the team's add that a
    project's add stands on. ``by_admin`` tells whether its author had authority over the scope.
    """

    digest: str
    act: str
    sees: frozenset[str] = frozenset()
    under: str = ""
    by_admin: bool = True


def standing_adds(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the digests of the adds of one member that hold, given all entries on it."""
    valid = [entry for entry in entries if entry.by_admin]
    removals = {entry.digest for entry in valid if entry.act == REMOVE}
    return frozenset(entry.digest for entry in valid if entry.act == ADD and removals <= entry.sees)


def standing_project_adds(entries: Iterable[Entry], team_adds: frozenset[str]) -> frozenset[str]:
    """Return the adds to a project that hold: their team's add must hold too."""
    kept = list(entries)
    standing = standing_adds(kept)
    return frozenset(
        entry.digest for entry in kept if entry.digest in standing and entry.under in team_adds
    )


def is_alive(content_life: int, length: int) -> bool:
    """Say whether content of a life is shown, where ``length`` is the life register's (0: none).

    Content of a later life implies that life, so that the two registers may come in any order.
    """
    present = max(content_life, length)
    return present % 2 == 1 and content_life == present


def next_length(length: int, *, on: bool) -> int:
    """Return the causal length after switching on or off; the same where it is so already."""
    return length if (length % 2 == 1) == on else length + 1
