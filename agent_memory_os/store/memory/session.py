"""The memories of one session of one owner, in the order of their places in it."""

from __future__ import annotations

from agent_memory_os.model.memory import Memory
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.memories import with_audience
from agent_memory_os.store.queries import Queries

_sql = Queries("session")


def last_position(snapshot: Snapshot, session: str, owner: int) -> int | None:
    """Return the last place of a session that is taken, by what is forgotten too."""
    found: int | None = snapshot.value(_sql["last_position"], (session, owner))
    return found


def page(
    snapshot: Snapshot,
    gate: Gate,
    session: str,
    owner: int | None,
    *,
    after: int,
    after_id: str,
    limit: int,
) -> list[Memory]:
    """Return memories that have a place, from the one behind ``after`` and ``after_id`` on."""
    parameters = {
        **gate.parameters,
        "now": snapshot.now,
        "session": session,
        "owner": owner,
        "after": after,
        "after_id": after_id,
        "limit": limit,
    }
    return with_audience(snapshot, gate, snapshot.rows(_sql["session_page"], parameters))
