"""Owners: whose memories a reader sees, and how many an agent owns."""

from __future__ import annotations

from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.file.value import fit
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.queries import Queries

_sql = Queries("memory")


def owners(snapshot: Snapshot, gate: Gate) -> list[Row]:
    """Return agent id, name, shown, forgotten and last change for each owner that may be seen."""
    found = snapshot.rows(_sql["owners"], {**gate.parameters, "now": snapshot.now})
    return [fit(row, "ttiiI") for row in found]


def ids_of_owner(snapshot: Snapshot, agent: str, limit: int) -> list[str]:
    """Return ids of an owner's memories that are not forgotten: for the operator alone."""
    return [row[0] for row in snapshot.rows(_sql["ids_of_owner"], (agent, limit))]


def owned(snapshot: Snapshot, agent: str, enough: int) -> int:
    """Return how many memories an agent owns that are not forgotten, or more up to ``enough``.

    They are counted only where more memories than that reach the agent.
    """
    reached: int = snapshot.value(_sql["reached"], (agent,)) or 0
    return reached if reached <= enough else int(snapshot.value(_sql["owned"], (agent,)))
