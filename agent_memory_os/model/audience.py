"""Who may read: the grammar of audiences, and the one rule of the gate.

A memory is private to its owner, or has grants: ``agent:ID``, ``team:ID``, ``project:ID`` and
``global``. People write names (``team:apollo``, ``project:apollo/site``); a register holds ids.
The owner always reads; anyone else reads through a grant that reaches it; the operator reads
everything. ``global`` means every agent of the owner's account. The SQL gate of the store must
agree with :func:`may_read` for every row and every principal: a law holds that.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.errors import TooLarge, UnknownAudience
from agent_memory_os.model.identifier import kind_of
from agent_memory_os.model.organisation import spelt
from agent_memory_os.model.principal import Sight
from agent_memory_os.value import NamedTuple

GLOBAL = "global"
PRIVATE = "private"
KINDS = ("agent", "team", "project")
MAX_GRANTS = 1000
"""So many an audience names at once, as a person writes it."""

FORMS = "private, global, agent:NAME, team:NAME or project:TEAM/NAME"


class Grant(NamedTuple):
    """One grant as a person wrote it: its kind, and a name or an id (empty for ``global``)."""

    kind: str
    name: str


def parse(text: str) -> tuple[Grant, ...]:
    """Read an audience: grants with commas between; ``private`` is the empty one.

    Raises :class:`UnknownAudience` for anything else: a misspelt audience is never stored.
    """
    parts = parts_of(text)
    if parts == [PRIVATE]:
        return ()
    return tuple(dict.fromkeys(_grant(part) for part in parts))


def parts_of(text: str) -> list[str]:
    """Return the grants of an audience as they are written, whatever they are.

    Raises :class:`TooLarge` for more of them than anybody means.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > MAX_GRANTS:
        raise TooLarge(f"An audience names at most {MAX_GRANTS:,} grants at once.")
    return parts


def _grant(text: str) -> Grant:
    if text == GLOBAL:
        return Grant(GLOBAL, "")
    if text == PRIVATE:
        raise UnknownAudience(f"What is private is for nobody else; write {FORMS}.")
    kind, colon, name = text.partition(":")
    if kind in KINDS and colon and name.strip() == name and name:
        return Grant(kind, spelt(name))
    raise UnknownAudience(f"{text!r} is no audience; write {FORMS}.")


def is_scope(text: str) -> bool:
    """Say whether ``text`` is a grant in the form that registers hold (with an id)."""
    if text == GLOBAL:
        return True
    kind, _, name = text.partition(":")
    return kind in KINDS and kind_of(name) == kind


def may_read(sight: Sight, owner: str, grants: Iterable[str]) -> bool:
    """Say whether a principal may read a memory; ``owner`` is an agent id, ``grants`` hold ids."""
    if sight.principal.is_operator or owner == sight.principal.agent:
        return True
    return not sight.scopes.isdisjoint(grants)


def visible_grants(sight: Sight, owner: str, grants: Iterable[str]) -> tuple[str, ...]:
    """Return the grants of a memory that a reader may know of, in a stable order."""
    if sight.principal.is_operator or owner == sight.principal.agent:
        return tuple(sorted(grants))
    return tuple(sorted(sight.scopes.intersection(grants)))
