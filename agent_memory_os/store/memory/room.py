"""How many memories an agent owns, told without counting them wherever that is possible."""

from __future__ import annotations

from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.queries import Queries

_sql = Queries("memory")


def owned(snapshot: Snapshot, agent: str, enough: int) -> int:
    """Return how many memories an agent owns that are not forgotten, or more up to ``enough``.

    They are counted only where more memories than that reach the agent.
    """
    reached: int = snapshot.value(_sql["reached"], (agent,)) or 0
    return reached if reached <= enough else int(snapshot.value(_sql["owned"], (agent,)))
