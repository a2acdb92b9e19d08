"""The gate: from a principal to what SQL lets through, in one transaction.

:func:`open_gate` reads the principal's memberships in the snapshot of the read itself. The
parameters of a :class:`Gate` go with every query that touches memories; the index is asked only
for terms under the gate's scopes. An agent that is not known, or was removed, sees nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from agent_memory_os.model.organisation import spelt
from agent_memory_os.model.principal import Principal, Sight
from agent_memory_os.model.recall import Filter
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("gate")


class Gate(NamedTuple):
    """A principal's sight with the row numbers that queries need.

    ``scopes`` are the scopes under which the index is searched, as row numbers in order.
    """

    sight: Sight
    agent_row: int | None
    scopes: tuple[int, ...]

    @property
    def parameters(self) -> dict[str, object]:
        """The :gate_* parameters of the SQL fragment."""
        is_operator = self.sight.principal.is_operator
        return {
            "gate_all": int(is_operator),
            "gate_agent": self.agent_row,
            "gate_scopes": "[]" if is_operator else json.dumps(self.scopes),
        }


def open_gate(snapshot: Snapshot, principal: Principal) -> Gate:
    """Return what a principal may read, as the organisation stands in this snapshot."""
    if principal.is_operator:
        rows = snapshot.rows(_sql["scopes_of_operator"])
        return Gate(Sight(principal, frozenset()), None, tuple(sorted(row[0] for row in rows)))
    agent = snapshot.row(_sql["agent_row"], {"agent": principal.agent})
    if agent is None:
        return Gate(Sight.of_nobody(), None, ())
    found = {row[0]: row[1] for row in snapshot.rows(_sql["scopes_of_agent"], {"row": agent[0]})}
    return Gate(Sight(principal, frozenset(found.values())), agent[0], tuple(sorted(found)))


def narrowed(gate: Gate, wanted: Filter, now: int) -> dict[str, object]:
    """Return the parameters of the SQL fragments gate, current and filters."""
    return {
        **gate.parameters,
        "now": now,
        "owner": None if wanted.owner is None else spelt(wanted.owner),
        "types": json.dumps(wanted.types) if wanted.types else None,
        "tags": json.dumps(wanted.tags) if wanted.tags else None,
        "session": wanted.session,
        "author": wanted.author,
        "pinned": None if wanted.pinned is None else int(wanted.pinned),
        "since": wanted.since,
        "until": wanted.until,
        "time_field": wanted.time_field,
    }


def readable(snapshot: Snapshot, gate: Gate, rows: Iterable[int]) -> frozenset[int]:
    """Return those of the rows that the gate lets through, whatever their state."""
    parameters = {**gate.parameters, "rows": json.dumps(list(rows))}
    return frozenset(row[0] for row in snapshot.rows(_sql["rows_readable"], parameters))


def agent_of_name(database: Database, name: str) -> str | None:
    """Return the id of the one active agent of a name or id, or ``None`` (none, or several)."""
    with database.read() as snapshot:
        rows = snapshot.rows(_sql["agents_of_name"], {"name": spelt(name)})
    return rows[0][0] if len(rows) == 1 else None
