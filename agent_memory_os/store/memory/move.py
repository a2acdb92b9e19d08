"""What is moved from one agent to another, or from one team to another: read by the operator alone.

Nothing here goes through the gate: what calls it has seen that the operator asks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from agent_memory_os.model.identifier import derived_nonce
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import narrowed, open_gate
from agent_memory_os.store.memories import scope_name
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("move")


class HeldLink(NamedTuple):
    """A link of a memory with the owner of its other end."""

    src: str
    dst: str
    relation: str
    weight: int
    by: str
    other_owner: str


def nonce_from(memory: str) -> str:
    """Return what the id of the memory is made of that another one is moved to."""
    return derived_nonce("moved", memory)


def parameters_of(
    snapshot: Snapshot, owner: str, wanted: Filter, granted: str | None
) -> Mapping[str, object]:
    """Return what the queries of this module are asked with.

    ``granted`` is a scope, ``private`` for what nobody else reads, or ``None`` for all.
    """
    found = narrowed(open_gate(snapshot, Principal.operator()), wanted, snapshot.now)
    # Whose it is, is said by an id: a name may be another's by now.
    return {**found, "owner": None, "of": owner, "state": wanted.state, "granted": granted}


def chosen(
    snapshot: Snapshot, parameters: Mapping[str, object], after: str, limit: int
) -> list[str]:
    """Return ids of what is to be moved, behind one of them."""
    rows = snapshot.rows(_sql["chosen"], {**parameters, "after": after, "limit": limit})
    return [row[0] for row in rows]


def names_of(snapshot: Snapshot, scopes: Iterable[str]) -> dict[str, str]:
    """Return what audiences are called, by their scopes."""
    rows = snapshot.rows(_sql["scopes"], (json.dumps(sorted(scopes)),))
    return {row[0]: scope_name(snapshot, *row) for row in rows}


def is_moved(snapshot: Snapshot, memory: str) -> bool:
    """Say whether a memory was moved already: the one that it was moved to supersedes it."""
    nonce = nonce_from(memory)
    return any(row[0].hex() == nonce for row in snapshot.rows(_sql["newer"], (memory,)))


def came_from(snapshot: Snapshot, memory: str, nonce: str) -> str | None:
    """Return the owner of the memory that this one was moved from, if it was moved."""
    for older, owner in snapshot.rows(_sql["older"], (memory,)):
        if nonce_from(older) == nonce:
            return str(owner)
    return None


def links_of(snapshot: Snapshot, memory: str) -> list[HeldLink]:
    """Return every link of a memory, whoever says so."""
    return [HeldLink(*row) for row in snapshot.rows(_sql["links"], {"id": memory})]


def granted_to(snapshot: Snapshot, scope: str, after: str, limit: int) -> list[tuple[str, str]]:
    """Return this account's memories that an audience reads, behind one of them, with the owner."""
    parameters = {"scope": scope, "after": after, "limit": limit}
    return [(row[0], row[1]) for row in snapshot.rows(_sql["granted"], parameters)]
