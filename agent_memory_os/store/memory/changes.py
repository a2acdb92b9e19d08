"""What has changed for a reader since a register: which memories are here, and which are gone.

A reader learns of what it may read now, and of what it could read until a grant to one of its
scopes, or the memory's life, ended. Of a change that reaches it in no other way, such as a grant to
somebody else, nothing is said, and the order of what is said does not depend on it either.

While the reader's own groups changed, nobody can say from here what it could read at which moment:
then it is told so, and nothing is said to be gone.
"""

from __future__ import annotations

import json

from agent_memory_os.model.register import GRANT
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("change")


class Latest(NamedTuple):
    """The newest register's number, and the incarnation of the log that it is in."""

    number: int
    incarnation: str


class Change(NamedTuple):
    """A memory that changed: its version as it is now, or ``None`` where it is gone.

    ``memory`` is empty where the reader's own groups changed.
    """

    number: int
    memory: str
    version: int | None


def latest(snapshot: Snapshot) -> Latest:
    """Return where the log stands."""
    found = snapshot.row(_sql["latest"])
    assert found is not None  # noqa: S101 - a file has a node
    return Latest(*found)


def since(snapshot: Snapshot, gate: Gate, last: int, limit: int) -> list[Change]:
    """Return what changed after a register, in the order in which it changed, up to ``limit``."""
    groups = [GRANT + scope for scope in sorted(gate.sight.scopes)]
    asked = {**gate.parameters, "last": last, "limit": limit, "groups": json.dumps(groups)}
    found = [Change(at, name, version) for name, version, at in snapshot.rows(_sql["here"], asked)]
    regrouped = _regrouped(snapshot, gate, last)
    if regrouped is None:
        found += [Change(at, name, None) for name, at in snapshot.rows(_sql["gone"], asked)]
    else:
        found.append(Change(regrouped, "", None))
    return sorted(found)[:limit]


def _regrouped(snapshot: Snapshot, gate: Gate, last: int) -> int | None:
    agent = gate.sight.principal.agent
    if agent is None:
        return None
    asked = {"last": last, "agent": agent, "gate_agent": gate.agent_row}
    number: int | None = snapshot.value(_sql["audience"], asked)
    return number
