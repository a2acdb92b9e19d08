"""How much is in the file."""

from __future__ import annotations

from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.queries import Queries

_memory = Queries("memory")
_register = Queries("register")
_sql = Queries("upkeep")


def memories(snapshot: Snapshot) -> int:
    """Return how many memories the file holds, forgotten ones included."""
    return int(snapshot.value(_sql["memory_count"]))


def registers(snapshot: Snapshot) -> int:
    """Return how many registers the file holds."""
    return int(snapshot.value(_register["count"]))


def shown(snapshot: Snapshot, gate: Gate) -> Row:
    """Return how many memories a principal is shown, has expired, has forgotten, has pinned."""
    return snapshot.row(_memory["counts"], _parameters(snapshot, gate)) or (0, 0, 0, 0)


def types(snapshot: Snapshot, gate: Gate) -> tuple[Row, ...]:
    """Return how many memories of each type a principal is shown, the commonest first."""
    return tuple(snapshot.rows(_memory["counts_by_type"], _parameters(snapshot, gate)))


def _parameters(snapshot: Snapshot, gate: Gate) -> dict[str, object]:
    return {**gate.parameters, "now": snapshot.now}
